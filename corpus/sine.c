/* sine: a sine of our own in the manner of fdlibm, whose conditions look at the bit fields of a double.
 *
 * Dinges and Agha 2014. Entry: sine(x). Follows the paper's program, including the mantissa field that is taken from bit 31
 * instead of bit 32, and the low word that counts only when it is positive as a signed int.
 * Infeasible: nothing known.
 */

#include <math.h>
#include <stdint.h>
#include <string.h>

static const double PI_HALF = 1.5707963267948966;
static const double TWO_OVER_PI = 0.63661977236758138;

/* pi/2 in two parts; the first has 26 bits, so its product with a number of 26 bits is exact. */
static const double PI_HALF_HIGH = 1.5707963109016418;
static const double PI_HALF_LOW = 1.5893254773528196e-08;

/* The Taylor coefficients of sin(pi/2 * t) in t, t^3, ... t^15. */
static const double COEFFICIENTS[8] = {
    1.57079632679489656e+00, -6.45964097506246171e-01, 7.96926262461670337e-02, -4.68175413531868659e-03,
    1.60441184787359748e-04, -3.59884323521208391e-06, 5.69217292196792403e-08, -6.68803510981146354e-10,
};

static uint64_t bits_of(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* x without its 26 lowest mantissa bits. */
static double high_part(double x) {
    uint64_t bits = bits_of(x) & ~(uint64_t)0x3FFFFFF;
    double high;
    memcpy(&high, &bits, sizeof high);
    return high;
}

double sine(double x) {
    uint64_t bits = bits_of(x);
    int sign = (int)(bits >> 63);
    int exponent = (int)(bits >> 52 & 0x7FF);
    int m1 = (int)(bits >> 31 & 0xFFFFF);
    int32_t m2 = (int32_t)(uint32_t)bits;

    if (exponent == 2047) {
        if (m1 > 0 || m2 > 0) {
            return x;
        }
        return NAN;
    }
    if (exponent == 0) {
        if (m1 > 0 || m2 > 0) {
            return x - x * x;
        }
        return x;
    }
    if (exponent <= 969) {
        return x;
    }
    if (exponent <= 1010) {
        return x * (1 - x * x / 6);
    }
    if (sign == 1) {
        x = -x;
    }
    if (exponent < 1023) {
        /* below one: no reduction */
    } else if (exponent <= 1075) {
        double quarters = floor(x * TWO_OVER_PI + 0.5);
        int quadrant = (int)(bits_of(quarters + 4503599627370496.0) & 3);
        double high = high_part(quarters);
        double low = quarters - high;
        x = (x - high * PI_HALF_HIGH) - low * PI_HALF_HIGH - high * PI_HALF_LOW - low * PI_HALF_LOW;
        switch (quadrant) {
        case 0:
            if (x < 0) {
                x = -x;
                sign = 1 - sign;
            }
            break;
        case 1:
            if (x < 0) {
                x = PI_HALF + x;
            } else {
                x = PI_HALF - x;
            }
            break;
        case 2:
            if (x < 0) {
                x = -x;
            } else {
                sign = 1 - sign;
            }
            break;
        default:
            sign = 1 - sign;
            if (x < 0) {
                x = PI_HALF + x;
            } else {
                x = PI_HALF - x;
            }
            break;
        }
    } else {
        if (sign == 1) {
            return -0.0;
        }
        return 0.0;
    }

    x *= TWO_OVER_PI;
    if (x > 1e-4) {
        double square = x * x;
        double sum = COEFFICIENTS[7];
        for (int i = 6; i >= 0; i--) {
            sum = sum * square + COEFFICIENTS[i];
        }
        x = x * sum;
    } else {
        x = x * PI_HALF;
    }
    if (sign == 1) {
        return -x;
    }
    return x;
}
