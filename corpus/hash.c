/* hash: collisions of the multiply-by-31 hash of (int, long, int).
 *
 * Dinges and Agha 2014, after "Effective Java". Entries: collision1 ... collision5, each a single condition. All arithmetic is
 * modulo 2^32.
 * Infeasible: nothing known.
 */

#include <stdint.h>
#include <string.h>

static uint32_t hash(int32_t x, int64_t y, int32_t z) {
    uint64_t bits = (uint64_t)y;
    uint32_t h = (uint32_t)x;
    h = h * 31 + (uint32_t)(bits ^ (bits >> 32));
    h = h * 31 + (uint32_t)z;
    return h;
}

static int64_t raw_bits(double value) {
    int64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

int collision1(int x1, long long y1, int z1, int x2, long long y2, int z2) {
    if (hash(x1, y1, z1) == hash(x2, y2, z2)) {
        return 1;
    }
    return 0;
}

int collision2(long long y1, int z1, long long y2, int z2) {
    if (hash(1, y1, z1) == hash(2, y2, z2)) {
        return 1;
    }
    return 0;
}

int collision3(long long y1, long long y2) {
    if (hash(1234, y1, 3141) == hash(5678, y2, 3141)) {
        return 1;
    }
    return 0;
}

int collision4(int x1, long long y1, int z1) {
    if (hash(1234, raw_bits(3.14159e123), 3141) == hash(x1, y1, z1)) {
        return 1;
    }
    return 0;
}

int collision5(long long y1, int z1) {
    if (hash(1234, raw_bits(3.14159e123), 3141) == hash(5678, y1, z1)) {
        return 1;
    }
    return 0;
}
