/* What can fail although nobody needs its result, and a `switch` of which one label is left. */
struct pair { int x; short y; };
struct buffer { unsigned char data[4]; unsigned used; };

int unused_read(struct pair *p, signed char a)
{
    int x = 0;
    if (!p && a != 5)
        return 0;
    x = p->x;
    (void)x;
    return a == 42 ? 1 : 2;
}

int always_holds(struct buffer *b, int a)
{
    if (!b && a != 5)
        return 0;
    return 255u >= b->data[b->used & 3];
}

int unused_quotient(int a, int b)
{
    int quotient = a / b;
    (void)quotient;
    return a > 3;
}

int unused_remainder(unsigned char b)
{
    return (100 % b) * 0;
}

int folded(int a, int n)
{
    int y = 3, i = 0;
    while (i++ < 4 && (a & n) != i) {
        if (a == 7)
            y++;
    }
    switch ((short)(_Bool)-1) {
    case 1:
    case 4:
        break;
    case 6:
        y = 5;
        break;
    default:
        break;
    }
    if (n == 3)
        return 9;
    return y + a;
}

int over_the_end(const int *list, int n)
{
    int sum = 0;
    for (int i = 0; i <= n; i++)
        sum += list[i];
    return sum;
}

/* It is told how much there is, and reads more. */
int over_the_told_end(const int *list, int len)
{
    int sum = 0;
    if (len < 1)
        return 0;
    for (int i = 0; i <= len; i++)
        sum += list[i];
    return sum;
}

/* There may have to be more room than this for what is written. */
void too_little_room(char *text, int len)
{
    if (len < 1)
        return;
    for (int i = 0; i <= len; i++)
        text[i] = 0;
}

/* The same, also if there is nothing. */
int over_any_told_end(const char *text, int len)
{
    int sum = 0;
    for (int i = 0; i <= len; i++)
        sum += text[i];
    return sum;
}

/* Behind what an earlier call has seen; how much that was, the caller knows. */
int over_the_seen_end(const char *text, int len, int last_len)
{
    int i;
    for (i = last_len; i != len; i++)
        if (text[i] == 'x')
            return 1;
    return 0;
}
