int clamped(int x, int limit);

#ifdef SINGLE_HEADER_IMPLEMENTATION
static int is_over(int x, int limit)
{
    return x > limit;
}

int clamped(int x, int limit)
{
    if (is_over(x, limit))
        return limit;
    return x < -100 ? -100 : x;
}
#endif
