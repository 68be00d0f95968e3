/* What wasi-libc's <stdio.h> lacks. */
#include_next <stdio.h>
#ifndef SYMCRETE_STDIO_H
#define SYMCRETE_STDIO_H

FILE *popen(const char *, const char *);
int pclose(FILE *);
FILE *tmpfile(void);
char *tmpnam(char *);
char *tempnam(const char *, const char *);
char *ctermid(char *);
char *gets(char *);
void flockfile(FILE *);
int ftrylockfile(FILE *);
void funlockfile(FILE *);

#ifndef P_tmpdir
#define P_tmpdir "/tmp"
#endif
#ifndef L_tmpnam
#define L_tmpnam 20
#endif
#ifndef TMP_MAX
#define TMP_MAX 10000
#endif
#ifndef L_ctermid
#define L_ctermid 20
#endif

#endif
