/* All loops, with break, continue and goto. */
#include <stdio.h>
#include <string.h>

int count(const char *s) {
    int n = 0;
    while (*s) {
        if (*s++ == ' ') continue;
        n++;
        if (n >= 10) break;
    }
    return n;
}

int sum(int n) {
    int s = 0;
    for (int i = 0; i < n; i++) s += i;
    for (; n > 3;) n -= 2;
    for (int i = 0, j = n; i < j && s < 1000; i++, j--) s += i * j;
    return s;
}

unsigned digits(unsigned n) {
    unsigned d = 0;
    do {
        d++;
        n /= 10;
    } while (n);
    return d;
}

int until(int a, int b) {
    int n = 0;
    do {
        a--;
        n++;
    } while (a > 0 && b < n + 100);
    while (a < 10 && b != a) a++;
    while (a < 20 || b < a) { a++; b++; }
    return a + n;
}

int forever(int n) {
    for (;;) {
        if (n > 100) break;
        n *= 2;
        n++;
    }
    while (1) {
        if (n % 7 == 0) return n;
        n--;
    }
}

int jumps(int n) {
    int steps = 0;
again:
    if (n == 1) goto done;
    n = n % 2 ? 3 * n + 1 : n / 2;
    steps++;
    if (steps < 50) goto again;
done:
    return steps;
}

int matrix(int m[3][3]) {
    int trace = 0;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            if (i == j) {
                trace += m[i][j];
            } else if (m[i][j] < 0) {
                return -1;
            } else {
                continue;
            }
        }
    }
    return trace;
}

int main(void) {
    int identity[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, bad[3][3] = {{1, -1, 0}};
    printf("%d %d %d %u %d %d %d %d %d %d\n", count("a b c"), count("abcdefghijkl mno"), sum(9),
           digits(12345), until(3, 4), until(9, 40), forever(3), jumps(7), jumps(27), matrix(identity) + matrix(bad));
    return 0;
}
