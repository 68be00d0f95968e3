/* A doubly linked list of numbers. */
#include "list.h"
#include <stdlib.h>

struct list *list_create(void)
{
    return calloc(1, sizeof(struct list));
}

void list_destroy(struct list *list)
{
    struct node *node = list->first;

    while (node) {
        struct node *next = node->next;
        free(node);
        node = next;
    }
    free(list);
}

static struct node *link_between(struct list *list, struct node *before, struct node *after, int value)
{
    struct node *node = malloc(sizeof *node);

    if (!node)
        return NULL;
    node->value = value;
    node->previous = before;
    node->next = after;
    if (before)
        before->next = node;
    else
        list->first = node;
    if (after)
        after->previous = node;
    else
        list->last = node;
    list->length++;
    return node;
}

struct node *list_push_front(struct list *list, int value)
{
    return link_between(list, NULL, list->first, value);
}

struct node *list_push_back(struct list *list, int value)
{
    return link_between(list, list->last, NULL, value);
}

struct node *list_insert_after(struct list *list, struct node *node, int value)
{
    return link_between(list, node, node->next, value);
}

struct node *list_find(const struct list *list, int value)
{
    for (struct node *node = list->first; node; node = node->next)
        if (node->value == value)
            return node;
    return NULL;
}

struct node *list_at(const struct list *list, int index)
{
    if (index < 0 || index >= list->length)
        return NULL;
    if (index <= list->length / 2) {
        struct node *node = list->first;
        while (index--)
            node = node->next;
        return node;
    }
    struct node *node = list->last;
    for (index = list->length - 1 - index; index > 0; index--)
        node = node->previous;
    return node;
}

void list_remove(struct list *list, struct node *node)
{
    if (node->previous)
        node->previous->next = node->next;
    else
        list->first = node->next;
    if (node->next)
        node->next->previous = node->previous;
    else
        list->last = node->previous;
    list->length--;
    free(node);
}

int list_pop_front(struct list *list, int *value)
{
    if (!list->first)
        return 0;
    *value = list->first->value;
    list_remove(list, list->first);
    return 1;
}

int list_remove_if(struct list *list, int (*matches)(int value))
{
    int removed = 0;
    struct node *node = list->first;

    while (node) {
        struct node *next = node->next;
        if (matches(node->value)) {
            list_remove(list, node);
            removed++;
        }
        node = next;
    }
    return removed;
}

void list_reverse(struct list *list)
{
    struct node *node = list->first;

    list->first = list->last;
    list->last = node;
    while (node) {
        struct node *next = node->next;
        node->next = node->previous;
        node->previous = next;
        node = next;
    }
}

/* Insertion sort: stable, by relinking nodes. */
void list_sort(struct list *list)
{
    struct node *node = list->first ? list->first->next : NULL;

    while (node) {
        struct node *next = node->next, *place = node->previous;
        while (place && place->value > node->value)
            place = place->previous;
        if (place != node->previous) {
            node->previous->next = next;
            if (next)
                next->previous = node->previous;
            else
                list->last = node->previous;
            node->previous = place;
            node->next = place ? place->next : list->first;
            node->next->previous = node;
            if (place)
                place->next = node;
            else
                list->first = node;
        }
        node = next;
    }
}

int list_is_sorted(const struct list *list)
{
    for (const struct node *node = list->first; node && node->next; node = node->next)
        if (node->value > node->next->value)
            return 0;
    return 1;
}

int list_equal(const struct list *a, const struct list *b)
{
    const struct node *left = a->first, *right = b->first;

    while (left && right) {
        if (left->value != right->value)
            return 0;
        left = left->next;
        right = right->next;
    }
    return !left && !right;
}
