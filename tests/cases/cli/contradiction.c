#include "symcrete.h"
int f(int x) { symcrete_assume(x > 3); symcrete_assume(x < 3); if (x == 9) return 1; return 0; }
