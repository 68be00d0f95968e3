/* Calls of the AVL tree as a person writes them. */
#include "avl.h"
#include <assert.h>
#include <stddef.h>

static void filled(struct avl *tree, const int *keys, int n)
{
    avl_init(tree);
    for (int i = 0; i < n; i++)
        assert(avl_insert(tree, keys[i], 10 * keys[i]));
    assert(avl_is_valid(tree) && tree->size == n);
}

static int count_below(void *context, int key, int value)
{
    ++*(int *)context;
    return key < 4 && value >= 0;
}

static void rotations(void)
{
    struct avl tree;

    filled(&tree, (int[]){1, 2, 3}, 3);
    assert(avl_height(&tree) == 2);
    avl_clear(&tree);
    filled(&tree, (int[]){3, 2, 1}, 3);
    avl_clear(&tree);
    filled(&tree, (int[]){3, 1, 2}, 3);
    avl_clear(&tree);
    filled(&tree, (int[]){1, 3, 2}, 3);
    assert(!avl_insert(&tree, 3, 7) && *avl_find(&tree, 3) == 7);
    avl_clear(&tree);
}

static void removals(void)
{
    struct avl tree;

    filled(&tree, (int[]){8, 4, 12, 2, 6, 10, 14, 1, 3, 5, 7, 9, 11, 13, 15}, 15);
    assert(!avl_remove(&tree, 16));
    assert(avl_remove(&tree, 1) && avl_remove(&tree, 2) && avl_remove(&tree, 8) && avl_remove(&tree, 12));
    assert(avl_is_valid(&tree));
    assert(avl_remove(&tree, 3) && avl_remove(&tree, 15) && avl_remove(&tree, 9) && avl_remove(&tree, 14));
    assert(avl_is_valid(&tree) && tree.size == 7);
    avl_clear(&tree);
}

static void searches(void)
{
    struct avl tree;
    int found = 0, visited = 0;

    avl_init(&tree);
    assert(!avl_floor(&tree, 5, &found) && !avl_find(&tree, 5) && avl_height(&tree) == 0);
    filled(&tree, (int[]){2, 4, 6}, 3);
    assert(avl_floor(&tree, 5, &found) && found == 4);
    assert(avl_floor(&tree, 6, &found) && found == 6);
    assert(!avl_floor(&tree, 1, &found));
    assert(avl_find(&tree, 2) && avl_find(&tree, 6) && !avl_find(&tree, 3));
    assert(!avl_walk(&tree, count_below, &visited) && visited == 2);
    assert(avl_remove(&tree, 4) && avl_remove(&tree, 6));
    assert(avl_walk(&tree, count_below, &visited));
    avl_clear(&tree);
}

int main(void)
{
    rotations();
    removals();
    searches();
    return 0;
}
