#include "stack.h"
#include <stdlib.h>

struct stack {
    unsigned capacity, depth;
    int *values;
};

stack *stack_new(unsigned capacity)
{
    stack *s;
    if (capacity == 0 || capacity > 8)
        return NULL;
    s = malloc(sizeof *s);
    s->capacity = capacity;
    s->depth = 0;
    s->values = malloc(capacity * sizeof *s->values);
    return s;
}

int stack_push(stack *s, int value)
{
    if (s->depth == s->capacity)
        return -1;
    s->values[s->depth++] = value;
    return 0;
}

int stack_pop(stack *s, int *value)
{
    if (s->depth == 0)
        return -1;
    *value = s->values[--s->depth];
    return 0;
}

unsigned stack_depth(const stack *s)
{
    return s->depth;
}

void stack_free(stack *s)
{
    free(s->values);
    free(s);
}
