// Targets that need memory: arrays, tables, structures, strings, globals.
#include <stdlib.h>
#include <string.h>

static const int table[8] = {3, 1, 4, 1, 5, 9, 2, 6};
int mode;
static int level = 3;

struct point {
    int x, y;
    struct point *next;
};

int table_lookup(unsigned i)
{
    if (table[i & 7] == 9)
        return 1; // TARGET reached
    return 0;
}

int table_never(unsigned i)
{
    if (table[i & 7] == 7)
        return 1; // TARGET unreachable
    return 0;
}

int local_array(unsigned i, int v)
{
    int a[4] = {0, 0, 0, 0};
    a[i % 4] = v;
    if (a[2] == 77 && a[1] == 0)
        return 1; // TARGET reached
    if (a[0] + a[1] + a[2] + a[3] != v)
        return 2; // TARGET unreachable
    return 0;
}

int linked(struct point *p)
{
    if (p && p->next && p->next->x == p->y + 5 && p->next->next == 0)
        return 1; // TARGET reached
    return 0;
}

int word(const char *s)
{
    if (s && strcmp(s, "open") == 0)
        return 1; // TARGET reached
    return 0;
}

int prefix(const char *s)
{
    if (s && strlen(s) == 5 && strncmp(s, "ab", 2) == 0 && s[4] == 'z')
        return 1; // TARGET reached
    return 0;
}

int sum(const int *a, int n)
{
    int total = 0;
    for (int i = 0; i < n; i++)
        total += a[i];
    if (n == 3 && total == 1000)
        return 1; // TARGET reached
    return 0;
}

static int scale(int v, int *out)
{
    if (v < 0)
        return -1;
    *out = v * level;
    return 0;
}

int two_calls(int a, int b)
{
    int x = 0, y = 0;
    if (scale(a, &x) < 0 || scale(b, &y) < 0)
        return -1;
    if (x - y == 12 && x > 100)
        return 1; // TARGET reached
    return 0;
}

int set_mode(int m)
{
    mode = m & 3;
    if (mode == 2)
        return 1; // TARGET reached
    if (mode > 3)
        return 2; // TARGET unreachable
    return 0;
}

int structure(struct point p)
{
    struct point q = p;
    q.x += q.y;
    if (q.x == 50 && p.x == 20)
        return 1; // TARGET reached
    if (q.x != p.x + p.y)
        return 2; // TARGET unreachable
    return 0;
}

int on_the_heap(const struct point *p, int v)
{
    struct point *q = malloc(sizeof *q);
    if (!q || !p)
        return 0;
    q->x = v * 3;
    q->y = p->y;
    if (q->x == 21 && q->y == 5 && p->x == 9)
        return 1; // TARGET reached
    return 2;
}

int zeroed(int v)
{
    int *a = calloc(4, sizeof *a);
    if (!a)
        return 0;
    a[2] = v;
    if (a[1] + a[2] == 40)
        return 1; // TARGET reached
    free(a);
    return 2;
}

int checksum(const unsigned char *d)
{
    unsigned sum = 0;
    for (int i = 0; i < 4; i++)
        sum = (sum << 3) ^ d[i];
    if (sum == 0x1234)
        return 1; // TARGET reached
    return 0;
}
