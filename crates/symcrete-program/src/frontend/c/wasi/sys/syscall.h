/* System calls by number: none exists here, so the numbers are only names. Linux on x86-64. */
#ifndef SYMCRETE_SYS_SYSCALL_H
#define SYMCRETE_SYS_SYSCALL_H

#define SYS_read 0
#define SYS_write 1
#define SYS_open 2
#define SYS_close 3
#define SYS_mmap 9
#define SYS_getpid 39
#define SYS_fork 57
#define SYS_exit 60
#define SYS_gettid 186
#define SYS_futex 202
#define SYS_getrandom 318
#define __NR_read SYS_read
#define __NR_write SYS_write
#define __NR_getpid SYS_getpid
#define __NR_gettid SYS_gettid
#define __NR_futex SYS_futex
#define __NR_getrandom SYS_getrandom

long syscall(long, ...);

#endif
