/* Functions that are given their arguments as a list. */
#include <stdarg.h>
#include <stdio.h>

int vsum(int n, va_list list)
{
    int sum = 0;
    for (int i = 0; i < n && i < 4; i++)
        sum += va_arg(list, int);
    if (sum == 42)
        return -1;
    return n;
}

int is_seven(va_list list)
{
    if (va_arg(list, int) == 7)
        return 1;
    return 0;
}

int vprint(char to[32], short level, const char *format, va_list list)
{
    if (level > 2)
        return -1;
    int n = vsnprintf(to, 32, format, list);
    if (n == 5)
        return 50;
    return n;
}
