/* Sides that no run of ours takes, and of which nothing may be claimed all the same. */
#include <string.h>

struct tiny { unsigned x : 3; };

static int down(int n) {
    if (n == 0) {
        return 0;
    }
    return 1 + down(n - 1);
}

/* Calls go deeper than our machine lets them. */
int deep(struct tiny t) {
    if (down(t.x * 200) == 1200) {
        return 1;
    }
    return 0;
}

/* A NaN that was computed has bits that ours does not have. */
int nan_bits(double x) {
    x = x / 3.0;
    unsigned long long bits;
    memcpy(&bits, &x, sizeof bits);
    if (x != x) {
        if (bits & 255) {
            return 1;
        }
    }
    return 0;
}

/* An index that reaches other objects. */
int astray(char *p, int i) {
    p[0] = p[1] = p[2] = 0;
    if (p[i] == 7) {
        return 1;
    }
    return 0;
}
