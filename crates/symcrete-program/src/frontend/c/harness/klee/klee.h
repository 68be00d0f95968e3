/* KLEE's interface, as its harnesses use it. Under Symcrete it asks for inputs; compiled for any other machine the
 * same calls take their values from a test's table, as in symcrete.h. */
#ifndef SYMCRETE_KLEE_H
#define SYMCRETE_KLEE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __SYMCRETE__

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
/* Of a variable the compiler knows it. */
#define klee_get_obj_size(address) \
    (__builtin_object_size(address, 0) == (size_t)-1 ? klee_get_obj_size(address) : __builtin_object_size(address, 0))
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

/* With the pointer's type at hand an int becomes one input of 32 bits instead of four bytes, and so do those of an array. */
void __symcrete_make_i8(void *, size_t, const char *);
void __symcrete_make_u8(void *, size_t, const char *);
void __symcrete_make_i16(void *, size_t, const char *);
void __symcrete_make_u16(void *, size_t, const char *);
void __symcrete_make_i32(void *, size_t, const char *);
void __symcrete_make_u32(void *, size_t, const char *);
void __symcrete_make_long(void *, size_t, const char *);
void __symcrete_make_ulong(void *, size_t, const char *);
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
        long *: __symcrete_make_long, \
        unsigned long *: __symcrete_make_ulong, \
        long long *: __symcrete_make_i64, \
        unsigned long long *: __symcrete_make_u64, \
        float *: __symcrete_make_f32, \
        double *: __symcrete_make_f64, \
        _Bool *: __symcrete_make_bool, \
        short (*)[]: __symcrete_make_i16, \
        unsigned short (*)[]: __symcrete_make_u16, \
        int (*)[]: __symcrete_make_i32, \
        unsigned (*)[]: __symcrete_make_u32, \
        long (*)[]: __symcrete_make_long, \
        unsigned long (*)[]: __symcrete_make_ulong, \
        long long (*)[]: __symcrete_make_i64, \
        unsigned long long (*)[]: __symcrete_make_u64, \
        float (*)[]: __symcrete_make_f32, \
        double (*)[]: __symcrete_make_f64, \
        default: klee_make_symbolic)((void *)(address), size, name)

#else

#include "../symcrete.h"
#include <stdio.h>

#define klee_assert(condition) ((condition) ? (void)0 : abort())

/* One object is NAME, several are NAME[0], NAME[1], …; bytes have the name alone. */
#define SYMCRETE_MAKE(suffix, type, draw) \
    static inline void symcrete_make_##suffix(void *address, size_t size, const char *name) \
    { \
        type *to = (type *)address; \
        size_t i, n = size / sizeof *to; \
        char cell[96]; \
        for (i = 0; i < n; i++) { \
            if (n > 1 && sizeof *to > 1) \
                snprintf(cell, sizeof cell, "%.80s[%u]", name, (unsigned)i); \
            else \
                snprintf(cell, sizeof cell, "%.90s", name); \
            to[i] = (type)draw(cell); \
        } \
    }

SYMCRETE_MAKE(char, char, symcrete_int8)
SYMCRETE_MAKE(schar, signed char, symcrete_int8)
SYMCRETE_MAKE(uchar, unsigned char, symcrete_uint8)
SYMCRETE_MAKE(short, short, symcrete_int16)
SYMCRETE_MAKE(ushort, unsigned short, symcrete_uint16)
SYMCRETE_MAKE(int, int, symcrete_int32)
SYMCRETE_MAKE(uint, unsigned, symcrete_uint32)
SYMCRETE_MAKE(long, long, symcrete_long)
SYMCRETE_MAKE(ulong, unsigned long, symcrete_ulong)
SYMCRETE_MAKE(llong, long long, symcrete_int64)
SYMCRETE_MAKE(ullong, unsigned long long, symcrete_uint64)
SYMCRETE_MAKE(float, float, symcrete_float)
SYMCRETE_MAKE(double, double, symcrete_double)
SYMCRETE_MAKE(bool, _Bool, symcrete_bool)

