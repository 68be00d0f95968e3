/* Work with nothing symbolic, one function for each kind. ROUNDS is how often each does the like. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Sums of products of doubles, one after another. */
unsigned floats(void)
{
    static double x[1024], y[1024];
    double sum = 0;
    for (int i = 0; i < 1024; i++) {
        x[i] = 1.0 / (i + 1);
        y[i] = i * 0.5;
    }
    for (int round = 0; round < 400 * ROUNDS; round++)
        for (int i = 0; i < 1024; i++) {
            y[i] = y[i] * 0.999 + x[i];
            sum += y[i] * x[i];
        }
    return (unsigned)(int)sum;
}

/* Counts words, digits and lines of a text, byte by byte. */
unsigned bytes(void)
{
    static char text[1 << 14];
    unsigned words = 0, digits = 0, lines = 0;
    for (int i = 0; i < 1 << 14; i++)
        text[i] = "lorem ipsum 12 dolor\nsit amet 345 "[i % 34];
    for (int round = 0; round < 8 * ROUNDS; round++) {
        int inside = 0;
        for (const char *s = text; s < text + (1 << 14); s++) {
            if (*s == '\n')
                lines++;
            if (*s >= '0' && *s <= '9')
                digits++;
            if (*s == ' ' || *s == '\n')
                inside = 0;
            else if (!inside) {
                inside = 1;
                words++;
            }
        }
    }
    return words * 31 + digits * 7 + lines;
}

/* FNV-1a over a buffer, into an open hash table. */
unsigned hash(void)
{
    static uint64_t keys[4096];
    static unsigned counts[4096];
    char key[16];
    unsigned found = 0;
    for (int round = 0; round < 60 * ROUNDS; round++)
        for (int i = 0; i < 64; i++) {
            memset(key, 0, sizeof key);
            for (int k = 0, n = i * 37 + round % 16; k < 15; k++, n /= 3)
                key[k] = (char)('a' + n % 26);
            uint64_t h = 14695981039346656037u;
            for (int k = 0; key[k]; k++)
                h = (h ^ (unsigned char)key[k]) * 1099511628211u;
            size_t at = h & 4095;
            while (keys[at] && keys[at] != h)
                at = (at + 1) & 4095;
            keys[at] = h;
            found += ++counts[at];
        }
    return found;
}

/* A product of matrices. */
unsigned matrix(void)
{
    static double a[64][64], b[64][64], c[64][64];
    for (int i = 0; i < 64; i++)
        for (int k = 0; k < 64; k++) {
            a[i][k] = i + k;
            b[i][k] = i - k;
        }
    for (int round = 0; round < 3 * ROUNDS; round++)
        for (int i = 0; i < 64; i++)
            for (int k = 0; k < 64; k++) {
                double sum = 0;
                for (int n = 0; n < 64; n++)
                    sum += a[i][n] * b[n][k];
                c[i][k] = sum + round;
            }
    return (unsigned)(int)c[3][5];
}

struct item {
    struct item *left, *right;
    int key;
};

static struct item *insert(struct item *tree, int key)
{
    struct item **at = &tree;
    while (*at)
        at = key < (*at)->key ? &(*at)->left : &(*at)->right;
    *at = calloc(1, sizeof **at);
    (*at)->key = key;
    return tree;
}

/* A tree of allocated nodes, searched often. */
unsigned tree(void)
{
    struct item *root = 0;
    unsigned x = 1, found = 0;
    for (int i = 0; i < 500; i++)
        root = insert(root, (int)((x = x * 1664525 + 1013904223) >> 16));
    for (int round = 0; round < 10000 * ROUNDS; round++) {
        int key = (int)((x = x * 1664525 + 1013904223) >> 16);
        const struct item *at = root;
        while (at && at->key != key)
            at = key < at->key ? at->left : at->right;
        found += at != 0;
    }
    return found;
}

