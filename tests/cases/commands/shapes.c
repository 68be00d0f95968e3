#include <stddef.h>
#include <stdlib.h>

/* Two pointers into one array. */
int between(const char *begin, const char *end)
{
    int n = 0;

    for (const char *p = begin; p < end; p++)
        if (*p == ',')
            n++;
    return n == 2 ? 1 : 0;
}

/* No name says so, but the function subtracts them. */
int apart(const int *a, const int *b)
{
    ptrdiff_t n = b - a;

    if (n == 3 && a[2] == 5)
        return 1;
    return 0;
}

/* A pointer to where reading goes on, and the end. */
int next_byte(const unsigned char **cursor, const unsigned char *end)
{
    if (*cursor == end)
        return -1;
    return *(*cursor)++ == 0x1b ? 1 : 0;
}

struct message {
    unsigned n;
    char data[];
};

/* Elements behind the structure. */
int checksum(const struct message *m)
{
    unsigned sum = 0;

    for (unsigned i = 0; i < m->n; i++)
        sum += (unsigned char)m->data[i];
    return sum == 300 ? 1 : 0;
}

struct buffer {
    int *data;
    size_t count;
};

/* A length beside its array in a structure. */
int last_is(const struct buffer *b, int x)
{
    if (b->count == 0)
        return -1;
    return b->data[b->count - 1] == x ? 1 : 0;
}

struct point {
    int x, y;
};

/* A pointer without a type that the function gives one. */
int is_diagonal(const void *data)
{
    const struct point *p = data;

    return p->x == p->y && p->x > 10 ? 1 : 0;
}

/* Pointers up to a null pointer. */
int options(char **list)
{
    int n = 0;

    while (list[n])
        n++;
    return n == 2 ? 1 : 0;
}

/* The names say nothing: only a run can tell that `limit` belongs to `x`. */
int has_q(char *x, int limit, int flags)
{
    for (int i = 0; i < limit; i++)
        if (x[i] == 'q')
            return flags ? 2 : 1;
    return 0;
}

/* Looks at what is before the first element. */
int header(const unsigned char *s)
{
    return s[-1] == 1 ? 1 : 0;
}
