/* Functions whose pointers may point inside each other's arrays. */
#include <stddef.h>

/* As memmove: which way it goes depends on where the arrays are. */
int move(unsigned char *to, const unsigned char *from, size_t n)
{
    size_t i, gap = (size_t)(to - from);
    if (gap > 0 && gap < n) {
        for (i = n; i > 0; i--)
            to[i - 1] = from[i - 1];
        return 1;
    }
    for (i = 0; i < n; i++)
        to[i] = from[i];
    return 2;
}

int overlap(int *a, const int *b, int n)
{
    if (n < 3)
        return 0;
    a[2] = 7;
    if (b[0] == 7 && b[1] == 9)
        return 1;
    return 2;
}

int raw(void *to, const void *from, size_t n)
{
    unsigned char *t = to;
    const unsigned char *f = from;
    if (n < 4)
        return 0;
    t[3] = 200;
    return f[1] == 200 ? 1 : 2;
}

struct item { int key, value; };

/* One of the elements. */
int position(const struct item *items, int n_items, const struct item *it)
{
    int i;
    for (i = 0; i < n_items; i++)
        if (items[i].key == 7 && &items[i] == it)
            return 1;
    return -1;
}

int distance(const int *a, const int *b)
{
    if (b == a + 2)
        return 1;
    if (b > a && b < a + 4)
        return 2;
    return 3;
}

/* Where both are what they seem, nothing is shared. */
int apart(int *a, int *b, int n)
{
    if (n < 1)
        return 0;
    a[0] = 1;
    b[0] = 2;
    if (a[0] == 3)
        return 1;
    return 2;
}
