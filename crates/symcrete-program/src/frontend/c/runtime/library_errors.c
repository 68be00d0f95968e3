/* What glibc's functions leave in `errno`, and musl's do not. In a program that knows `errno`, the front end makes calls of these
 * functions of all calls of the library's (`library_errors.rs`). Whether a math function of this machine sets it, the host says. */

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* As glibc has them: ERANGE beyond `long`. */
int __symcrete_errno_atoi(const char *text) { return (int)strtol(text, 0, 10); }
long __symcrete_errno_atol(const char *text) { return strtol(text, 0, 10); }
long long __symcrete_errno_atoll(const char *text) { return strtoll(text, 0, 10); }

/* To enter this is to meet the gap: what the function leaves in `errno` on other machines is not known here. */
__attribute__((noinline)) void __symcrete_math_error_unknown(void) { __asm__ volatile(""); }

/* 0 is no error, 1 an argument that the function is not defined for, 2 a result that is too large or too small. */
static void leave_error(int error)
{
    if (error)
        errno = error == 1 ? EDOM : ERANGE;
}

#define HOST(name) __attribute__((import_module("symcrete"), import_name("error_of_" #name)))
#define KNOWN1(type, name)                     \
    HOST(name) int __symcrete_error_of_##name(type); \
    type __symcrete_errno_##name(type x)       \
    {                                          \
        leave_error(__symcrete_error_of_##name(x));    \
        return name(x);                        \
    }
#define KNOWN2(type, name)                           \
    HOST(name) int __symcrete_error_of_##name(type, type); \
    type __symcrete_errno_##name(type x, type y)     \
    {                                                \
        leave_error(__symcrete_error_of_##name(x, y));       \
        return name(x, y);                           \
    }
#define ONE(name) KNOWN1(double, name) KNOWN1(float, name##f)
#define TWO(name) KNOWN2(double, name) KNOWN2(float, name##f)

ONE(acos) ONE(acosh) ONE(asin) ONE(asinh) ONE(atan) ONE(atanh) ONE(cos) ONE(cosh) ONE(erf) ONE(erfc) ONE(exp) ONE(exp2) ONE(expm1)
ONE(log) ONE(log10) ONE(log1p) ONE(log2) ONE(logb) ONE(sin) ONE(sinh) ONE(sqrt) ONE(tan) ONE(tanh) ONE(tgamma)
TWO(atan2) TWO(fdim) TWO(fmod) TWO(hypot) TWO(nextafter) TWO(pow) TWO(remainder)

/* It leaves the sign in `signgam`. */
extern int signgam;
#define GAMMA(type, name, floor)                                           \
    HOST(name) int __symcrete_error_of_##name(type);                       \
    type __symcrete_errno_##name(type x)                                   \
    {                                                                      \
        type below = floor(x);                                             \
        int is_odd = x < 0 && below != x && floor(below / 2) * 2 != below; \
        signgam = is_odd || (x == 0 && signbit(x)) ? -1 : 1;               \
        leave_error(__symcrete_error_of_##name(x));                        \
        return name(x);                                                    \
    }
GAMMA(double, lgamma, floor) GAMMA(float, lgammaf, floorf)

/* glibc: an error unless the argument was zero or not finite already. */
#define SCALED(type, name, by)                                        \
    type __symcrete_errno_##name(type x, by n)                        \
    {                                                                 \
        type scaled = name(x, n);                                     \
        if (isfinite(x) && x != 0 && (!isfinite(scaled) || scaled == 0)) \
            errno = ERANGE;                                           \
        return scaled;                                                \
    }
SCALED(double, ldexp, int) SCALED(float, ldexpf, int) SCALED(double, scalbn, int) SCALED(float, scalbnf, int)
SCALED(double, scalbln, long) SCALED(float, scalblnf, long)

/* The others, which the host does not compute. */
#define OTHER1(result, name, type)           \
    result __symcrete_errno_##name(type x)   \
    {                                        \
        __symcrete_math_error_unknown();     \
        return name(x);                      \
    }
#define OTHER2(result, name, type, second)             \
    result __symcrete_errno_##name(type x, second y)   \
    {                                                  \
        __symcrete_math_error_unknown();               \
        return name(x, y);                             \
    }
#define LONG1(name) OTHER1(long double, name, long double)
#define LONG2(name) OTHER2(long double, name, long double, long double)

LONG1(acosl) LONG1(acoshl) LONG1(asinl) LONG1(asinhl) LONG1(atanl) LONG1(atanhl) LONG1(cosl) LONG1(coshl) LONG1(erfl) LONG1(erfcl)
LONG1(expl) LONG1(exp2l) LONG1(expm1l) LONG1(lgammal) LONG1(logl) LONG1(log10l) LONG1(log1pl) LONG1(log2l) LONG1(logbl) LONG1(sinl)
LONG1(sinhl) LONG1(sqrtl) LONG1(tanl) LONG1(tanhl) LONG1(tgammal)
LONG2(atan2l) LONG2(fdiml) LONG2(fmodl) LONG2(hypotl) LONG2(nextafterl) LONG2(powl) LONG2(remainderl)
OTHER2(long double, ldexpl, long double, int) OTHER2(long double, scalbnl, long double, int) OTHER2(long double, scalblnl, long double, long)
OTHER2(double, nexttoward, double, long double) OTHER2(float, nexttowardf, float, long double)
OTHER1(int, ilogb, double) OTHER1(int, ilogbf, float) OTHER1(int, ilogbl, long double)
