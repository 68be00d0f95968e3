// Failures that some input causes, and those that none does.
#include <assert.h>
#include <stdlib.h>

static int items[4];

int variable(int i, int v)
{
    items[i] = v; // TRAP bounds reached
    return items[0];
}

int local(int i, int v)
{
    int a[4] = {0};
    a[i] = v; // TRAP bounds reached
    return a[v & 3];
}

int masked(int i, int v)
{
    int a[4] = {0};
    a[i & 3] = v; // TRAP bounds unreachable
    return a[v & 3];
}

int one_too_far(const int *values, int n, int i)
{
    if (i < 0 || i > n)
        return 0;
    return values[i]; // TRAP bounds reached
}

int followed(const int *p)
{
    return *p; // TRAP null reached
}

int looked_at(const int *p)
{
    if (!p)
        return 0;
    return *p; // TRAP null unreachable
}

int quotient(int a, int b)
{
    if (b > 0)
        return a / b; // TRAP div-by-zero unreachable
    return a % b; // TRAP div-by-zero reached
}

int least(int a, int b)
{
    return a / b; // TRAP overflow reached
}

int ends(int x)
{
    if (x == 77)
        abort(); // TRAP abort reached
    assert(x != 99); // TRAP assertion reached
    if (x == 5)
        __builtin_trap(); // TRAP unreachable reached
    if (x == 99)
        abort(); // TRAP abort unreachable
    return x;
}

// Conversions are guarded by the compiler, so none traps.
int convert(double d)
{
    return (int)d; // TRAP nan unreachable
}

static int twice(int x) { return 2 * x; }
static int same(int x) { return x; }
static int (*const functions[4])(int) = {twice, same, 0, twice};

int dispatch(unsigned i, int x)
{
    return functions[i & 3](x); // TRAP null-call reached
}

int sum(int a, int b)
{
    return a + b; // TRAP check reached
}
