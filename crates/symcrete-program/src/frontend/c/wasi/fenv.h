/* Rounding directions, which wasi-libc leaves out, with the numbers of x86-64. */
#ifndef SYMCRETE_FENV_H
#define SYMCRETE_FENV_H

#include_next <fenv.h>

#define FE_DOWNWARD 0x400
#define FE_UPWARD 0x800
#define FE_TOWARDZERO 0xc00

#endif
