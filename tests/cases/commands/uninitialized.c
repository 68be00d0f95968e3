/* One function for each way to read what nobody has written, and for what looks like one and is not. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct pair { char tag; int value; };
union word { char byte; int whole; };

/* Neither assertion can fail, whatever `i` is. */
int consistent(void)
{
    int i;
    switch (i) {
    case 0:
    case 1:
        assert(i == 0 || i == 1);
        return 1;
    default:
        assert(i != 0 && i != 1);
        return 2;
    }
}

int scalar(int a)
{
    int x;
    if (a > 0)
        x = a;
    if (x == 5)
        return 1;
    return 2;
}

int field(int a)
{
    struct pair p;
    p.tag = (char)a;
    if (p.value == 7)
        return 1;
    return 2;
}

int padding(int a)
{
    struct pair p, q;
    p.tag = q.tag = 1;
    p.value = q.value = a;
    if (memcmp(&p, &q, sizeof p) == 0)
        return 1;
    return 2;
}

int element(int i)
{
    int v[4];
    v[0] = 3;
    if (v[i & 3] == 3)
        return 1;
    return 2;
}

int allocated(int a)
{
    int *p = malloc(2 * sizeof *p);
    if (!p)
        return 0;
    p[0] = a;
    if (p[1] == 9)
        return 1;
    return 2;
}

int grown(int a)
{
    int *p = malloc(sizeof *p);
    if (!p)
        return 0;
    p[0] = a;
    p = realloc(p, 2 * sizeof *p);
    if (!p)
        return 0;
    if (p[0] != a)
        return 3;
    if (p[1] == 9)
        return 1;
    return 2;
}

static int no_return(int a)
{
    if (a > 10)
        return 1;
}

int missing_return(int a)
{
    if (no_return(a) == 1)
        return 1;
    return 2;
}

int variable_length(int n)
{
    if (n < 2 || n > 5)
        return 0;
    int v[n];
    v[0] = 1;
    if (v[1] == 4)
        return 1;
    return 2;
}

/* The variable of the second pass is another one than that of the first. */
int entered_again(int n)
{
    int same = 0, last = 0;
    for (int i = 0; i < 2; i++) {
        int x;
        if (i == n)
            x = 4;
        if (i == 1 && x == last)
            same = 1;
        last = x;
    }
    return same;
}

int of_union(int a)
{
    union word w;
    w.whole = a;
    w.byte = 7;
    if (w.whole > 0x10000)
        return 1;
    return 2;
}

int half_of_union(void)
{
    union word w;
    w.byte = 7;
    if (w.whole == 7)
        return 1;
    return 2;
}

/* What is not mentioned is zero. */
int rest_of_array(int i)
{
    int v[4] = {1};
    if (v[1] == 0 && v[3] == 0)
        return 1;
    return i;
}

int rest_of_structure(void)
{
    struct pair p = {.tag = 1};
    if (p.value == 0)
        return 1;
    return 2;
}

int zero_static(void)
{
    static int v[3];
    int *p = calloc(3, sizeof *p);
    if (p && p[1] == 0 && v[2] == 0)
        return 1;
    return 2;
}

/* Written on every way, through another function too. */
static void fill(int *to, int value)
{
    *to = value;
}

int written(int a)
{
    int x, y;
    char text[16];
    if (a > 3)
        x = 1;
    else
        x = 2;
    fill(&y, a);
    strcpy(text, "abc");
    if (x == 1 && y == 7 && text[2] == 'c')
        return 1;
    return 2;
}

/* The result is unknown, the way is not. */
int unknown_result(int a)
{
    int x;
    if (a == 1)
        return x;
    return 2;
}

void unknown_output(struct pair *to, int a)
{
    struct pair p;
    p.tag = 1;
    if (a == 4)
        p.value = 8;
    *to = p;
}

/* As a verifier's examples are written. */
int copied(void)
{
    int x, y = x, *p = &y;
    int a[3], b[3];
    memcpy(b, a, sizeof a);
    assert(x == y);
    assert(*p == x);
    assert(a[1] == b[1]);
    if (x > 5)
        assert(y > 4);
    return 0;
}
