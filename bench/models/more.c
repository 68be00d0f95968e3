/* More work with nothing symbolic: other programs of the same kinds as those of work.c. ROUNDS is how often each does the like. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static int ackermann(int m, int n)
{
    if (m == 0)
        return n + 1;
    if (n == 0)
        return ackermann(m - 1, 1);
    return ackermann(m - 1, ackermann(m, n - 1));
}

/* Deep calls. */
unsigned deep(void)
{
    unsigned sum = 0;
    for (int round = 0; round < 40 * ROUNDS; round++)
        sum += (unsigned)ackermann(2, 60 + round % 3);
    return sum;
}

static int place_queens(int n, unsigned columns, unsigned left, unsigned right)
{
    unsigned all = (1u << n) - 1, free = all & ~(columns | left | right);
    int found = columns == all;
    while (free) {
        unsigned bit = free & -free;
        free ^= bit;
        found += place_queens(n, columns | bit, (left | bit) << 1, (right | bit) >> 1);
    }
    return found;
}

/* Backtracking. */
unsigned queens(void)
{
    unsigned sum = 0;
    for (int round = 0; round < 10 * ROUNDS; round++)
        sum += (unsigned)place_queens(8, 0, 0, 0);
    return sum;
}

struct point { char tag; double x; short kind; float weight; };

/* Structures with padding between members, which are written and read. */
unsigned points(void)
{
    static struct point all[300];
    double sum = 0;
    for (int i = 0; i < 300; i++) {
        all[i].tag = (char)(i % 5);
        all[i].x = i;
        all[i].kind = (short)(i % 3);
        all[i].weight = 1.0f / (1 + i);
    }
    for (int round = 0; round < 1000 * ROUNDS; round++)
        for (int i = 0; i < 300; i++) {
            if (all[i].kind == round % 3)
                all[i].x += all[i].weight;
            sum += all[i].x;
        }
    return (unsigned)(long)(sum / ROUNDS);
}

/* The distance of two words, by a table of two rows. */
unsigned distance(void)
{
    const char *a = "the quick brown fox jumps over the lazy dog", *b = "pack my box with five dozen liquor jugs";
    int n = (int)strlen(a), m = (int)strlen(b), rows[2][64];
    unsigned sum = 0;
    for (int round = 0; round < 120 * ROUNDS; round++) {
        for (int k = 0; k <= m; k++)
            rows[0][k] = k;
        for (int i = 1; i <= n; i++) {
            int *last = rows[(i - 1) & 1], *row = rows[i & 1];
            row[0] = i;
            for (int k = 1; k <= m; k++) {
                int cost = last[k - 1] + (a[i - 1] != b[k - 1]);
                if (last[k] + 1 < cost)
                    cost = last[k] + 1;
                if (row[k - 1] + 1 < cost)
                    cost = row[k - 1] + 1;
                row[k] = cost;
            }
        }
        sum += (unsigned)rows[n & 1][m];
    }
    return sum;
}

/* Looks for numbers in a sorted table. */
unsigned bisect(void)
{
    static int table[5000];
    unsigned x = 1, found = 0;
    for (int i = 0; i < 5000; i++)
        table[i] = i * 3;
    for (int round = 0; round < 5000 * ROUNDS; round++) {
        int key = (int)((x = x * 1664525 + 1013904223) >> 8) % 15000, low = 0, high = 5000;
        while (low < high) {
            int middle = (low + high) / 2;
            if (table[middle] < key)
                low = middle + 1;
            else
                high = middle;
        }
        found += low < 5000 && table[low] == key;
    }
    return found;
}

/* A checksum by a table. */
unsigned checksum(void)
{
    static uint32_t table[256];
    static unsigned char data[4000];
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t c = i;
        for (int k = 0; k < 8; k++)
            c = c & 1 ? 0xedb88320u ^ (c >> 1) : c >> 1;
        table[i] = c;
    }
    for (int i = 0; i < 4000; i++)
        data[i] = (unsigned char)(i * 7);
    uint32_t c = 0;
    for (int round = 0; round < 30 * ROUNDS; round++) {
        c = ~c;
        for (size_t i = 0; i < sizeof data; i++)
            c = table[(c ^ data[i]) & 255] ^ (c >> 8);
        c = ~c;
    }
    return c;
}

