/* Libraries at run time, declared. */
#if __has_include_next(<dlfcn.h>)
#include_next <dlfcn.h>
#else
#ifndef SYMCRETE_DLFCN_H
#define SYMCRETE_DLFCN_H

#define RTLD_LAZY 1
#define RTLD_NOW 2
#define RTLD_NOLOAD 4
#define RTLD_GLOBAL 256
#define RTLD_LOCAL 0
#define RTLD_NODELETE 4096
#define RTLD_NEXT ((void *)-1)
#define RTLD_DEFAULT ((void *)0)

typedef struct {
    const char *dli_fname;
    void *dli_fbase;
    const char *dli_sname;
    void *dli_saddr;
} Dl_info;

void *dlopen(const char *, int);
void *dlsym(void *__restrict, const char *__restrict);
int dlclose(void *);
char *dlerror(void);
int dladdr(const void *, Dl_info *);

#endif
#endif
