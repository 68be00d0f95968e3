/* Conditions in macros. */
#include <assert.h>
#include <stdio.h>

#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define IS_DIGIT(c) ((c) >= '0' && (c) <= '9')
#define LIMIT 10
#define BIG(x) (x > LIMIT)
#define CHECK(c) do { if (!(c)) return -1; } while (0)
#define BOTH(a, b) a && b

int largest(int a, int b, int c) { return MAX(a, MAX(b, c)); }

int number(const char *s) {
    int n = 0;
    while (IS_DIGIT(*s)) n = n * 10 + *s++ - '0';
    if (BIG(n)) return LIMIT;
    return n;
}

int checked(int a, int b) {
    CHECK(a > 0);
    CHECK(b != 0 && a % b == 0);
    if (BOTH(a > 5, b > 5)) return 2;
    assert(a + b > 0);
    return a < LIMIT ? 1 : 0;
}

int main(void) {
    printf("%d %d %d %d %d %d %d\n", largest(1, 2, 3), largest(3, 1, 2), number("12x"), number("7"),
           checked(0, 1), checked(12, 6), checked(9, 3) + checked(3, 2));
    return 0;
}
