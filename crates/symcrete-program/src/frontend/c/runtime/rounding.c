/* Rounding directions. In a program that can change the direction, the front end makes calls of these functions of all float
 * operators that round (`rounding.rs`, docs/adr/0031-rounding-directions.md). The library computes to nearest. */

/* The numbers of x86-64. */
enum { NEAREST, DOWNWARD = 0x400, UPWARD = 0x800, TOWARD_ZERO = 0xc00, IS_SET = 1 };

/* Zero until somebody asks, so that it is no constant of the module, which backward execution would rely on. */
static int direction;

/* To enter this is to depend on the direction that was set before the call under test. */
__attribute__((noinline)) void __symcrete_first_direction(void) { __asm__ volatile(""); }

/* To enter this is to meet the gap: what is computed next is rounded to nearest, and elsewhere in another direction. */
__attribute__((noinline)) void __symcrete_rounded_to_nearest(void) { __asm__ volatile(""); }

static int current(void)
{
    if (!direction) {
        __symcrete_first_direction();
        direction = NEAREST | IS_SET;
    }
    return direction & ~IS_SET;
}

void __symcrete_unrounded(void)
{
    if (current() != NEAREST)
        __symcrete_rounded_to_nearest();
}

/* Sets a direction that is a constant, although the compiler does not know it. So what depends on an input is decided here, and
 * not at every operator. */
static int set(int constant)
{
    __asm__("" : "+r"(constant));
    direction = constant | IS_SET;
    return 0;
}

int __symcrete_fesetround(int wanted)
{
    switch (wanted) {
    case NEAREST: return set(NEAREST);
    case DOWNWARD: return set(DOWNWARD);
    case UPWARD: return set(UPWARD);
    case TOWARD_ZERO: return set(TOWARD_ZERO);
    default: return 1;
    }
}

int __symcrete_fegetround(void) { return current(); }

/* An environment is a direction, where x87's control word has it. Exceptions are not followed. */
int __symcrete_fegetenv(int *environment)
{
    *environment = current();
    return 0;
}

int __symcrete_fesetenv(const int *environment)
{
    const int *const by_default = (const int *)-1;
    return __symcrete_fesetround(environment == by_default ? NEAREST : *environment & TOWARD_ZERO);
}

int __symcrete_feholdexcept(int *environment) { return __symcrete_fegetenv(environment); }
int __symcrete_feupdateenv(const int *environment) { return __symcrete_fesetenv(environment); }

/* FLT_ROUNDS */
int __symcrete_flt_rounds(void)
{
    switch (current()) {
    case TOWARD_ZERO: return 0;
    case UPWARD: return 2;
    case DOWNWARD: return 3;
    default: return 1;
    }
}

void __symcrete_set_flt_rounds(int mode)
{
    static const int directions[] = { TOWARD_ZERO, NEAREST, UPWARD, DOWNWARD };
    if (mode >= 0 && mode < 4)
        __symcrete_fesetround(directions[mode]);
}

/* An operator: in three directions the host's, and WebAssembly's to nearest. */
#define DIRECTED(result, type, name, parameters, arguments, nearest) \
    SYMCRETE_HOST(type.name.down) result type##_##name##_down parameters; \
    SYMCRETE_HOST(type.name.up) result type##_##name##_up parameters; \
    SYMCRETE_HOST(type.name.zero) result type##_##name##_zero parameters; \
    result __symcrete_##type##_##name parameters \
    { \
        switch (current()) { \
        case DOWNWARD: return type##_##name##_down arguments; \
        case UPWARD: return type##_##name##_up arguments; \
        case TOWARD_ZERO: return type##_##name##_zero arguments; \
        default: return nearest; \
        } \
    }

#define ARITHMETIC(number, type, suffix) \
    DIRECTED(number, type, add, (number a, number b), (a, b), a + b) \
    DIRECTED(number, type, sub, (number a, number b), (a, b), a - b) \
    DIRECTED(number, type, mul, (number a, number b), (a, b), a * b) \
    DIRECTED(number, type, div, (number a, number b), (a, b), a / b) \
    DIRECTED(number, type, sqrt, (number a), (a), __builtin_sqrt##suffix(a)) \
    DIRECTED(number, type, fma, (number a, number b, number c), (a, b, c), fma##suffix(a, b, c))

float fmaf(float, float, float);
double fma(double, double, double);
ARITHMETIC(float, f32, f)
ARITHMETIC(double, f64, )

DIRECTED(float, f32, convert_i32_s, (int a), (a), (float)a)
DIRECTED(float, f32, convert_i32_u, (unsigned a), (a), (float)a)
DIRECTED(float, f32, convert_i64_s, (long long a), (a), (float)a)
DIRECTED(float, f32, convert_i64_u, (unsigned long long a), (a), (float)a)
DIRECTED(double, f64, convert_i64_s, (long long a), (a), (double)a)
DIRECTED(double, f64, convert_i64_u, (unsigned long long a), (a), (double)a)
DIRECTED(float, f32, demote_f64, (double a), (a), (float)a)

/* Rounding to an integral number is an operator in every direction. */
#define INTEGRAL(number, type, suffix) \
    number __symcrete_##type##_rint(number a) \
    { \
        switch (current()) { \
        case DOWNWARD: return __builtin_floor##suffix(a); \
        case UPWARD: return __builtin_ceil##suffix(a); \
        case TOWARD_ZERO: return __builtin_trunc##suffix(a); \
        default: return __builtin_rint##suffix(a); \
        } \
    } \
    long __symcrete_##type##_lrint(number a) { return (long)__symcrete_##type##_rint(a); } \
    long long __symcrete_##type##_llrint(number a) { return (long long)__symcrete_##type##_rint(a); }

INTEGRAL(float, f32, f)
INTEGRAL(double, f64, )
INTEGRAL(long double, f128, l)
