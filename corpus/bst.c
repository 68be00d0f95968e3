/* bst: a binary search tree; four insertions, one deletion, one look-up.
 *
 * Takaki et al. 2010. Entry: bst(a, b, c, d, removed, sought). Nodes live in an array; 0 is "no node".
 * Returns ten times the size, plus the depth of the sought key (0 if absent).
 * Infeasible: nothing known.
 */

enum { NODES = 16 };

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

/* The size that the paper's queries have: fifteen insertions and five deletions of twelve keys, then every key is looked up and the
 * order of what is left is checked. */
static int is_ordered(const struct tree *t, int node, int depth) {
    if (node == 0 || depth == NODES) {
        return 1;
    }
    int left = t->left[node];
    int right = t->right[node];
    if (left != 0 && t->key[left] >= t->key[node]) {
        return 0;
    }
    if (right != 0 && t->key[right] <= t->key[node]) {
        return 0;
    }
    return is_ordered(t, left, depth + 1) && is_ordered(t, right, depth + 1);
}

int bst_sequence(int a, int b, int c, int d, int e, int f, int g, int h, int i, int removed1, int removed2, int sought) {
    struct tree t = {{0}, {0}, {0}, 0, 0, 0};
    int keys[12] = {a, b, c, d, e, f, g, h, i, removed1, removed2, sought};
    insert(&t, a);
    insert(&t, b);
    insert(&t, c);
    insert(&t, d);
    delete(&t, removed1);
    insert(&t, e);
    insert(&t, f);
    insert(&t, g);
    delete(&t, removed2);
    insert(&t, h);
    insert(&t, i);
    /* What was removed, or was not there, comes in; what came in first goes and comes back. */
    insert(&t, sought);
    insert(&t, removed1);
    delete(&t, c);
    insert(&t, removed2);
    delete(&t, a);
    delete(&t, f);
    insert(&t, c);
    insert(&t, a);
    insert(&t, f);
    int result = 100 * t.size;
    for (int at = 0; at < 12; at++) {
        result += depth_of(&t, keys[at]);
    }
    return is_ordered(&t, t.root, 0) ? result : -1;
}
