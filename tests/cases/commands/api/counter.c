/* An object that the caller holds, and a function that makes it. */
#include <string.h>

struct counter {
    int step, total, n_steps;
    char name[8];
};

void counter_init(struct counter *c, int step)
{
    memset(c, 0, sizeof *c);
    c->step = step > 0 ? step : 1;
    strcpy(c->name, "none");
}

void counter_step(struct counter *c)
{
    c->total += c->step;
    c->n_steps++;
}

int counter_state(const struct counter *c)
{
    if (c->n_steps > 0 && c->total == 0)
        return -1;
    if (c->step <= 0)
        return -2;
    if (c->total == 15)
        return 2;
    return c->n_steps > 1;
}
