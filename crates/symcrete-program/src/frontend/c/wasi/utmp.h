/* Who is logged in, declared. */
#ifndef SYMCRETE_UTMP_H
#define SYMCRETE_UTMP_H

#include <sys/time.h>
#include <sys/types.h>

#define USER_PROCESS 7
#define UT_LINESIZE 32
#define UT_NAMESIZE 32
#define UT_HOSTSIZE 256

struct utmp {
    short ut_type;
    pid_t ut_pid;
    char ut_line[UT_LINESIZE];
    char ut_id[4];
    char ut_user[UT_NAMESIZE];
    char ut_host[UT_HOSTSIZE];
    struct timeval ut_tv;
};
#define ut_name ut_user
#define ut_time ut_tv.tv_sec

struct utmp *getutent(void);
void setutent(void);
void endutent(void);

#endif
