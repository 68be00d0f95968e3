/* Memory that is used when it is no longer there, or given back when it cannot be, and beside it what may be done. */
#include <stdlib.h>
#include <string.h>

struct node {
    int value;
    struct node *next;
};

int read_after_free(int n)
{
    int *p = malloc(sizeof *p);
    if (!p)
        return 0;
    *p = n;
    if (n > 10)
        free(p);
    int r = *p;
    if (n <= 10)
        free(p);
    return r;
}

int write_after_free(int n)
{
    char *p = calloc(8, 1);
    if (!p)
        return 0;
    free(p);
    if (n == 3)
        p[7] = 1;
    return n;
}

/* The list is walked by what was freed. */
int walk_after_free(int n)
{
    struct node *list = 0;
    for (int i = 0; i < 2; i++) {
        struct node *node = malloc(sizeof *node);
        if (!node)
            return -1;
        node->value = n + i;
        node->next = list;
        list = node;
    }
    int sum = 0;
    for (struct node *node = list; node; node = node->next) {
        sum += node->value;
        free(node);
    }
    return sum;
}

int use_after_realloc(unsigned n)
{
    char *p = malloc(4);
    if (!p)
        return 0;
    p[0] = 7;
    char *q = realloc(p, n & 1 ? 64 : 5);
    if (!q)
        return 0;
    int r = p[0];
    free(q);
    return r;
}

int freed_twice(int n)
{
    char *p = malloc(4);
    char *q = n == 77 ? p : 0;
    free(p);
    free(q);
    return n;
}

int realloc_after_free(int n)
{
    char *p = malloc(4);
    free(p);
    if (n < 0)
        p = realloc(p, 8);
    return p != 0;
}

int freed_inside(int n)
{
    char *p = malloc(16);
    if (!p)
        return 0;
    if (n & 4)
        p++;
    free(p);
    return n;
}

static int table[4];

int freed_global(int n)
{
    int *p = n == 5 ? table + 0 : malloc(sizeof *p);
    free(p);
    return n;
}

int freed_local(int n)
{
    int local[2] = {n, n};
    int *p = n > 100 ? local : malloc(sizeof *p);
    free(p);
    return local[1];
}

static int *escape(int n)
{
    int local[3] = {n, n + 1, n + 2};
    int *p = local;
    return n > 5 ? p : table;
}

int use_after_return(int n)
{
    int *p = escape(n);
    return p[1];
}

static int look(int *p, int n)
{
    int other[8] = {0};
    other[n & 7] = 4;
    return *p + other[1];
}

/* Another call has its variables where the first one had them. */
int look_after_return(int n)
{
    int *p = escape(n);
    return look(p, n);
}

int use_after_scope(int n)
{
    int *p = table;
    if (n > 3) {
        int local[2] = {n, n};
        p = &local[n & 1];
    }
    return *p;
}

int before_the_start(int i)
{
    char *p = malloc(8);
    if (!p)
        return 0;
    if (i >= -4 && i < 8)
        p[i] = 1;
    free(p);
    return i;
}

int copied_string(const char *s)
{
    char *copy = strdup(s);
    if (!copy)
        return 0;
    int r = copy[strlen(s) + (s[0] == 'x')];
    free(copy);
    return r;
}

/* None of these does anything wrong. */

int list_is_freed(int n)
{
    struct node *list = 0;
    for (int i = 0; i < (n & 3); i++) {
        struct node *node = malloc(sizeof *node);
        if (!node)
            break;
        node->value = i;
        node->next = list;
        list = node;
    }
    int sum = 0;
    while (list) {
        struct node *next = list->next;
        sum += list->value;
        free(list);
        list = next;
    }
    return sum > 2;
}

int grows(unsigned n)
{
    char *p = 0;
    unsigned size = 0;
    for (unsigned i = 0; i < (n & 15); i++) {
        if (i == size) {
            size = size ? 2 * size : 2;
            char *moved = realloc(p, size);
            if (!moved)
                break;
            p = moved;
        }
        p[i] = (char)i;
    }
    int r = size && p[0] == 0 ? (int)size : 0;
    free(p);
    return r > 8;
}

static int *own(int *p) { return p; }

int passes_down(int n)
{
    int local[2] = {n, 1};
    int *p = own(local);
    free(0);
    return p[0] == p[1];
}

int reused_often(int n)
{
    int sum = 0;
    for (int i = 0; i < 3000; i++) {
        char *p = malloc(200);
        if (!p)
            return 0;
        p[199] = (char)i;
        sum += p[199] == 5;
        free(p);
    }
    return sum == n;
}

int aligned(unsigned n)
{
    void *p = 0;
    if (posix_memalign(&p, 64, 10))
        return 0;
    char *q = aligned_alloc(32, 32);
    int r = p && ((size_t)p & 63) == 0 && q && ((size_t)q & 31) == 0;
    memset(p, 1, 10);
    if (q)
        q[31] = (char)n;
    free(p);
    free(q);
    return r;
}
