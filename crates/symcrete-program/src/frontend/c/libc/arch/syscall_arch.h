/* The runtime is the kernel: one function takes every system call (runtime/linux.c). */
#define __SYSCALL_LL_E(x) (x)
#define __SYSCALL_LL_O(x) (x)

long __symcrete_syscall(long number, long a, long b, long c, long d, long e, long f);

static inline long __syscall0(long number) { return __symcrete_syscall(number, 0, 0, 0, 0, 0, 0); }
static inline long __syscall1(long number, long a) { return __symcrete_syscall(number, a, 0, 0, 0, 0, 0); }
static inline long __syscall2(long number, long a, long b) { return __symcrete_syscall(number, a, b, 0, 0, 0, 0); }
static inline long __syscall3(long number, long a, long b, long c) { return __symcrete_syscall(number, a, b, c, 0, 0, 0); }
static inline long __syscall4(long number, long a, long b, long c, long d) { return __symcrete_syscall(number, a, b, c, d, 0, 0); }
static inline long __syscall5(long number, long a, long b, long c, long d, long e) { return __symcrete_syscall(number, a, b, c, d, e, 0); }
static inline long __syscall6(long number, long a, long b, long c, long d, long e, long f) { return __symcrete_syscall(number, a, b, c, d, e, f); }

#define IPC_64 0
