extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

int main(void)
{
    int n = __VERIFIER_nondet_int();

    __VERIFIER_assume(n > 0);
    if (n * 3 == 33)
        reach_error();
    return 0;
}
