/* With glibc this header brings the types of <sys/types.h> with it (`int64_t`, `ssize_t`), and programs use them. */
#include_next <stdlib.h>
#ifndef __STRICT_ANSI__
#include <sys/types.h>
#endif
