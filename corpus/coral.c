/* coral: 65 single conditions over doubles, most with functions of the C library.
 *
 * Dinges and Agha 2014. Entries: coral_01 ... coral_91 (the numbers are the paper's); each returns 1 when its condition holds.
 * Infeasible: coral_46 true (y > 1 and y < 1) and coral_15 false (it has no variable in it); see units.tsv. Most
 * others are false for NaN.
 */

#include <math.h>

static const double E = 2.7182818284590452354;

int coral_01(double x, double y) {
    if (sin(x) + cos(y) > 1) {
        return 1;
    }
    return 0;
}

int coral_02(double x, double y) {
    if (sin(x) - cos(y) < 0.0000000001) {
        return 1;
    }
    return 0;
}

int coral_03(double x, double y) {
    if (sin(x) - cos(y) == 0) {
        return 1;
    }
    return 0;
}

int coral_04(double x) {
    if (exp(x) > 0) {
        return 1;
    }
    return 0;
}

int coral_05(double x, double y, double z) {
    if (sin(x) + sin(y) + sin(z) == 4 * cos(x) * cos(y) * cos(z)) {
        return 1;
    }
    return 0;
}

int coral_06(double x, double y, double z) {
    if (cos(x) + cos(y) + cos(z) > 4 * sin(x / 2) * sin(y / 2) * sin(z / 2)) {
        return 1;
    }
    return 0;
}

int coral_07(double x, double y, double z, double w) {
    if (sin(2 * x - y) / (cos(2 * y + y) + 1) == cos(2 * z + x) / (sin(2 * w + y) - 1)) {
        return 1;
    }
    return 0;
}

int coral_08(double x, double y, double z) {
    if (cos(3 * x + 2 * y - z) * sin(z + x + y) == cos(z * x * y)) {
        return 1;
    }
    return 0;
}

int coral_09(double x, double y) {
    if (sin(cos(x * y)) < cos(sin(x * y))) {
        return 1;
    }
    return 0;
}

int coral_10(double x, double y, double z) {
    if (sin(x * cos(y * sin(z))) > cos(x * sin(y * cos(z)))) {
        return 1;
    }
    return 0;
}

int coral_11(double x, double y, double z, double w) {
    if (asin(x) < cos(y) * cos(z) - atan(w)) {
        return 1;
    }
    return 0;
}

int coral_12(double x, double y, double z, double w) {
    if ((asin(x) * asin(y)) - 1 < atan(z) * atan(w)) {
        return 1;
    }
    return 0;
}

int coral_13(double x, double y, double z, double w) {
    if (sin(y) * asin(x) < cos(y) * cos(z) - atan(w)) {
        return 1;
    }
    return 0;
}

int coral_14(double x, double y, double z, double w) {
    if (sin(y) * asin(x) - 300 < cos(y) * cos(z) - atan(w)) {
        return 1;
    }
    return 0;
}

int coral_15(double x, double y, double z, double w) {
    (void)x;
    (void)y;
    (void)z;
    (void)w;
    if (((asin(1) * asin(cos(9 * 57))) - 1) < (atan(0) * atan(0))) {
        return 1;
    }
    return 0;
}

int coral_16(double x, double y, double z, double w, double v) {
    if (tan(w - x) * cos(sin(w / v)) - atan(y + 20 + z) + asin(y - 15) < sin(w * w) * cos(x * w * v) - tan(cos(x * w *
        x)) + sin(w)) {
        return 1;
    }
    return 0;
}

int coral_17(double x) {
    if (asin(x) * acos(x) < atan(x)) {
        return 1;
    }
    return 0;
}

int coral_18(double x) {
    if ((1 + acos(x)) < asin(x)) {
        return 1;
    }
    return 0;
}

int coral_19(double x, double y, double z) {
    if (3 * acos(x) < atan(y) + asin(z)) {
        return 1;
    }
    return 0;
}

int coral_20(double x, double y) {
    if (sin(sin(x * y)) < 0 && cos(2 * x) > 0.25) {
        return 1;
    }
    return 0;
}

