/* Functions that nobody defines, and that return structures as few do. */
struct empty {};
struct bits { int x : 3; };
struct with_empty { struct empty e; int x; };
struct aligned { _Alignas(16) int x; };
struct list { int n; int items[2]; };
union either { int i; float f; };
struct wide { long double x; };

struct bits give_bits(void);
struct with_empty give_with_empty(void);
struct aligned give_aligned(void);
struct list give_list(void);
union either give_either(void);
struct empty give_nothing(int);
struct wide give_wide(void);

int bits(void)
{
    struct bits b = give_bits();
    if (b.x == -3)
        return 1;
    return 2;
}

int with_empty(void)
{
    if (give_with_empty().x == 7)
        return 1;
    return 2;
}

int aligned(void)
{
    if (give_aligned().x == 7)
        return 1;
    return 2;
}

int list(void)
{
    struct list l = give_list();
    if (l.n == 2 && l.items[1] == 7)
        return 1;
    return 2;
}

int either(void)
{
    if (give_either().i == 7)
        return 1;
    return 2;
}

int nothing(int a)
{
    give_nothing(a);
    if (a == 7)
        return 1;
    return 2;
}

/* What is 16 bytes wide cannot be an input. */
int wide(void)
{
    if (give_wide().x == 7)
        return 1;
    return 2;
}

/* Parameters of these types. */
int take_bits(struct bits b, struct empty e, struct with_empty w)
{
    if (b.x == -3 && w.x == 7)
        return 1;
    return 2;
}

int take_aligned(struct aligned a)
{
    if (a.x == 7)
        return 1;
    return 2;
}
