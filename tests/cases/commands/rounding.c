#include <fenv.h>

int rounds(double x, int up)
{
    if (fesetround(up ? FE_UPWARD : FE_TONEAREST) != 0)
        return -1;
    if (x + 1e-20 > x)
        return 1;
    return 0;
}
