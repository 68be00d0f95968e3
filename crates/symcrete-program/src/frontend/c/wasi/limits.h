/* What wasi-libc's <limits.h> lacks. */
#include_next <limits.h>
#ifndef PIPE_BUF
#define PIPE_BUF 4096
#endif
#ifndef LOGIN_NAME_MAX
#define LOGIN_NAME_MAX 256
#endif
#ifndef PTHREAD_STACK_MIN
#define PTHREAD_STACK_MIN 16384
#endif
#ifndef PTHREAD_KEYS_MAX
#define PTHREAD_KEYS_MAX 1024
#endif
#ifndef SEM_VALUE_MAX
#define SEM_VALUE_MAX 0x7fffffff
#endif
#ifndef LINE_MAX
#define LINE_MAX 4096
#endif
