#include <fenv.h>

/* Exceptions of floats are not followed. */
int exceptions(double x)
{
    feclearexcept(FE_ALL_EXCEPT);
    x = x / 3;
    if (fetestexcept(FE_ALL_EXCEPT) == 77)
        return 1;
    return x > 1 ? 2 : 0;
}