int coral_21(double x, double y) {
    if (cos(x * y) < 0 && sin(2 * x) > 0.25) {
        return 1;
    }
    return 0;
}

int coral_22(double x, double y, double z, double w, double v, double t, double q) {
    if ((sin(cos(x * y)) < cos(sin(y * z))) && sin(w * 2.0 - y) / (cos(t * 2.0 + q) + 1.0) == (cos(z * 2.0 + x) / (sin(w
        * 2.0 + v) + 1.0))) {
        return 1;
    }
    return 0;
}

int coral_23(double x, double y, double z, double w) {
    if (sin(2 * x - y) / (cos(2 * y + x) + 1) == cos(2 * z + x) / (sin(2 * w + y) - 1) && sin(x * y * z * w) > 0 &&
        cos(x * y * z * w) < 0) {
        return 1;
    }
    return 0;
}

int coral_25(double x, double y, double z, double w, double v) {
    if (sin(cos(x * y)) < cos(sin(x * z)) && (sin(2 * w - y) / (cos(2 * y + v) + 1) == cos(2 * z + x) / (sin(2 * w + v)
        - 1))) {
        return 1;
    }
    return 0;
}

int coral_26(double x, double y, double z, double w, double v) {
    if (sin(cos(x * y)) < cos(sin(x * z)) && (sin(2 * w - y) / (cos(2 * y + v) + 1) == cos(2 * z + x) / (sin(2 * w + v)
        - 1)) && sin(x * y * z * w) > 0 && cos(x * y * z * w) < 0) {
        return 1;
    }
    return 0;
}

int coral_27(double x, double y, double z) {
    if (sin(x * cos(y * sin(z))) > cos(x * sin(y * cos(z))) && sin(cos(x * y)) < cos(sin(x * y))) {
        return 1;
    }
    return 0;
}

int coral_29(double x) {
    if (exp(x) > 5) {
        return 1;
    }
    return 0;
}

int coral_32(double x) {
    if (sqrt(x) > 5) {
        return 1;
    }
    return 0;
}

int coral_33(double x) {
    if (sqrt(sin(x)) > sqrt(cos(x))) {
        return 1;
    }
    return 0;
}

int coral_34(double x) {
    if (sqrt(sin(x)) < sqrt(cos(x))) {
        return 1;
    }
    return 0;
}

int coral_35(double x, double y) {
    if (1.0 / sqrt(sin(x)) > sqrt(cos(exp(y)))) {
        return 1;
    }
    return 0;
}

int coral_38(double x, double y) {
    if (atan2(x, y) == 1.0) {
        return 1;
    }
    return 0;
}

int coral_39(double x, double y) {
    if (pow(x, y) == 1.0) {
        return 1;
    }
    return 0;
}

int coral_40(double x, double y) {
    if (pow(x, 2) == x + y) {
        return 1;
    }
    return 0;
}

int coral_41(double x, double y) {
    if (pow(x, 2) == x + y && x >= -1 && y <= 2) {
        return 1;
    }
    return 0;
}

int coral_42(double x, double y) {
    if (pow(x, y) > pow(y, x) && x > 1 && y <= 10) {
        return 1;
    }
    return 0;
}

int coral_43(double x, double y) {
    if (pow(x, y) > pow(y, x) && exp(y) > exp(x) && y < pow(x, 2)) {
        return 1;
    }
    return 0;
}

int coral_44(double x, double y) {
    if (pow(x, y) > pow(y, x) && exp(y) < exp(x)) {
        return 1;
    }
    return 0;
}

int coral_45(double x, double y, double z) {
    if (sqrt(exp(x + y)) < pow(z, x) && x > 0 && y > 1 && z > 1 && y <= x + 2) {
        return 1;
    }
    return 0;
}

int coral_46(double x, double y, double z, double w) {
    if (sqrt(pow(E, (x + z))) < pow(z, x) && x > 0 && y > 1 && z > 1 && y < 1 && y < x + 2 && w == x + 2) {
        return 1;
    }
    return 0;
}

