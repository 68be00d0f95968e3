/* Memory that nobody can free any more when the program ends. */
#include "klee/klee.h"
#include <stdlib.h>

static char *kept;

static char *made(int n) { return malloc(n > 0 ? 10 : 20); }

int main(void)
{
    int n = klee_int("n");
    char *p = made(n);
    char *q = malloc(8);

    kept = malloc(4);
    if (n == 42)
        p = 0;
    free(p);
    free(q);
    return n > 7;
}
