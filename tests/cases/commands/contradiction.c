#include <symcrete.h>

int main(void)
{
    int n = symcrete_int("n");

    symcrete_assume(n > 5);
    symcrete_assume(n < 3);
    if (n == 4)
        return 1;
    return 2;
}
