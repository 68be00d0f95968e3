/* A harness that asks for its inputs, by our names and by those of the verification competition. */
#include "symcrete.h"

extern int __VERIFIER_nondet_int(void);
extern double __VERIFIER_nondet_double(void);
void __VERIFIER_assume(int condition);

int total(void)
{
    int n = symcrete_int("n");
    char bytes[3];
    int sum = symcrete_int("n");
    symcrete_bytes(bytes, sizeof bytes, "bytes");
    for (int i = 0; i < n && i < 3; i++)
        sum += bytes[i];
    return symcrete_double("d") > 0.5 ? sum : -sum;
}

int chosen(void)
{
    int a = __VERIFIER_nondet_int();
    __VERIFIER_assume(a > 0);
    return __VERIFIER_nondet_double() < 0 ? a + __VERIFIER_nondet_int() : a;
}

//@ {"unit": "total", "input": {}, "returns": ["i32", 103], "drawn": [["n", "i32", 2], ["n#1", "i32", 100], ["bytes[0]", "u8", 1], ["bytes[1]", "u8", 2], ["bytes[2]", "u8", 3], ["d", "f64", 0.75]]}
//@ {"unit": "total", "input": {}, "returns": ["i32", 5], "drawn": [["n", "i32", -2], ["n#1", "i32", -5], ["bytes[0]", "u8", 1], ["bytes[1]", "u8", 2], ["bytes[2]", "u8", 3], ["d", "f64", 0]]}
//@ {"unit": "chosen", "input": {}, "returns": ["i32", -3], "drawn": [["__VERIFIER_nondet_int()", "i32", 7], ["__VERIFIER_nondet_double()", "f64", -1], ["__VERIFIER_nondet_int()#1", "i32", -10]]}
