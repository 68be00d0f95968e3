/* Contexts, declared. */
#ifndef SYMCRETE_UCONTEXT_H
#define SYMCRETE_UCONTEXT_H

#include <signal.h>

typedef struct ucontext {
    unsigned long uc_flags;
    struct ucontext *uc_link;
    stack_t uc_stack;
    sigset_t uc_sigmask;
    long state[32];
} ucontext_t;

int getcontext(ucontext_t *);
int setcontext(const ucontext_t *);
int swapcontext(ucontext_t *, const ucontext_t *);
void makecontext(ucontext_t *, void (*)(void), int, ...);

#endif
