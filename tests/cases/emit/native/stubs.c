/* Functions that nobody defines: results of every kind, variable arguments, none. */
#include <stddef.h>
#include <stdint.h>

struct sample { int value; double weight; char unit[4]; };
struct pixel { short x, y; };
enum mode { IDLE, BUSY = 3 };

struct sample take(int channel);
struct pixel locate(void);
const struct sample *current(void);
char *read_name(int fd);
void *raw(size_t n);
double measure(void);
float ratio(float a);
enum mode mode(void);
int64_t ticks(void);
_Bool ready(void);
int report(const char *format, ...);
void log_line(const char *text, ...);
int old_style();

int level(int channel)
{
    struct sample s = take(channel);
    return s.value > 10 ? 1 : 0;
}

int corner(void)
{
    struct pixel p = locate();
    return p.x == 3 && p.y == -3;
}

int heavy(void)
{
    const struct sample *s = current();
    if (!s)
        return -1;
    return s->weight > 2.5 && s->value == 4;
}

int greeted(int fd)
{
    char *name = read_name(fd);
    if (name && name[0] == 'B')
        return 1;
    return 0;
}

int waited(void)
{
    if (!ready())
        return 0;
    if (ticks() > 5000000000LL)
        return 1;
    if (mode() == BUSY)
        return 2;
    log_line("%d %d", 1, 2);
    return report("%s", "x") < 0 ? 3 : old_style(1, 2) == 4 ? 5 : 6;
}

int accurate(void)
{
    double a = measure(), b = measure();
    if (a > b)
        return 1;
    return ratio(0.5f) > 0.25f ? 2 : 3;
}

int room(void)
{
    return raw(16) != NULL;
}
