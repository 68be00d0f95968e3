int twice(int a)
{
    return 2 * a;
}

int sum_of_two(int a, int b)
{
    return a + b;
}

int undeclared(int a)
{
    return a + 3;
}

int wide(int a)
{
    return a;
}

double half(double a)
{
    return a / 2;
}
