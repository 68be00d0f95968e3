/* Errors that functions of the library leave in `errno`. */
#define _DEFAULT_SOURCE
#include <errno.h>
#include <math.h>
#include <stdlib.h>

enum { CALLS = 37, PAIRS = 81 };

/* What has no value as an int is far beyond all exponents. */
static int whole(double y) { return y != y ? 0 : y > 1e9 ? 1000000000 : y < -1e9 ? -1000000000 : (int)y; }

static int error_of(int call, int pair)
{
    static const double n[] = {-1.5, 0.0, 0.5, 2.0, 1e308, -1e308, 4e-320, HUGE_VAL, -200.0};
    double (*p)(double) = log;
    double x = n[pair / 9], y = n[pair % 9] < 1e9 ? n[pair % 9] : 3.0;
    volatile double r = 0;
    errno = 0;
    switch (call) {
    case 0: r = log(x); break;
    case 1: r = logf((float)x); break;
    case 2: r = log10(x); break;
    case 3: r = log1p(x); break;
    case 4: r = log2(x); break;
    case 5: r = logb(x); break;
    case 6: r = sqrt(x); break;
    case 7: r = sqrtf((float)x); break;
    case 8: r = acos(x); break;
    case 9: r = asin(x); break;
    case 10: r = acosh(x); break;
    case 11: r = atanh(x); break;
    case 12: r = exp(x); break;
    case 13: r = expf((float)x); break;
    case 14: r = exp2(x); break;
    case 15: r = expm1(x); break;
    case 16: r = sinh(x); break;
    case 17: r = cosh(x); break;
    case 18: r = sin(x); break;
    case 19: r = cosf((float)x); break;
    case 20: r = tan(x); break;
    case 21: r = tgamma(x); break;
    case 22: r = lgamma(x); break;
    case 23: r = erfc(x); break;
    case 24: r = pow(x, y); break;
    case 25: r = powf((float)x, (float)y); break;
    case 26: r = fmod(x, y); break;
    case 27: r = fmodf((float)x, (float)y); break;
    case 28: r = remainder(x, y); break;
    case 29: r = hypot(x, y); break;
    case 30: r = fdim(x, y); break;
    case 31: r = atan2(x, y); break;
    case 32: r = nextafter(x, y); break;
    case 33: r = ldexp(x, whole(y)); break;
    case 34: r = scalbn(x, whole(y)); break;
    case 35: r = (p)(x); break;
    case 36: r = floor(x); break;
    }
    (void)r;
    return errno == EDOM ? 1 : errno == ERANGE ? 2 : errno ? 3 : 0;
}

int all(void)
{
    unsigned sum = 0;
    for (int call = 0; call < CALLS; call++)
        for (int pair = 0; pair < PAIRS; pair++)
            sum = sum * 31 + (unsigned)error_of(call, pair);
    return (int)(sum >> 1);
}

int signs(int k)
{
    static const double n[] = {-0.5, -1.5, -2.5, 0.0, -0.0, 3.5, -1e300, -7.0, -1001.25};
    int sum = 0;
    for (int i = 0; i < 9; i++) {
        (void)lgamma(n[i]);
        sum = sum * 3 + signgam + 1;
        (void)lgammaf((float)n[i]);
        sum = sum * 3 + signgam + 1;
    }
    return k > 2 ? sum : 0;
}

int of_log(double x)
{
    errno = 0;
    double y = log(x);
    if (errno == EDOM)
        return -1;
    return y > 1;
}

int of_sqrt(float x)
{
    errno = 0;
    float y = sqrtf(x);
    if (errno)
        return -1;
    return y > 1;
}

int of_text(const char *s)
{
    errno = 0;
    int n = atoi(s);
    if (errno == ERANGE)
        return -1;
    return n;
}
