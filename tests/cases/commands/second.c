#include "shared.h"

int inner(int x) { return x == 50 ? 1 : 2; }
