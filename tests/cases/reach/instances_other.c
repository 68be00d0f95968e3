#include "instances.h"

int third(int a)
{
    return a < 0 ? 0 : inlined(a & 3);
}
