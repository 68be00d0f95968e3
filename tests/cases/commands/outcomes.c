#include <assert.h>
#include <stdlib.h>

int asserts(int x)
{
    assert(x != 3);
    return x;
}
int aborts(int x)
{
    if (x == 4)
        abort();
    return x;
}
int divides(int a, int b)
{
    return a / b;
}
int exits(int x)
{
    if (x > 5)
        exit(x);
    return x;
}
int outside(const int *data, int n, int i)
{
    return data[i] + n;
}
int null(const int *p)
{
    return *p;
}
int endless(int x)
{
    volatile int go = 1;

    while (go)
        x++;
    return x;
}
int deep(int x) { return deep(x + 1) + 1; }
int unreachable(int x)
{
    if (x == 1)
        __builtin_trap();
    return x;
}
