/* What glibc's <math.h> declares besides, and programs call (`runtime/glibc.c`). */
#include_next <math.h>
#ifndef SYMCRETE_MATH_H
#define SYMCRETE_MATH_H

int __isnan(double);
int __isnanf(float);
int __isnanl(long double);
int __isinf(double);
int __isinff(float);
int __isinfl(long double);
int __finite(double);
int __finitef(float);
int __finitel(long double);

#endif
