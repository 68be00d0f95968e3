/* What wasi-libc's <unistd.h> lacks. */
#include_next <unistd.h>
#ifndef SYMCRETE_UNISTD_H
#define SYMCRETE_UNISTD_H

#include <stddef.h>
#include <sys/types.h>


pid_t fork(void);
pid_t vfork(void);
int execv(const char *, char *const[]);
int execve(const char *, char *const[], char *const[]);
int execvp(const char *, char *const[]);
int execl(const char *, const char *, ...);
int execle(const char *, const char *, ...);
int execlp(const char *, const char *, ...);
int fexecve(int, char *const[], char *const[]);
int pipe(int[2]);
int dup(int);
int dup2(int, int);
unsigned alarm(unsigned);
unsigned ualarm(unsigned, unsigned);
int pause(void);
pid_t getppid(void);
pid_t getpgrp(void);
pid_t getpgid(pid_t);
int setpgid(pid_t, pid_t);
pid_t setsid(void);
pid_t getsid(pid_t);
int setpgrp(void);
pid_t tcgetpgrp(int);
int tcsetpgrp(int, pid_t);
uid_t getuid(void);
uid_t geteuid(void);
gid_t getgid(void);
gid_t getegid(void);
int getgroups(int, gid_t[]);
int setuid(uid_t);
int seteuid(uid_t);
int setgid(gid_t);
int setegid(gid_t);
int setreuid(uid_t, uid_t);
int setregid(gid_t, gid_t);
int chown(const char *, uid_t, gid_t);
int fchown(int, uid_t, gid_t);
int lchown(const char *, uid_t, gid_t);
int fchownat(int, const char *, uid_t, gid_t, int);
int fchdir(int);
int chroot(const char *);
char *ttyname(int);
int ttyname_r(int, char *, size_t);
char *ctermid(char *);
char *getlogin(void);
int getlogin_r(char *, size_t);
int gethostname(char *, size_t);
int sethostname(const char *, size_t);
int getdomainname(char *, size_t);
int getdtablesize(void);
char *getpass(const char *);
int nice(int);
void sync(void);
int brk(void *);
int lockf(int, int, off_t);
int daemon(int, int);
int acct(const char *);
int vhangup(void);
long syscall(long, ...);
long gethostid(void);

#ifdef _GNU_SOURCE
int execvpe(const char *, char *const[], char *const[]);
int pipe2(int[2], int);
int dup3(int, int, int);
pid_t gettid(void);
int getresuid(uid_t *, uid_t *, uid_t *);
int getresgid(gid_t *, gid_t *, gid_t *);
int setresuid(uid_t, uid_t, uid_t);
int setresgid(gid_t, gid_t, gid_t);
int syncfs(int);
int eaccess(const char *, int);
int euidaccess(const char *, int);
char *get_current_dir_name(void);
#endif

#define F_ULOCK 0
#define F_LOCK 1
#define F_TLOCK 2
#define F_TEST 3

#endif
