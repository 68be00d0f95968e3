int shared = 2;
static int limit = 30;

static int helper(int x)
{
    if (x == limit)
        return 1;
    return 2;
}

int other(int x)
{
    return helper(x) * 10;
}
