/* Accesses that leave an object for some index, length or size that depends on the input. */
#include <stdlib.h>
#include <string.h>

static const int squares[8] = {0, 1, 4, 9, 16, 25, 36, 49};

int table_by_index(unsigned i)
{
    if (i > 8)
        return -1;
    return squares[i];
}

int one_too_many(const char *s)
{
    char copy[6];
    strncpy(copy, s, sizeof copy);
    return copy[strlen(copy) & 7];
}

int written_by_index(int i, int v)
{
    int list[5] = {0};
    if (i >= 0 && i <= 5)
        list[i] = v;
    return list[0] == v;
}

static const char text[16] = "fifteen letters";

int copied_by_size(unsigned k)
{
    char copy[8];
    if (k > 12)
        return 0;
    memcpy(copy, text, k);
    return k && copy[0] == 'f';
}

int cleared_by_size(unsigned size)
{
    char *p = malloc(10);
    if (!p || size > 11) {
        free(p);
        return 0;
    }
    memset(p, 1, size);
    free(p);
    return 1;
}

int allocated_by_size(unsigned size)
{
    if (size < 4 || size > 64)
        return 0;
    char *p = malloc(size);
    if (!p)
        return 0;
    p[0] = 1;
    p[5] = 2;
    free(p);
    return 1;
}

/* The product wraps. */
int allocated_by_product(unsigned n)
{
    unsigned size = n * 4;
    int *p = malloc(size);
    if (!p)
        return 0;
    if (n > 3)
        p[3] = 1;
    free(p);
    return 1;
}

/* None of these does anything wrong. */

int allocated_to_the_end(unsigned size)
{
    if (size < 2 || size > 6)
        return 0;
    char *p = malloc(size);
    if (!p)
        return 0;
    for (unsigned i = 0; i < size; i++)
        p[i] = (char)i;
    int r = p[size - 1] == 4;
    free(p);
    return r;
}

int duplicated(const char *s)
{
    char *copy = strdup(s);
    copy[strlen(s)] = 0;
    int r = strcmp(copy, "ab") == 0;
    free(copy);
    return r;
}
