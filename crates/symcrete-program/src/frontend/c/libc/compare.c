/* Comparisons of `long double`, which the compiler calls by these names.
 *
 * The compiler's own library returns a `long` from them where the compiler expects an `int`: such a call traps. */
struct quad {
    unsigned long low, high;
};

static struct quad bits_of(long double number)
{
    union {
        long double number;
        struct quad bits;
    } both = { number };
    return both.bits;
}

static int is_nan(struct quad bits)
{
    const unsigned long infinity = 0x7fff000000000000;
    unsigned long magnitude = bits.high & 0x7fffffffffffffff;
    return magnitude > infinity || (magnitude == infinity && bits.low);
}

static int is_zero(struct quad bits) { return !(bits.high << 1) && !bits.low; }

/* Negative, zero or positive as `a` is less than, equal to or greater than `b`. */
static int compare(long double a, long double b, int if_unordered)
{
    struct quad x = bits_of(a), y = bits_of(b);
    int is_negative = x.high >> 63;

    if (is_nan(x) || is_nan(y))
        return if_unordered;
    if ((is_zero(x) && is_zero(y)) || (x.high == y.high && x.low == y.low))
        return 0;
    if (is_negative != (int)(y.high >> 63))
        return is_negative ? -1 : 1;
    int is_nearer_to_zero = x.high < y.high || (x.high == y.high && x.low < y.low);
    return is_nearer_to_zero != is_negative ? -1 : 1;
}

int __eqtf2(long double a, long double b) { return compare(a, b, 1); }
int __netf2(long double a, long double b) { return compare(a, b, 1); }
int __lttf2(long double a, long double b) { return compare(a, b, 1); }
int __letf2(long double a, long double b) { return compare(a, b, 1); }
int __cmptf2(long double a, long double b) { return compare(a, b, 1); }
int __gttf2(long double a, long double b) { return compare(a, b, -1); }
int __getf2(long double a, long double b) { return compare(a, b, -1); }
int __unordtf2(long double a, long double b) { return is_nan(bits_of(a)) || is_nan(bits_of(b)); }
