// imports: symcrete.fail
// defines: f
// branches: f 3
// The condition; whether longjmp has left; whether it leads here.
#include <setjmp.h>

static jmp_buf state;

int f(int a)
{
    if (setjmp(state))
        return 1;
    longjmp(state, a);
}
