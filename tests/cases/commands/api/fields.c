/* A parser that calls back while it runs, in the way of libcsv: what `fields_end` does depends on what was parsed, and the
 * functions that keep a callback for later are no way to make such an object. */
#include <stddef.h>
#include <stdlib.h>

struct fields {
    int state;
    int n_fields;
    void *(*allocate)(size_t);
    char *kept;
};

typedef void (*on_field)(char c, void *data);

void fields_init(struct fields *fields)
{
    fields->state = 0;
    fields->n_fields = 0;
    fields->allocate = malloc;
    fields->kept = 0;
}

void fields_set_allocator(struct fields *fields, void *(*allocate)(size_t))
{
    fields->allocate = allocate;
}

void fields_set_state(struct fields *fields, int state)
{
    fields->state = state == 1;
}

int fields_parse(struct fields *fields, const char *text, size_t len, on_field on_field, void *data)
{
    for (size_t i = 0; i < len; i++) {
        if (text[i] == ',') {
            fields->n_fields++;
            fields->state = 1;
            if (on_field)
                on_field(text[i], data);
        } else if (text[i] == '"') {
            fields->state = 2;
        }
    }
    return fields->n_fields;
}

int fields_end(struct fields *fields)
{
    if (fields->state == 2)
        return -1;
    if (fields->n_fields > 1)
        return 2;
    return fields->state;
}
