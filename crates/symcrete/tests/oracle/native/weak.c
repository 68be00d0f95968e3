/* Code that the compiler would drop is kept by the marks, and may call what a test has no need to define. */
struct pair { int x; short y; };
__attribute__((weak)) int ask(int x) { return x; }
__attribute__((weak)) void fill(int *x) { (void)x; }
__attribute__((weak)) void touch(void) {}
__attribute__((weak)) int take(signed char *to, int n) { (void)to; return n; }
__attribute__((weak)) struct pair load(int x) { struct pair pair = {x, 0}; return pair; }
