/* ?: in all places. */
#include <stdio.h>

int simple(int x, int y) { return x < y ? 7 : 9; }
int maximum(int x, int y) { return x > y ? x : y; }
int magnitude(int x) { return x < 0 ? -x : x; }
int nested(int x, int y) { return x > 0 ? y > 0 ? 1 : 2 : y == 0 ? 3 : 4; }
int calls(int x) { return x ? simple(x, 3) : maximum(x, 4); }
int mixed(int x, int y) { return x > 1 && y > 1 ? simple(x, y) : x < -1 || y < -1 ? 5 : 6; }
int argument(int x, int y) { return maximum(x == 2 ? 10 : y, y != 3 ? x : 20); }
int condition(int x, int y, int z) {
    if (x ? y > 2 : z > 3) return 1;
    return 0;
}
double floats(double a, double b) { return a < b ? a * 2 : b + 1; }
const char *text(int n) { return n == 1 ? "one" : n == 2 ? "two" : "many"; }
int truth(int x) { return x > 4 ? 1 : 0; }
int offset(int x) { return x == 4 ? 6 : 5; }
int elvis(int x, int y) { return x ?: y; }

int main(void) {
    int sum = 0;
    for (int x = -3; x < 4; x++)
        for (int y = -3; y < 4; y++) {
            sum += simple(x, y) + maximum(x, y) + magnitude(x) + nested(x, y) + calls(x);
            sum += mixed(x, y) + argument(x, y) + condition(x, y, x + y) + (int)floats(x, y);
            sum += text(x)[0] + truth(y) + offset(y) + elvis(x, y);
        }
    printf("%d\n", sum);
    return 0;
}
