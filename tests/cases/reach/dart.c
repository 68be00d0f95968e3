// Figure 5: non-linear integers, and a function that no solver looks into.
#include <string.h>

int dart(int x, int y)
{
    int a = x * x * x;
    int b = y + 3;
    if (a == b) {
        return 1; // TARGET reached 1
    }
    return 0;
}

int external(float u)
{
    int v;
    memcpy(&v, &u, sizeof v);
    if (v == 0) {
        return 1; // TARGET reached 1
    }
    return 0;
}
