struct node {
    int value;
    struct node *previous, *next;
};

struct list {
    struct node *first, *last;
    int length;
};

struct list *list_create(void);
void list_destroy(struct list *list);
struct node *list_push_front(struct list *list, int value);
struct node *list_push_back(struct list *list, int value);
struct node *list_insert_after(struct list *list, struct node *node, int value);
struct node *list_find(const struct list *list, int value);
struct node *list_at(const struct list *list, int index);
void list_remove(struct list *list, struct node *node);
int list_pop_front(struct list *list, int *value);
int list_remove_if(struct list *list, int (*matches)(int value));
void list_reverse(struct list *list);
void list_sort(struct list *list);
int list_is_sorted(const struct list *list);
int list_equal(const struct list *a, const struct list *b);
