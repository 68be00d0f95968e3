/* What is claimed of functions that are given functions. */
struct point { int x, y; };
struct hooks { int (*before)(struct point *); int (*after)(struct point *); };
static int own(int x) { return x > 12 ? 1 : 2; }

/* Taken by callers whose function does more than to return. */
int changed(struct point *p, void (*notify)(void)) { p->x = 1; notify(); if (p->x == 2) return 1; return 0; }
int moved(struct point *p, int (*f)(struct point *)) { p->x = 1; if (f(p) == 0 && p->x == 5) return 1; return 0; }
/* Taken by callers that pass a function of the program, or one function twice. */
int is_own(int (*f)(int)) { if (f == own) return own(1); return 0; }
int is_same(const struct hooks *h) { if (h->before && h->before == h->after) return 1; return 0; }
/* Never taken. */
int never(int (*f)(int), int x) { if (x > 3 && x < 4) return 1; return f(x); }
int after(int (*f)(int)) { int r = f(1); if (r > 3 && r < 4) return 1; return 0; }
/* A call without a look. */
int unchecked(int (*f)(int), int x) { return f(x) > 3 ? 1 : 0; }
/* More pointers of one type than there are functions. */
struct many { int (*call[10])(void); };
int ninth(struct many *m) { if (m->call[0]() == 1) return 1; if (m->call[9]) return 2; return 0; }
