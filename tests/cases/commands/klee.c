#include <klee/klee.h>

int main(void)
{
    int x, many[2];

    klee_make_symbolic(&x, sizeof x, "x");
    klee_make_symbolic(many, sizeof many, "many");
    klee_assume(x > 3);
    klee_assert(many[1] != 7);
    if (x == many[0])
        return 1;
    return 0;
}
