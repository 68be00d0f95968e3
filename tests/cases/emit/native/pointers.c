/* Pointers to pointers, lists, qualifiers, results that point into an argument. */
#include <stddef.h>

struct node { int value; struct node *next; };
struct tree { char key; struct tree *left, *right; };

int length(const struct node *list)
{
    int n = 0;
    while (list != NULL && n < 10) {
        n++;
        list = list->next;
    }
    return n;
}

int depth(const struct tree *t)
{
    if (!t)
        return 0;
    int l = depth(t->left), r = depth(t->right);
    return 1 + (l > r ? l : r);
}

int through(int **cell)
{
    if (cell && *cell && **cell == 42)
        return 1;
    return 0;
}

void swap(int **a, int **b)
{
    if (**a > **b) {
        int t = **a;
        **a = **b;
        **b = t;
    }
}

const char *find(const char *text, char wanted)
{
    for (; *text; text++)
        if (*text == wanted)
            return text;
    return NULL;
}

int *largest(int *values, size_t n)
{
    if (n == 0)
        return NULL;
    int *best = values;
    for (size_t i = 1; i < n; i++)
        if (values[i] > *best)
            best = &values[i];
    return best;
}

void copy(char *restrict to, const char *restrict from, size_t n)
{
    for (size_t i = 0; i < n; i++)
        to[i] = from[i] == 'x' ? '-' : from[i];
}

int latest(volatile int *port, const volatile unsigned char *status)
{
    if (*status & 0x80)
        *port = 7;
    return *port;
}

int compare(const void *a, const void *b)
{
    const unsigned char *x = a, *y = b;
    if (x[0] != y[0])
        return x[0] < y[0] ? -1 : 1;
    return 0;
}

int words(const char *const *names, int n)
{
    int long_ones = 0;
    for (int i = 0; i < n; i++)
        if (names[i] && names[i][0] && names[i][1])
            long_ones++;
    return long_ones;
}
