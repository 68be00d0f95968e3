// options: --check overflow,bounds,shift,null,float-cast
// defines: __symcrete_check add other_add index_of
// checks: overflow overflow overflow bounds shift null null float-cast
// imports: symcrete.check
int table[10];

int add(int a, int b) { return a + b; }
int other_add(int a, int b) { if (a) return a + b; return b - 3; }
int index_of(int i) { return table[i]; }
int shift(int a, int b) { return (int)((unsigned)a << b); }
int read_it(int *p) { return *p; }
int convert(double d) { return (int)d; }
void stop(int a) { if (a == 7) __builtin_trap(); }
