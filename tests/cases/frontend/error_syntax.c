// error: error_syntax.c:2:20: error: expected ';'
int f(void) { int a return a; }
