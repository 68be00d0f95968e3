int sensor(void);
double gauge(int channel);
void notify(int code);
struct item { int key, value; };
struct item *find(int key);

static int twice(int x) { return 2 * x; }

int known(int x) { return x > 7 ? twice(x) : 0; }

int control(int limit)
{
    int a = sensor(), b = sensor();

    if (a + b > limit)
        notify(a);
    if (gauge(3) < 0.5)
        return 1;
    return a == b ? 2 : 3;
}
int lookup(int key)
{
    struct item *item = find(key);

    return item && item->value == 9 ? 7 : 9;
}
int calls(int x) { return known(x) == 16 ? 1 : 2; }
