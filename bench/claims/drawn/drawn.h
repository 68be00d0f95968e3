/* Harness calls of other tools, natively: every input is drawn from a generator that DRAW_SEED starts. */
#ifndef DRAWN_H
#define DRAWN_H
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned long long drawn_state;

/* SplitMix64 (Steele, Lea, Flood 2014). */
static inline unsigned long long drawn_word(void)
{
    unsigned long long z;
    if (!drawn_state)
        drawn_state = 1 + strtoull(getenv("DRAW_SEED") ? getenv("DRAW_SEED") : "1", 0, 10) * 1000003u;
    z = drawn_state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Mostly small numbers and printable characters: conditions of examples compare with those. */
static inline unsigned long long drawn_value(void)
{
    unsigned long long word = drawn_word();
    switch (word % 8) {
    case 0: return word >> 3;
    case 1: return (word >> 3) % 128;
    case 2: return 32 + (word >> 3) % 96;
    case 3: return 0 - (word >> 3) % 16;
    case 4: return 1ull << (word >> 3) % 64;
    default: return (word >> 3) % 16;
    }
}

static inline void drawn_bytes(void *to, size_t size)
{
    unsigned char *bytes = to;
    if (size == sizeof(int)) {
        int value = (int)drawn_value();
        memcpy(to, &value, size);
        return;
    }
    while (size--)
        *bytes++ = (unsigned char)drawn_value();
}
#endif