static unsigned fibonacci(unsigned n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

/* Calls. */
unsigned recursion(void)
{
    unsigned sum = 0;
    for (int round = 0; round < 3 * ROUNDS; round++)
        sum += fibonacci(20 + round % 3);
    return sum;
}

static void quicksort(int *a, int n)
{
    while (n > 1) {
        int pivot = a[n / 2], i = 0, k = n - 1;
        for (;; i++, k--) {
            while (a[i] < pivot)
                i++;
            while (a[k] > pivot)
                k--;
            if (i >= k)
                break;
            int x = a[i];
            a[i] = a[k];
            a[k] = x;
        }
        quicksort(a, i);
        a += i;
        n -= i;
    }
}

/* A sort of an array on the stack. */
unsigned sort(void)
{
    int a[2048];
    unsigned x = 7, h = 0;
    for (int round = 0; round < 2 * ROUNDS; round++) {
        for (int i = 0; i < 2048; i++)
            a[i] = (int)((x = x * 1664525 + 1013904223) >> 8);
        quicksort(a, 2048);
        h = h * 31 + (unsigned)a[round % 2048];
    }
    return h;
}

struct particle { double x, y, z; int id; };

/* An array of structures with padding. */
unsigned structs(void)
{
    static struct particle all[512];
    double sum = 0;
    for (int i = 0; i < 512; i++) {
        all[i].x = i * 0.25;
        all[i].y = 1.0 / (i + 1);
        all[i].z = i % 7;
        all[i].id = i;
    }
    for (int round = 0; round < 400 * ROUNDS; round++)
        for (int i = 0; i < 512; i++)
            if (all[i].id != round % 512)
                sum += all[i].x * all[i].y + all[i].z;
    return (unsigned)(int)(sum / ROUNDS);
}

/* A stencil in three dimensions. */
unsigned stencil(void)
{
    static double a[18][18][18], b[18][18][18];
    for (int i = 0; i < 18; i++)
        for (int k = 0; k < 18; k++)
            for (int n = 0; n < 18; n++)
                a[i][k][n] = i * k - n;
    for (int round = 0; round < 40 * ROUNDS; round++) {
        double (*from)[18][18] = round % 2 ? b : a, (*to)[18][18] = round % 2 ? a : b;
        for (int i = 1; i < 17; i++)
            for (int k = 1; k < 17; k++)
                for (int n = 1; n < 17; n++)
                    to[i][k][n] = from[i][k][n] * 0.4 + (from[i - 1][k][n] + from[i + 1][k][n] + from[i][k - 1][n]
                        + from[i][k + 1][n] + from[i][k][n - 1] + from[i][k][n + 1]) * 0.1;
    }
    return (unsigned)(int)a[3][5][7];
}

/* How often a word is in a text. */
unsigned search(void)
{
    static char text[4096];
    const char *word = "ipsum 12";
    unsigned found = 0;
    for (int i = 0; i < 4095; i++)
        text[i] = "lorem ipsum 12 dolor\nsit amet 345 "[i % 34];
    for (int round = 0; round < 20 * ROUNDS; round++)
        for (int i = 0; text[i]; i++) {
            int k = 0;
            while (word[k] && text[i + k] == word[k])
                k++;
            found += !word[k];
        }
    return found;
}

/* A vector and a matrix whose size nobody knows before. */
static double product(int n, const double *a, const double *x, double *y)
{
    double sum = 0;
    for (int i = 0; i < n; i++) {
        y[i] = 0;
        for (int k = 0; k < n; k++)
            y[i] += a[i * n + k] * x[k];
        sum += y[i];
    }
    return sum;
}

unsigned vector(void)
{
    int n = 40 + ROUNDS % 7;
    double *a = malloc(n * n * sizeof *a), *x = malloc(n * sizeof *x), *y = malloc(n * sizeof *y), sum = 0;
    for (int i = 0; i < n * n; i++)
        a[i] = i % 11;
    for (int i = 0; i < n; i++)
        x[i] = i;
    for (int round = 0; round < 100 * ROUNDS; round++)
        sum += product(n, a, x, y);
    return (unsigned)(long)(sum / ROUNDS);
}

#ifndef __SYMCRETE__
#include <stdio.h>
int main(int argc, char **argv)
{
    static const struct { const char *name; unsigned (*run)(void); } all[] = {
        {"floats", floats}, {"bytes", bytes}, {"hash", hash}, {"matrix", matrix},
        {"tree", tree}, {"recursion", recursion}, {"sort", sort},
        {"structs", structs}, {"stencil", stencil}, {"search", search}, {"vector", vector},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (argc > 1 && strcmp(argv[1], all[i].name) == 0)
            printf("%u\n", all[i].run());
    return 0;
}
#endif
