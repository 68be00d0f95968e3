/* Conditions with calls and side effects, recursion, volatile and global variables. */
#include <stdio.h>

static volatile int device;
int calls, table[8] = {1, 0, 3};
static int (*handler)(int);

static int step(int x) { calls++; return x - 1; }

int recursion(int n) {
    if (n <= 1) return 1;
    return n % 2 ? n * recursion(n - 1) : recursion(step(n));
}

int effects(int x) {
    if (step(x) && step(x) > 2) return 1;
    if (x++ == 2 || --x == 1) return x;
    if (table[x & 7]) return 3;
    if (table[x & 7]++ > 0 && (x += 3) > 4) return 4;
    if (device || (device = x)) calls += 2;
    if (handler && handler(x) != 3) return 5;
    return calls > 3 && calls < 1000;
}

int ignored(int a, int b) {
    a && step(b);
    a || step(b);
    a ? step(1) : step(2);
    (void)(a > b ? step(3) : 0);
    return calls;
}

int main(void) {
    int sum = recursion(7);
    for (int x = -2; x < 9; x++) {
        handler = x > 3 ? step : 0;
        sum += effects(x) + ignored(x > 0, x > 1);
    }
    printf("%d\n", sum);
    return 0;
}
