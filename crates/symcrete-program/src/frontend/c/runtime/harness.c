/* What is linked into every module: the arena, and the calls of harnesses on top of Symcrete's host.
 *
 * Everything a user's program may define itself is weak. Compiled without debug information, so none of
 * these is a function under test. */
#include <time.h>
#include "klee/klee.h"
#include "symcrete.h"
#undef klee_make_symbolic
#undef klee_get_obj_size

#define WEAK __attribute__((weak))

enum { FAIL_ABORT, FAIL_ASSERTION, FAIL_REACH_ERROR, FAIL_UNSUPPORTED };

SYMCRETE_HOST(check) void symcrete_check(int kind) __attribute__((noreturn));
SYMCRETE_HOST(exit) void symcrete_exit(int status) __attribute__((noreturn));

/* Where input objects are laid out. */
char __symcrete_arena[65536] __attribute__((aligned(16), used));

/* A driver ends before (1) or after (2) the call that it is for, so that what it has made can be looked at, and says here where that is. */
uint32_t __symcrete_api_look __attribute__((used));
const volatile void *__symcrete_api_objects[8] __attribute__((used));

/* Where code reads what a variable holds before it is written: another unknown value each time. */
char __symcrete_uninitialized[16384] __attribute__((aligned(16), used));

/* Where frames of functions are put, so that the use of one that is gone is noticed. */
char __symcrete_frames[1 << 18] __attribute__((aligned(16), used));

/* What cannot be followed. */
__attribute__((noreturn)) void __symcrete_unsupported(void) { symcrete_fail(FAIL_UNSUPPORTED); }

/* An argument had fewer bits than its function looks at, and got zeros. To enter this is to meet that gap. */
__attribute__((noinline)) void __symcrete_widened(void) {}

/* A failed check of `--check`; the front end turns clang's handlers into calls of this. */
__attribute__((noreturn)) void __symcrete_check(int kind) { symcrete_check(kind); }

/* Marks of conditions and of labels; the front end takes the calls of these out of the linked module. */
int __symcrete_mark(int value, int number) { (void)number; return value; }
void __symcrete_mark_label(int number) { (void)number; }

WEAK __attribute__((noreturn)) void abort(void) { symcrete_fail(FAIL_ABORT); }

WEAK __attribute__((noreturn)) void __assert_fail(const char *text, const char *file, int line, const char *function)
{
    (void)text, (void)file, (void)line, (void)function;
    symcrete_fail(FAIL_ASSERTION);
}

/* Functions of the library that change the rounding direction (`fmal`) call this one, and it is not followed there: to enter this is to
 * meet that gap. Programs that change it call `__symcrete_fesetround` (`rounding.c`). Elsewhere it returns, with or without
 * success. */
__attribute__((noinline)) int __symcrete_rounding(void)
{
    static volatile int result;
    if (!result)
        symcrete_fail(FAIL_UNSUPPORTED);
    return result;
}

WEAK int fesetround(int direction)
{
    enum { DOWNWARD = 0x400, UPWARD = 0x800 };
    if (direction & ~(DOWNWARD | UPWARD))
        return 1;
    return direction ? __symcrete_rounding() : 0;
}

/* Local time is universal time. The library's own reads an offset that it has not set, and finds that no time exists. */
WEAK struct tm *localtime_r(const time_t *time, struct tm *to) { return gmtime_r(time, to); }
WEAK struct tm *localtime(const time_t *time)
{
    static struct tm room;
    return localtime_r(time, &room);
}

/* NAME[index] in a buffer of its own; a name that is too long is cut. */
const char *__symcrete_cell(const char *name, unsigned index)
{
    static char text[96];
    char digits[10];
    unsigned length = 0, n_digits = 0;

    while (name[length] && length < 80) {
        text[length] = name[length];
        length++;
    }
    do {
        digits[n_digits++] = (char)('0' + index % 10);
        index /= 10;
    } while (index);
    text[length++] = '[';
    while (n_digits)
        text[length++] = digits[--n_digits];
    text[length++] = ']';
    text[length] = 0;
    return text;
}

