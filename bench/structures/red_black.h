enum color { RED, BLACK };

struct rb_node {
    int key;
    enum color color;
    struct rb_node *parent, *left, *right;
};

struct rb_tree {
    struct rb_node *root;
    unsigned size;
};

struct rb_tree *rb_new(void);
void rb_free(struct rb_tree *tree);
int rb_insert(struct rb_tree *tree, int key);
int rb_remove(struct rb_tree *tree, int key);
int rb_contains(const struct rb_tree *tree, int key);
int rb_next(const struct rb_tree *tree, int key, int *next);
int rb_black_height(const struct rb_tree *tree);
