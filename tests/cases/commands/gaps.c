/* What the model of a program leaves out, one function for each way to meet it. In each the side at the line that says
   so is taken by some real caller, environment or longer input. */
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct inner { int v; };
struct outer { struct inner *in; };
struct list { int v; struct list *next; };
struct handler { int (*call)(long double); };
union bits { float f; unsigned u; };

int shared;
char *find(void);
void fill(int *x);
void touch(void);

/* A pointer in a structure is null at first. */
int follow(struct outer *o) { if (o->in->v == 7) return 1; return 2; }
/* A function that nobody defines returns a pointer. */
int found(void) { char *p = find(); if (p[0] == '7') return 1; return 2; }
int length_of_string(const char *s) { return strlen(s) == 20; }
int length_of_array(const int *a, int n) { int s = 0; for (int i = 0; i < n; i++) s += a[i]; if (n == 20) return 1; return s; }
int length_of_buffer(const uint8_t *data, size_t size) { if (size < 20) return 0; return data[19] == 3; }
int past_the_end(const int *a) { int s = 0; for (int i = 0; i < 30; i++) s += a[i]; if (s == 3) return 1; return 0; }
int depth(struct list *l) { int n = 0; while (l) { n++; l = l->next; } if (n == 7) return 1; return 0; }
int depth_unchecked(struct list *l) { if (l->next->next->next->next->v == 3) return 1; return 0; }
int callback(struct handler *h) { if (h->call) return h->call(3); return 0; }
int aliased(int *a, int *b) { *a = 1; *b = 2; if (*a == 2) return 1; return 0; }
int aliased_inside(struct list *a, struct list *b) { b->v = 3; a->v = 1; if (b->v == 1) return 1; return 0; }
int same(const int *a, const int *b) { if (a == b) return 1; return 0; }
int same_as_global(const int *p) { if (p == &shared) return 1; return 0; }
int alias_of_global(int *p) { shared = 1; *p = 2; if (shared == 2) return 1; return 0; }
int order(const int *a, const int *b) { if (a > b) return 1; return 0; }
int alignment(const char *p) { if (((uintptr_t)p & 15) == 3) return 1; return 0; }
int allocation(void) { char *p = malloc(10); if (!p) return -1; free(p); return 0; }
int clock_time(void) { if (time(0) == 12345) return 1; return 0; }
int variable(void) { if (getenv("HOME")) return 1; return 0; }
int file(void) { FILE *f = fopen("/dev/none", "r"); if (f) return 1; return 0; }
int random_number(void) { if (rand() == 1804289383) return 1; return 0; }
int counter(void) { static int n; n++; if (n > 30) return 1; return 0; }
int global_state(void) { if (shared == 9) return 1; return 0; }
int out_parameter(void) { int x = 3; fill(&x); if (x == 5) return 1; return 0; }
int changes_global(void) { shared = 3; touch(); if (shared == 5) return 1; return 0; }
int nan_sum(float v) { union bits w; w.f = v + 1.0f; if (w.u == 0x7fc00005u) return 1; return 0; }
int nan_sign(double x) { double y = x / x; uint64_t u; memcpy(&u, &y, 8); if (x == 0.0 && u >> 63) return 1; return 0; }
int nan_wide(float x) { double y = x; uint64_t u; memcpy(&u, &y, 8); if (u == 0x7ff8000020000000u) return 1; return 0; }

static jmp_buf here;
static void leave(int x) { if (x > 3) longjmp(here, 1); }
int jump(int x) { if (setjmp(here)) { if (x == 9) return 5; return 1; } leave(x); return 0; }

/* `len` has nothing to do with the structure beside it. */
struct machine { int state; };
int not_its_length(struct machine *m, int len) { m->state++; if (len == 0) return m->state == 5; return 1; }
