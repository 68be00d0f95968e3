/* Static functions and variables, one name in two files, globals as inputs, state that outlives a call. */
// gen: statics_other.c --globals
static int limit = 3;
int total;
int table[4] = {1, 2, 3, 4};
const int fixed = 9;
extern int shared;
int other(int x);

static int helper(int x)
{
    return x > limit ? x - limit : 0;
}

int count(int x)
{
    static int calls;
    calls++;
    total += helper(x);
    if (calls == 1 && total > 50)
        return fixed;
    return calls;
}

int pick(int i)
{
    if (i >= 0 && i < 4 && table[i] == 100)
        return 1;
    return shared == 5;
}

int mixed(int x)
{
    return helper(x) + other(x);
}
