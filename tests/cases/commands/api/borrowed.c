/* An object over memory of its caller. Whoever passes a length that the memory does not have is to blame. */
#include <stdlib.h>
#include <string.h>

struct borrowed {
    char *start;
    size_t room;
};

struct borrowed *borrowed_over(char *start, size_t room)
{
    struct borrowed *b = malloc(sizeof *b);
    if (!b)
        return NULL;
    b->start = start;
    b->room = room;
    return b;
}

void borrowed_free(struct borrowed *b) { free(b); }

void borrowed_clear(struct borrowed *b)
{
    if (b->room > 3)
        memset(b->start, 0, b->room);
}

/* Its own parameter has the name of the one above. */
int borrowed_add(struct borrowed *b, const char *start)
{
    size_t n = strlen(b->start);
    if (n + strlen(start) >= b->room)
        return 0;
    strcat(b->start, start);
    return 1;
}

/* Any caller can have this one: an empty text has no last character. */
int borrowed_last(struct borrowed *b)
{
    char *copy = calloc(4, 1);
    if (!copy)
        return 0;
    if (b->room)
        copy[0] = 'a';
    int last = copy[strlen(copy) - 1];
    free(copy);
    return last == 'a';
}
