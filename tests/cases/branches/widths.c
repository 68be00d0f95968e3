/* Narrow and wide integers, signed and not. */
#include <stdint.h>
#include <stdio.h>

int narrow(char a, unsigned char b, short c, uint16_t d) {
    int r = 0;
    if (a == 'x') r |= 1;
    if (a < 0) r |= 2;
    if (b > 127) r |= 4;
    if (c <= -5) r |= 8;
    if (d) r |= 16;
    if (a >= 'a' && a <= 'z') r |= 32;
    if (b == c) r |= 64;
    return r;
}

int wide(int64_t a, uint64_t b) {
    if (a < 0) return 1;
    if (b > 0) return 2;
    if (a > INT64_C(5000000000)) return 3;
    if (!a) return 4;
    if (a && b == 0) return 5;
    return 6;
}

int zero(unsigned n, int m) {
    if (n > 0) return 1;
    if (n >= 1 || m >= 1) return 2;
    if (0 < m || 0 == m) return 3;
    if (m < 1) return 4;
    return 5;
}

int bits(unsigned x) {
    if (x & 1) return 1;
    if ((x & 6) != 0) return 2;
    if (!(x >> 4)) return 3;
    if (x % 3 == 0) return 4;
    if (x << 28) return 5;
    if (~x) return 6;
    return 7;
}

int main(void) {
    printf("%d %d %d\n", narrow('x', 200, -6, 1), narrow(-1, 3, 3, 0), narrow('A', 1, 2, 3));
    printf("%d %d %d %d %d\n", wide(-1, 0), wide(1, 1), wide(6000000000, 0), wide(0, 0), wide(9, 0));
    printf("%d %d %d %d\n", zero(1, 0), zero(0, 1), zero(0, 0), zero(0, -1));
    printf("%d %d %d %d %d %d\n", bits(1), bits(2), bits(8), bits(48), bits(16), bits(160));
    return 0;
}
