/* Settings are for callers to fill in: nothing but the initialiser changes them. */
struct settings {
    int (*on_value)(int);
    int limit;
};

void settings_init(struct settings *s)
{
    s->on_value = 0;
    s->limit = 10;
}

int apply(const struct settings *s, int value)
{
    if (value > s->limit)
        return -1;
    if (s->on_value)
        return s->on_value(value);
    return value;
}
