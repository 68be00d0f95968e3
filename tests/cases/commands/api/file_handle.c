/* A handle that cannot be had in a world without devices: raw structures are better than nothing. */
#include <stdio.h>
#include <stdlib.h>

struct handle {
    int mode;
};

struct handle *handle_open(const char *name)
{
    struct handle *h;
    FILE *file = fopen("/dev/none", "r");
    if (!file)
        return NULL;
    h = malloc(sizeof *h);
    h->mode = name[0];
    return h;
}

int handle_mode(const struct handle *h)
{
    return h->mode > 3 ? 1 : 0;
}
