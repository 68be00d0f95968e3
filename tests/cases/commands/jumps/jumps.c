/* What setjmp and longjmp do, one corner each. */
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

static jmp_buf env, other;

static void jump(int value) { longjmp(env, value); }

/* Each value has its label, and 0 comes back as 1. */
int values(int x)
{
    switch (setjmp(env)) {
    case 0:
        if (x < 10)
            jump(x);
        return -1;
    case 1:
        return x == 0 ? 10 : 11;
    case 2:
        return 12;
    case -5:
        return 13;
    default:
        return 14;
    }
}

/* As often as it takes. */
int retry(int x)
{
    volatile int tries = 0;
    int result = setjmp(env);
    tries++;
    if (tries < 4 && x > tries)
        jump(tries);
    if (result == 3)
        return 300;
    return tries * 10 + result;
}

/* In a loop, from a state that is set again in each pass. */
int loop(int x)
{
    volatile int sum = 0;
    for (volatile int i = 0; i < 3; i++) {
        int value = setjmp(env);
        if (value == 0) {
            if ((x >> i) & 1)
                jump(i + 1);
            sum += 100;
        } else {
            sum += value;
        }
    }
    if (sum == 6)
        return 1;
    return sum;
}

static void which(int x)
{
    if (x == 1)
        longjmp(env, 7);
    if (x == 2)
        longjmp(other, 8);
}

/* Two in one function. */
int two(int x)
{
    int first = setjmp(env);
    if (first)
        return first + 100;
    int second = setjmp(other);
    if (second == 8)
        longjmp(env, 9);
    which(x);
    return 0;
}

/* Each call has its own; a jump leaves several of them. */
static int down(int n, int target, jmp_buf *states)
{
    int value = setjmp(states[n]);
    if (value)
        return n * 10 + value;
    if (n == 3) {
        if (target >= 0 && target < 4)
            longjmp(states[target], 2);
        return -1;
    }
    int below = down(n + 1, target, states);
    return below < 0 ? below : below + 100;
}

int recursion(int target)
{
    jmp_buf states[4];
    int result = down(0, target, states);
    if (result == 222)
        return 1;
    return result;
}

static int by_number(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    if (x == y)
        longjmp(env, 2);
    return x < y ? -1 : 1;
}

/* Out of a function of the library that calls us. */
int sorted(int a, int b, int c)
{
    int list[] = {a, b, c};
    if (setjmp(env))
        return -1;
    qsort(list, 3, sizeof *list, by_number);
    return list[0] == 7;
}

/* What was changed since is as it was changed. */
int locals(int x)
{
    volatile int changed = 1;
    volatile struct { int a, b; } pair = {1, 2};
    char text[8] = "abc";
    if (setjmp(env)) {
        if (changed == 5 && pair.b == x && strcmp(text, "xyz") == 0)
            return changed + pair.a;
        return -1; /* never */
    }
    changed = 5;
    pair.a = 10;
    pair.b = x;
    strcpy(text, "xyz");
    if (x > 3)
        jump(1);
    return 0;
}

/* An array whose length is known only at run time, and a value from before. */
int lengths(int n, int x)
{
    if (n < 1 || n > 4)
        return 0;
    int array[n];
    for (int i = 0; i < n; i++)
        array[i] = x + i;
    if (setjmp(env))
        return array[n - 1] == 12 ? 2 : 3;
    if (x > 0)
        jump(1);
    return 1;
}

/* A state that is saved and restored. */
int saved(int x)
{
    jmp_buf kept;
    if (setjmp(env) == 0) {
        memcpy(&kept, &env, sizeof kept);
        if (setjmp(env) == 0) {
            if (x == 1)
                jump(1);
            memcpy(&env, &kept, sizeof kept);
            if (x == 2)
                jump(1);
            return 0;
        }
        return 10;
    }
    return 20;
}

static float quotient(float a, float b)
{
    if (b == 0)
        jump(4);
    return a / b;
}

/* Through functions that return other things than numbers; through a pointer to longjmp. */
static void (*volatile leave)(jmp_buf, int) = longjmp;
static char *text_of(int x)
{
    if (x == 3)
        leave(env, 5);
    return "text";
}

int results(float b, int x)
{
    int value = setjmp(env);
    if (value == 4)
        return 4;
    if (value == 5)
        return 5;
    if (quotient(1, b) > 2 && text_of(x)[0] == 't')
        return 1;
    return 0;
}

/* In an expression. */
int expression(int x, int y)
{
    if (x > 2 && !setjmp(env) && (y < 5 || (jump(1), 0)))
        return 1;
    return 0;
}