int coral_47(double x, double y, double z) {
    if (exp(x + y) == exp(z)) {
        return 1;
    }
    return 0;
}

int coral_48(double x, double y, double z) {
    if (x + y != z) {
        return 1;
    }
    return 0;
}

int coral_49(double x, double y) {
    if (pow(x, 2) + 3 * sqrt(y) < x * y && x < pow(y, 2) && x + y < 50) {
        return 1;
    }
    return 0;
}

int coral_50(double x, double y) {
    if (pow(x, 2) + 3 * sqrt(y) < x * y && x < pow(y, 2) && x + y < 50 && x == -13 + y) {
        return 1;
    }
    return 0;
}

int coral_52(double x, double y, double z) {
    if (pow(x, tan(y)) + z < x * atan(z) && sin(y) + cos(y) + tan(y) >= x - z) {
        return 1;
    }
    return 0;
}

int coral_53(double x, double y, double z) {
    if (pow(x, tan(y)) + z < x * atan(z) && sin(y) + cos(y) + tan(y) >= x - z && atan(x) + atan(y) > y) {
        return 1;
    }
    return 0;
}

int coral_56(double x, double y, double z, double w, double t) {
    if (x * y + atan(z) * sin(w * t) > x / y + z + tan(w + t)) {
        return 1;
    }
    return 0;
}

int coral_61(double x, double y, double z, double w) {
    if (x + y > z / w && sqrt(x) > z / y && z * 2 + w * 3 + x * 7 < pow(y, 6) && z + w > x + y && w < x / y) {
        return 1;
    }
    return 0;
}

int coral_62(double x, double y, double z, double w) {
    if (x + y > z / w && sqrt(x) > z / y && z * 2 + w * 3 + x * 7 < pow(y, 6) && z + w > x + y && w < x / y && x > (w +
        y - z)) {
        return 1;
    }
    return 0;
}

int coral_70(double a, double b, double c, double d, double e, double f, double g, double h, double i, double j,
             double k, double l, double m, double n, double o, double p, double q, double r, double s, double t,
             double u, double v, double x, double z) {
    if (sin(a) > sin(b) && sin(b) > sin(c) && sin(c) > sin(d) && sin(d) > sin(e) && sin(e) > sin(f) && sin(f) > sin(g)
        && sin(g) > sin(h) && sin(h) > sin(i) && sin(i) > sin(j) && sin(j) > sin(k) && sin(k) > sin(l) && sin(l) >
        sin(m) && sin(m) > sin(n) && sin(n) > sin(o) && sin(o) > sin(p) && sin(p) > sin(q) && sin(q) > sin(r) && sin(r)
        > sin(s) && sin(s) > sin(t) && sin(t) > sin(u) && sin(u) > sin(v) && sin(v) > sin(x) && sin(x) > sin(z)) {
        return 1;
    }
    return 0;
}

int coral_71(double a, double b, double c, double d, double e, double f, double g, double h, double i, double j,
             double k, double l) {
    if (sin(a) > sin(b) && sin(b) > sin(c) && sin(c) > sin(d) && sin(d) > sin(e) && sin(e) > sin(f) && sin(f) > sin(g)
        && sin(g) > sin(h) && sin(h) > sin(i) && sin(i) > sin(j) && sin(j) > sin(k) && sin(k) > sin(l)) {
        return 1;
    }
    return 0;
}

int coral_72(double a, double b, double c, double d, double e, double f, double g) {
    if (sin(a) > sin(b) && sin(b) > sin(c) && sin(c) > sin(d) && sin(d) > sin(e) && sin(e) > sin(f) && sin(f) > sin(g)) {
        return 1;
    }
    return 0;
}

int coral_73(double a, double b, double c, double d, double e, double f, double g, double h, double i, double j) {
    if (sin(a) > sin(b) && sin(b) > sin(c) && sin(c) > sin(d) && sin(d) > sin(e) && sin(e) > sin(f) && sin(f) > sin(g)
        && sin(g) > sin(h) && sin(h) > sin(i) && sin(i) > sin(j)) {
        return 1;
    }
    return 0;
}

