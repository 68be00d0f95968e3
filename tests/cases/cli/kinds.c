/* Inputs of every kind, one function each. */
#include <stdbool.h>
#include <stddef.h>

enum shade { LIGHT, DARK = 7 };
struct point { int x; double y; };
struct nested { struct point at; unsigned flag : 3; unsigned rest : 5; struct nested *next; };
union word { int whole; char bytes[4]; };

int global_limit = 3;

int scalars(signed char c, unsigned short u, long long l, float f, bool b) {
    if (c < 0 && u > 65000 && l == 1LL << 40 && f == 0.5f && b) return 1;
    return 0;
}
int shades(enum shade s) { return s == DARK ? 1 : 0; }
int by_value(struct point p, union word w) { return p.x == 4 && p.y > 1.5 && w.whole == 9; }
struct knob { unsigned at : 3; };
int by_bits(struct knob k) { return k.at == 5; }
int by_pointer(const struct nested *n) {
    if (n == NULL) return -1;
    if (n->at.x == 5 && n->flag == 6 && n->rest == 17 && n->next != NULL && n->next->at.x == 8) return 1;
    return 0;
}
int total(const int *values, size_t len) {
    int sum = 0;
    for (size_t i = 0; i < len; i++) sum += values[i];
    return sum;
}
int text(const char *s) { return s[0] == 'h' && s[1] == 'i' && s[2] == 0; }
int limited(int x) { return x > global_limit; }
static int hidden(int x) { return 10 / x; }
int uses_hidden(int x) { return x == 3 ? hidden(x) : 0; }
int with_callback(int (*f)(int), int x) { return f(x); }
int wide(long double x) { return x > 1; }
int read_twice(void) { extern int next_value(void); int a = next_value(); return a == 4 && next_value() == 5; }
int endless(int x) { volatile int y = x; while (y == x) { } return y; }
int mixed(int a, int b) { if (a > 10 && a * a == 169 && b / (a - 13 ? a : 1) < 5) return 1; return 2; }
