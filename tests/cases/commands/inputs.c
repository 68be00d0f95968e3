/* One function for each type of input: each result depends on all of its parts. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum colour { RED, GREEN = 5, BLUE };
enum level { LOW = -1, HIGH = 7 };
struct point { int x; double y; };
struct pair { struct point a, b; short tags[2]; };
union word { unsigned whole; unsigned char bytes[4]; };
struct flags { unsigned a : 3; int b : 5; unsigned c : 9; };
struct list { int value; struct list *next; };

signed char bytes(signed char a, unsigned char b) { return a < 0 && b > 200 ? 1 : 2; }
int shorts(short a, unsigned short b) { return a == -300 && b == 65535 ? 1 : 2; }
int ints(int a, unsigned b) { return a == -7 && b == 4000000000u ? 1 : 2; }
int64_t longs(int64_t a, uint64_t b)
{
    if (a == -9000000000000000000 && b == 18000000000000000000u)
        return a + 1;
    return 0;
}
float single(float f) { return f > 1.5f ? f * 2 : -f; }
double pairs(double a, double b) { return a < b ? a / 2 : b; }
int special(double d)
{
    if (d != d)
        return 1;
    return d > 1e308 ? 2 : 3;
}
bool truth(bool a, bool b) { return a && !b; }
int letter(char c) { return c == 'q' ? 7 : 9; }
int colours(enum colour c)
{
    switch (c) {
    case GREEN:
        return 10;
    case BLUE:
        return 20;
    default:
        return 30;
    }
}
enum level levels(enum level l) { return l == HIGH ? LOW : HIGH; }
int by_value(struct point p) { return p.x > 3 && p.y < 0.5 ? p.x : 0; }
int by_pointer(const struct point *p) { return p->x > 3 && p->y < 0.5 ? p->x : 0; }
int nested(struct pair p) { return p.a.x < p.b.x && p.tags[1] == 9 ? p.tags[0] : -1; }
int unions(union word w) { return w.bytes[1] == 2 ? 7 : 9; }
int union_pointer(union word *w) { return w->whole == 258 ? 7 : 9; }
int bits(struct flags f) { return f.a == 5 && f.b == -3 && f.c == 300 ? 7 : 9; }
int array(int a[3]) { return a[0] + a[1] == a[2] ? 7 : 9; }
int sum(const int *data, size_t len)
{
    int s = 0;

    for (size_t i = 0; i < len; i++)
        s += data[i];
    return s > 10 ? s : -s;
}
int ends(const char *s)
{
    int n = 0;

    while (s[n] != 0)
        n++;
    return n > 0 && s[n - 1] == '!' ? n : 0;
}
int maybe(int *p) { return p == NULL ? -1 : *p; }
int second(int **pp) { return pp[0] && pp[0][1] == 4 ? 7 : 9; }
int length(const struct list *l)
{
    int n = 0;

    while (l) {
        n += l->value;
        l = l->next;
    }
    return n;
}
int raw(const void *data, int n) { return n == 2 && ((const unsigned char *)data)[1] == 7 ? 7 : 9; }
