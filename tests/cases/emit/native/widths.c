/* Integers of every width: what has 4 bytes in WebAssembly and 8 here must be listed, all else must agree. */
// differs: test_wrapped
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum colour { RED, GREEN = 7, BLUE };
typedef enum { SMALL = -1, LARGE = 1 } size;

int fits(long value)
{
    if (value > 100)
        return 1;
    return value == -5;
}

long wrapped(long value)
{
    if (value == LONG_MAX)
        return value + 1;
    return value;
}

size_t rounded(size_t n)
{
    if (n % 8 != 0)
        return (n / 8 + 1) * 8;
    return n;
}

int high_bits(uint64_t x)
{
    if (x >> 60 == 0xd)
        return 1;
    return (x & 0xffffffff00000000ull) != 0;
}

int64_t negated(int64_t x)
{
    return x == INT64_MIN ? x : -x;
}

int extremes(int a, unsigned b)
{
    if (a == INT_MIN)
        return 1;
    if (b == UINT_MAX)
        return 2;
    return b > 0x80000000u ? 3 : 4;
}

short narrow(short a, unsigned short b, int8_t c)
{
    if (a < -30000 && b > 60000 && c == -128)
        return (short)(a + b);
    return 0;
}

bool both(bool a, bool b)
{
    return a && b;
}

enum colour next(enum colour c)
{
    switch (c) {
    case RED:
        return GREEN;
    case GREEN:
        return BLUE;
    default:
        return RED;
    }
}

size turned(size s)
{
    return s == SMALL ? LARGE : SMALL;
}

unsigned shifted(unsigned x, int by)
{
    if (by < 0 || by > 31)
        return 0;
    return x << by;
}

ptrdiff_t distance(const int *a, const int *b)
{
    if (a == b)
        return 0;
    return 1;
}
