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

/* The size that the paper's queries have: sum, product, quotient and powers of polynomials in four numbers. */
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
    struct poly opposite = {p.degree, {negated(p.coefficients[0]), negated(p.coefficients[1]), {0, 1}}};
    struct poly both = sum(&p, &q);
    struct poly nothing = sum(&p, &opposite);
    struct poly square = product(&p, &q);
    trim(&square);
    struct ratnum y = value(&both, x);
    struct ratnum z = value(&square, x);
    int result = 100 * both.degree + 10 * square.degree + nothing.degree;
    result *= 10;
    if (y.numerator == z.numerator && y.denominator == z.denominator) {
        result += 1;
    }
    if (z.denominator > 4 && z.numerator > 30) {
        result += 2;
    }
    return result;
}