/* One object is NAME, several are NAME[0], NAME[1], … */
#define MAKE(suffix, type, draw) \
    void __symcrete_make_##suffix(void *address, size_t size, const char *name) \
    { \
        type *to = address; \
        size_t n = size / sizeof *to; \
        if (!name) \
            name = "unnamed"; \
        if (n == 1) \
            *to = draw(name); \
        else \
            for (size_t i = 0; i < n; i++) \
                to[i] = draw(__symcrete_cell(name, i)); \
    }

MAKE(i8, int8_t, symcrete_int8)
MAKE(u8, uint8_t, symcrete_uint8)
MAKE(i16, int16_t, symcrete_int16)
MAKE(u16, uint16_t, symcrete_uint16)
MAKE(i32, int32_t, symcrete_int32)
MAKE(u32, uint32_t, symcrete_uint32)
MAKE(long, long, symcrete_long)
MAKE(ulong, unsigned long, symcrete_ulong)
MAKE(i64, int64_t, symcrete_int64)
MAKE(u64, uint64_t, symcrete_uint64)
MAKE(f32, float, symcrete_float)
MAKE(f64, double, symcrete_double)
MAKE(bool, _Bool, symcrete_bool)

/* KLEE */
WEAK void klee_make_symbolic(void *address, size_t size, const char *name)
{
    symcrete_bytes(address, size, name ? name : "unnamed");
}
WEAK void klee_assume(uintptr_t condition) { symcrete_assume(condition != 0); }
WEAK int klee_int(const char *name) { return symcrete_int32(name); }
WEAK int klee_range(int begin, int end, const char *name)
{
    int value = symcrete_int32(name);
    symcrete_assume(value >= begin);
    symcrete_assume(value < end);
    return value;
}
WEAK uintptr_t klee_choose(uintptr_t n)
{
    uint32_t value = symcrete_uint32("klee_choose()");
    symcrete_assume(value < n);
    return value;
}
WEAK void klee_silent_exit(int status) { symcrete_exit(status); }
WEAK void klee_abort(void) { symcrete_fail(FAIL_ABORT); }
WEAK void klee_report_error(const char *file, int line, const char *message, const char *suffix)
{
    (void)file, (void)line, (void)message, (void)suffix;
    symcrete_fail(FAIL_ASSERTION);
}
/* Only of objects whose size the compiler does not know. */
WEAK size_t klee_get_obj_size(void *address) { (void)address; __symcrete_unsupported(); }
WEAK void klee_print_expr(const char *message, ...) { (void)message; }
WEAK unsigned klee_is_symbolic(uintptr_t value) { (void)value; return 0; }
WEAK unsigned klee_is_replay(void) { return 0; }
WEAK void klee_warning(const char *message) { (void)message; }
WEAK void klee_warning_once(const char *message) { (void)message; }
WEAK void klee_prefer_cex(void *object, uintptr_t condition) { (void)object, (void)condition; }
WEAK void klee_posix_prefer_cex(void *object, uintptr_t condition) { (void)object, (void)condition; }
WEAK void klee_mark_global(void *object) { (void)object; }
WEAK void klee_set_forking(unsigned enable) { (void)enable; }
WEAK void klee_check_memory_access(const void *address, size_t size) { (void)address, (void)size; }
WEAK void klee_open_merge(void) {}
WEAK void klee_close_merge(void) {}
WEAK void klee_stack_trace(void) {}
WEAK float klee_get_valuef(float value) { return value; }
WEAK double klee_get_valued(double value) { return value; }
WEAK long klee_get_valuel(long value) { return value; }
WEAK long long klee_get_valuell(long long value) { return value; }
WEAK int32_t klee_get_value_i32(int32_t value) { return value; }
WEAK int64_t klee_get_value_i64(int64_t value) { return value; }

/* CREST, for programs that bring its header */
WEAK void __CrestChar(char *x) { *x = (char)symcrete_int8("CREST_char"); }
WEAK void __CrestUChar(unsigned char *x) { *x = symcrete_uint8("CREST_unsigned_char"); }
WEAK void __CrestShort(short *x) { *x = symcrete_int16("CREST_short"); }
WEAK void __CrestUShort(unsigned short *x) { *x = symcrete_uint16("CREST_unsigned_short"); }
WEAK void __CrestInt(int *x) { *x = symcrete_int32("CREST_int"); }
WEAK void __CrestUInt(unsigned *x) { *x = symcrete_uint32("CREST_unsigned_int"); }

