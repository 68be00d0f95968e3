/* What the sanitizers check, one kind per function. */
int add(int a, int b) { return a + b; }
int multiply(int a, int b) { return a * b; }
int divide(int a, int b) { return a / b; }
int negate(int a) { return -a; }
int shift(int a, int b) { return a << b; }
int index(int i) {
    static int table[8] = {1, 2, 3};
    return table[i];
}
int null(int *p) { return *p; }
int cast(double d) { return (int)d; }
int zeros(unsigned x) { return __builtin_clz(x); }
char *moved(char *p, long n) { return p + n; }
int truth(_Bool *p) { return *p; }
