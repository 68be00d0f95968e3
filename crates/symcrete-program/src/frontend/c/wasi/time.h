/* What wasi-libc's <time.h> lacks. */
#include_next <time.h>
#ifndef SYMCRETE_TIME_H
#define SYMCRETE_TIME_H

#define __NEED_timer_t
#define __NEED_clockid_t
#include <bits/alltypes.h>

struct sigevent;
struct itimerspec;

void tzset(void);
int stime(const time_t *);
int clock_settime(clockid_t, const struct timespec *);
int clock_getcpuclockid(int, clockid_t *);
int timer_create(clockid_t, struct sigevent *__restrict, timer_t *__restrict);
int timer_delete(timer_t);
int timer_settime(timer_t, int, const struct itimerspec *__restrict, struct itimerspec *__restrict);
int timer_gettime(timer_t, struct itimerspec *);
struct tm *getdate(const char *);

#endif
