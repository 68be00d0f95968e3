/* A red-black tree with parent pointers, after Cormen et al., Introduction to Algorithms. */
#include "red_black.h"
#include <stdlib.h>

struct rb_tree *rb_new(void)
{
    return calloc(1, sizeof(struct rb_tree));
}

static void free_nodes(struct rb_node *node)
{
    if (!node)
        return;
    free_nodes(node->left);
    free_nodes(node->right);
    free(node);
}

void rb_free(struct rb_tree *tree)
{
    free_nodes(tree->root);
    free(tree);
}

static int is_red(const struct rb_node *node)
{
    return node && node->color == RED;
}

/* Puts a node where another one was. */
static void replace(struct rb_tree *tree, struct rb_node *old, struct rb_node *new)
{
    if (!old->parent)
        tree->root = new;
    else if (old->parent->left == old)
        old->parent->left = new;
    else
        old->parent->right = new;
    if (new)
        new->parent = old->parent;
}

static void rotate_left(struct rb_tree *tree, struct rb_node *node)
{
    struct rb_node *up = node->right;

    replace(tree, node, up);
    node->right = up->left;
    if (up->left)
        up->left->parent = node;
    up->left = node;
    node->parent = up;
}

static void rotate_right(struct rb_tree *tree, struct rb_node *node)
{
    struct rb_node *up = node->left;

    replace(tree, node, up);
    node->left = up->right;
    if (up->right)
        up->right->parent = node;
    up->right = node;
    node->parent = up;
}

static void repair_insertion(struct rb_tree *tree, struct rb_node *node)
{
    while (is_red(node->parent)) {
        struct rb_node *parent = node->parent, *grandparent = parent->parent;
        int is_left = parent == grandparent->left;
        struct rb_node *uncle = is_left ? grandparent->right : grandparent->left;

        if (is_red(uncle)) {
            parent->color = uncle->color = BLACK;
            grandparent->color = RED;
            node = grandparent;
            continue;
        }
        if (is_left) {
            if (node == parent->right) {
                rotate_left(tree, parent);
                parent = node;
            }
            rotate_right(tree, grandparent);
        } else {
            if (node == parent->left) {
                rotate_right(tree, parent);
                parent = node;
            }
            rotate_left(tree, grandparent);
        }
        parent->color = BLACK;
        grandparent->color = RED;
        break;
    }
    tree->root->color = BLACK;
}

int rb_insert(struct rb_tree *tree, int key)
{
    struct rb_node **place = &tree->root, *parent = NULL;

    while (*place) {
        parent = *place;
        if (key == parent->key)
            return 0;
        place = key < parent->key ? &parent->left : &parent->right;
    }
    struct rb_node *node = calloc(1, sizeof *node);
    if (!node)
        return -1;
    node->key = key;
    node->parent = parent;
    *place = node;
    tree->size++;
    repair_insertion(tree, node);
    return 1;
}

static struct rb_node *search(const struct rb_tree *tree, int key)
{
    struct rb_node *node = tree->root;

    while (node && node->key != key)
        node = key < node->key ? node->left : node->right;
    return node;
}

/* The subtree of `node`, which may be null, has one black node too few. */
static void repair_removal(struct rb_tree *tree, struct rb_node *node, struct rb_node *parent)
{
    while (node != tree->root && !is_red(node)) {
        if (node == parent->left) {
            struct rb_node *sibling = parent->right;
            if (is_red(sibling)) {
                sibling->color = BLACK;
                parent->color = RED;
                rotate_left(tree, parent);
                sibling = parent->right;
            }
            if (!is_red(sibling->left) && !is_red(sibling->right)) {
                sibling->color = RED;
                node = parent;
                parent = node->parent;
                continue;
            }
            if (!is_red(sibling->right)) {
                sibling->left->color = BLACK;
                sibling->color = RED;
                rotate_right(tree, sibling);
                sibling = parent->right;
            }
            sibling->color = parent->color;
            parent->color = BLACK;
            sibling->right->color = BLACK;
            rotate_left(tree, parent);
        } else {
            struct rb_node *sibling = parent->left;
            if (is_red(sibling)) {
                sibling->color = BLACK;
                parent->color = RED;
                rotate_right(tree, parent);
                sibling = parent->left;
            }
            if (!is_red(sibling->left) && !is_red(sibling->right)) {
                sibling->color = RED;
                node = parent;
                parent = node->parent;
                continue;
            }
            if (!is_red(sibling->left)) {
                sibling->right->color = BLACK;
                sibling->color = RED;
                rotate_left(tree, sibling);
                sibling = parent->left;
            }
            sibling->color = parent->color;
            parent->color = BLACK;
            sibling->left->color = BLACK;
            rotate_right(tree, parent);
        }
        node = tree->root;
    }
    if (node)
        node->color = BLACK;
}

int rb_remove(struct rb_tree *tree, int key)
{
    struct rb_node *node = search(tree, key);

    if (!node)
        return 0;
    if (node->left && node->right) {
        struct rb_node *next = node->right;
        while (next->left)
            next = next->left;
        node->key = next->key;
        node = next;
    }
    struct rb_node *child = node->left ? node->left : node->right;
    replace(tree, node, child);
    if (node->color == BLACK && tree->root)
        repair_removal(tree, child, node->parent);
    free(node);
    tree->size--;
    return 1;
}

int rb_contains(const struct rb_tree *tree, int key)
{
    return search(tree, key) != NULL;
}

/* The smallest key that is larger. */
int rb_next(const struct rb_tree *tree, int key, int *next)
{
    const struct rb_node *node = search(tree, key);

    if (!node)
        return 0;
    if (node->right) {
        node = node->right;
        while (node->left)
            node = node->left;
        *next = node->key;
        return 1;
    }
    while (node->parent && node == node->parent->right)
        node = node->parent;
    if (!node->parent)
        return 0;
    *next = node->parent->key;
    return 1;
}

/* Black nodes on every way down; -1 if two ways differ or a red node has a red child. */
static int black_height(const struct rb_node *node)
{
    if (!node)
        return 0;
    if (is_red(node) && (is_red(node->left) || is_red(node->right)))
        return -1;
    int left = black_height(node->left), right = black_height(node->right);
    if (left < 0 || left != right)
        return -1;
    return left + (node->color == BLACK);
}

int rb_black_height(const struct rb_tree *tree)
{
    return black_height(tree->root);
}
