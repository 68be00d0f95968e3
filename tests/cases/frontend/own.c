// imports: symcrete.int32 symcrete.float64 symcrete.bytes symcrete.assume symcrete.fail
// defines: main
#include <symcrete.h>

int main(void)
{
    char text[4];
    int n = symcrete_int("n");
    double d = symcrete_double("d");

    symcrete_bytes(text, sizeof text, "text");
    symcrete_assume(n > 0);
    symcrete_assert(text[0] != 'x');
    return d > n;
}
