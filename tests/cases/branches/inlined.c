/* static inline helpers, called in conditions and as conditions. */
#include <stdbool.h>
#include <stdio.h>

#include "inlined.h"

static inline bool is_even(int x) { return x % 2 == 0; }
static inline int clamp(int x, int low, int high) {
    if (x < low) return low;
    if (x > high) return high;
    return x;
}

int classify(int x) {
    if (is_even(x)) return clamp(x, 2, 8);
    if (!is_even(x / 2) && is_positive(x)) return 3;
    if (clamp(x, 0, 5) == x) return 4;
    return is_positive(x) ? 5 : 6;
}

int main(void) {
    int sum = 0;
    for (int x = -9; x < 12; x++) sum += classify(x);
    printf("%d\n", sum);
    return 0;
}
