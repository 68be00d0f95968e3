int add(int a, int b) { return a + b; }
int at(int i) { static const int table[4] = {1, 2, 3, 4}; return table[i]; }
int shift(int x, int n) { return x << n; }
int deref(const int *p) { return *p; }
int cast(double d) { return (int)d; }
