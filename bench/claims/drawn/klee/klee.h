/* KLEE's interface with drawn values. An assumption that does not hold ends the run, and what it took so far counts. */
#include "../drawn.h"
#define klee_make_symbolic(address, size, name) drawn_bytes(address, size)
#define klee_assume(condition) ((condition) ? (void)0 : exit(0))
#define klee_int(name) ((int)drawn_value())
#define klee_range(begin, end, name) ((begin) + (int)(drawn_word() % (unsigned)((end) - (begin))))
#define klee_prefer_cex(object, condition) ((void)0)
