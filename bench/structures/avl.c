/* An AVL tree: heights of two siblings differ by one at most. */
#include "avl.h"
#include <stdlib.h>

static int height(const struct avl_node *node)
{
    return node ? node->height : 0;
}

static void update(struct avl_node *node)
{
    int left = height(node->left), right = height(node->right);
    node->height = (left > right ? left : right) + 1;
}

static struct avl_node *rotate_right(struct avl_node *node)
{
    struct avl_node *top = node->left;
    node->left = top->right;
    top->right = node;
    update(node);
    update(top);
    return top;
}

static struct avl_node *rotate_left(struct avl_node *node)
{
    struct avl_node *top = node->right;
    node->right = top->left;
    top->left = node;
    update(node);
    update(top);
    return top;
}

static struct avl_node *balance(struct avl_node *node)
{
    int difference = height(node->left) - height(node->right);

    update(node);
    if (difference > 1) {
        if (height(node->left->left) < height(node->left->right))
            node->left = rotate_left(node->left);
        return rotate_right(node);
    }
    if (difference < -1) {
        if (height(node->right->right) < height(node->right->left))
            node->right = rotate_right(node->right);
        return rotate_left(node);
    }
    return node;
}

static struct avl_node *insert(struct avl_node *node, int key, int value, int *added)
{
    if (!node) {
        node = malloc(sizeof *node);
        if (!node)
            return NULL;
        node->key = key;
        node->value = value;
        node->height = 1;
        node->left = node->right = NULL;
        *added = 1;
        return node;
    }
    if (key < node->key)
        node->left = insert(node->left, key, value, added);
    else if (key > node->key)
        node->right = insert(node->right, key, value, added);
    else
        node->value = value;
    return balance(node);
}

static struct avl_node *take_smallest(struct avl_node *node, struct avl_node **smallest)
{
    if (!node->left) {
        *smallest = node;
        return node->right;
    }
    node->left = take_smallest(node->left, smallest);
    return balance(node);
}

static struct avl_node *removed(struct avl_node *node, int key, int *found)
{
    if (!node)
        return NULL;
    if (key < node->key) {
        node->left = removed(node->left, key, found);
    } else if (key > node->key) {
        node->right = removed(node->right, key, found);
    } else {
        struct avl_node *left = node->left, *right = node->right;
        *found = 1;
        free(node);
        if (!right)
            return left;
        struct avl_node *smallest = NULL;
        right = take_smallest(right, &smallest);
        smallest->left = left;
        smallest->right = right;
        node = smallest;
    }
    return balance(node);
}

void avl_init(struct avl *tree)
{
    tree->root = NULL;
    tree->size = 0;
}

static void clear(struct avl_node *node)
{
    if (node) {
        clear(node->left);
        clear(node->right);
        free(node);
    }
}

void avl_clear(struct avl *tree)
{
    clear(tree->root);
    avl_init(tree);
}

int avl_insert(struct avl *tree, int key, int value)
{
    int added = 0;
    tree->root = insert(tree->root, key, value, &added);
    tree->size += added;
    return added;
}

int avl_remove(struct avl *tree, int key)
{
    int found = 0;
    tree->root = removed(tree->root, key, &found);
    tree->size -= found;
    return found;
}

const int *avl_find(const struct avl *tree, int key)
{
    const struct avl_node *node = tree->root;

    while (node && node->key != key)
        node = key < node->key ? node->left : node->right;
    return node ? &node->value : NULL;
}

/* The largest key that is not larger. */
int avl_floor(const struct avl *tree, int key, int *found)
{
    const struct avl_node *node = tree->root, *best = NULL;

    while (node) {
        if (node->key <= key) {
            best = node;
            node = node->right;
        } else {
            node = node->left;
        }
    }
    if (!best)
        return 0;
    *found = best->key;
    return 1;
}

int avl_height(const struct avl *tree)
{
    return height(tree->root);
}

static int is_valid(const struct avl_node *node, const int *low, const int *high)
{
    if (!node)
        return 1;
    if (low && node->key <= *low)
        return 0;
    if (high && node->key >= *high)
        return 0;
    int difference = height(node->left) - height(node->right);
    if (difference < -1 || difference > 1)
        return 0;
    return is_valid(node->left, low, &node->key) && is_valid(node->right, &node->key, high);
}

int avl_is_valid(const struct avl *tree)
{
    return is_valid(tree->root, NULL, NULL);
}

static int walk(const struct avl_node *node, int (*visit)(void *context, int key, int value), void *context)
{
    if (!node)
        return 1;
    return walk(node->left, visit, context) && visit(context, node->key, node->value) && walk(node->right, visit, context);
}

int avl_walk(const struct avl *tree, int (*visit)(void *context, int key, int value), void *context)
{
    return walk(tree->root, visit, context);
}
