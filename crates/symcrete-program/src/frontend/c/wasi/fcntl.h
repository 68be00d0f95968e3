/* What wasi-libc's <fcntl.h> lacks. */
#include_next <fcntl.h>
#ifndef SYMCRETE_FCNTL_H
#define SYMCRETE_FCNTL_H

#include <sys/types.h>

#ifndef F_DUPFD
#define F_DUPFD 0
#endif
#ifndef F_DUPFD_CLOEXEC
#define F_DUPFD_CLOEXEC 1030
#endif
#ifndef F_GETLK
#define F_GETLK 5
#define F_SETLK 6
#define F_SETLKW 7
#define F_SETOWN 8
#define F_GETOWN 9
#define F_RDLCK 0
#define F_WRLCK 1
#define F_UNLCK 2
#endif
#ifndef O_ASYNC
#define O_ASYNC 020000
#endif
#ifndef O_NDELAY
#define O_NDELAY O_NONBLOCK
#endif

#endif
