/* Nested &&, || and !, over several lines, in parentheses, outside of `if`. */
#include <stdio.h>

int nested(int a, int b, int c) {
    int r = 0;
    if (a < 3 && b > 4 || !(a == b)) r += 1;
    if (!(a > 0 && !(b > 0 || c > 0))) r += 2;
    if ((a || b) && (b || c)) r += 4;
    if (a != 0 &&
        /* a comment, with && in it */ b
            != 0 &&
        c) {
        r += 8;
    }
    if (!a) r += 16;
    if (!!b) r += 32;
    if (((c))) r += 64;
    return r;
}

int values(int a, int b, int c) {
    int z = a && b;
    int y = a > 1 || b > 2 || c > 3;
    int x = !(a && c);
    return z + 2 * y + 4 * x;
}

_Bool returned(int a, int b) { return a > b && b != 7; }

int argument(int a) { return a; }

int arguments(int a, int b) { return argument(a && b) + argument(a == 1 || b == 1); }

int between(unsigned low, unsigned x, unsigned high) {
    if (low <= x && x < high) return 1;
    if (3 < x || 10u >= high) return 2;
    return 3;
}

int main(void) {
    int sum = 0;
    for (int a = -1; a < 5; a++)
        for (int b = -1; b < 6; b++)
            for (int c = -1; c < 2; c++) sum += nested(a, b, c) + values(a, b, c);
    sum += returned(3, 2) + returned(8, 7) + returned(1, 2) + arguments(0, 1) + arguments(1, 1);
    sum += between(1, 2, 3) + between(5, 2, 3) + between(0, 9, 9) + between(9, 1, 30);
    printf("%d\n", sum);
    return 0;
}
