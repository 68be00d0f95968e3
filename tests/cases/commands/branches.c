/* Small functions whose branches can all be reached, and what a search has to prove or to report. */
int magic(int x)
{
    if (x * 7 == 693)
        return 1;
    return 0;
}
int ranges(unsigned char a, unsigned char b)
{
    if (a > 10 && b < 5)
        return 1;
    if (a + b == 300)
        return 2;
    return 3;
}
int floats(double d)
{
    if (d * d == 2.25 && d < 0)
        return 1;
    return 0;
}
int impossible(unsigned char x)
{
    if (x % 3 == 1)
        if (x % 9 == 2)
            return 1;
    return 0;
}
int quotient(int a, int b)
{
    if (a > 100)
        return a / (b - 7);
    return 0;
}
int word(const char *s)
{
    if (s[0] == 'a' && s[1] == 'b' && s[2] == 0)
        return 1;
    return 0;
}
int loops(const int *data, int n)
{
    int best = 0;

    for (int i = 0; i < n; i++)
        if (data[i] > best)
            best = data[i];
    return best == 1234 ? 1 : 2;
}
