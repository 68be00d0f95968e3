/* What the sanitizers check, one kind per function. */
int overflow(int a, int b)
{
    return a + b;
}
int bounds(int i)
{
    static int table[8] = {1, 2, 3};

    return table[i];
}
int shift(int a, int b)
{
    return a << b;
}
int null(const int *p)
{
    return *p;
}
int cast(double d)
{
    return (int)d;
}
