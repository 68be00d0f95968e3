/* Kernels of the engine benchmark: the same source natively and for WebAssembly. */
#include <math.h>
#include <stdint.h>

static uint8_t composite[2000000];

uint32_t sieve(uint32_t n) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < n; i++) composite[i] = 0;
    for (uint32_t i = 2; i < n; i++) {
        if (composite[i]) continue;
        count++;
        for (uint32_t j = i + i; j < n; j += i) composite[j] = 1;
    }
    return count;
}

static double a[200][200], b[200][200], c[200][200];

uint32_t matrix(uint32_t n) {
    if (n > 200) n = 200;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++) {
            a[i][j] = i + 2.0 * j;
            b[i][j] = i - 3.0 * j;
        }
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++) {
            double sum = 0;
            for (uint32_t k = 0; k < n; k++) sum += a[i][k] * b[k][j];
            c[i][j] = sum;
        }
    return (uint32_t)(int64_t)c[n / 2][n / 3];
}

static char text[4096];
static const char *at;

static int32_t expression(void);

static int32_t factor(void) {
    if (*at == '(') {
        at++;
        int32_t value = expression();
        at++;
        return value;
    }
    int32_t value = 0;
    while (*at >= '0' && *at <= '9') value = value * 10 + (*at++ - '0');
    return value;
}

static int32_t product(void) {
    int32_t value = factor();
    while (*at == '*' || *at == '/') {
        char op = *at++;
        int32_t right = factor();
        if (op == '*') value = (int32_t)((uint32_t)value * (uint32_t)right);
        else value = right ? value / right : 0;
    }
    return value;
}

static int32_t expression(void) {
    int32_t value = product();
    while (*at == '+' || *at == '-') {
        char op = *at++;
        int32_t right = product();
        value = (int32_t)(op == '+' ? (uint32_t)value + (uint32_t)right
                                    : (uint32_t)value - (uint32_t)right);
    }
    return value;
}

uint32_t parser(uint32_t n) {
    static const char unit[] = "(12+34*(5-6/2))*7+";
    uint32_t length = 0;
    for (int i = 0; i < 200; i++)
        for (const char *from = unit; *from; from++) text[length++] = *from;
    text[length++] = '1';
    text[length] = 0;
    uint32_t sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        at = text;
        sum += (uint32_t)expression();
    }
    return sum;
}

uint32_t trigonometry(uint32_t n) {
    double sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        double x = i * 0.001;
        sum += sin(x) * cos(x * 0.5) + sqrt(x) * atan2(x, 3.0);
    }
    return (uint32_t)(int64_t)sum;
}

static uint32_t heap[100000];

static void sink(uint32_t root, uint32_t n) {
    for (;;) {
        uint32_t child = 2 * root + 1;
        if (child >= n) return;
        if (child + 1 < n && heap[child + 1] > heap[child]) child++;
        if (heap[root] >= heap[child]) return;
        uint32_t swap = heap[root];
        heap[root] = heap[child];
        heap[child] = swap;
        root = child;
    }
}

uint32_t heapsort(uint32_t n) {
    if (n > 100000) n = 100000;
    uint32_t state = 1;
    for (uint32_t i = 0; i < n; i++) heap[i] = state = state * 1664525u + 1013904223u;
    for (uint32_t i = n / 2; i-- > 0;) sink(i, n);
    for (uint32_t end = n; end-- > 1;) {
        uint32_t swap = heap[0];
        heap[0] = heap[end];
        heap[end] = swap;
        sink(0, end);
    }
    return heap[n / 2];
}

#ifdef NATIVE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int main(int argc, char **argv) {
    uint32_t (*kernels[])(uint32_t) = {sieve, matrix, parser, trigonometry, heapsort};
    const char *names[] = {"sieve", "matrix", "parser", "trigonometry", "heapsort"};
    for (int i = 0; i < 5; i++) {
        if (argc < 3 || strcmp(argv[1], names[i])) continue;
        struct timespec start, end;
        clock_gettime(CLOCK_MONOTONIC, &start);
        uint32_t result = kernels[i]((uint32_t)atoi(argv[2]));
        clock_gettime(CLOCK_MONOTONIC, &end);
        double ns = (end.tv_sec - start.tv_sec) * 1e9 + (end.tv_nsec - start.tv_nsec);
        printf("%u %.0f\n", result, ns);
    }
    return 0;
}
#endif
