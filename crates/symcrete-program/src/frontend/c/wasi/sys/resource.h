/* What wasi-libc's <sys/resource.h> lacks. */
#include_next <sys/resource.h>
#ifndef SYMCRETE_SYS_RESOURCE_H
#define SYMCRETE_SYS_RESOURCE_H

#ifndef RLIMIT_CORE
#include <sys/types.h>

#define RLIMIT_CPU 0
#define RLIMIT_FSIZE 1
#define RLIMIT_DATA 2
#define RLIMIT_STACK 3
#define RLIMIT_CORE 4
#define RLIMIT_RSS 5
#define RLIMIT_NPROC 6
#define RLIMIT_NOFILE 7
#define RLIMIT_MEMLOCK 8
#define RLIMIT_AS 9
#define RLIM_INFINITY (~0ULL)
#define PRIO_PROCESS 0
#define PRIO_PGRP 1
#define PRIO_USER 2

typedef unsigned long long rlim_t;
struct rlimit {
    rlim_t rlim_cur;
    rlim_t rlim_max;
};
int getrlimit(int, struct rlimit *);
int setrlimit(int, const struct rlimit *);
int getpriority(int, id_t);
int setpriority(int, id_t, int);
#endif

#endif
