/* There is one thread, so an atomic operation is a plain one. */
#define a_cas a_cas
static inline int a_cas(volatile int *place, int expected, int wanted)
{
    int found = *place;
    if (found == expected)
        *place = wanted;
    return found;
}

#define a_cas_p a_cas_p
static inline void *a_cas_p(volatile void *place, void *expected, void *wanted)
{
    void *volatile *pointer = (void *volatile *)place;
    void *found = *pointer;
    if (found == expected)
        *pointer = wanted;
    return found;
}

#define a_barrier a_barrier
static inline void a_barrier(void) {}

#define a_crash a_crash
static inline void a_crash(void) { __builtin_trap(); }

#define a_ctz_64 a_ctz_64
static inline int a_ctz_64(uint64_t bits) { return __builtin_ctzll(bits); }

#define a_clz_64 a_clz_64
static inline int a_clz_64(uint64_t bits) { return __builtin_clzll(bits); }
