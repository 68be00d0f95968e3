#include <symcrete.h>

int main(void)
{
    int n = symcrete_int("n");
    double d = symcrete_double("d");
    char text[2];

    symcrete_assume(n > 0);
    symcrete_bytes(text, sizeof text, "text");
    symcrete_assert(text[0] != 'x');
    if (d > n)
        return 1;
    return 0;
}
