/* What wasi-libc's <sys/stat.h> lacks. */
#include_next <sys/stat.h>
#ifndef SYMCRETE_SYS_STAT_H
#define SYMCRETE_SYS_STAT_H

int chmod(const char *, mode_t);
int fchmod(int, mode_t);
int lchmod(const char *, mode_t);
int fchmodat(int, const char *, mode_t, int);
mode_t umask(mode_t);
int mkfifo(const char *, mode_t);
int mkfifoat(int, const char *, mode_t);
int mknod(const char *, mode_t, dev_t);
int mknodat(int, const char *, mode_t, dev_t);

#endif
