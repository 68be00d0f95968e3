/* Tracing of processes, declared. */
#ifndef SYMCRETE_SYS_PTRACE_H
#define SYMCRETE_SYS_PTRACE_H

#define PTRACE_TRACEME 0
#define PTRACE_PEEKTEXT 1
#define PTRACE_PEEKDATA 2
#define PTRACE_CONT 7
#define PTRACE_ATTACH 16
#define PTRACE_DETACH 17

long ptrace(int, ...);

#endif
