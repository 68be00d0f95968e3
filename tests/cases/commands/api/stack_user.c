/* Knows stacks by their header only. */
#include "stack.h"

int is_one_more(stack *s, int limit)
{
    if (stack_depth(s) == 2 && limit == 3)
        return 1;
    return 0;
}
