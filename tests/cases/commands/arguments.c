#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

/* Numbers: as many as the first says. */
int sum(int n, ...)
{
    va_list list;
    int total = 0;

    va_start(list, n);
    for (int i = 0; i < n; i++)
        total += va_arg(list, int);
    va_end(list);
    if (total == 42)
        return 1;
    return 0;
}

/* Strings, up to a null pointer. */
int count_until_null(const char *first, ...)
{
    va_list list;
    int n = 0;

    va_start(list, first);
    for (const char *s = first; s; s = va_arg(list, const char *))
        if (s[0] == 'x')
            n++;
    va_end(list);
    return n == 2 ? 1 : 0;
}

/* One argument, of a type that another one says. */
int option(int kind, ...)
{
    va_list list;
    int result = -1;

    va_start(list, kind);
    if (kind == 1) {
        if (va_arg(list, int) == 7)
            result = 1;
    } else if (kind == 2) {
        if (va_arg(list, double) > 2.5)
            result = 2;
    } else if (kind == 3) {
        if (*va_arg(list, char *) == 'q')
            result = 3;
    }
    va_end(list);
    return result;
}

/* Numbers as wide as a pointer, and pointers of a type that nothing else mentions. */
int digits(int kind, ...)
{
    va_list list;
    int n = 0;

    va_start(list, kind);
    if (kind == 1) {
        for (unsigned long rest = va_arg(list, unsigned long); rest > 9; rest /= 10)
            n++;
    } else if (kind == 2) {
        if (va_arg(list, long) == -7)
            n = 1;
    } else if (kind == 3) {
        if (*va_arg(list, short *) == 1000)
            n = 4;
    }
    va_end(list);
    return n;
}

static char line[4];

static int print(const char *format, va_list list) { return vsnprintf(line, sizeof line, format, list); }

/* A format of the library, handed on. */
int note(const char *format, ...)
{
    va_list list;
    int n;

    va_start(list, format);
    n = print(format, list);
    va_end(list);
    if (n >= (int)sizeof line)
        return -1;
    return line[0] == '7' ? 7 : 0;
}
