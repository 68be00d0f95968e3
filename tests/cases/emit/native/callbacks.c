/* Functions that are given functions: each pointer is null or points to a function of the test. */
// gen: --globals
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

enum answer { NO, YES, MAYBE = 7 };
struct pair { int a; short b; };
struct one { double only; };
struct parser;
typedef int (*event)(struct parser *);
typedef int data(struct parser *, const char *at, size_t n);
struct settings { event on_start; data *on_data; event on_end; void *user; };
struct parser { const struct settings *settings; int n; };
struct table { bool (*rows[2])(int); };

int apply(int (*f)(int), int x) { return f(x) == 7 ? 1 : 2; }
int in_order(int (*next)(void)) { return next() == 3 && next() == -4 && next() == 5; }
int optional(int (*f)(int)) { return f ? f(1) > 0 : -1; }
int wide(long long (*f)(long long, char), unsigned char (*g)(short)) { return f(1, 'x') == 1LL << 40 && g(-1) == 200; }
int reals(double (*f)(double, float), float (*g)(void)) { return f(1, 2) == 0.5 && g() < -1.0f; }
int truths(bool (*f)(void), enum answer (*g)(bool)) { return f() && g(true) == MAYBE; }
int pairs(struct pair (*make)(int), struct one (*half)(void)) { return make(1).b == -3 && half().only == 2.5; }
int takes_pair(int (*f)(struct pair, struct one)) { struct pair p = {1, 2}; struct one o = {3}; return f(p, o) == 9; }
int texts(const char *(*lookup)(const char *key), const char *key) { const char *found = lookup(key); return found ? found[0] == 'y' : -1; }
int notices(void (*notice)(int, ...), int x) { if (x > 3) notice(x, "many"); return x > 5; }
int lists(int (*log)(const char *format, va_list), const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int n = log(format, list);
    va_end(list);
    return n == 4;
}

/* As http-parser: a structure of callbacks behind a pointer, looked at before they are called. */
int parse(struct parser *p, const char *text)
{
    const struct settings *s = p->settings;
    if (s->on_start && s->on_start(p) != 0)
        return -1;
    if (s->on_data && s->on_data(p, text, 1) > 10)
        return -2;
    return s->on_end ? s->on_end(p) == 3 : 0;
}

/* As inih: a handler with a pointer of its user. */
int read_lines(const char *text, int (*handler)(void *user, const char *name, const char *value), void *user)
{
    int error = 0;
    for (int line = 1; *text; text++, line++)
        if (*text == '=' && !handler(user, text, text + 1) && !error)
            error = line;
    return error;
}

int rows(struct table *t, int i) { return i < 0 || i > 1 ? -1 : t->rows[i](i) ? 1 : 0; }

/* As bsearch: the library calls back. */
int smallest(int *a, int (*compare)(const void *, const void *))
{
    qsort(a, 2, sizeof *a, compare);
    return a[0] > a[1] ? 1 : 2;
}

int (*handler)(int);
int (*const fixed)(int) = abs;
static int (*starts_with_one)(int) = abs;
int by_global(int x) { return handler ? handler(x) == 3 : starts_with_one(x) + fixed(x) > 8; }
int (*chosen(int (*f)(int), int x))(int) { return x > 2 ? f : NULL; }
static int hidden(int (*f)(int)) { return f(3) == 4; }
int calls_hidden(int (*f)(int), int x) { return x ? hidden(f) : 0; }
