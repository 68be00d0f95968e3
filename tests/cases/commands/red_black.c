/* A red-black tree whose nodes know their parents, after the textbook. */
#include <stddef.h>

enum colour { BLACK, RED };

struct node {
    int key;
    enum colour colour;
    struct node *left;
    struct node *right;
    struct node *parent;
};

struct tree {
    struct node *root;
};

static void replace(struct tree *tree, struct node *old, struct node *new)
{
    if (!old->parent)
        tree->root = new;
    else if (old == old->parent->left)
        old->parent->left = new;
    else
        old->parent->right = new;
    if (new)
        new->parent = old->parent;
}

static void rotate_left(struct tree *tree, struct node *node)
{
    struct node *right = node->right;
    replace(tree, node, right);
    node->right = right->left;
    if (right->left)
        right->left->parent = node;
    right->left = node;
    node->parent = right;
}

static void rotate_right(struct tree *tree, struct node *node)
{
    struct node *left = node->left;
    replace(tree, node, left);
    node->left = left->right;
    if (left->right)
        left->right->parent = node;
    left->right = node;
    node->parent = left;
}

static int is_red(const struct node *node)
{
    return node && node->colour == RED;
}

void repair(struct tree *tree, struct node *node)
{
    while (node->parent && is_red(node->parent)) {
        struct node *parent = node->parent, *grandparent = parent->parent;
        if (!grandparent)
            break;
        if (parent == grandparent->left) {
            struct node *uncle = grandparent->right;
            if (is_red(uncle)) {
                parent->colour = uncle->colour = BLACK;
                grandparent->colour = RED;
                node = grandparent;
                continue;
            }
            if (node == parent->right) {
                node = parent;
                rotate_left(tree, node);
                parent = node->parent;
            }
            parent->colour = BLACK;
            grandparent->colour = RED;
            rotate_right(tree, grandparent);
        } else {
            struct node *uncle = grandparent->left;
            if (is_red(uncle)) {
                parent->colour = uncle->colour = BLACK;
                grandparent->colour = RED;
                node = grandparent;
                continue;
            }
            if (node == parent->left) {
                node = parent;
                rotate_right(tree, node);
                parent = node->parent;
            }
            parent->colour = BLACK;
            grandparent->colour = RED;
            rotate_left(tree, grandparent);
        }
    }
    tree->root->colour = BLACK;
}

int insert(struct tree *tree, struct node *node)
{
    struct node *parent = NULL, **link = &tree->root;
    while (*link) {
        parent = *link;
        if (node->key == parent->key)
            return 0;
        link = node->key < parent->key ? &parent->left : &parent->right;
    }
    node->left = node->right = NULL;
    node->parent = parent;
    node->colour = RED;
    *link = node;
    repair(tree, node);
    return 1;
}

struct node *find(const struct tree *tree, int key)
{
    struct node *node = tree->root;
    while (node && node->key != key)
        node = key < node->key ? node->left : node->right;
    return node;
}