int coral_74(double a, double b, double c, double d, double e, double f, double g, double h) {
    if (sin(a) > sin(b) && sin(b) > sin(c) && sin(c) > sin(d) && sin(d) > sin(e) && sin(e) > sin(f) && sin(f) > sin(g)
        && sin(g) > sin(h)) {
        return 1;
    }
    return 0;
}

int coral_75(double a, double b, double c, double d, double e, double f, double g, double h, double i) {
    if (sin(a) > sin(b) && sin(b) > sin(c) && sin(c) > sin(d) && sin(d) > sin(e) && sin(e) > sin(f) && sin(f) > sin(g)
        && sin(g) > sin(h) && sin(h) > sin(i)) {
        return 1;
    }
    return 0;
}

int coral_76(double a, double b, double c, double d, double e, double f, double g, double h, double i) {
    if (a > b && b > c && c > d && d > e && e > f && f > g && g > h && h > i) {
        return 1;
    }
    return 0;
}

int coral_77(double a, double b, double c, double d, double e, double f, double g, double h, double i, double j) {
    if (a > b && b > c && c > d && d > e && e > f && f > g && g > h && h > i && i > j) {
        return 1;
    }
    return 0;
}

int coral_78(double a, double b, double c, double d, double e, int f, int g, int h) {
    (void)g;
    if ((0.0 == (pow(((a * sin(((b * 0.017453292519943295 - c * 0.017453292519943295) + (((((((pow(d, 2.0) / (sin(e *
        0.017453292519943295) / cos(e * 0.017453292519943295))) / 68443.0) * 0.0) / d) * -1.0) * a) / ((pow(a, 2.0) /
        (sin((e * 0.017453292519943295)) / cos((e * 0.017453292519943295)))) / 68443.0))))) - (d * 0.0)), 2.0) + pow(((a
        * cos((((b * 0.017453292519943295) - (c * 0.017453292519943295)) + (((((((pow(d, 2.0) / (sin((e *
        0.017453292519943295)) / cos((e * 0.017453292519943295)))) / 68443.0) * 0.0) / d) * -1.0) * a) / ((pow(a, 2.0) /
        (sin((e * 0.017453292519943295)) / cos((e * 0.017453292519943295)))) / 68443.0))))) - d * 1.0), 2.0))) && f != 0
        && h != 0) {
        return 1;
    }
    return 0;
}

int coral_79(double a, double b, double c, double d, int e) {
    if ((0.0 == (pow(((a * sin(((0.017453292519943295 * b) - (0.017453292519943295 * c)))) - (0.0 * d)), 2.0) + pow((a *
        cos((((0.017453292519943295 * b) - (0.017453292519943295 * c)) + 0.0))), 2.0))) && e != 0) {
        return 1;
    }
    return 0;
}

int coral_80(double a, double b) {
    if ((1.5 - a * (1 - b)) == 0) {
        return 1;
    }
    return 0;
}

int coral_81(double a, double b) {
    if ((-13 + a + ((5 - b) * b - 2) * b) + (-29 + a + ((b + 1) * b - 14) * b) == 0) {
        return 1;
    }
    return 0;
}

int coral_82(double a, double b) {
    if ((pow(10, 4) * a * b - 1) == 0 && (pow(E, -a) + pow(E, -b) - 1.0001) == 0) {
        return 1;
    }
    return 0;
}

int coral_83(double a, double b) {
    if (pow((1 - a), 2) + 100 * (pow((b - a * a), 2)) == 0) {
        return 1;
    }
    return 0;
}

int coral_84(double a, double b, double c, double d) {
    if ((10 * (b - a * a)) == 0 && (1 - a) == 0 && (sqrt(90) * (d - c * c)) == 0 && (1 - c) == 0 && (sqrt(10) * (b + d -
        2)) == 0 && (pow(10, -0.5) * (b - d)) == 0) {
        return 1;
    }
    return 0;
}

int coral_91(double x, double y) {
    if (sin(x) == -sin(y) && sin(x) > 0) {
        return 1;
    }
    return 0;
}
