// imports: symcrete.int32 symcrete.uint32 symcrete.float64 symcrete.bool symcrete.assume symcrete.fail env.__VERIFIER_nondet_thing
// defines: main
extern void abort(void);
extern void __assert_fail(const char *, const char *, unsigned, const char *) __attribute__((__nothrow__, __leaf__, __noreturn__));
void reach_error() { __assert_fail("0", "svcomp.c", 5, "reach_error"); }
extern int __VERIFIER_nondet_int();
extern unsigned __VERIFIER_nondet_uint(void);
extern double __VERIFIER_nondet_double(void);
extern _Bool __VERIFIER_nondet_bool(void);
extern int __VERIFIER_nondet_thing(void);
extern void __VERIFIER_assume(int);

int main()
{
    int n = __VERIFIER_nondet_int();

    __VERIFIER_assume(n > 0);
    if (__VERIFIER_nondet_bool() && __VERIFIER_nondet_double() < n)
        reach_error();
    if (__VERIFIER_nondet_uint() == 3 || __VERIFIER_nondet_thing())
        abort();
    return 0;
}
