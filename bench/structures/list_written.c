/* Calls of the list as a person writes them. */
#include "list.h"
#include <assert.h>
#include <stddef.h>

static int is_even(int value)
{
    return value % 2 == 0;
}

static struct list *of(const int *values, int n)
{
    struct list *list = list_create();
    for (int i = 0; i < n; i++)
        list_push_back(list, values[i]);
    return list;
}

static void ends(void)
{
    struct list *list = list_create();
    int value = 0;

    assert(!list_pop_front(list, &value));
    list_push_front(list, 2);
    list_push_front(list, 1);
    list_push_back(list, 3);
    assert(list_pop_front(list, &value) && value == 1);
    assert(list->length == 2 && list->last->value == 3);
    list_destroy(list);
}

static void places(void)
{
    struct list *list = of((int[]){10, 20, 30, 40, 50, 60}, 6);

    assert(!list_at(list, -1) && !list_at(list, 6));
    assert(list_at(list, 0)->value == 10 && list_at(list, 2)->value == 30);
    assert(list_at(list, 5)->value == 60 && list_at(list, 4)->value == 50);
    assert(!list_find(list, 35));
    list_insert_after(list, list_find(list, 30), 35);
    list_insert_after(list, list->last, 70);
    assert(list_find(list, 35)->next->value == 40);
    list_remove(list, list_find(list, 35));
    list_remove(list, list->last);
    list_remove(list, list->first);
    assert(list->length == 5);
    list_destroy(list);
}

static void orders(void)
{
    struct list *list = of((int[]){3, 1, 2, 5, 4}, 5);
    struct list *sorted = of((int[]){1, 2, 3, 4, 5}, 5);
    struct list *shorter = of((int[]){1, 2}, 2);
    struct list *empty = list_create();

    assert(!list_is_sorted(list) && !list_equal(list, sorted));
    list_sort(list);
    assert(list_is_sorted(list) && list_equal(list, sorted));
    assert(!list_equal(shorter, sorted) && !list_equal(sorted, shorter));
    list_reverse(list);
    assert(list->first->value == 5);
    assert(list_remove_if(list, is_even) == 2 && list->length == 3);
    list_sort(empty);
    list_reverse(empty);
    assert(list_is_sorted(empty));
    list_destroy(list);
    list_destroy(sorted);
    list_destroy(shorter);
    list_destroy(empty);
}

int main(void)
{
    ends();
    places();
    orders();
    return 0;
}
