/* What glibc has and other C libraries have not. */

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

/* <error.h>: messages on standard error, and the end of the program unless the status is 0. */

extern void *const stderr, *const stdout;
int fflush(void *file);
int fputs(const char *text, void *file);
int fprintf(void *file, const char *format, ...);
int vfprintf(void *file, const char *format, __builtin_va_list arguments);
char *strerror(int number);
_Noreturn void exit(int status);

static void symcrete_say(int status, int number, const char *format, __builtin_va_list arguments)
{
    vfprintf(stderr, format, arguments);
    if (number)
        fprintf(stderr, ": %s", strerror(number));
    fputs("\n", stderr);
    if (status)
        exit(status);
}

void symcrete_error(int status, int number, const char *format, ...)
{
    __builtin_va_list arguments;
    __builtin_va_start(arguments, format);
    fflush(stdout);
    fputs("program: ", stderr);
    symcrete_say(status, number, format, arguments);
    __builtin_va_end(arguments);
}

void symcrete_error_at_line(
    int status, int number, const char *file, unsigned line, const char *format, ...)
{
    __builtin_va_list arguments;
    __builtin_va_start(arguments, format);
    fflush(stdout);
    fprintf(stderr, "program:%s:%u: ", file, line);
    symcrete_say(status, number, format, arguments);
    __builtin_va_end(arguments);
}
