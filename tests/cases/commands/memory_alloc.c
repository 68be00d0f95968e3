/* What happens where no memory is left. */
#include <stdlib.h>
#include <string.h>

int unchecked(int n)
{
    int *p = malloc(sizeof *p);
    *p = n;
    int r = *p;
    free(p);
    return r;
}

int second_unchecked(const char *s)
{
    char *a = strdup(s);
    if (!a)
        return -1;
    char *b = calloc(4, 1);
    b[0] = a[0];
    int r = b[0] == 'x';
    free(a);
    free(b);
    return r;
}

/* None of these does anything wrong. */

int checked(int n)
{
    int *p = malloc(sizeof *p);
    if (!p)
        return -1;
    *p = n;
    int r = *p > 5;
    free(p);
    return r;
}

int grows_or_stays(int n)
{
    char *p = malloc(2);
    if (!p)
        return -1;
    p[0] = (char)n;
    char *q = realloc(p, 9);
    if (!q) {
        int r = p[0];
        free(p);
        return r + 1;
    }
    free(q);
    return 0;
}
