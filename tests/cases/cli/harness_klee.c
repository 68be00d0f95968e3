#include <klee/klee.h>
int main(void) {
    int x;
    klee_make_symbolic(&x, sizeof x, "x");
    klee_assume(x > 5);
    if (x == 1234) return 1;
    klee_assert(x != 4321);
    return 0;
}
