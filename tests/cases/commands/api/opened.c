/* A reader that is opened, in memory of its user's: nothing public makes one otherwise. */
#include <stdlib.h>
#include <string.h>

struct allocator {
    void *(*get)(size_t);
    void (*give_back)(void *);
};

struct reader {
    const char *text;
    size_t at;
    struct allocator allocator;
};

static void init(struct reader *reader)
{
    memset(reader, 0, sizeof *reader);
    reader->allocator.get = malloc;
    reader->allocator.give_back = free;
}

void reader_open_string(struct reader *reader, const char *text)
{
    init(reader);
    reader->text = text;
}

/* Who keeps this must not be given just any function. */
void reader_set_allocator(struct reader *reader, struct allocator *allocator)
{
    reader->allocator = *allocator;
}

/* The next character that is no blank. */
int reader_next(struct reader *reader)
{
    char *copy = reader->allocator.get(2);
    int c;

    while (reader->text[reader->at] == ' ')
        reader->at++;
    copy[0] = reader->text[reader->at];
    c = copy[0];
    reader->allocator.give_back(copy);
    if (c != '\0')
        reader->at++;
    return c;
}

void reader_free(struct reader *reader)
{
    free(reader->allocator.get(1));
}

/* Another end, after which the first must not come. */
void reader_destroy(struct reader *reader)
{
    if (reader->at > 0)
        reader->at = 0;
}

/* A door is opened, and made otherwise. */
struct door {
    int is_open;
};

void door_init(struct door *door) { door->is_open = 0; }

int door_open(struct door *door)
{
    if (door->is_open)
        return -1;
    door->is_open = 1;
    return 0;
}
