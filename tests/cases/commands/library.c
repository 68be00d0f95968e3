/* What a C library does with a system, or without one. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t last;
static void note(int number) { last = number; }

int signals(int x)
{
    last = 0;
    signal(SIGUSR1, note);
    signal(SIGUSR2, SIG_IGN);
    raise(SIGUSR2);
    if (x == 3)
        raise(SIGUSR1);
    if (last == SIGUSR1)
        return 1;
    return 0;
}

int scans(const char *text)
{
    int a, b;

    if (sscanf(text, "%d,%d", &a, &b) != 2)
        return -1;
    return a > b;
}

int wide_numbers(const char *text)
{
    errno = 0;
    unsigned long n = strtoul(text, NULL, 10);
    if (errno == ERANGE)
        return 1;
    if (n > 4294967296)
        return 2;
    return 0;
}

int reads(void)
{
    char line[8];

    if (!fgets(line, sizeof line, stdin))
        return -1;
    if (line[0] == 'q' && line[1] == '\n')
        return 1;
    return 0;
}

int sleeps(unsigned n)
{
    if (n > 5)
        return -1;
    return (int)sleep(n);
}

static int by_value(const void *a, const void *b)
{
    const long *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

int sorts(long a, long b, long c)
{
    long all[3] = { a, b, c };

    qsort(all, 3, sizeof all[0], by_value);
    if (all[1] == 1L << 40)
        return 1;
    return 0;
}

int users(void)
{
    if (getuid() == 0)
        return 1;
    return 0;
}
