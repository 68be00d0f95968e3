// Lines that have several instances, or none.
#include "instances.h"

int first(int a)
{
    return inlined(a & 7);
}

int second(int a)
{
    return inlined(a) + 1;
}

static int nobody_calls(int x)
{
    if (x == 4)
        return 1;
    return 0;
}

int with_macro(int x)
{
    CHECK(x);
    return x;
}

int optimised_away(int x)
{
    if (0)
        return x + 1;
    if (sizeof(int) == 2)
        return x + 2;
    return x;
}

static int shared(int n)
{
    if (n == 321)
        return 1;
    return 0;
}

int whole(int x)
{
    return shared(x & 15);
}

int fraction(double x)
{
    return x > 0 && x < 1000 ? shared((int)x) : 0;
}
