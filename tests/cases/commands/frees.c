/* Functions that free what they are given. */
#include <stdlib.h>
#include <string.h>

struct node {
    char *name;
    int value;
    struct node *next;
};

struct vector {
    int *items;
    unsigned n_items, room;
};

/* Takes everything. */
void node_free(struct node *node)
{
    if (!node)
        return;
    free(node->name);
    free(node);
}

/* Gives the sum of what it frees. */
int take_all(struct node *first)
{
    int sum = 0;
    while (first) {
        struct node *next = first->next;
        sum += first->value;
        free(first);
        first = next;
    }
    if (sum == 77)
        return -1;
    return sum;
}

/* Frees in one case only. */
int maybe(char *text, int keep)
{
    if (keep > 10) {
        text[0] = 'k';
        return 1;
    }
    int n = (int)strlen(text);
    free(text);
    return n == 3 ? 30 : n;
}

/* The array moves. */
int push(struct vector *vector, int item)
{
    if (vector->n_items >= vector->room) {
        unsigned room = vector->room ? 2 * vector->room : 4;
        int *items = realloc(vector->items, room * sizeof *items);
        if (!items)
            return -1;
        vector->items = items;
        vector->room = room;
    }
    vector->items[vector->n_items++] = item;
    return vector->items[0] == 5;
}

int use_after(struct node *node, int x)
{
    if (x == 7)
        free(node);
    return node->value;
}

void twice(int *numbers, int x)
{
    free(numbers);
    if (x == 9)
        free(numbers);
}

void from_the_middle(char *text)
{
    if (text[0] == ' ')
        text++;
    free(text);
}
