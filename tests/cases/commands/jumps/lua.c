/* Error handling as Lua has it: a list of protected calls, and an error that carries a value. */
#include <setjmp.h>
#include <stddef.h>

enum { OK, ERRRUN = 2, ERRSYNTAX, ERRMEM, ERRERR };

struct lua_longjmp {
    struct lua_longjmp *previous;
    jmp_buf b;
    volatile int status;
};

struct state {
    struct lua_longjmp *errorJmp;
    int nCcalls;
    int error;
    int depth;
};

typedef void (*Pfunc)(struct state *L, void *ud);

static void luai_throw(struct state *L, int status)
{
    if (L->errorJmp) {
        L->errorJmp->status = status;
        longjmp(L->errorJmp->b, 1);
    }
    L->error = -1;
}

static int luaD_rawrunprotected(struct state *L, Pfunc f, void *ud)
{
    int oldnCcalls = L->nCcalls;
    struct lua_longjmp lj;
    lj.status = OK;
    lj.previous = L->errorJmp;
    L->errorJmp = &lj;
    if (setjmp(lj.b) == 0)
        f(L, ud);
    L->errorJmp = lj.previous;
    L->nCcalls = oldnCcalls;
    return lj.status;
}

struct call {
    int x, y;
};

static void divide(struct state *L, void *ud)
{
    struct call *c = ud;
    L->nCcalls++;
    if (c->y == 0)
        luai_throw(L, ERRRUN);
    c->x /= c->y;
}

static void check(struct state *L, int x)
{
    L->nCcalls++;
    if (x > 1000)
        luai_throw(L, ERRMEM);
    if (x < -1000)
        luai_throw(L, ERRSYNTAX);
}

/* A protected call within a protected call: an inner error may be handled or passed on. */
static void nested(struct state *L, void *ud)
{
    struct call *c = ud;
    int status;
    check(L, c->x);
    status = luaD_rawrunprotected(L, divide, c);
    L->depth++;
    if (status != OK && c->x == 77)
        luai_throw(L, ERRERR);
    if (status != OK)
        c->x = -c->x;
}

int lua(int x, int y)
{
    struct state L = {NULL, 3, 0, 0};
    struct call c = {x, y};
    int status = luaD_rawrunprotected(&L, nested, &c);
    if (L.nCcalls != 3 || L.errorJmp)
        return -1; /* never */
    switch (status) {
    case OK:
        return c.x == 5 && L.depth == 1 ? 100 : c.x < 0 ? 1 : 2;
    case ERRMEM:
        return 40;
    case ERRSYNTAX:
        return 30;
    case ERRERR:
        return L.depth == 1 ? 50 : 51; /* 51: never */
    default:
        return -2; /* never */
    }
}
