// Sides that forward exploration leaves open if it is cut short, and what going back from them finds.

struct point {
    int x, y;
};

// Sixteen conditions that do not matter to the last two, which contradict each other.
int contradiction(int y, unsigned bits)
{
    int z = 0;
    if (bits & 1) z += 1;
    if (bits & 2) z += 2;
    if (bits & 4) z += 3;
    if (bits & 8) z += 4;
    if (bits & 16) z += 5;
    if (bits & 32) z += 6;
    if (bits & 64) z += 7;
    if (bits & 128) z += 8;
    if (bits & 256) z += 9;
    if (bits & 512) z += 10;
    if (bits & 1024) z += 11;
    if (bits & 2048) z += 12;
    if (bits & 4096) z += 13;
    if (bits & 8192) z += 14;
    if (bits & 16384) z += 15;
    if (bits & 32768) z += 16;
    if (y > 10) {
        if (y < 5)
            return -1;
    }
    return z;
}

// What is behind a pointer, and cannot be.
int behind(const struct point *p)
{
    if (!p)
        return 0;
    if (p->x > p->y) {
        if (p->x == p->y)
            return 1;
    }
    return 2;
}

// A value that only one input has.
int narrow(int a, int b)
{
    if (a * 7 == b + 12345) {
        if (b == 770)
            return 1;
    }
    return 0;
}

static int calls;

// Only a later call gets there.
int second_call(int a)
{
    if (calls > 0)
        return a > 0 ? 1 : 2;
    return 0;
}

// An index that leaves the array may reach anything.
int out_of_object(unsigned i, int v)
{
    int kept = 0, items[4] = {0};
    items[i] = v;
    if (kept != 0)
        return 1;
    return items[0];
}

void unknown(int *p);

// Who knows what the function does.
int undefined(int x)
{
    int y = 0;
    if (x > 3)
        unknown(&y);
    if (y == 7)
        return 1;
    return 0;
}

// One pointer may be the other.
int aliased(int *p, int *q)
{
    if (!p || !q)
        return 0;
    *p = 1;
    *q = 2;
    if (*p == 2)
        return 1;
    return 0;
}

// As many passes as the input says.
int passes(unsigned n)
{
    int sum = 0;
    for (unsigned i = 0; i < n; i++)
        sum += 3;
    if (sum == 3 * 40)
        return 1;
    return 0;
}

// As a NaN's bits are, on one machine.
int nan_bits(double x)
{
    union {
        double d;
        unsigned long long bits;
    } u = {x - x};
    if (x == x || u.bits == 0x7ff8000000000000ull)
        return 0;
    return 1;
}
