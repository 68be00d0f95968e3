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
