/* opti: roots of classic test functions for optimisers (More, Garbow and Hillstrom), as exact equalities of doubles.
 *
 * Dinges and Agha 2014. Entries: beale, freudenstein_roth, helical_valley, powell, rosenbrock, wood; each returns 1 at a root.
 * Infeasible: nothing. powell has exact roots in doubles, such as (0x1.707b2b0b09917p-17, 0x1.23658dd909a05p+3) with
 * glibc's pow.
 */

#include <math.h>

static const double PI = 3.14159265358979323846;
static const double E = 2.7182818284590452354;

int beale(double x1, double x2) {
    if (1.5 - x1 * (1 - x2) == 0) {
        return 1;
    }
    return 0;
}

int freudenstein_roth(double x1, double x2) {
    if ((-13 + x1 + ((5 - x2) * x2 - 2) * x2) + (-29 + x1 + ((x2 + 1) * x2 - 14) * x2) == 0) {
        return 1;
    }
    return 0;
}

static double theta(double x1, double x2) {
    if (x1 > 0) {
        return atan(x2 / x1) / (2 * PI);
    }
    if (x1 < 0) {
        return atan(x2 / x1) / (2 * PI) + 0.5;
    }
    return 0;
}

int helical_valley(double x1, double x2, double x3) {
    if (10 * (x3 - 10 * theta(x1, x2)) == 0 && 10 * (sqrt(x1 * x1 + x2 * x2) - 1) == 0 && x3 == 0) {
        return 1;
    }
    return 0;
}

int powell(double x1, double x2) {
    if (pow(10, 4) * x1 * x2 - 1 == 0 && pow(E, -x1) + pow(E, -x2) - 1.0001 == 0) {
        return 1;
    }
    return 0;
}

int rosenbrock(double x1, double x2) {
    if (pow(1 - x1, 2) + 100 * pow(x2 - x1 * x1, 2) == 0) {
        return 1;
    }
    return 0;
}

int wood(double x1, double x2, double x3, double x4) {
    if (10 * (x2 - x1 * x1) == 0 && 1 - x1 == 0 && sqrt(90) * (x4 - x3 * x3) == 0 && 1 - x3 == 0 &&
        sqrt(10) * (x2 + x4 - 2) == 0 && pow(10, -0.5) * (x2 - x4) == 0) {
        return 1;
    }
    return 0;
}
