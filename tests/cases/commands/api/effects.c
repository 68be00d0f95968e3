/* Functions that return nothing and change what their object points to: tests compare that. */
#include <stdlib.h>
#include <string.h>

struct node {
    int value;
    struct node *next;
};

struct queue {
    struct node *first;
    struct node *last;
    unsigned n;
    char name[8];
    int sums[4];
};

struct queue *queue_create(void)
{
    return calloc(1, sizeof(struct queue));
}

void queue_push(struct queue *queue, int value)
{
    struct node *node = calloc(1, sizeof *node);

    if (!node)
        return;
    node->value = value;
    node->next = queue->first;
    queue->first = node;
    if (!queue->last)
        queue->last = node;
    queue->n++;
    queue->sums[value & 3] += 1;
}

void queue_pop(struct queue *queue)
{
    struct node *first = queue->first;

    if (!first)
        return;
    queue->first = first->next;
    queue->n--;
    free(first);
}

/* What `last` points to is freed, and `last` stays as it is. */
void queue_forget(struct queue *queue)
{
    if (!queue->last)
        return;
    while (queue->first)
        queue_pop(queue);
}

void queue_rename(struct queue *queue, const char *name)
{
    if (strlen(name) < sizeof queue->name && name[0] == 'q')
        strcpy(queue->name, name);
}

void queue_destroy(struct queue *queue)
{
    while (queue->first)
        queue_pop(queue);
    free(queue);
}
