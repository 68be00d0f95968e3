/* What wasi-libc's <string.h> lacks. */
#include_next <string.h>
#ifndef SYMCRETE_STRING_H
#define SYMCRETE_STRING_H

char *strsignal(int);

#endif
