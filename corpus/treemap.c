/* treemap: a red-black tree; seven insertions, two deletions, one look-up.
 *
 * Takaki et al. 2010 (after the tree map of an early JDK; the algorithm is the textbook's). Entry: treemap(a, b, c, d, e, f,
 * g, removed1, removed2, sought). Nodes live in an array. Node 0 is the black sentinel; deletion uses its parent
 * field.
 * Returns 100 times the size, ten times the black height, plus 1 if the sought key is there.
 * Infeasible: nothing known.
 */

enum { NODES = 21 };
enum { RED = 0, BLACK = 1 };
enum { LEFT = 0, RIGHT = 1 };

struct tree {
    int key[NODES];
    int colour[NODES];
    int parent[NODES];
    int child[NODES][2];
    int root;
    int size;
};

/* The side on which node hangs below its parent. */
static int side_of(const struct tree *t, int node) {
    return t->child[t->parent[node]][RIGHT] == node ? RIGHT : LEFT;
}

/* Puts node (or nothing) where old was. */
static void replace_child(struct tree *t, int old, int node) {
    int parent = t->parent[old];
    if (parent == 0) {
        t->root = node;
    } else {
        t->child[parent][side_of(t, old)] = node;
    }
    t->parent[node] = parent;
}

/* Moves node down to the given side; its child on the other side takes its place. */
static void rotate(struct tree *t, int node, int side) {
    int up = t->child[node][1 - side];
    int middle = t->child[up][side];
    t->child[node][1 - side] = middle;
    if (middle != 0) {
        t->parent[middle] = node;
    }
    replace_child(t, node, up);
    t->child[up][side] = node;
    t->parent[node] = up;
}

static void repair_insertion(struct tree *t, int node) {
    while (t->colour[t->parent[node]] == RED) {
        int parent = t->parent[node];
        int grand = t->parent[parent];
        int side = side_of(t, parent);
        int uncle = t->child[grand][1 - side];
        if (t->colour[uncle] == RED) {
            t->colour[parent] = BLACK;
            t->colour[uncle] = BLACK;
            t->colour[grand] = RED;
            node = grand;
        } else {
            if (side_of(t, node) != side) {
                rotate(t, parent, side);
                parent = node;
            }
            t->colour[parent] = BLACK;
            t->colour[grand] = RED;
            rotate(t, grand, 1 - side);
            break;
        }
    }
    t->colour[t->root] = BLACK;
}

static int find(const struct tree *t, int key) {
    int node = t->root;
    while (node != 0 && t->key[node] != key) {
        node = t->child[node][key > t->key[node]];
    }
    return node;
}

static void insert(struct tree *t, int key) {
    int parent = 0;
    int side = LEFT;
    int node = t->root;
    while (node != 0) {
        if (key == t->key[node]) {
            return;
        }
        parent = node;
        side = key < t->key[node] ? LEFT : RIGHT;
        node = t->child[node][side];
    }
    t->size++;
    node = t->size;
    t->key[node] = key;
    t->colour[node] = RED;
    t->parent[node] = parent;
    if (parent == 0) {
        t->root = node;
    } else {
        t->child[parent][side] = node;
    }
    repair_insertion(t, node);
}

/* node stands for one black too few on its paths. Its sibling is never the sentinel. */
static void repair_deletion(struct tree *t, int node, int side) {
    while (node != t->root && t->colour[node] == BLACK) {
        int parent = t->parent[node];
        int sibling = t->child[parent][1 - side];
        if (t->colour[sibling] == RED) {
            t->colour[sibling] = BLACK;
            t->colour[parent] = RED;
            rotate(t, parent, side);
            sibling = t->child[parent][1 - side];
        }
        int near = t->child[sibling][side];
        int far = t->child[sibling][1 - side];
        if (t->colour[near] == BLACK && t->colour[far] == BLACK) {
            t->colour[sibling] = RED;
            node = parent;
            side = side_of(t, node);
        } else {
            if (t->colour[far] == BLACK) {
                t->colour[near] = BLACK;
                t->colour[sibling] = RED;
                rotate(t, sibling, 1 - side);
                sibling = near;
                far = t->child[sibling][1 - side];
            }
            t->colour[sibling] = t->colour[parent];
            t->colour[parent] = BLACK;
            t->colour[far] = BLACK;
            rotate(t, parent, side);
            node = t->root;
        }
    }
    t->colour[node] = BLACK;
}

