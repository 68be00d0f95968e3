/* symcrete.h: inputs and assumptions of a harness.
 *
 * Under Symcrete each of these asks for an input of that name. Compiled by any other C compiler for any
 * other machine, the same calls take their values from the table `symcrete_cells`, if the program defines
 * one, and are zero otherwise. Copy this file next to your harness; it needs nothing else.
 *
 *     int n = symcrete_int("n");
 *     symcrete_assume(n >= 0 && n < 10);
 */
#ifndef SYMCRETE_H
#define SYMCRETE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __SYMCRETE__

#define SYMCRETE_HOST(name) __attribute__((import_module("symcrete"), import_name(#name)))

SYMCRETE_HOST(int8) int8_t symcrete_int8(const char *name);
SYMCRETE_HOST(uint8) uint8_t symcrete_uint8(const char *name);
SYMCRETE_HOST(int16) int16_t symcrete_int16(const char *name);
SYMCRETE_HOST(uint16) uint16_t symcrete_uint16(const char *name);
SYMCRETE_HOST(int32) int32_t symcrete_int32(const char *name);
SYMCRETE_HOST(uint32) uint32_t symcrete_uint32(const char *name);
SYMCRETE_HOST(int64) int64_t symcrete_int64(const char *name);
SYMCRETE_HOST(uint64) uint64_t symcrete_uint64(const char *name);
SYMCRETE_HOST(float32) float symcrete_float(const char *name);
SYMCRETE_HOST(float64) double symcrete_double(const char *name);
SYMCRETE_HOST(bool) _Bool symcrete_bool(const char *name);
SYMCRETE_HOST(bytes) void symcrete_bytes(void *to, uint32_t length, const char *name);
SYMCRETE_HOST(assume) void symcrete_assume(int condition);
SYMCRETE_HOST(fail) void symcrete_fail(int kind) __attribute__((__noreturn__));

#define symcrete_assert(condition) ((condition) ? (void)0 : symcrete_fail(1))

#else

#include <stdlib.h>
#include <string.h>

/* One input: its name and the raw bits of its value. The table ends with a null name. A name that is asked
 * for several times has its values in this order. */
struct symcrete_cell {
    const char *name;
    uint64_t bits;
};

__attribute__((weak)) extern const struct symcrete_cell symcrete_cells[];
__attribute__((weak)) size_t symcrete_cursor;

static inline uint64_t symcrete_next(const char *name)
{
    const struct symcrete_cell *table = symcrete_cells;
    size_t i;

    if (!table)
        return 0;
    for (i = symcrete_cursor; table[i].name; i++) {
        if (!strcmp(table[i].name, name)) {
            symcrete_cursor = i + 1;
            return table[i].bits;
        }
    }
    return 0;
}

static inline int8_t symcrete_int8(const char *name) { return (int8_t)symcrete_next(name); }
static inline uint8_t symcrete_uint8(const char *name) { return (uint8_t)symcrete_next(name); }
static inline int16_t symcrete_int16(const char *name) { return (int16_t)symcrete_next(name); }
static inline uint16_t symcrete_uint16(const char *name) { return (uint16_t)symcrete_next(name); }
static inline int32_t symcrete_int32(const char *name) { return (int32_t)symcrete_next(name); }
static inline uint32_t symcrete_uint32(const char *name) { return (uint32_t)symcrete_next(name); }
static inline int64_t symcrete_int64(const char *name) { return (int64_t)symcrete_next(name); }
static inline uint64_t symcrete_uint64(const char *name) { return symcrete_next(name); }
static inline int symcrete_bool(const char *name) { return symcrete_next(name) != 0; }

static inline float symcrete_float(const char *name)
{
    uint32_t bits = (uint32_t)symcrete_next(name);
    float value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline double symcrete_double(const char *name)
{
    uint64_t bits = symcrete_next(name);
    double value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline void symcrete_bytes(void *to, uint32_t length, const char *name)
{
    uint32_t i;

    for (i = 0; i < length; i++)
        ((unsigned char *)to)[i] = symcrete_uint8(name);
}

/* An input that breaks an assumption is not a test: end without a complaint. */
static inline void symcrete_assume(int condition)
{
    if (!condition)
        exit(0);
}

#define symcrete_assert(condition) ((condition) ? (void)0 : abort())

#endif

/* A place to be reached: `symcrete reach FILE.c 'symcrete_target("name")'`. Does nothing. */
static inline void symcrete_target(const char *name) { (void)name; }

static inline int symcrete_int(const char *name) { return symcrete_int32(name); }
static inline unsigned symcrete_unsigned(const char *name) { return symcrete_uint32(name); }
static inline char symcrete_char(const char *name) { return (char)symcrete_int8(name); }
/* Tests that were found where `long` has 4 bytes say so. */
#if __SIZEOF_LONG__ == 8 && !defined(SYMCRETE_NARROW_LONG)
static inline long symcrete_long(const char *name) { return (long)symcrete_int64(name); }
static inline unsigned long symcrete_ulong(const char *name) { return (unsigned long)symcrete_uint64(name); }
#else
static inline long symcrete_long(const char *name) { return symcrete_int32(name); }
static inline unsigned long symcrete_ulong(const char *name) { return symcrete_uint32(name); }
#endif

#endif