/* A heap as a queue. */
unsigned heap(void)
{
    static int all[1024];
    unsigned x = 1, h = 0;
    for (int round = 0; round < 12 * ROUNDS; round++) {
        for (int i = 0; i < 1024; i++) {
            int at = i, key = (int)((x = x * 1664525 + 1013904223) >> 8);
            for (; at > 0 && all[(at - 1) / 2] < key; at = (at - 1) / 2)
                all[at] = all[(at - 1) / 2];
            all[at] = key;
        }
        for (int n = 1024; n > 900; n--) {
            int key = all[n - 1], at = 0, child;
            h = h * 31 + (unsigned)all[0];
            while ((child = 2 * at + 1) < n - 1) {
                if (child + 1 < n - 1 && all[child + 1] > all[child])
                    child++;
                if (all[child] <= key)
                    break;
                all[at] = all[child];
                at = child;
            }
            all[at] = key;
        }
    }
    return h;
}

/* Gauss's elimination with a size that nobody knows before. */
unsigned gauss(void)
{
    int n = 24 + ROUNDS % 5;
    double *a = malloc(n * n * sizeof *a), sum = 0;
    for (int round = 0; round < 60 * ROUNDS; round++) {
        for (int i = 0; i < n; i++)
            for (int k = 0; k < n; k++)
                a[i * n + k] = i == k ? n + round % 5 : (i * 7 + k * 3) % 11 * 0.1;
        for (int p = 0; p < n; p++)
            for (int i = p + 1; i < n; i++) {
                double factor = a[i * n + p] / a[p * n + p];
                for (int k = p; k < n; k++)
                    a[i * n + k] -= factor * a[p * n + k];
            }
        for (int i = 0; i < n; i++)
            sum += a[i * n + i];
    }
    return (unsigned)(long)(sum / ROUNDS);
}

/* Points of a set, with nothing in memory. */
unsigned fractal(void)
{
    unsigned sum = 0;
    for (int round = 0; round < 6 * ROUNDS; round++)
        for (int i = 0; i < 30; i++)
            for (int k = 0; k < 30; k++) {
                double x = 0, y = 0, a = i * 0.1 - 2, b = k * 0.1 - 1.5 + round * 1e-6;
                int n = 0;
                while (n < 100 && x * x + y * y < 4) {
                    double next = x * x - y * y + a;
                    y = 2 * x * y + b;
                    x = next;
                    n++;
                }
                sum += (unsigned)n;
            }
    return sum;
}

struct node { struct node *next; int value; };

/* A list that is turned round and summed up. */
unsigned chain(void)
{
    struct node *first = 0;
    unsigned sum = 0;
    for (int i = 0; i < 300; i++) {
        struct node *node = malloc(sizeof *node);
        *node = (struct node){first, i};
        first = node;
    }
    for (int round = 0; round < 1000 * ROUNDS; round++) {
        struct node *turned = 0;
        while (first) {
            struct node *next = first->next;
            sum += (unsigned)first->value;
            first->next = turned;
            turned = first;
            first = next;
        }
        first = turned;
    }
    return sum;
}

/* A machine with a few instructions. */
unsigned machine(void)
{
    static const unsigned char code[] = {0, 100, 1, 3, 2, 7, 3, 1, 4, 5, 5, 2, 6, 0};
    unsigned all[8] = {0};
    for (int round = 0; round < 200 * ROUNDS; round++) {
        all[0] = 100;
        for (size_t at = 2;;) {
            unsigned op = code[at], arg = code[at + 1];
            at += 2;
            switch (op) {
            case 0: all[0] = arg; continue;
            case 1: all[1] += arg * all[0]; continue;
            case 2: all[2] ^= all[1] >> (arg & 7); continue;
            case 3: all[0] -= arg; continue;
            case 4: all[3] += all[2] * arg; continue;
            case 5: if (all[0]) at = arg; continue;
            default: break;
            }
            break;
        }
    }
    return all[3] ^ all[1];
}

/* Primes, marked in bytes. */
unsigned sieve(void)
{
    static unsigned char is_composite[8192];
    unsigned found = 0;
    for (int round = 0; round < 30 * ROUNDS; round++) {
        memset(is_composite, 0, sizeof is_composite);
        for (int i = 2; i * i < 8192; i++)
            if (!is_composite[i])
                for (int k = i * i; k < 8192; k += i)
                    is_composite[k] = 1;
        for (int i = 2; i < 8192; i++)
            found += !is_composite[i];
    }
    return found;
}

