/* Child processes, declared. */
#ifndef SYMCRETE_SYS_WAIT_H
#define SYMCRETE_SYS_WAIT_H

#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/types.h>

#define WCONTINUED 8
#define WEXITED 4
#define WSTOPPED 2
#define WNOWAIT 0x1000000
#define WCOREDUMP(s) ((s) & 0x80)
#define WIFCONTINUED(s) ((s) == 0xffff)

typedef enum { P_ALL, P_PID, P_PGID } idtype_t;

pid_t wait(int *);
pid_t waitpid(pid_t, int *, int);
pid_t wait3(int *, int, struct rusage *);
pid_t wait4(pid_t, int *, int, struct rusage *);
int waitid(idtype_t, id_t, siginfo_t *, int);

#endif
