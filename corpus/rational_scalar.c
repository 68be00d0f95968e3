/* rational_scalar: sum, product and comparison of two fractions, kept in lowest terms.
 *
 * Takaki et al. 2010 (after ojAlgo's class). Entry: rational_scalar(a, b, c, d) for a/b and c/d. Bounds: all within
 * -1000..1000, denominators not 0, else -1 and -2. Returns a digit for each property that holds.
 * Infeasible: nothing known.
 */

struct rational {
    long long numerator;
    long long denominator; /* positive */
};

static long long gcd(long long a, long long b) {
    while (b != 0) {
        long long rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static struct rational rational(long long numerator, long long denominator) {
    if (denominator < 0) {
        numerator = -numerator;
        denominator = -denominator;
    }
    long long divisor = gcd(numerator < 0 ? -numerator : numerator, denominator);
    struct rational r = {numerator / divisor, denominator / divisor};
    return r;
}

static struct rational add(struct rational x, struct rational y) {
    if (x.denominator == y.denominator) {
        return rational(x.numerator + y.numerator, x.denominator);
    }
    return rational(x.numerator * y.denominator + y.numerator * x.denominator, x.denominator * y.denominator);
}

static struct rational multiply(struct rational x, struct rational y) {
    return rational(x.numerator * y.numerator, x.denominator * y.denominator);
}

static int compare(struct rational x, struct rational y) {
    long long left = x.numerator * y.denominator;
    long long right = y.numerator * x.denominator;
    if (left < right) {
        return -1;
    }
    if (left > right) {
        return 1;
    }
    return 0;
}

static int is_small(int value) {
    return value >= -1000 && value <= 1000;
}

int rational_scalar(int a, int b, int c, int d) {
    if (!is_small(a) || !is_small(b) || !is_small(c) || !is_small(d)) {
        return -1;
    }
    if (b == 0 || d == 0) {
        return -2;
    }
    struct rational x = rational(a, b);
    struct rational y = rational(c, d);
    struct rational sum = add(x, y);
    struct rational product = multiply(x, y);
    int result = compare(x, y) + 1;
    result *= 10;
    if (sum.denominator == 1) {
        result += 1;
    }
    result *= 10;
    if (product.numerator == 6 && product.denominator == 35) {
        result += 1;
    }
    result *= 10;
    if (compare(sum, product) == 0) {
        result += 1;
    }
    return result;
}
