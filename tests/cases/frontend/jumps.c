// imports: symcrete.fail
// defines: f
// branches: f 1
#include <setjmp.h>

static jmp_buf state;

int f(int a)
{
    if (setjmp(state))
        return 1;
    longjmp(state, a);
}
