// options: --stub stubbed --stub hidden_stub
// defines: caller other
// absent: stubbed hidden_stub
// imports: env.missing env.stubbed env.hidden_stub env.fork env.implicit
#include <unistd.h>

struct point { int x; double y; };
extern int missing(struct point *p, int n);

int stubbed(int a) { static int count; return count += a; }
static int hidden_stub(struct point p) { return p.x; }

int caller(int a)
{
    struct point p = {a, 1.0};
    if (fork() == 0)
        return implicit(a);
    return missing(&p, 3) + stubbed(a) + hidden_stub(p);
}

int other(void) { return 1; }
