#include <fenv.h>
#include <float.h>
#include <math.h>

/* Every side is taken, some of them in one direction only. */
int chosen(int direction, double x)
{
    double third;

    if (fesetround(direction) != 0)
        return -1;
    third = x / 3.0;
    fesetround(FE_TONEAREST);
    if (third > x / 3.0)
        return 1;
    if (third < x / 3.0)
        return 2;
    return 0;
}

/* No sum is below itself rounded down. */
int bracket(float a, float b)
{
    float down, up;

    fesetround(FE_DOWNWARD);
    down = a + b;
    fesetround(FE_UPWARD);
    up = a + b;
    fesetround(FE_TONEAREST);
    if (down > up)
        return -1;
    return down < up;
}

/* Who calls this may have set another direction, and then the sum can be greater. */
int inherited(float x)
{
    if (x >= 1 && x + 0x1p-30f > x)
        return 1;
    return 0;
}

/* The library's own rounding is not known in other directions. */
int library(double x)
{
    fesetround(FE_UPWARD);
    if (sin(x) > 1)
        return 1;
    return x < 0;
}

/* A difference of equals is -0.0 in one direction only. */
int environments(double x, double y)
{
    fenv_t before;

    fesetround(FE_DOWNWARD);
    feholdexcept(&before);
    if (x == y && 1 / (x - y) < 0)
        return 1;
    fesetenv(FE_DFL_ENV);
    if (x == y && 1 / (x - y) < 0)
        return 2;
    if (fegetround() != FE_TONEAREST || FLT_ROUNDS != 1)
        return 3;
    feupdateenv(&before);
    if (fegetround() != FE_DOWNWARD || FLT_ROUNDS != 3)
        return 4;
    return x > y;
}

/* All that rounds, but for operators. */
int functions(double x, long long n)
{
    fesetround(FE_UPWARD);
    if (sqrt(x) * sqrt(x) > x && x == 2)
        return 1;
    if (fma(x, x, 1e-30) > 1 && x == 1)
        return 2;
    if (lrint(x) == 8 && x < 7.5)
        return 3;
    if ((double)n > 9007199254740993.0 && n == 9007199254740993)
        return 4;
    if ((float)n == 16777218 && n == 16777217)
        return 5;
    if ((float)x > x && x < 1e30)
        return 6;
    return 0;
}
