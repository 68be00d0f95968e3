/* setjmp and longjmp. The front end edits callers: a longjmp says here where it goes and returns, every function that it
 * leaves returns at once, and the one that called setjmp goes on there (docs/adr/0028-jumps.md). */

enum { JUMPS_MAX = 4096, FAIL_STALE_JUMP = 6, FAIL_UNSET_JUMP = 7 };

/* What the state holds that was set by a function which cannot be edited. */
static const unsigned elsewhere = ~0u;

/* A place to jump to: a call of setjmp in a call of a function. */
struct jump {
    const void *state;
    unsigned number, frame, site;
};

/* By number, and so by time. Those of calls that have returned have no frame. */
static struct jump jumps[JUMPS_MAX];
static unsigned n_jumps, last_number;

/* Whether functions are being left, which call of which function that leads to, and what its setjmp returns. */
int __symcrete_unwinding;
unsigned __symcrete_jump_frame, __symcrete_jump_site;
int __symcrete_jump_value;

/* The number of a call of a function that has setjmps. */
unsigned __symcrete_enter_jumps(void) { return ++last_number; }

void __symcrete_leave_jumps(unsigned frame)
{
    for (unsigned i = n_jumps; i > 0 && jumps[i - 1].number > frame; i--)
        if (jumps[i - 1].frame == frame)
            jumps[i - 1].frame = 0;
}

/* Those of calls that have returned are forgotten last: a jump there is a failure. */
static void make_room_for_jump(void)
{
    unsigned n_live = 0;
    for (unsigned i = 0; i < n_jumps; i++)
        if (jumps[i].frame)
            jumps[n_live++] = jumps[i];
    n_jumps = n_live;
    if (n_jumps == JUMPS_MAX)
        symcrete_fail(FAIL_UNSUPPORTED);
}

static struct jump *jump_at(const void *state)
{
    for (unsigned i = n_jumps; i > 0; i--)
        if (jumps[i - 1].state == state)
            return &jumps[i - 1];
    return 0;
}

static struct jump *jump_of_number(unsigned number)
{
    for (unsigned i = n_jumps; i > 0 && jumps[i - 1].number >= number; i--)
        if (jumps[i - 1].number == number)
            return &jumps[i - 1];
    return 0;
}

/* The first return of a setjmp. A state may be copied, so it has the number in it. */
void __symcrete_setjmp(void *state, unsigned frame, unsigned site)
{
    struct jump *jump = jump_at(state);
    if (!jump || jump->frame != frame || jump->site != site) {
        if (n_jumps == JUMPS_MAX)
            make_room_for_jump();
        jump = &jumps[n_jumps++];
        *jump = (struct jump){state, ++last_number, frame, site};
    }
    *(unsigned *)state = jump->number;
}

/* A state of the input that no setjmp has set may have any number in it; none of them counts. */
static int is_of_input(const void *state)
{
    const char *at = state;
    return at >= __symcrete_arena && at < __symcrete_arena + sizeof __symcrete_arena;
}

void __symcrete_longjmp(void *state, int value)
{
    struct jump *jump = jump_at(state);
    if (!jump && is_of_input(state))
        symcrete_fail(FAIL_UNSUPPORTED);
    unsigned number = *(unsigned *)state;
    if (!jump || jump->number != number)
        jump = jump_of_number(number);
    if (!jump && number == 0)
        symcrete_fail(FAIL_UNSET_JUMP);
    /* A function has set it that cannot be edited, or it is no state. */
    if (!jump && number > last_number)
        symcrete_fail(FAIL_UNSUPPORTED);
    if (!jump || !jump->frame)
        symcrete_fail(FAIL_STALE_JUMP);
    __symcrete_jump_frame = jump->frame;
    __symcrete_jump_site = jump->site;
    __symcrete_jump_value = value ? value : 1;
    __symcrete_unwinding = 1;
}

void __symcrete__longjmp(void *state, int value) { __symcrete_longjmp(state, value); }
void __symcrete_siglongjmp(void *state, int value) { __symcrete_longjmp(state, value); }

/* What is called from a function that cannot be edited: it returns once, and nothing can jump there. */
WEAK int setjmp(void *state) { return *(unsigned *)state = elsewhere, 0; }
WEAK int _setjmp(void *state) { return setjmp(state); }
WEAK int sigsetjmp(void *state, int mask) { return (void)mask, setjmp(state); }
WEAK int __sigsetjmp(void *state, int mask) { return (void)mask, setjmp(state); }
