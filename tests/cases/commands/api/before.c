/* Variables that some functions set and others read. */
#include <string.h>

enum style { STYLE_UNIX, STYLE_WINDOWS };

static enum style style = STYLE_UNIX;
static int limit = 16;
static int n_turns;

void path_set_style(enum style wanted)
{
    style = wanted;
}

int path_set_limit(int wanted)
{
    if (wanted < 4 || wanted > 64)
        return -1;
    limit = wanted;
    return 0;
}

int path_is_absolute(const char *path)
{
    if (style == STYLE_WINDOWS)
        return path[0] == '\\' || (path[0] == 'C' && path[1] == ':');
    return path[0] == '/';
}

int path_fits(const char *path)
{
    if (strlen(path) > (size_t)limit)
        return 0;
    if (limit > 100)
        return -1;
    return limit == 42 ? 2 : 1;
}

/* One call sets what the next one finds. */
int next_turn(int step)
{
    if (n_turns > 2)
        return -1;
    n_turns++;
    return n_turns * step;
}

/* More calls than are tried: nothing is proved of them. */
int many_turns(void)
{
    static int n;
    return ++n > 50 ? 1 : 0;
}

/* What is set may share nothing with what comes later, but two pointers of one call may be the same. */
int differs(const int *a, const int *b)
{
    if (a == b)
        return 2;
    return limit == 5 ? 1 : *a != *b;
}
