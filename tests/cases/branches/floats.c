/* Conditions on floating point values, with NaN, and conversions. */
#include <math.h>
#include <stdio.h>

int compare(double a, double b) {
    if (a < b) return 1;
    if (a <= b + 1) return 2;
    if (a == 7.5) return 3;
    if (a != a) return 4;
    if (!(a > b)) return 5;
    return 6;
}

int bare(float f, double d) {
    if (f) return 1;
    if (!d) return 2;
    if (d && f == 0.0f) return 3;
    return 4;
}

int converted(double d, float f) {
    if ((int)d > 3) return 1;
    if ((unsigned)f >= 7u) return 2;
    return d > 2.5 ? (int)f : (int)d;
}

double root(double a, double b, double c) {
    double d = b * b - 4 * a * c;
    if (d < 0 || a == 0) return NAN;
    return sqrt(d) > 1.0 && d < 4.0 ? (-b + sqrt(d)) / (2 * a) : 0;
}

int main(void) {
    printf("%d %d %d %d %d\n", compare(1, 2), compare(3, 2.5), compare(7.5, 1), compare(NAN, 1), compare(9, 1));
    printf("%d %d %d %d\n", bare(1, 1), bare(0, 0), bare(0, 2), compare(1, NAN));
    printf("%d %d %d %d\n", converted(5, 0), converted(1, 9), converted(2.7f, 1), converted(1.5, 2));
    printf("%g %g %g\n", root(1, 2, 3), root(1, 3, 1), root(1, 2, 1));
    printf("%g\n", root(0, 1, 1) + root(1, 2.5, 0.9));
    return 0;
}
