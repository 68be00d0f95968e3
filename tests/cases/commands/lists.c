/* A doubly linked list: what it is worth depends on which pointers are the same. */
#include <stddef.h>
#include <stdlib.h>

struct item {
    int key;
    struct item *next;
    struct item *previous;
};

struct list {
    struct item *first;
    struct item *last;
};

void append(struct list *list, struct item *item)
{
    item->next = NULL;
    item->previous = list->last;
    if (list->last)
        list->last->next = item;
    else
        list->first = item;
    list->last = item;
}

void insert_sorted(struct list *list, struct item *item)
{
    struct item *at = list->first;
    while (at && at->key < item->key)
        at = at->next;
    if (!at) {
        append(list, item);
        return;
    }
    item->next = at;
    item->previous = at->previous;
    if (at->previous)
        at->previous->next = item;
    else
        list->first = item;
    at->previous = item;
}

int unlink_item(struct list *list, struct item *item)
{
    if (list->first == item)
        list->first = item->next;
    if (list->last == item)
        list->last = item->previous;
    if (item->previous)
        item->previous->next = item->next;
    if (item->next)
        item->next->previous = item->previous;
    return list->first == NULL;
}

struct item *find(const struct list *list, int key)
{
    for (struct item *at = list->first; at; at = at->next)
        if (at->key == key)
            return at;
    return NULL;
}

/* Whether the neighbours of an item point back to it. */
int is_sound(const struct item *item)
{
    if (item->next && item->next->previous != item)
        return 0;
    if (item->previous && item->previous->next != item)
        return 0;
    return 1;
}

int is_circle(const struct item *item)
{
    if (item->next == item)
        return 1;
    return 0;
}

int same(const struct item *a, const struct item *b)
{
    if (!a || !b)
        return 0;
    if (a == b)
        return 1;
    return 2;
}

/* What is written through one pointer is read through the other. */
int written(int *a, int *b)
{
    *a = 1;
    *b = 2;
    if (*a == 2)
        return 1;
    return 0;
}

int same_or_null(const struct item *a, const struct item *b)
{
    if (a == b) {
        int *copy = malloc(sizeof *copy);
        if (!copy)
            return -1;
        *copy = b->key;
        int value = *copy;
        free(copy);
        return value;
    }
    return b->key;
}
