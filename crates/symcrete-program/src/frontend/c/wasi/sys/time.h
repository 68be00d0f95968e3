/* What wasi-libc's <sys/time.h> lacks. */
#include_next <sys/time.h>
#ifndef SYMCRETE_SYS_TIME_H
#define SYMCRETE_SYS_TIME_H

#define ITIMER_REAL 0
#define ITIMER_VIRTUAL 1
#define ITIMER_PROF 2

struct itimerval {
    struct timeval it_interval;
    struct timeval it_value;
};

struct timezone;
int getitimer(int, struct itimerval *);
int setitimer(int, const struct itimerval *__restrict, struct itimerval *__restrict);
int settimeofday(const struct timeval *, const struct timezone *);
int adjtime(const struct timeval *, struct timeval *);
int futimes(int, const struct timeval[2]);
int lutimes(const char *, const struct timeval[2]);

#endif
