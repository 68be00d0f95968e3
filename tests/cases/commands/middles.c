/* Functions whose pointers may point inside each other's arrays. */
#include <stddef.h>

/* As memmove: which way it goes depends on where the arrays are. */
int move(unsigned char *to, const unsigned char *from, size_t n)
{
    size_t i, gap = (size_t)(to - from);
    if (gap > 0 && gap < n) {
        for (i = n; i > 0; i--)
            to[i - 1] = from[i - 1];
        return 1;
    }
    for (i = 0; i < n; i++)
        to[i] = from[i];
    return 2;
}

int overlap(int *a, const int *b, int n)
{
    if (n < 3)
        return 0;
    a[2] = 7;
    if (b[0] == 7 && b[1] == 9)
        return 1;
    return 2;
}

int raw(void *to, const void *from, size_t n)
{
    unsigned char *t = to;
    const unsigned char *f = from;
    if (n < 4)
        return 0;
    t[3] = 200;
    return f[1] == 200 ? 1 : 2;
}

struct item { int key, value; };

/* One of the elements. */
int position(const struct item *items, int n_items, const struct item *it)
{
    int i;
    for (i = 0; i < n_items; i++)
        if (items[i].key == 7 && &items[i] == it)
            return 1;
    return -1;
}

int distance(const int *a, const int *b)
{
    if (b == a + 2)
        return 1;
    if (b > a && b < a + 4)
        return 2;
    return 3;
}

/* Where both are what they seem, nothing is shared. */
int apart(int *a, int *b, int n)
{
    if (n < 1)
        return 0;
    a[0] = 1;
    b[0] = 2;
    if (a[0] == 3)
        return 1;
    return 2;
}

struct node { int key; struct node *next; };
struct pool { int n; struct node nodes[4]; struct node *free; };

/* A member points into the array beside it. */
int next_free(const struct pool *pool)
{
    if (pool->free == &pool->nodes[2])
        return 2;
    if (pool->free >= pool->nodes && pool->free < pool->nodes + 4)
        return 1;
    return 0;
}

/* A parameter points to an element of an array inside another object. */
int index_of(const struct pool *pool, const struct node *node)
{
    int i;
    for (i = 0; i < 4; i++)
        if (&pool->nodes[i] == node && node->key == 7)
            return i;
    return -1;
}

/* What is written to the element is read from the array. */
int mark(struct pool *pool, struct node *node)
{
    node->key = 5;
    if (pool->nodes[3].key == 5 && pool->nodes[0].key == 6)
        return 1;
    return 0;
}

struct ring { struct node head; };

/* The list ends where it begins, in a member. */
int ring_length(const struct ring *ring)
{
    int n = 0;
    const struct node *at = ring->head.next;
    while (at && at != &ring->head && n < 3) {
        at = at->next;
        n++;
    }
    if (!at)
        return -1;
    if (n == 2)
        return 2;
    if (n == 0)
        return 0;
    return 1;
}

struct lexer { const char *text; const char *at; };

/* A cursor in the text beside it. */
int is_third(const struct lexer *lexer)
{
    if (lexer->at == lexer->text + 3 && *lexer->at == 'x')
        return 1;
    return 0;
}

struct buffer { char data[16]; char *end; };

int used(struct buffer *buffer)
{
    buffer->data[1] = 'a';
    *buffer->end = 'z';
    if (buffer->data[1] == 'z')
        return 1;
    return 0;
}