/* A picture that is smoothed. */
unsigned picture(void)
{
    static int from[40][40], to[40][40];
    unsigned sum = 0;
    for (int i = 0; i < 40; i++)
        for (int k = 0; k < 40; k++)
            from[i][k] = (i * 31 + k * 17) & 255;
    for (int round = 0; round < 20 * ROUNDS; round++) {
        for (int i = 1; i < 39; i++)
            for (int k = 1; k < 39; k++) {
                int all = 0;
                for (int y = -1; y <= 1; y++)
                    for (int x = -1; x <= 1; x++)
                        all += from[i + y][k + x];
                to[i][k] = all / 9;
            }
        from[1 + round % 38][3] = to[7][7] + round;
        sum += (unsigned)to[5][5];
    }
    return sum;
}

static int compare(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

static void insertion(int *a, int n, int (*order)(const void *, const void *))
{
    for (int i = 1; i < n; i++) {
        int x = a[i], k = i;
        for (; k > 0 && order(&a[k - 1], &x) > 0; k--)
            a[k] = a[k - 1];
        a[k] = x;
    }
}

/* A sort that calls a function through a pointer. */
unsigned callback(void)
{
    int a[100];
    unsigned x = 1, h = 0;
    for (int round = 0; round < 60 * ROUNDS; round++) {
        for (int i = 0; i < 100; i++)
            a[i] = (int)((x = x * 1664525 + 1013904223) >> 8);
        insertion(a, 100, compare);
        h = h * 31 + (unsigned)a[round % 100];
    }
    return h;
}

/* Words of a text, compared with a few others. */
unsigned words(void)
{
    static const char *known[] = {"alpha", "beta", "gamma", "delta", "alphabet", "bet"};
    static char text[2000];
    unsigned found = 0;
    for (int i = 0; i < 1999; i++)
        text[i] = "alpha beta gam delta alphabet by bet "[i % 37];
    for (int round = 0; round < 15 * ROUNDS; round++)
        for (const char *s = text; *s;) {
            const char *end = s;
            while (*end && *end != ' ')
                end++;
            for (size_t i = 0; i < sizeof known / sizeof *known; i++)
                if (strlen(known[i]) == (size_t)(end - s) && !strncmp(known[i], s, (size_t)(end - s)))
                    found += (unsigned)i + 1;
            s = *end ? end + 1 : end;
        }
    return found;
}

/* Cells that live and die. */
unsigned life(void)
{
    static unsigned char cells[2][34][34];
    unsigned sum = 0;
    for (int i = 1; i < 33; i++)
        for (int k = 1; k < 33; k++)
            cells[0][i][k] = (i * 7 + k * 13) % 5 < 2;
    for (int round = 0; round < 200 * ROUNDS; round++) {
        unsigned char (*from)[34] = cells[round & 1], (*to)[34] = cells[!(round & 1)];
        for (int i = 1; i < 33; i++)
            for (int k = 1; k < 33; k++) {
                int n = from[i - 1][k - 1] + from[i - 1][k] + from[i - 1][k + 1] + from[i][k - 1] + from[i][k + 1]
                    + from[i + 1][k - 1] + from[i + 1][k] + from[i + 1][k + 1];
                to[i][k] = n == 3 || (n == 2 && from[i][k]);
            }
        sum += to[5][7];
    }
    return sum;
}

#ifndef __SYMCRETE__
#include <stdio.h>
int main(int argc, char **argv)
{
    static const struct { const char *name; unsigned (*run)(void); } all[] = {
        {"deep", deep}, {"queens", queens}, {"points", points}, {"distance", distance}, {"bisect", bisect},
        {"checksum", checksum}, {"heap", heap}, {"gauss", gauss}, {"fractal", fractal}, {"chain", chain},
        {"machine", machine}, {"sieve", sieve}, {"picture", picture}, {"callback", callback}, {"words", words},
        {"life", life},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (argc > 1 && strcmp(argv[1], all[i].name) == 0)
            printf("%u\n", all[i].run());
    return 0;
}
#endif
