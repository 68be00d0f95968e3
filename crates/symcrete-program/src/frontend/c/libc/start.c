/* What musl does before `main`: the block of the one thread, and what the kernel would tell of the machine. */
#include <unistd.h>
#include "libc.h"
#include "pthread_impl.h"

_Alignas(16) char __symcrete_thread[sizeof(struct pthread)];
volatile int __thread_list_lock;

static char *no_variables[1];

/* The runtime calls it before constructors run. */
void __symcrete_start(void)
{
    pthread_t self = (pthread_t)__symcrete_thread;

    self->self = self->prev = self->next = self;
    self->tid = 1;
    self->detach_state = DT_JOINABLE;
    self->locale = &libc.global_locale;
    self->robust_list.head = &self->robust_list.head;
    libc.page_size = 4096;
    __environ = no_variables;
    __progname = __progname_full = "program";
}
