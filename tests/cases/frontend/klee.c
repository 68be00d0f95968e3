// imports: symcrete.int32 symcrete.float64 symcrete.bytes symcrete.assume symcrete.fail
// defines: main
#include <assert.h>
#include <klee/klee.h>

struct pair { int a, b; };

int main(void)
{
    int x, many[3];
    double d;
    struct pair pair;

    klee_make_symbolic(&x, sizeof x, "x");
    klee_make_symbolic(many, sizeof many, "many");
    klee_make_symbolic(&d, sizeof(d), "d");
    klee_make_symbolic(&pair, sizeof pair, "pair");
    klee_assume(x > 3);
    klee_assert(pair.a != 7);
    assert(klee_range(0, 10, "r") != 5 || d > 1.5);
    return klee_int("i") > many[1];
}