static inline void symcrete_make_bytes(void *address, size_t size, const char *name)
{
    symcrete_bytes(address, (uint32_t)size, name);
}

#define klee_make_symbolic(address, size, name) \
    _Generic((address), \
        char *: symcrete_make_char, \
        signed char *: symcrete_make_schar, \
        unsigned char *: symcrete_make_uchar, \
        short *: symcrete_make_short, \
        unsigned short *: symcrete_make_ushort, \
        int *: symcrete_make_int, \
        unsigned *: symcrete_make_uint, \
        long *: symcrete_make_long, \
        unsigned long *: symcrete_make_ulong, \
        long long *: symcrete_make_llong, \
        unsigned long long *: symcrete_make_ullong, \
        float *: symcrete_make_float, \
        double *: symcrete_make_double, \
        _Bool *: symcrete_make_bool, \
        short (*)[]: symcrete_make_short, \
        unsigned short (*)[]: symcrete_make_ushort, \
        int (*)[]: symcrete_make_int, \
        unsigned (*)[]: symcrete_make_uint, \
        long (*)[]: symcrete_make_long, \
        unsigned long (*)[]: symcrete_make_ulong, \
        long long (*)[]: symcrete_make_llong, \
        unsigned long long (*)[]: symcrete_make_ullong, \
        float (*)[]: symcrete_make_float, \
        double (*)[]: symcrete_make_double, \
        default: symcrete_make_bytes)((void *)(address), size, name)

static inline void klee_assume(uintptr_t condition) { symcrete_assume(condition != 0); }
static inline int klee_int(const char *name) { return symcrete_int32(name); }
static inline int klee_range(int begin, int end, const char *name)
{
    int value = symcrete_int32(name);

    symcrete_assume(value >= begin && value < end);
    return value;
}
static inline uintptr_t klee_choose(uintptr_t n)
{
    uint32_t value = symcrete_uint32("klee_choose()");

    symcrete_assume(value < n);
    return value;
}
static inline void klee_silent_exit(int status) { exit(status); }
static inline void klee_abort(void) { abort(); }
static inline void klee_report_error(const char *file, int line, const char *message, const char *suffix)
{
    (void)file, (void)line, (void)message, (void)suffix;
    abort();
}
static inline size_t klee_get_obj_size(void *address) { (void)address; return 0; }
#define klee_get_obj_size(address) \
    (__builtin_object_size(address, 0) == (size_t)-1 ? klee_get_obj_size(address) : __builtin_object_size(address, 0))
static inline void klee_print_expr(const char *message, ...) { (void)message; }
static inline unsigned klee_is_symbolic(uintptr_t value) { (void)value; return 0; }
static inline unsigned klee_is_replay(void) { return 0; }
static inline void klee_warning(const char *message) { (void)message; }
static inline void klee_warning_once(const char *message) { (void)message; }
static inline void klee_prefer_cex(void *object, uintptr_t condition) { (void)object, (void)condition; }
static inline void klee_posix_prefer_cex(void *object, uintptr_t condition) { (void)object, (void)condition; }
static inline void klee_mark_global(void *object) { (void)object; }
static inline void klee_set_forking(unsigned enable) { (void)enable; }
static inline void klee_check_memory_access(const void *address, size_t size) { (void)address, (void)size; }
static inline void klee_open_merge(void) {}
static inline void klee_close_merge(void) {}
static inline void klee_stack_trace(void) {}
static inline float klee_get_valuef(float value) { return value; }
static inline double klee_get_valued(double value) { return value; }
static inline long klee_get_valuel(long value) { return value; }
static inline long long klee_get_valuell(long long value) { return value; }
static inline int32_t klee_get_value_i32(int32_t value) { return value; }
static inline int64_t klee_get_value_i64(int64_t value) { return value; }

#endif

#endif
