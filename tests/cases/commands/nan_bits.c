/* Programs that look at the bits of floats: which NaN an input is makes a difference. */
#include <math.h>
#include <stdint.h>
#include <string.h>

struct sample {
    float value;
    int used;
};

static uint64_t bits_of(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* Signs, kinds and payloads of NaNs; that a NaN has another exponent is impossible. */
int kind(double x) {
    uint64_t bits = bits_of(x);
    if (x == x) {
        return 0;
    }
    if ((bits >> 52 & 0x7ff) != 0x7ff) {
        return -1;
    }
    if ((bits & 0x0008000000000000u) == 0) {
        return 1;
    }
    if ((bits & 0xffffffff) == 0x12345678) {
        return 2;
    }
    return (bits >> 63) != 0 ? 3 : 4;
}

/* A float in memory, and a sign that was changed. */
int tag(const struct sample *s) {
    float negated = -s->value;
    uint32_t bits;
    memcpy(&bits, &negated, sizeof bits);
    if (s->used && isnan(s->value)) {
        if (bits == 0x7fc00abc) {
            return 1;
        }
        return 2;
    }
    return 0;
}

/* What arithmetic makes of a NaN has no payload: the machine may give any, so nothing is claimed of it. */
int computed(double x) {
    double sum = x + 1.0;
    if (sum == sum) {
        return 0;
    }
    if ((bits_of(sum) & 0xfff) == 0xabc) {
        return 1;
    }
    return 2;
}

/* Numbers are what they were. */
int number(double x) {
    if (bits_of(x) == 0x4045000000000000u) {
        return x == 42.0 ? 1 : -1;
    }
    return 0;
}