static int delete(struct tree *t, int key) {
    int node = find(t, key);
    if (node == 0) {
        return 0;
    }
    if (t->child[node][LEFT] != 0 && t->child[node][RIGHT] != 0) {
        int next = t->child[node][RIGHT];
        while (t->child[next][LEFT] != 0) {
            next = t->child[next][LEFT];
        }
        t->key[node] = t->key[next];
        node = next;
    }
    int below = t->child[node][LEFT] != 0 ? t->child[node][LEFT] : t->child[node][RIGHT];
    int side = side_of(t, node);
    replace_child(t, node, below);
    if (t->colour[node] == BLACK) {
        repair_deletion(t, below, side);
    }
    t->parent[0] = 0;
    t->colour[0] = BLACK;
    return 1;
}

static int black_height(const struct tree *t) {
    int height = 0;
    for (int node = t->root; node != 0; node = t->child[node][LEFT]) {
        if (t->colour[node] == BLACK) {
            height++;
        }
    }
    return height;
}

int treemap(int a, int b, int c, int d, int e, int f, int g, int removed1, int removed2, int sought) {
    struct tree t = {{0}, {BLACK}, {0}, {{0}}, 0, 0};
    insert(&t, a);
    insert(&t, b);
    insert(&t, c);
    insert(&t, d);
    insert(&t, e);
    insert(&t, f);
    insert(&t, g);
    int size = t.size;
    size -= delete(&t, removed1);
    size -= delete(&t, removed2);
    return 100 * size + 10 * black_height(&t) + (find(&t, sought) != 0);
}

/* The size that the paper's queries have: twenty insertions and nine deletions of thirteen keys, and every key is looked up; the
 * order of neighbours is checked in between. */
static int n_disordered(const struct tree *t) {
    int n = 0;
    for (int node = 1; node <= t->size; node++) {
        int parent = t->parent[node];
        if (parent != 0) {
            int is_less = t->key[node] < t->key[parent];
            n += is_less != (side_of(t, node) == LEFT);
        }
    }
    return n;
}

int treemap_sequence(int a, int b, int c, int d, int e, int f, int g, int h, int i, int j, int removed1, int removed2,
                     int sought) {
    struct tree t = {{0}, {BLACK}, {0}, {{0}}, 0, 0};
    int keys[13] = {a, b, c, d, e, f, g, h, i, j, removed1, removed2, sought};
    for (int at = 0; at < 10; at++) {
        insert(&t, keys[at]);
    }
    int n_deleted = 0;
    int found = find(&t, sought) != 0;
    if (n_disordered(&t) != 0) {
        return -1;
    }
    n_deleted += delete(&t, removed1);
    n_deleted += delete(&t, removed2);
    /* What was removed, or was not there, comes in; what came in first goes and comes back. */
    insert(&t, sought);
    insert(&t, removed1);
    n_deleted += delete(&t, a);
    n_deleted += delete(&t, e);
    insert(&t, removed2);
    insert(&t, e);
    n_deleted += delete(&t, j);
    insert(&t, a);
    insert(&t, j);
    for (int at = 0; at < 13; at++) {
        found += find(&t, keys[at]) != 0;
    }
    /* The second time round the tree has another shape. */
    for (int at = 1; at < 13; at += 3) {
        n_deleted += delete(&t, keys[at]);
        insert(&t, keys[at]);
        found += find(&t, keys[at - 1]) != 0;
    }
    return 1000 * (t.size - n_deleted) + 100 * black_height(&t) + found;
}
