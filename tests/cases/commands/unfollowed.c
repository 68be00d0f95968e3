/* Pointers that are computed with and not followed. */
#include <string.h>

struct pair {
    int first, second;
};

struct box {
    struct pair *pair;
    const char *label;
    struct box *next;
};

static int set(int *place, int value)
{
    if (value > 3 && place) {
        *place = value;
        return 1;
    }
    return 0;
}

/* The address of a member of what is not there is undefined, also if nobody follows it. */
int set_second(struct pair *pair, int value)
{
    return set(&pair->second, value);
}

int set_inner(struct box *box, int value)
{
    if (value < 0)
        return -1;
    return set(&box->pair->second, value);
}

/* So is copying nothing from nowhere. */
int copy(char to[8], const char *from, unsigned n)
{
    if (n > 2)
        return -1;
    memcpy(to, from, n);
    return n == 2;
}

/* What nobody reads is left out. */
int length(struct box *box)
{
    int n = 0;
    for (; box && n < 3; box = box->next)
        n++;
    return n;
}
