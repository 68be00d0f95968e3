/* Accesses that leave an object of each kind, and beside them those that go to its very end and do not. */
#include <stdlib.h>
#include <string.h>

int local_loop(const char *s)
{
    char text[4];
    int i, ok = 0;
    for (i = 0; s[i]; i++)
        text[i] = s[i];
    text[i] = 0;
    return text[0] == 'x' && ok ? 2 : 1;
}

int local_copy(const char *s)
{
    char text[4];
    int ok = 0;
    strcpy(text, s);
    return ok ? 2 : 1;
}

int local_index(int i)
{
    int list[4] = {0}, other = 0;
    list[i] = 7;
    return other == 7 ? 2 : 1;
}

static void fill(int *list, int n)
{
    for (int i = 0; i < n; i++)
        list[i] = i;
}

int local_passed(int n)
{
    int list[4], ok = 0;
    if (n > 6)
        return 0;
    fill(list, n);
    return ok ? 2 : 1;
}

int number_passed(int n)
{
    int number = 1;
    int *p = &number;
    if (n == 3)
        p[2] = 5;
    return number;
}

static int table[3] = {1, 2, 3};
static int after;

int table_read(int i) { return table[i] == 2; }

int table_write(int i)
{
    table[i] = 7;
    return after == 7 ? 2 : 1;
}

int literal(int i) { return "abc"[i] == 'b'; }

int allocated(unsigned n)
{
    if (n < 2 || n > 100)
        return 0;
    char *p = malloc(n);
    if (!p)
        return 0;
    p[4] = 1;
    int r = p[4];
    free(p);
    return r;
}

int cleared(unsigned n)
{
    char *p = calloc(3, 1);
    if (!p)
        return 0;
    if (n < 8)
        p[n] = 1;
    int r = p[2];
    free(p);
    return r;
}

int grown(unsigned n)
{
    char *p = malloc(2);
    if (!p)
        return 0;
    p[1] = 1;
    char *q = realloc(p, 6);
    if (!q)
        return 0;
    if (n < 16)
        q[n] = 2;
    int r = q[1];
    free(q);
    return r;
}

int variable_length(int n)
{
    if (n < 1 || n > 9)
        return 0;
    char list[n];
    list[4] = 1;
    return list[4];
}

/* None of these leaves its object. */

int to_the_end(int i)
{
    struct { char a[3], b; } s;
    char text[5] = "abcd";
    int list[3];
    if (i < 0 || i > 2)
        return 0;
    memset(&s, 0, sizeof s);
    s.b = 1;
    list[i] = text[4 - i];
    return list[i] + s.a[i] == 'c' ? 2 : 1;
}

struct entry { int key; char name[20]; };
static struct entry stack[4];
static int other_table[4];

int last_of_stack(unsigned top, int key)
{
    if (top < 1 || top > 4)
        return 0;
    stack[top - 1].key = key;
    other_table[4 - top] = 3;
    return stack[top - 1].key == 12 ? 2 : 1;
}

int again_and_again(int n)
{
    int sum = 0;
    for (int i = 1; i < 6; i++) {
        char list[i];
        memset(list, n, (unsigned)i);
        sum += list[i - 1];
    }
    for (int i = 1; i < 6; i++) {
        char *p = malloc((unsigned)i);
        if (!p)
            return 0;
        p[i - 1] = (char)sum;
        sum += p[i - 1];
        free(p);
    }
    return sum == 155 ? 2 : 1;
}

static int deep(int n, int *from)
{
    int here[2] = {n, *from};
    return n > 0 ? deep(n - 1, &here[1]) + here[0] : here[1];
}

int recursion(int n)
{
    int start[1] = {5};
    if (n < 0 || n > 6)
        return 0;
    return deep(n, start) == 5 + 3 ? 2 : 1;
}
