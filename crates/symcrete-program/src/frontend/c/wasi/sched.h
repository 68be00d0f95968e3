/* What wasi-libc's <sched.h> lacks. */
#include_next <sched.h>
#ifndef SYMCRETE_SCHED_H
#define SYMCRETE_SCHED_H

#ifndef SCHED_OTHER
#include <sys/types.h>

#define SCHED_OTHER 0
#define SCHED_FIFO 1
#define SCHED_RR 2
#define SCHED_BATCH 3
#define SCHED_IDLE 5

/* Newer versions have threads and this with them. */
#if !__has_include_next(<pthread.h>)
struct sched_param {
    int sched_priority;
};
#endif
struct timespec;

int sched_get_priority_max(int);
int sched_get_priority_min(int);
int sched_getparam(pid_t, struct sched_param *);
int sched_setparam(pid_t, const struct sched_param *);
int sched_getscheduler(pid_t);
int sched_setscheduler(pid_t, int, const struct sched_param *);
int sched_rr_get_interval(pid_t, struct timespec *);

typedef struct {
    unsigned long bits[32];
} cpu_set_t;
#define CPU_SETSIZE 1024
#define CPU_ZERO(set) ((void)(*(set) = (cpu_set_t){{0}}))
#define CPU_SET(cpu, set) ((void)((set)->bits[(cpu) / 32] |= 1ul << (cpu) % 32))
#define CPU_CLR(cpu, set) ((void)((set)->bits[(cpu) / 32] &= ~(1ul << (cpu) % 32)))
#define CPU_ISSET(cpu, set) ((int)((set)->bits[(cpu) / 32] >> (cpu) % 32 & 1))
int sched_getcpu(void);
int sched_getaffinity(pid_t, size_t, cpu_set_t *);
int sched_setaffinity(pid_t, size_t, const cpu_set_t *);
#endif

#endif
