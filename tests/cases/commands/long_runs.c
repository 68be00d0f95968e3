/* Nothing is symbolic, and what happens after many turns is the same as after few. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int outer(void);

static unsigned turned;

static unsigned turn(void)
{
    unsigned x = 1;
    for (int i = 0; i < TURNS; i++)
        x = x * 31 + (unsigned)i;
    turned++;
    return x & 0;
}

int plain(void)
{
    int late;
    unsigned zero = turn();
    late = 4;
    return late + (int)zero;
}

int outside(void)
{
    int a[4] = {1, 2, 3, 4};
    return a[4 + turn()];
}

int freed(void)
{
    int *p = malloc(sizeof *p);
    if (!p)
        return 0;
    *p = 3 + (int)turn();
    free(p);
    return *p;
}

int unwritten(void)
{
    int a[4];
    a[0] = (int)turn();
    return a[1] > 3 ? 1 : 2;
}

int copied(void)
{
    struct { char c; double d; int n; } a, b;
    a.c = 'x';
    a.d = 0.5;
    a.n = (int)turn();
    memcpy(&b, &a, sizeof b);
    return b.c == 'x' && b.d == 0.5 && b.n == 0;
}

int null(void)
{
    int *p = (int *)(uintptr_t)turn();
    return *p;
}

int drawn(void)
{
    turn();
    return outer() > 3 ? 1 : 2;
}

int bytes_of_pointers(void)
{
    static int here;
    int *p = &here;
    turn();
    return *(unsigned char *)&p == 7;
}

int nan_bits(void)
{
    double zero = turn(), nan = zero / zero;
    uint64_t bits;
    memcpy(&bits, &nan, sizeof bits);
    return (int)(bits >> 48);
}

int deep(unsigned) __attribute__((noinline));

int deep(unsigned n)
{
    return n ? 1 + deep(n - 1) : 0;
}

int nested(void)
{
    return deep(100000000 + turn());
}

int divided(void)
{
    return 7 / (int)turn();
}

int ended(void)
{
    exit(3 + (int)turn());
}

struct node {
    struct node *next;
    int n;
};

int listed(void)
{
    struct node *list = 0;
    int sum = 0;
    turn();
    for (int i = 0; i < 20; i++) {
        struct node *node = malloc(sizeof *node);
        if (!node)
            abort();
        *node = (struct node){list, i};
        list = node;
    }
    while (list) {
        struct node *next = list->next;
        sum += list->n;
        free(list);
        list = next;
    }
    return sum;
}
