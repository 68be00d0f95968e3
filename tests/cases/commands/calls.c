/* Calls through another type than the function's: real machines go on. `calls_other.c` has what this file calls. */
int twice();
int sum_of_two(int a);
long long wide(int a);
double half();

/* More arguments than there are parameters. */
int more_arguments(int a)
{
    if (twice(a, 5, 6) == 8)
        return 1;
    return 2;
}

/* Fewer: the second one is unknown. */
int fewer_arguments(int a)
{
    if (sum_of_two(a) == 8)
        return 1;
    return 2;
}

/* Without a declaration. */
int implicit(int a)
{
    if (undeclared(a) == 8)
        return 1;
    return 2;
}

/* The result is narrower than the declaration says: its high half is unknown. */
int wider_result(int a)
{
    if (wide(a) == 8)
        return 1;
    return 2;
}

/* An integer where a floating-point number is expected. */
int other_register(int a)
{
    if (half(a) == 4.0)
        return 1;
    return 2;
}

static int add(int a, int b)
{
    return a + b;
}

static int next(int a)
{
    return a + 1;
}

typedef int (*one)(int);
typedef int (*three)(int, int, int);
typedef void (*quiet)(int, int);

int pointer_with_more(int a)
{
    three f = (three)add;
    if (f(a, 3, 4) == 8)
        return 1;
    return 2;
}

static int apply(three f, int a)
{
    return f(a, 3, 4);
}

int pointer_elsewhere(int a)
{
    if (apply((three)next, a) == 8)
        return 1;
    return 2;
}

int result_ignored(int a)
{
    quiet f = (quiet)add;
    f(a, 1);
    if (a == 8)
        return 1;
    return 2;
}

/* The definition comes later and has another type than the call. */
int later();
int before_definition(int a)
{
    if (later(a, 2) == 8)
        return 1;
    return 2;
}

int later(a)
int a;
{
    return a + 1;
}
