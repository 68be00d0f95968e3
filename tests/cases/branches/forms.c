/* Every way to write a condition: what it says must not depend on what code generation makes of it. `all` runs each
 * function once with one value. */
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define BETWEEN(v, low, high) ((v) >= (low) && (v) <= (high))
#define FAIL_IF(c) do { if (c) return -1; } while (0)
#define TWICE(M, v) (M(v) + M((v) + 1))
#define ODD(v) ((v) % 2 ? 1 : 0)
#define WHEN(c) if (c)
#define NOT(c) (!(c))

int masks(int x) {
    int n = 0;
    if ((x & 8) == 8) n += 1;
    if ((x & 8) != 0) n += 2;
    if ((x & 12) == 4) n += 4;
    if (!(x & 1)) n += 8;
    if (x & 6) n += 16;
    if ((x & 7) == 7 && (x & 64) != 64) n += 32;
    return n;
}

int of_comparisons(int x) {
    int n = 0;
    if ((x == 4) == 0) n += 1;
    if ((x > 3) != 0) n += 2;
    if ((x > 3) != 1) n += 4;
    if ((x < 9) == (x > 2)) n += 8;
    if (!(x == 5) == 1) n += 16;
    if ((x == 1) | (x == 3)) n += 32;
    if (64 >= x) n += 64;
    if (((x != 8) == 0) == 0) n += 128;
    if ((x > 0) ^ (x > 9)) n += 256;
    return n;
}

int negations(int x) {
    int n = 0;
    if (!x) n += 1;
    if (!!x) n += 2;
    if (!(!(x))) n += 4;
    if (!(x > 3 && x < 9)) n += 8;
    if (!(x < 3 || x > 9)) n += 16;
    if (!x == 0) n += 32;
    if (x != 0) n += 64;
    if (x == 0) n += 128;
    if (!((x > 1 && x != 4) || (x < -1 && !(x & 2)))) n += 256;
    return n;
}

int widths(int x) {
    size_t size = (size_t)(unsigned)x;
    unsigned char byte = (unsigned char)x;
    long long wide = x;
    int n = 0;
    if (size > INT_MAX) n += 1;
    if ((signed char)byte < 0) n += 2;
    if ((wide << 20) != 0LL) n += 4;
    if (!(wide % 3) == 1) n += 8;
    if (byte == 87) n += 16;
    if ((unsigned)x >= 0x80000000u) n += 32;
    return n;
}

int reals(int x) {
    double d = x == 8 ? INFINITY : x == 9 ? NAN : x;
    float f = (float)d;
    int n = 0;
    if (isinf(d)) n += 1;
    if (d != d) n += 2;
    if (!(f < 2)) n += 4;
    if (d > 1.5 && !(f <= 3)) n += 8;
    if (d) n += 16;
    if ((int)(d > 4) == 0) n += 32;
    return n;
}

int macros(int x) {
    FAIL_IF(x == 100);
    FAIL_IF(x > 4000 && x < 6000);
    WHEN(x == 5) return 3;
    if (BETWEEN(x, 1, 5) || NOT(x > -2)) return 4;
    if (NOT(BETWEEN(x, 10, 90))) return TWICE(ODD, x);
    return 0;
}

int values(int x) {
    int both = x > 3 && x < 9, either = x < 2 || x == 4, truth = !x;
    _Bool flag = x & 4;
    int n = both + 2 * either + 4 * truth;
    n += x > 3 ? 8 : 0;
    n += x < 4 ? 1 : 1;
    n += (flag ? x > 4 : x > 8) ? 16 : 32;
    n += x ?: 3;
    x > 2 && x < 5;
    (both && either) == 0 ? n++ : n--;
    return n + (x == 5) + !flag;
}

int empty(int x) {
    if (x > 2) {}
    if (x > 3) ; else {}
    if (x == 4) return 1; else return 1;
}

int loops(int x) {
    int n = 0, i = x & 7;
    while (i > 2 && i != 5) i--;
    do { n++; } while (n < 4 && !(n == x));
    for (;;) { if (n++ > 6) break; }
    for (int j = 0; j < (x & 3); j++) { if (j == 1) continue; n += j; }
    for (int j = 3; j; j--) n ^= j;
again:
    if (n > 9) { n -= 3; goto again; }
    return n + i;
}

int sparse(int x) {
    switch (x) {
    case 8: return 1;
    case 9: return 2;
    case 87: return 3;
    case 103: return 4;
    default: return 5;
    }
}

int equal_bodies(int x) {
    int n = 0;
    switch (x) {
    case 0: n = 1; break;
    case 1: n = 2; break;
    case 2: n = 1; break;
    case 3: n = 1; break;
    case 4: break;
    case 5: break;
    default: n = 1;
    }
    return n;
}

int shared(int x) {
    switch (x) {
    case 1: case 2: return 1;
    case 3: x++; /* falls through */
    case 4 ... 9: x += 2; break;
    case -7: default: x = 9; break;
    case 100 ... 6000: x = 4; break;
    case 60000 ... 80000: ;
    }
    return x;
}

int without_default(int x) {
    switch (x) { case 4: x = 1; }
    switch (x & 15) { case 1: case 5: if (x > 16) { case 8: x++; } break; case 0: return 3; case 9 ... 11: x = 2; }
    switch (x) { default: x++; }
    switch ((long long)x << 33) { case 0: return 1; case 1LL << 33: return 2; case 5LL << 33: return 4; }
    return x;
}

int jumps_inside(int x) {
    int n = 0, i = 3;
    switch (x & 3) { case 0: do { n++; case 3: n += 2; case 2: n += 4; case 1: n += 8; } while (--i > 0); }
    return n;
}

int nested(int x) {
    switch (x & 3) {
    case 1: switch (x & 12) { case 4: return 11; case 8: case 12: return 12; } break;
    case 2: if (x > 2) break; return 5;
    default: switch (x) { default: return 6; case 0: ; }
    }
    return 7;
}

int text(int x) {
    const char *words[] = { "one", "two", "", NULL };
    const char *word = words[x & 3];
    if (word == NULL || !*word) return 1;
    if (!strcmp(word, "two")) return 2;
    return word[0] - 'o' ? 3 : 4;
}

int all(int x) {
    return masks(x) + of_comparisons(x) + negations(x) + widths(x) + reals(x) + macros(x) + values(x) + empty(x)
        + loops(x) + sparse(x) + equal_bodies(x) + shared(x) + without_default(x) + jumps_inside(x) + nested(x) + text(x);
}

int main(void) {
    int sum = 0;
    for (int x = -9; x < 110; x++) sum ^= all(x);
    printf("%d\n", sum ^ all(5000) ^ all(70000) ^ all(INT_MAX) ^ all(INT_MIN));
    return 0;
}
