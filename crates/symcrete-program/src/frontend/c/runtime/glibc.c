/* What glibc's headers make of `isinf` and its kin. Preprocessed files ('.i') call these, and the C libraries here have none of
 * them: they would be undefined functions, which return anything. */

#define CLASSIFYING(type, suffix) \
    __attribute__((weak)) int __isnan##suffix(type x) { return __builtin_isnan(x); } \
    __attribute__((weak)) int __finite##suffix(type x) { return !__builtin_isnan(x - x); } \
    __attribute__((weak)) int __isinf##suffix(type x) \
    { \
        return __builtin_isnan(x) || !__builtin_isnan(x - x) ? 0 : x > 0 ? 1 : -1; \
    }

CLASSIFYING(float, f)
CLASSIFYING(double, )
CLASSIFYING(long double, l)
