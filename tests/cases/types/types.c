/* Every kind of type that a parameter or a global can have. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "types.h"

enum colour { RED, GREEN = 5, BLUE };
enum offset { BEFORE = -1, AT, AFTER };
typedef enum { NO, YES } answer;

struct point { int x; double y; };
typedef struct point point;
typedef struct node node;
struct node { node *next; struct node *previous; const char *name; int values[2][3]; };
struct flags { unsigned a : 3; int b : 7; unsigned c : 25; bool d : 1; unsigned long long e : 40; };
struct __attribute__((packed)) tight { char c; unsigned a : 3; unsigned b : 13; };
union number { int i; float f; unsigned char bytes[8]; };
struct outer { int kind; union { int i; float f; }; struct { short s; } inner; point corner; };
struct flexible { int n; char data[]; };
struct hidden;
typedef int (*compare)(const void *, const void *);
typedef int callback(int);
typedef float vector __attribute__((vector_size(16)));

int counter = 3;
static unsigned char table[4][16];
const point origin;
extern int elsewhere;
answer last;

int scalars(signed char a, unsigned char b, short c, unsigned short d, int e, unsigned f, long g,
            unsigned long h, long long i, unsigned long long j, char k, bool l, float m, double n) {
    return (int)(a + b + c + d + e + (int)f + g + (int)h + i + (int)j + k + l + m + n);
}

size_t typedefs(uint8_t a, int64_t b, size_t c, answer d, enum colour e, enum offset f) {
    return a + (size_t)b + c + d + e + (size_t)f;
}

double records(point a, struct node *b, const struct outer *c, union number d, struct flexible *e) {
    return a.y + b->values[1][2] + c->corner.y + d.f + e->data[0];
}

unsigned bits(struct flags *a, struct tight *b) { return a->a + a->b + a->c + b->b; }

static int pointers(const char *a, char *const b, int **c, const int *const *d, void *e,
                    const volatile int *restrict f, int g[4], int (*h)[4], int matrix[][5]) {
    return a[0] + b[0] + **c + **d + *(char *)e + *f + g[1] + (*h)[1] + matrix[0][1];
}

int functions(compare a, callback *b, int (*c)(struct point *, ...), void (**d)(void)) {
    (*d)();
    return a("", "") + b(1) + c(0);
}

int unsupported(long double a, __int128 b, _Complex double *c, vector *d, struct hidden *e,
                _BitInt(5) f) {
    return (int)a + (int)b + (c != 0) + (d != 0) + (e != 0) + (int)f;
}

void nothing(void) {}
int unnamed(int, int b);
int unnamed(int, int b) { return b; }
int variadic(const char *format, ...) { return format[0]; }
int old_style() { return elsewhere + counter + table[1][1] + (int)origin.x + (int)last; }
extern int imported(const struct point *p, double d);
extern void logged(const char *format, ...);
extern unsigned long undeclared_parameters();
int caller(point *p) {
    logged("%d", 1);
    return imported(p, 2.0) + in_header(3) + pointers(0, 0, 0, 0, 0, 0, 0, 0, 0)
         + (int)undeclared_parameters(1, 2.5);
}
