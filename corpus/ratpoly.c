/* ratpoly: polynomials of degree 1 with rational coefficients: product, value at a point, printable form.
 *
 * Takaki et al. 2010 (after an example of Randoop). Entry: ratpoly(n0, d0, n1, d1, x) for p(t) = n0/d0 + n1/d1 * t; the
 * product is p * p. Bounds: all within -20..20, else -1. A zero denominator makes a coefficient "not a number".
 * Returns a digit for each property, or -2 when something is not a number.
 * Infeasible: nothing known.
 */

struct ratnum {
    int numerator;
    int denominator; /* 0: not a number */
};

struct poly {
    int degree;
    struct ratnum coefficients[3];
};

static int gcd(int a, int b) {
    while (b != 0) {
        int rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static struct ratnum ratnum(int numerator, int denominator) {
    struct ratnum r = {numerator, denominator};
    if (denominator == 0) {
        r.numerator = 0;
        return r;
    }
    int divisor = gcd(numerator, denominator);
    r.numerator = numerator / divisor;
    r.denominator = denominator / divisor;
    if (r.denominator < 0) {
        r.numerator = -r.numerator;
        r.denominator = -r.denominator;
    }
    return r;
}

static struct ratnum add(struct ratnum x, struct ratnum y) {
    return ratnum(x.numerator * y.denominator + y.numerator * x.denominator, x.denominator * y.denominator);
}

static struct ratnum multiply(struct ratnum x, struct ratnum y) {
    return ratnum(x.numerator * y.numerator, x.denominator * y.denominator);
}

/* The degree of the highest coefficient that is not zero. */
static void trim(struct poly *p) {
    while (p->degree > 0 && p->coefficients[p->degree].numerator == 0) {
        p->degree--;
    }
}

static struct poly product(const struct poly *p, const struct poly *q) {
    struct poly result = {p->degree + q->degree, {{0, 1}, {0, 1}, {0, 1}}};
    for (int i = 0; i <= p->degree; i++) {
        for (int j = 0; j <= q->degree; j++) {
            struct ratnum term = multiply(p->coefficients[i], q->coefficients[j]);
            result.coefficients[i + j] = add(result.coefficients[i + j], term);
        }
    }
    return result;
}

static struct ratnum value(const struct poly *p, int x) {
    struct ratnum point = {x, 1};
    struct ratnum sum = p->coefficients[p->degree];
    for (int i = p->degree - 1; i >= 0; i--) {
        sum = add(multiply(sum, point), p->coefficients[i]);
    }
    return sum;
}

static int is_small(int value) {
    return value >= -20 && value <= 20;
}

int ratpoly(int n0, int d0, int n1, int d1, int x) {
    if (!is_small(n0) || !is_small(d0) || !is_small(n1) || !is_small(d1) || !is_small(x)) {
        return -1;
    }
    struct poly p = {1, {ratnum(n0, d0), ratnum(n1, d1), {0, 1}}};
    if (p.coefficients[0].denominator == 0 || p.coefficients[1].denominator == 0) {
        return -2;
    }
    trim(&p);
    struct poly square = product(&p, &p);
    struct ratnum y = value(&p, x);
    int result = p.degree + 1;
    result *= 10;
    if (y.denominator == 1 && y.numerator > 100) {
        result += 1;
    } else if (y.numerator == 0) {
        result += 2;
    }
    result *= 10;
    if (square.coefficients[0].numerator == 49 && square.coefficients[0].denominator == 4) {
        result += 1;
    }
    result *= 10;
    if (value(&square, x).numerator == 81) {
        result += 1;
    }
    return result;
}

/* The size that the paper's queries have: sums, differences, products, derivatives, values, comparisons and printed forms of polynomials
 * in four numbers. */
static struct ratnum negated(struct ratnum x) {
    struct ratnum result = {-x.numerator, x.denominator};
    return result;
}

static struct poly sum(const struct poly *p, const struct poly *q) {
    struct poly result = {p->degree > q->degree ? p->degree : q->degree, {{0, 1}, {0, 1}, {0, 1}}};
    for (int i = 0; i <= result.degree; i++) {
        struct ratnum zero = {0, 1};
        struct ratnum left = i <= p->degree ? p->coefficients[i] : zero;
        struct ratnum right = i <= q->degree ? q->coefficients[i] : zero;
        result.coefficients[i] = add(left, right);
    }
    trim(&result);
    return result;
}

static struct poly opposite_of(const struct poly *p) {
    struct poly result = {p->degree, {{0, 1}, {0, 1}, {0, 1}}};
    for (int i = 0; i <= p->degree; i++) {
        result.coefficients[i] = negated(p->coefficients[i]);
    }
    return result;
}

static struct poly derivative(const struct poly *p) {
    struct poly result = {p->degree > 0 ? p->degree - 1 : 0, {{0, 1}, {0, 1}, {0, 1}}};
    for (int i = 1; i <= p->degree; i++) {
        struct ratnum exponent = {i, 1};
        result.coefficients[i - 1] = multiply(p->coefficients[i], exponent);
    }
    return result;
}

static int n_digits(int value) {
    int n = 1;
    while (value >= 10) {
        value /= 10;
        n++;
    }
    return n;
}

/* The length of "3/4*x^2-x+1". */
static int printed_length(const struct poly *p) {
    int length = 0;
    for (int i = p->degree; i >= 0; i--) {
        struct ratnum c = p->coefficients[i];
        if (c.numerator == 0) {
            continue;
        }
        if (c.numerator < 0 || length > 0) {
            length++;
        }
        int size = c.numerator < 0 ? -c.numerator : c.numerator;
        if (i == 0 || size != 1 || c.denominator != 1) {
            length += n_digits(size);
            if (c.denominator != 1) {
                length += 1 + n_digits(c.denominator);
            }
            length += i == 0 ? 0 : 1;
        }
        length += i == 0 ? 0 : i == 1 ? 1 : 3;
    }
    return length == 0 ? 1 : length;
}

/* Negative, zero or positive, as x is less than, equal to or greater than y. */
static int compare(struct ratnum x, struct ratnum y) {
    int left = x.numerator * y.denominator;
    int right = y.numerator * x.denominator;
    return left < right ? -1 : left > right;
}

int ratpoly_sequence(int n0, int d0, int n1, int x) {
    if (!is_small(n0) || !is_small(d0) || !is_small(n1) || !is_small(x)) {
        return -1;
    }
    struct poly p = {1, {ratnum(n0, d0), ratnum(n1, 1), {0, 1}}};
    struct poly q = {1, {ratnum(n1, 1), ratnum(x, 1), {0, 1}}};
    if (p.coefficients[0].denominator == 0) {
        return -2;
    }
    trim(&p);
    trim(&q);
    int length = printed_length(&p) + printed_length(&q);
    int order = compare(p.coefficients[0], q.coefficients[0]) + compare(value(&p, 1), value(&q, 1));
    struct poly minus_p = opposite_of(&p);
    struct poly minus_q = opposite_of(&q);
    struct poly both = sum(&p, &q);
    struct poly difference = sum(&p, &minus_q);
    struct poly nothing = sum(&p, &minus_p);
    length += printed_length(&both) + printed_length(&difference);
    struct poly square = product(&p, &q);
    trim(&square);
    struct poly slope = derivative(&square);
    trim(&slope);
    length += printed_length(&slope);
    struct ratnum y = value(&both, x);
    struct ratnum z = value(&square, x);
    int result = 100 * both.degree + 10 * square.degree + nothing.degree + difference.degree + length;
    result *= 10;
    if (y.numerator == z.numerator && y.denominator == z.denominator) {
        result += 1;
    }
    if (z.denominator > 4 && z.numerator > 30) {
        result += 2;
    }
    if (order == 0 && compare(y, z) < 0) {
        result += 4;
    }
    return result;
}
