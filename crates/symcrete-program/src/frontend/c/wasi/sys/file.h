/* What wasi-libc's <sys/file.h> lacks. */
#include_next <sys/file.h>
#ifndef SYMCRETE_SYS_FILE_H
#define SYMCRETE_SYS_FILE_H

#ifndef LOCK_SH
#define LOCK_SH 1
#define LOCK_EX 2
#define LOCK_NB 4
#define LOCK_UN 8
#endif
int flock(int, int);

#endif
