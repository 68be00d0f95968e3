/* Structures and unions by value, small and large, nested, with arrays and bit-fields, passed and returned. */
#include <stdint.h>

struct point { int x, y; };
struct single { double only; };
struct wide { long long a; short b[3]; struct point p; };
struct flags { unsigned kind : 3; int level : 5; unsigned : 2; unsigned is_on : 1; unsigned char rest; };
union number { int32_t i; float f; unsigned char bytes[4]; };
struct tagged { enum { TAG_INT, TAG_FLOAT = 5 } tag; union number value; };
typedef struct { struct { int inner; } named; struct { int direct; }; } anonymous;

int quadrant(struct point p)
{
    if (p.x > 0 && p.y > 0)
        return 1;
    return p.x < 0 && p.y > 0 ? 2 : 0;
}

struct point mirrored(struct point p)
{
    if (p.x == p.y)
        p.x = -p.x;
    return p;
}

struct single halved(struct single s)
{
    if (s.only > 8.0)
        s.only /= 2.0;
    return s;
}

struct wide grown(struct wide w, int by)
{
    if (w.a > 1000000000000LL)
        w.b[2] = (short)by;
    else
        w.p.y += by;
    return w;
}

int decoded(struct flags f)
{
    if (f.kind == 5 && f.level < -3)
        return f.is_on ? 2 : 1;
    return f.rest == 200;
}

struct flags encoded(int kind, int level)
{
    struct flags f = {0};
    f.kind = (unsigned)kind & 7u;
    if (level < 0)
        f.level = -7;
    return f;
}

void toggled(struct flags *f)
{
    if (f->is_on)
        f->level = 3;
    f->is_on = !f->is_on;
}

int shown(struct tagged t)
{
    if (t.tag == TAG_INT)
        return t.value.i == 77;
    if (t.tag == TAG_FLOAT)
        return t.value.f > 1.5f ? 2 : 3;
    return -1;
}

union number widened(union number n)
{
    if (n.i == 0x01020304)
        n.bytes[0] = 9;
    return n;
}

int nested(anonymous a, const anonymous *b)
{
    if (a.named.inner == 4 && a.direct == 5)
        return b && b->direct == 6;
    return 2;
}
