/* bst: a binary search tree; four insertions, one deletion, one look-up.
 *
 * Takaki et al. 2010. Entry: bst(a, b, c, d, removed, sought). Nodes live in an array; 0 is "no node".
 * Returns ten times the size, plus the depth of the sought key (0 if absent).
 * Infeasible: nothing known.
 */

enum { NODES = 5 };

struct tree {
    int key[NODES];
    int left[NODES];
    int right[NODES];
    int used;
    int root;
    int size;
};

static void insert(struct tree *t, int key) {
    int *link = &t->root;
    while (*link != 0) {
        int node = *link;
        if (key < t->key[node]) {
            link = &t->left[node];
        } else if (key > t->key[node]) {
            link = &t->right[node];
        } else {
            return;
        }
    }
    t->used++;
    t->key[t->used] = key;
    *link = t->used;
    t->size++;
}

static int *link_to(struct tree *t, int key) {
    int *link = &t->root;
    while (*link != 0 && t->key[*link] != key) {
        if (key < t->key[*link]) {
            link = &t->left[*link];
        } else {
            link = &t->right[*link];
        }
    }
    return link;
}

static void delete(struct tree *t, int key) {
    int *link = link_to(t, key);
    int node = *link;
    if (node == 0) {
        return;
    }
    t->size--;
    if (t->left[node] == 0) {
        *link = t->right[node];
    } else if (t->right[node] == 0) {
        *link = t->left[node];
    } else {
        int *next = &t->right[node];
        while (t->left[*next] != 0) {
            next = &t->left[*next];
        }
        t->key[node] = t->key[*next];
        *next = t->right[*next];
    }
}

static int depth_of(const struct tree *t, int key) {
    int depth = 1;
    int node = t->root;
    while (node != 0) {
        if (key == t->key[node]) {
            return depth;
        }
        node = key < t->key[node] ? t->left[node] : t->right[node];
        depth++;
    }
    return 0;
}

int bst(int a, int b, int c, int d, int removed, int sought) {
    struct tree t = {{0}, {0}, {0}, 0, 0, 0};
    insert(&t, a);
    insert(&t, b);
    insert(&t, c);
    insert(&t, d);
    delete(&t, removed);
    return 10 * t.size + depth_of(&t, sought);
}
