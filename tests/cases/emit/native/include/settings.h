enum mode { MODE_QUIET, MODE_LOUD };
struct settings { int level; enum mode mode; };

static inline int is_loud(const struct settings *s)
{
    return s->mode == MODE_LOUD;
}
