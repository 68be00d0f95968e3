/* A function in a header. */
static inline int in_header(int x)
{
    return x > 3 ? x : 0;
}
