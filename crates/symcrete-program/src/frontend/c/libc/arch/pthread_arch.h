/* The one thread has a block of its own, which lies at a fixed place. */
extern char __symcrete_thread[];
static inline uintptr_t __get_tp(void) { return (uintptr_t)__symcrete_thread; }

/* Which register of a signal's context has the program counter: nothing ever looks at one. */
#define MC_PC gregs[REG_RIP]
