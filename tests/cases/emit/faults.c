/* Runs that end in a fault are reproducers, not tests. */
#include <assert.h>

int ratio(int a, int b)
{
    if (a > 10)
        return a / b;
    return a;
}

void expect(int x) { assert(x != 3); }

int at(const int *a, unsigned n, unsigned i) { return i < n ? a[i] : a[0]; }

//@ {"unit": "ratio", "input": {"a": 11, "b": 0}, "traps": "division"}
//@ {"unit": "ratio", "input": {"a": 12, "b": 0}, "traps": "division"}
//@ {"unit": "ratio", "input": {"a": 12, "b": 3}, "returns": ["i32", 4]}
//@ {"unit": "expect", "input": {"x": 3}, "traps": "assertion"}
//@ {"unit": "at", "input": {"a": null, "n": 0, "i": 0}, "traps": "null"}
