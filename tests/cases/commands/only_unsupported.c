int callback(int (*f)(int), int x) { return f(x); }
int width(long double d) { return d > 1; }
