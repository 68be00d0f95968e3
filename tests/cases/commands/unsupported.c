int callback(int (*f)(long double), int x) { return f(x); }
long double wide(long double d) { return d * 2; }
int width(long double d) { return d > 1; }
int many(int n, ...) { return n; }
int simple(int x) { return x > 0 ? 1 : 2; }
struct holder { int x; int (*f)(long double); };
int holds(struct holder *h) { return h->x > 0 ? 1 : 2; }
