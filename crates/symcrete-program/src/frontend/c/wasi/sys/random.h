/* What wasi-libc's <sys/random.h> lacks. */
#include_next <sys/random.h>
#ifndef SYMCRETE_SYS_RANDOM_H
#define SYMCRETE_SYS_RANDOM_H

#include <sys/types.h>

#define GRND_NONBLOCK 1
#define GRND_RANDOM 2
ssize_t getrandom(void *, size_t, unsigned);

#endif
