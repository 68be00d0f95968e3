/* Jumps to where nothing is any more. */
#include <setjmp.h>

static jmp_buf env;
static volatile int n_passed;

static int set(void) { return setjmp(env); }

int stale(int x)
{
    if (set())
        n_passed++;
    if (x == 5)
        longjmp(env, 1);
    return 0;
}

struct context {
    jmp_buf env;
    int x;
};

/* Whose setjmp that was, only a caller knows. */
void to_caller(struct context *c)
{
    if (c->x == 5)
        longjmp(c->env, 1);
}

/* Somebody else's state must not lead here. */
int other(struct context *c)
{
    if (setjmp(env))
        return 1; /* never */
    to_caller(c);
    return 0;
}
