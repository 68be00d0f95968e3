/* What wasi-libc's <stdlib.h> lacks. */
#include_next <stdlib.h>
#ifndef SYMCRETE_STDLIB_H
#define SYMCRETE_STDLIB_H

int system(const char *);
char *mktemp(char *);
int mkstemp(char *);
int mkostemp(char *, int);
int mkstemps(char *, int);
char *mkdtemp(char *);
char *realpath(const char *__restrict, char *__restrict);
int getloadavg(double *, int);
int posix_openpt(int);
int grantpt(int);
int unlockpt(int);
char *ptsname(int);

#ifndef WNOHANG
#define WNOHANG 1
#define WUNTRACED 2
#define WEXITSTATUS(s) (((s) & 0xff00) >> 8)
#define WTERMSIG(s) ((s) & 0x7f)
#define WSTOPSIG(s) WEXITSTATUS(s)
#define WIFEXITED(s) (!WTERMSIG(s))
#define WIFSTOPPED(s) (((s) & 0xff) == 0x7f)
#define WIFSIGNALED(s) (((s) & 0xffff) - 1U < 0xffu)
#endif

#endif
