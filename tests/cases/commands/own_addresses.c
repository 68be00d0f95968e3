/* Conditions that depend on where variables are, and some that only seem to. */
#include <stdint.h>
#include <stdlib.h>

static int first[4], second[4];
static char bytes[3];

int order_of_globals(int k)
{
    if (&first[k & 3] < &second[0])
        return 1;
    return 2;
}
int order_of_constants(void)
{
    if (&first[0] < &second[0])
        return 1;
    return 2;
}
int order_of_locals(int k)
{
    int a[3] = {k}, b[3] = {k};
    if ((char *)a < (char *)b)
        return 1;
    return 2;
}
int difference_of_locals(void)
{
    int a[2], b[2];
    if ((char *)a - (char *)b > 0)
        return 1;
    return 2;
}
int difference_of_constants(void)
{
    if ((char *)first - (char *)second > 0)
        return 1;
    return 2;
}
int alignment(void)
{
    int x;
    if (((uintptr_t)&x & 15) == 0)
        return 1;
    return 2;
}
int alignment_of_constant(void)
{
    if (((uintptr_t)bytes & 3) == 1)
        return 1;
    return 2;
}
int order_on_heap(void)
{
    char *a = malloc(4), *b = malloc(4);
    if (a < b)
        return 1;
    return 2;
}
static int *last;
int freed(int k)
{
    int *p = malloc(sizeof *p);
    if (!p)
        return 3;
    *p = k;
    free(p);
    last = malloc(sizeof *last);
    if (last == p)
        return 1;
    return 0;
}
static int *stale(int k)
{
    int x = k;
    int *p = &x;
    return p;
}
int returned(int k)
{
    int *p = stale(k);
    int *q = stale(1);
    if (p == q)
        return 1;
    return 0;
}
int past_the_end(void)
{
    if (first + 4 == second)
        return 1;
    return 0;
}
int past_the_end_of_local(int k)
{
    int a[4] = {k}, b[4] = {k};
    int *p = a + 4, *q = b;
    if (p == q)
        return 1;
    return 0;
}
int parts_of_strings(void)
{
    const char *a = "abc", *b = "xabc";
    if (a == b + 1)
        return 1;
    return 0;
}
struct node {
    struct node *next;
};
int through_memory(void)
{
    struct node a = {0}, b = {&a};
    struct node *p = b.next, *q = &b;
    if (p < q)
        return 1;
    return 0;
}
static int is_before(const int *p, const int *q)
{
    return p < q;
}
int through_a_call(int k)
{
    int a = k, b = k;
    if (is_before(&a, &b))
        return 1;
    return 0;
}
static uintptr_t number(const void *p)
{
    return (uintptr_t)p;
}
int as_a_number(int k)
{
    int a = k;
    if (number(&a) % 2654435761u > 64)
        return 1;
    return 0;
}
static unsigned hash(const void *start, unsigned n)
{
    const unsigned char *bytes = start;
    unsigned h = 17;
    for (unsigned i = 0; i < n; i++)
        h = h * 31 + bytes[i];
    return h;
}
int byte_by_byte(int k)
{
    int a = k;
    const void *key = &a;
    if (hash(&key, sizeof key) % 1024 == 77)
        return 1;
    return 0;
}
int copied_and_read(int k)
{
    struct node a = {0}, b = {&a}, c;
    c = b;
    if (hash(&c, sizeof c) % 1024 == 77)
        return 1;
    return k;
}
int in_one_array(int k)
{
    int a[8] = {0}, n = 0;
    int *p = a, *end = a + 8;
    for (; p < end; p++)
        n += k;
    if (p != end)
        return 1;
    return n;
}
struct span {
    const char *pos, *end;
};
static int has_more(const struct span *s)
{
    return s->pos < s->end;
}
int cursor(int k)
{
    char text[4] = {1, 2, 3, 4};
    struct span s = {text, text + 4};
    int n = 0;
    while (has_more(&s))
        n += *s.pos++;
    if (s.pos != s.end)
        return 1;
    return n + k;
}
int different_objects(int k)
{
    int a = k, b = k;
    int *p = k ? &a : &b, *q = &b;
    if (k && p == q)
        return 2;
    return 0;
}
int kept_in_memory(int k)
{
    struct node a = {0}, b = {&a}, *p = &b;
    char text[4] = {(char)k};
    while (p->next)
        p = p->next;
    if (p != &a)
        return 1;
    if (text[1])
        return 2;
    return 0;
}
int null(int k)
{
    int a = k;
    int *p = k ? &a : NULL;
    if (k && !p)
        return 1;
    return 0;
}
union word {
    const void *pointer;
    uintptr_t number;
};
int through_a_union(int k)
{
    union word word;
    int a = k;
    word.pointer = &a;
    if (word.number % 1024 == 77)
        return 1;
    return 0;
}
static int is_odd_one(const union word *word)
{
    return word->number % 1024 == 77;
}
static union word from_the_start = {&from_the_start};
int through_a_union_in_memory(int k)
{
    if (is_odd_one(&from_the_start))
        return 1;
    return k;
}
int numbers_in_a_union(int k)
{
    union word word;
    word.number = 5;
    if (is_odd_one(&word))
        return 1;
    return k;
}
static int *const entry = &second[1];
int in_an_initial_value(int k)
{
    if (hash(&entry, sizeof entry) % 1024 == 77)
        return 1;
    return k;
}
static const struct {
    const char *name;
    int number;
} rows[] = {{"one", 1}, {"two", 2}};
int at_an_unknown_place(unsigned i)
{
    const unsigned char *bytes = (const unsigned char *)rows;
    if (i >= sizeof rows)
        return 0;
    if (bytes[i] == 0xee)
        return 1;
    return 2;
}
int address_of_a_function(int k)
{
    if ((uintptr_t)&null % 1024 == 77)
        return 1;
    return k;
}
int order_of_functions(int k)
{
    int (*a)(int) = k ? null : cursor, (*b)(int) = in_one_array;
    if ((uintptr_t)a == (uintptr_t)b + 1)
        return 1;
    return k;
}
static int (*const steps[])(int) = {null, cursor};
int bytes_of_function_pointers(int k)
{
    if (hash(steps, sizeof steps[0]) % 1024 == 77)
        return 1;
    return k;
}
int row_by_row(unsigned i)
{
    if (i > 1)
        return 0;
    if (rows[i].number == 3)
        return 1;
    if (rows[i].name[0] == 'x')
        return 2;
    return 3;
}
