/* What programs do most: arrays, strings, structures behind pointers. Each function has many paths, and a side that no solver finds
 * soon, so that a search goes on; with EASY solvers have little to do. `work` does the like many times, with nothing symbolic. */
#include <stddef.h>
#include <string.h>

static unsigned table[256];

static void fill(void)
{
    unsigned x = 1;
    for (int i = 0; i < 256; i++)
        table[i] = x = x * 1664525 + 1013904223;
}

/* Hard to turn around: every step looks something up. */
static unsigned mixed(unsigned h, unsigned x)
{
#ifdef EASY
    return h + x;
#endif
    for (int i = 0; i < 4; i++)
        h = table[(h ^ x >> 8 * i) & 255] * 31 + (h >> 8) * (h | 1);
    return h;
}

int arrays(const int a[12])
{
    unsigned h = 1;
    int n = 0;
    fill();
    for (int i = 0; i < 12; i++) {
        if (a[i] > 7 * i)
            n++;
        h = mixed(h, (unsigned)a[i]);
    }
    return h == 0x12345678 ? -1 : n;
}

int strings(const char *s)
{
    unsigned h = 2;
    int n = 0;
    fill();
    for (size_t i = 0; i < strlen(s); i++) {
        if (s[i] == 'a')
            n++;
        h = mixed(h, (unsigned char)s[i]);
    }
    return h == 0x12345678 ? -1 : n;
}

struct node {
    unsigned value;
    struct node *next;
};

int lists(const struct node *list)
{
    unsigned h = 3;
    int n = 0;
    fill();
    for (; list; list = list->next) {
        if (list->value > 9)
            n++;
        h = mixed(h, list->value);
    }
    return h == 0x12345678 ? -1 : n;
}

/* Nothing symbolic: a sieve, a sort, a list and a table of strings. */
static unsigned char sieve[1 << 16];
static int numbers[4096];
static struct node nodes[4096];

unsigned work(void)
{
    unsigned h = 5;
    for (int round = 0; round < ROUNDS; round++) {
        memset(sieve, 1, sizeof sieve);
        for (int i = 2; i * i < 1 << 16; i++)
            for (int k = i * i; sieve[i] && k < 1 << 16; k += i)
                sieve[k] = 0;
        for (int i = 0; i < 4096; i++)
            numbers[i] = (int)(h = mixed(h, (unsigned)i + sieve[i]));
        for (int gap = 2048; gap > 0; gap /= 2)
            for (int i = gap; i < 4096; i++) {
                int x = numbers[i], k = i;
                for (; k >= gap && numbers[k - gap] > x; k -= gap)
                    numbers[k] = numbers[k - gap];
                numbers[k] = x;
            }
        for (int i = 0; i < 4096; i++) {
            nodes[i].value = (unsigned)numbers[i];
            nodes[i].next = i < 4095 ? &nodes[(i * 7 + 1) % 4096] : 0;
        }
        int n = 0;
        for (const struct node *node = nodes; node && n < 4096; node = node->next, n++)
            h = mixed(h, node->value);
    }
    return h;
}

#ifndef __SYMCRETE__
#include <stdio.h>
int main(void)
{
    printf("%u\n", work());
    return 0;
}
#endif