/* SV-COMP */
#define NONDET(suffix, type, draw) \
    WEAK type __VERIFIER_nondet_##suffix(void) { return (type)draw("__VERIFIER_nondet_" #suffix "()"); }

NONDET(char, char, symcrete_int8)
NONDET(schar, signed char, symcrete_int8)
NONDET(uchar, unsigned char, symcrete_uint8)
NONDET(unsigned_char, unsigned char, symcrete_uint8)
NONDET(short, short, symcrete_int16)
NONDET(ushort, unsigned short, symcrete_uint16)
NONDET(int, int, symcrete_int32)
NONDET(uint, unsigned, symcrete_uint32)
NONDET(unsigned, unsigned, symcrete_uint32)
NONDET(unsigned_int, unsigned, symcrete_uint32)
NONDET(long, long, symcrete_long)
NONDET(ulong, unsigned long, symcrete_ulong)
NONDET(longlong, long long, symcrete_int64)
NONDET(ulonglong, unsigned long long, symcrete_uint64)
NONDET(loff_t, long long, symcrete_int64)
NONDET(int8_t, int8_t, symcrete_int8)
NONDET(uint8_t, uint8_t, symcrete_uint8)
NONDET(int16_t, int16_t, symcrete_int16)
NONDET(uint16_t, uint16_t, symcrete_uint16)
NONDET(int32_t, int32_t, symcrete_int32)
NONDET(uint32_t, uint32_t, symcrete_uint32)
NONDET(int64_t, int64_t, symcrete_int64)
NONDET(uint64_t, uint64_t, symcrete_uint64)
NONDET(u8, uint8_t, symcrete_uint8)
NONDET(u16, uint16_t, symcrete_uint16)
NONDET(u32, uint32_t, symcrete_uint32)
NONDET(u64, uint64_t, symcrete_uint64)
NONDET(S8, int8_t, symcrete_int8)
NONDET(U8, uint8_t, symcrete_uint8)
NONDET(S16, int16_t, symcrete_int16)
NONDET(U16, uint16_t, symcrete_uint16)
NONDET(S32, int32_t, symcrete_int32)
NONDET(U32, uint32_t, symcrete_uint32)
NONDET(size_t, size_t, symcrete_ulong)
NONDET(pthread_t, unsigned, symcrete_uint32)
NONDET(sector_t, unsigned, symcrete_uint32)
NONDET(bool, _Bool, symcrete_bool)
NONDET(_Bool, _Bool, symcrete_bool)
NONDET(float, float, symcrete_float)
NONDET(double, double, symcrete_double)

WEAK void __VERIFIER_nondet_memory(void *address, size_t size)
{
    symcrete_bytes(address, size, "__VERIFIER_nondet_memory()");
}
WEAK void __VERIFIER_assume(int condition) { symcrete_assume(condition != 0); }
WEAK void assume_abort_if_not(int condition) { symcrete_assume(condition != 0); }
WEAK void __VERIFIER_atomic_begin(void) {}
WEAK void __VERIFIER_atomic_end(void) {}
WEAK void __VERIFIER_error(void) { symcrete_fail(FAIL_REACH_ERROR); }
WEAK void reach_error(void) { symcrete_fail(FAIL_REACH_ERROR); }
WEAK void __VERIFIER_assert(int condition)
{
    if (!condition)
        symcrete_fail(FAIL_ASSERTION);
}

/* CBMC and ESBMC, which know these without a declaration: called like that, functions return an `int`. */
#define ASSUMES(name) \
    WEAK int name(int condition) \
    { \
        symcrete_assume(condition != 0); \
        return 0; \
    }
#define ASSERTS(name) \
    WEAK int name(int condition, const char *text) \
    { \
        (void)text; \
        if (!condition) \
            symcrete_fail(FAIL_ASSERTION); \
        return 0; \
    }

ASSUMES(__CPROVER_assume)
ASSUMES(__ESBMC_assume)
ASSERTS(__CPROVER_assert)
ASSERTS(__CPROVER_precondition)
ASSERTS(__CPROVER_postcondition)
ASSERTS(__ESBMC_assert)
