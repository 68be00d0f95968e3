#include "shared.h"

int outer(int x)
{
    if (x > LIMIT)
        return inner(x);
    return SCALE;
}
