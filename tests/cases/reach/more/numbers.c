// Targets that need floats, loops, recursion, division.
#include <math.h>

double newton(double x)
{
    double y = x;
    for (int i = 0; i < 20; i++)
        y = 0.5 * (y + x / y);
    if (x > 1.0 && y > 11.9999 && y < 12.0001)
        return 1; // TARGET reached
    return 0;
}

int inverted(double x)
{
    if (x > 0 && sin(x) * x > 7.5 && x < 9)
        return 1; // TARGET reached
    return 0;
}

int range(double x)
{
    if (x > 1.0 && x < 2.0) {
        if (x * x > 5.0)
            return 1; // TARGET unreachable
    }
    return 0;
}

static int fact(int n)
{
    return n <= 1 ? 1 : n * fact(n - 1);
}

int recursive(int n)
{
    if (n >= 0 && n < 6 && fact(n) == 24)
        return 1; // TARGET reached
    return 0;
}

int machine(const char *s)
{
    static const unsigned char next[4][3] = {{1, 0, 0}, {1, 2, 0}, {1, 0, 3}, {3, 3, 3}};
    unsigned char state = 0;
    if (!s)
        return 0;
    for (int i = 0; i < 6 && s[i]; i++) {
        int c = s[i] == 'a' ? 0 : s[i] == 'b' ? 1 : 2;
        state = next[state][c];
    }
    if (state == 3)
        return 1; // TARGET reached
    return 0;
}

int parser(const char *s)
{
    int value = 0, digits = 0;
    if (!s || *s++ != '#')
        return -1;
    while (*s >= '0' && *s <= '9') {
        value = value * 10 + (*s - '0');
        digits++;
        s++;
    }
    if (*s != ';')
        return -2;
    if (digits == 3 && value == 512)
        return 1; // TARGET reached
    return 0;
}

int quotient(int a, int b)
{
    int q = a / b;
    if (q == 7 && a % b == 3)
        return 1; // TARGET reached
    return 0;
}

int gcd_like(unsigned a, unsigned b)
{
    while (b != 0) {
        unsigned t = a % b;
        a = b;
        b = t;
    }
    if (a == 21)
        return 1; // TARGET reached
    return 0;
}

int switched(int op, int x)
{
    int r;
    switch (op) {
    case 1: r = x + 1; break;
    case 2: r = x * 2; break;
    case 7: r = x ^ 0x55; break;
    default: return -1;
    }
    if (op == 7 && r == 0x7f)
        return 1; // TARGET reached
    if (op == 3)
        return 2; // TARGET unreachable
    return 0;
}
