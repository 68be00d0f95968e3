struct avl_node {
    int key, value, height;
    struct avl_node *left, *right;
};

struct avl {
    struct avl_node *root;
    int size;
};

void avl_init(struct avl *tree);
void avl_clear(struct avl *tree);
int avl_insert(struct avl *tree, int key, int value);
int avl_remove(struct avl *tree, int key);
const int *avl_find(const struct avl *tree, int key);
int avl_floor(const struct avl *tree, int key, int *found);
int avl_height(const struct avl *tree);
int avl_is_valid(const struct avl *tree);
int avl_walk(const struct avl *tree, int (*visit)(void *context, int key, int value), void *context);
