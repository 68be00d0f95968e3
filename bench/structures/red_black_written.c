/* Calls of the red-black tree as a person writes them. */
#include "red_black.h"
#include <assert.h>

static void fill(struct rb_tree *tree, int first, int last, int step)
{
    for (int key = first; key != last; key += step)
        assert(rb_insert(tree, key) == 1 && rb_black_height(tree) > 0);
}

static void grow_and_shrink(int first, int last, int step)
{
    struct rb_tree *tree = rb_new();

    fill(tree, first, last, step);
    for (int key = first; key != last; key += step)
        assert(rb_remove(tree, key) && rb_black_height(tree) >= 0);
    assert(tree->size == 0);
    fill(tree, first, last, step);
    for (int key = last - step; key != first; key -= step)
        assert(rb_remove(tree, key) && rb_black_height(tree) >= 0);
    rb_free(tree);
}

static void mixed(void)
{
    static const int keys[] = {50, 20, 80, 10, 30, 70, 90, 25, 35, 65, 75, 5, 15, 85, 95};
    enum { N = sizeof keys / sizeof *keys };
    struct rb_tree *tree = rb_new();
    int next = 0;

    for (int i = 0; i < N; i++)
        rb_insert(tree, keys[i]);
    assert(rb_insert(tree, 25) == 0 && tree->size == N);
    assert(rb_contains(tree, 65) && !rb_contains(tree, 66));
    assert(rb_next(tree, 35, &next) && next == 50);
    assert(rb_next(tree, 50, &next) && next == 65);
    assert(!rb_next(tree, 95, &next) && !rb_next(tree, 1, &next));
    assert(!rb_remove(tree, 1));
    for (int i = 0; i < N; i++)
        assert(rb_remove(tree, keys[(i * 7) % N]) && rb_black_height(tree) >= 0);
    rb_free(tree);
}

static void zigzag(void)
{
    struct rb_tree *tree = rb_new();

    for (int i = 0; i < 16; i++)
        rb_insert(tree, i % 2 ? 100 - i : i);
    for (int i = 15; i >= 0; i--)
        assert(rb_remove(tree, i % 2 ? i - 1 : 100 - i - 1) && rb_black_height(tree) >= 0);
    rb_free(tree);
}

int main(void)
{
    grow_and_shrink(0, 16, 1);
    grow_and_shrink(16, 0, -1);
    mixed();
    zigzag();
    return 0;
}
