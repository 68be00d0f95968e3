/* Code that every caller has a copy of. */
__attribute__((always_inline)) static inline int inlined(int x)
{
    if (x == 1234)
        return x + 1;
    return x;
}

#define CHECK(x)                                                                                   \
    if ((x) == 77)                                                                                 \
    return -1
