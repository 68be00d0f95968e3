/* Numbers that are none, signed zeros, subnormal and infinite ones, as arguments, results and in memory. */
#include <math.h>

struct pair { float narrow; double wide; };

int kind(double x)
{
    if (x != x)
        return 0;
    if (x == INFINITY)
        return 1;
    if (x == -INFINITY)
        return 2;
    if (x == 0.0)
        return 1.0 / x < 0.0 ? 3 : 4;
    if (fabs(x) < 2.2250738585072014e-308)
        return 5;
    return 6;
}

double negated(double x)
{
    return x == 0.0 ? -x : x;
}

float quotient(float a, float b)
{
    if (b == 0.0f)
        return a / b;
    return a == 1.0f ? a / 3.0f : b;
}

double root(double x)
{
    if (x < 0.0)
        return sqrt(x);
    return x;
}

void spread(struct pair *p)
{
    if (p->narrow > 1e30f)
        p->narrow *= 1e30f;
    if (p->wide > 0.0 && p->wide < 1e-300)
        p->wide *= 1e-20;
}

int exact(float x, double y)
{
    if (x == 0.1f && y == 0.1)
        return 1;
    return (double)x == y && x != 0.0f;
}

int whole(double x)
{
    if (x >= -1e9 && x <= 1e9 && x == (double)(int)x)
        return (int)x % 7;
    return -1;
}
