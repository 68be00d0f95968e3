/* colt: the Mersenne Twister MT19937: seeding, the first three words of the next block, tempering.
 *
 * Takaki et al. 2010 (after the generator of the Colt library; the algorithm is Matsumoto and Nishimura's). Entry: colt(seed).
 * All arithmetic is modulo 2^32. Returns a number made of the properties of the first three outputs.
 * Infeasible: nothing known.
 */

#include <stdint.h>

enum { AHEAD = 397, OUTPUTS = 3 };

static uint32_t tempered(uint32_t y) {
    y ^= y >> 11;
    y ^= (y << 7) & 0x9d2c5680u;
    y ^= (y << 15) & 0xefc60000u;
    y ^= y >> 18;
    return y;
}

int colt(int seed) {
    uint32_t state[AHEAD + OUTPUTS];
    uint32_t output[OUTPUTS];
    state[0] = (uint32_t)seed;
    for (uint32_t i = 1; i < AHEAD + OUTPUTS; i++) {
        state[i] = 1812433253u * (state[i - 1] ^ state[i - 1] >> 30) + i;
    }
    for (int i = 0; i < OUTPUTS; i++) {
        uint32_t y = (state[i] & 0x80000000u) | (state[i + 1] & 0x7fffffffu);
        uint32_t word = state[i + AHEAD] ^ y >> 1;
        if ((y & 1) != 0) {
            word ^= 0x9908b0dfu;
        }
        output[i] = tempered(word);
    }
    int result = 0;
    if ((output[0] & 0xff) == 0x2a) {
        result += 1;
    }
    if (output[1] >> 22 == 0) {
        result += 10;
    }
    if (output[0] + output[1] < output[2]) {
        result += 100;
    }
    return result;
}

/* The size that the paper's queries have: six outputs, each in one of a few ranges, as drawing numbers from a distribution does. */
enum { MORE = 6 };

int colt_sequence(int seed) {
    uint32_t state[AHEAD + MORE];
    uint32_t before = 0;
    int result = 0;
    state[0] = (uint32_t)seed;
    for (uint32_t i = 1; i < AHEAD + MORE; i++) {
        state[i] = 1812433253u * (state[i - 1] ^ state[i - 1] >> 30) + i;
    }
    for (int i = 0; i < MORE; i++) {
        uint32_t y = (state[i] & 0x80000000u) | (state[i + 1] & 0x7fffffffu);
        uint32_t word = state[i + AHEAD] ^ y >> 1;
        if ((y & 1) != 0) {
            word ^= 0x9908b0dfu;
        }
        uint32_t output = tempered(word);
        if (output < 0x40000000u) {
            result += 1;
        } else if ((output & 7) == 5) {
            result += 2;
        }
        if (output > before) {
            result *= 3;
        }
        before = output;
    }
    return result;
}
