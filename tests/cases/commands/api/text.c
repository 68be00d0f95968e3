/* Strings with a header in front of what their users see. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef char *text;

struct header {
    int length, room;
    char bytes[];
};

text text_new(const char *start)
{
    int length = strlen(start);
    struct header *header = malloc(sizeof *header + length + 1);
    header->length = length;
    header->room = length;
    memcpy(header->bytes, start, length + 1);
    return header->bytes;
}

static struct header *header_of(const text t)
{
    return (struct header *)(t - offsetof(struct header, bytes));
}

void text_free(text t)
{
    if (t)
        free(header_of(t));
}

int text_length(const text t)
{
    return header_of(t)->length;
}

text text_cat(text t, const char *more)
{
    struct header *header = header_of(t);
    int added = strlen(more);
    if (added == 0)
        return t;
    header = realloc(header, sizeof *header + header->length + added + 1);
    memcpy(header->bytes + header->length, more, added + 1);
    header->length += added;
    header->room = header->length;
    return header->bytes;
}

int text_compare(const text a, const text b)
{
    int n = text_length(a) < text_length(b) ? text_length(a) : text_length(b);
    int order = memcmp(a, b, n);
    if (order != 0)
        return order < 0 ? -1 : 1;
    if (text_length(a) == text_length(b))
        return 0;
    return text_length(a) < text_length(b) ? -1 : 1;
}
