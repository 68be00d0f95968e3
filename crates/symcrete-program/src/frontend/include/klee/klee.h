/* KLEE's interface, as its harnesses use it. */
#ifndef SYMCRETE_KLEE_H
#define SYMCRETE_KLEE_H

#include <stddef.h>
#include <stdint.h>

void klee_make_symbolic(void *address, size_t size, const char *name);
void klee_assume(uintptr_t condition);
int klee_range(int begin, int end, const char *name);
int klee_int(const char *name);
uintptr_t klee_choose(uintptr_t n);
void klee_silent_exit(int status) __attribute__((__noreturn__));
void klee_abort(void) __attribute__((__noreturn__));
void klee_report_error(const char *file, int line, const char *message, const char *suffix)
    __attribute__((__noreturn__));
size_t klee_get_obj_size(void *address);
void klee_print_expr(const char *message, ...);
unsigned klee_is_symbolic(uintptr_t value);
unsigned klee_is_replay(void);
void klee_warning(const char *message);
void klee_warning_once(const char *message);
void klee_prefer_cex(void *object, uintptr_t condition);
void klee_posix_prefer_cex(void *object, uintptr_t condition);
void klee_mark_global(void *object);
void klee_set_forking(unsigned enable);
void klee_check_memory_access(const void *address, size_t size);
void klee_open_merge(void);
void klee_close_merge(void);
void klee_stack_trace(void);
float klee_get_valuef(float value);
double klee_get_valued(double value);
long klee_get_valuel(long value);
long long klee_get_valuell(long long value);
int32_t klee_get_value_i32(int32_t value);
int64_t klee_get_value_i64(int64_t value);

extern void __assert_fail(const char *, const char *, int, const char *) __attribute__((__noreturn__));
#define klee_assert(condition) \
    ((condition) ? (void)0 : __assert_fail(#condition, __FILE__, __LINE__, __func__))

/* With the pointer's type at hand an int becomes one input of 32 bits instead of four bytes. */
void __symcrete_make_i8(void *, size_t, const char *);
void __symcrete_make_u8(void *, size_t, const char *);
void __symcrete_make_i16(void *, size_t, const char *);
void __symcrete_make_u16(void *, size_t, const char *);
void __symcrete_make_i32(void *, size_t, const char *);
void __symcrete_make_u32(void *, size_t, const char *);
void __symcrete_make_i64(void *, size_t, const char *);
void __symcrete_make_u64(void *, size_t, const char *);
void __symcrete_make_f32(void *, size_t, const char *);
void __symcrete_make_f64(void *, size_t, const char *);
void __symcrete_make_bool(void *, size_t, const char *);

#define klee_make_symbolic(address, size, name) \
    _Generic((address), \
        char *: __symcrete_make_i8, \
        signed char *: __symcrete_make_i8, \
        unsigned char *: __symcrete_make_u8, \
        short *: __symcrete_make_i16, \
        unsigned short *: __symcrete_make_u16, \
        int *: __symcrete_make_i32, \
        unsigned *: __symcrete_make_u32, \
        long *: __symcrete_make_i32, \
        unsigned long *: __symcrete_make_u32, \
        long long *: __symcrete_make_i64, \
        unsigned long long *: __symcrete_make_u64, \
        float *: __symcrete_make_f32, \
        double *: __symcrete_make_f64, \
        _Bool *: __symcrete_make_bool, \
        default: klee_make_symbolic)((void *)(address), size, name)

#endif
