#include <symcrete.h>

#include "targets.h"
void reach_error(void);

static int helper(int x)
{
    if (x == 17)
        return x + 1;
    return in_header(x);
}
int entered(int x) {
    if (x > 40)
        return helper(x - 40);
    return 0;
}

int divide(int a, int b)
{
    return a / (b - 3);
}

int divide_never(int a, int b)
{
    if (b > 7 || b < 4)
        return 0;
    a ^= 1;
    return a / (b - 3);
}

int deep(int x)
{
    if (x == 5)
        symcrete_target("deep");
    if (x == 6)
        reach_error();
    return x;
}
