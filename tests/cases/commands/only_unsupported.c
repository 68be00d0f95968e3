int callback(int (*f)(long double), int x) { return f(x); }
int width(long double d) { return d > 1; }
