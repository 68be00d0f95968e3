/* Floats that fit no integer, and sizes that no machine or only some machines have. */
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>

int clamped(const double *numbers, int count)
{
    int n_large = 0;
    for (int i = 0; i < count; i++) {
        int number;
        if (numbers[i] >= INT_MAX)
            number = INT_MAX;
        else if (numbers[i] <= (double)INT_MIN)
            number = INT_MIN;
        else
            number = (int)numbers[i];
        if (number > 1000)
            n_large++;
    }
    return n_large;
}

/* No machine has as much. */
int too_large(size_t size)
{
    if (size <= PTRDIFF_MAX)
        return 0;
    void *memory = malloc(size);
    if (!memory)
        return -1;
    free(memory);
    return 1;
}

/* Some machines have as much. */
int rather_large(size_t size)
{
    if (size != 200000000000)
        return 0;
    void *memory = malloc(size);
    if (!memory)
        return -1;
    free(memory);
    return 1;
}

/* A negative length is a size that no machine has. */
int from_signed(int len)
{
    char *p = malloc(16 + (size_t)len);
    if (p == 0)
        return -1;
    free(p);
    return 0;
}

struct item {
    int value;
    double number;
    struct item *next;
};

static struct item *create(double number)
{
    struct item *item = malloc(sizeof *item);
    if (!item)
        return NULL;
    item->next = NULL;
    item->number = number;
    if (number >= INT_MAX)
        item->value = INT_MAX;
    else if (number <= (double)INT_MIN)
        item->value = INT_MIN;
    else
        item->value = (int)number;
    return item;
}

/* A NaN goes the way of 0 and fits no `int`. */
struct item *array(const double *numbers, int count)
{
    struct item *first = NULL, *last = NULL;
    if (count < 0 || !numbers)
        return NULL;
    for (int i = 0; i < count; i++) {
        struct item *item = create(numbers[i]);
        if (!item)
            return NULL;
        if (!i)
            first = item;
        else
            last->next = item;
        last = item;
    }
    return first;
}
