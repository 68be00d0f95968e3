/* A list whose functions take nodes of it. */
#include <stdlib.h>

struct node {
    int value;
    struct node *next, *previous;
};

struct list {
    struct node *head, *tail;
    unsigned length;
};

struct list *list_create(void)
{
    return calloc(1, sizeof(struct list));
}

struct node *list_push(struct list *list, int value)
{
    struct node *node = calloc(1, sizeof *node);
    if (!node)
        return NULL;
    node->value = value;
    node->previous = list->tail;
    if (list->tail)
        list->tail->next = node;
    else
        list->head = node;
    list->tail = node;
    list->length++;
    return node;
}

void list_destroy(struct list *list)
{
    struct node *node = list->head;
    while (node) {
        struct node *next = node->next;
        free(node);
        node = next;
    }
    free(list);
}

/* The node must be one of the list. */
void list_remove(struct list *list, struct node *node)
{
    if (node->previous)
        node->previous->next = node->next;
    else
        list->head = node->next;
    if (node->next)
        node->next->previous = node->previous;
    else
        list->tail = node->previous;
    free(node);
    list->length--;
}

/* Any node will do. */
int list_index(const struct list *list, const struct node *node)
{
    int i = 0;
    for (const struct node *at = list->head; at; at = at->next, i++)
        if (at == node)
            return i;
    return -1;
}
