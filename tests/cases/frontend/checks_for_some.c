// options: --check alignment,builtin,pointer-overflow,unsigned-overflow,float-division,invalid-value,nullability
// defines: __symcrete_check
// checks: builtin unsigned-overflow unsigned-overflow float-division alignment pointer-overflow nullability invalid-value
// imports: symcrete.check
int zeros(unsigned x) { return __builtin_ctz(x); }
unsigned wrap(unsigned a, unsigned b) { return a * b - 1; }
double divide(double a, double b) { return a / b; }
int read_it(char *p) { return *(int *)p; }
char *move(char *p, long n) { return p + n; }
static int take(char *_Nonnull p) { return p != (char *)1; }
int give(char *p) { return take(p); }
int is(_Bool *p) { return *p; }
