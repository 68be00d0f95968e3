// gen: --iterations 200
/* Conditions that the compiler turns round: variables that hold comparisons, choices between constants, cases that
 * share statements. The side that is recorded must be the side that is taken. */
#include <string.h>

enum { LOW = 3, HIGH = 9 };

int held(int a, int b)
{
    int is_one = a == 1, is_other = a != b;
    if (is_one && (is_other || b == 0))
        return 1;
    return (is_one && is_other) || !is_one ? LOW : HIGH;
}

int command(const char *line)
{
    int is_set = strncmp(line, "set", 3) == 0;
    if (!is_set && strncmp(line, "get", 3) != 0)
        return -1;
    return is_set ? HIGH : LOW;
}

int sign(unsigned bits)
{
    int negative = (int)(bits >> 31);
    if (negative == 1)
        return -1;
    return negative != 1 && bits == 5 ? 5 : 0;
}

int chosen(int a, int b, int c)
{
    int x = a > 3 && b < 4 ? 7 : 3;
    int y = (a == 1 || b == 2) && c != 3 ? LOW : HIGH;
    return x + y;
}

static int kind(int c)
{
    switch (c) {
    case '+':
    case '-':
    case '*':
        return 1;
    case 'a':
    case 'b':
        return 2;
    case 1000:
        c = 4;
        /* fall through */
    default:
        return c;
    }
}

int kinds(const char *text)
{
    int n = 0;
    for (; *text; text++)
        if (kind(*text) == 1)
            n++;
    return n;
}
