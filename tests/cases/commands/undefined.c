/* Functions and variables that are declared and nowhere defined. */
#include <stdio.h>

struct pair { int a, b; };
struct holder { int *to; };

extern int limit;
extern const struct pair defaults;
extern int table[];
extern char *title;
extern int elsewhere;
int here = 3;

void fill(struct pair *to);
void fill_held(struct holder by_value);
void fill_many(int n, ...);
void fill_old();
void each(int (*visit)(int));
void touch(void);

int variable(int a)
{
    if (limit > 3)
        return 1;
    return a;
}

int member(void)
{
    if (defaults.b == 4)
        return 1;
    return 2;
}

int element(int i)
{
    if (i >= 0 && i < 4 && table[i] == 4)
        return 1;
    return 2;
}

int text(void)
{
    if (title[0] == 'x')
        return 1;
    return 2;
}

/* One value until it is written. */
int consistent(void)
{
    if (limit == 4 && limit != 4)
        return 1;
    return 2;
}

/* Variables of the library are there. */
int printed(int a)
{
    fprintf(stderr, "%d", a);
    if (stdout)
        return 1;
    return 2;
}

int structure(void)
{
    struct pair p = {1, 2};
    fill(&p);
    if (p.b == 2)
        return 1;
    return 2;
}

int in_structure(void)
{
    int x = 1;
    struct holder h = {&x};
    fill_held(h);
    if (x == 1)
        return 1;
    return 2;
}

int variadic(void)
{
    int x = 1;
    fill_many(1, &x);
    if (x == 1)
        return 1;
    return 2;
}

int old_style(void)
{
    int x = 1;
    fill_old(&x);
    if (x == 1)
        return 1;
    return 2;
}

static int seen;

static int visit(int a)
{
    seen = a;
    return a;
}

int called_back(void)
{
    seen = 1;
    each(visit);
    if (seen == 1)
        return 1;
    return 2;
}

int global(void)
{
    here = 1;
    touch();
    if (here == 1)
        return 1;
    return 2;
}
