/* Values are parsed, then asked: 12, [1,2], t, f. */
#include <stdlib.h>

enum kind { NUMBER, TRUTH, LIST };

typedef struct value {
    enum kind kind;
    int number;
    struct value *child, *next;
} value;

void value_delete(value *v)
{
    while (v) {
        value *next = v->next;
        value_delete(v->child);
        free(v);
        v = next;
    }
}

static value *parse(const char **text)
{
    value *v = calloc(1, sizeof *v);
    if (**text == 't' || **text == 'f') {
        v->kind = TRUTH;
        v->number = *(*text)++ == 't';
    } else if (**text >= '0' && **text <= '9') {
        while (**text >= '0' && **text <= '9')
            v->number = v->number * 10 + (*(*text)++ - '0');
    } else if (**text == '[') {
        value **last = &v->child;
        v->kind = LIST;
        do {
            ++*text;
            if (!(*last = parse(text))) {
                value_delete(v);
                return NULL;
            }
            last = &(*last)->next;
        } while (**text == ',');
        if (*(*text)++ != ']') {
            value_delete(v);
            return NULL;
        }
    } else {
        free(v);
        return NULL;
    }
    return v;
}

value *value_parse(const char *text)
{
    value *v = parse(&text);
    if (v && *text) {
        value_delete(v);
        return NULL;
    }
    return v;
}

int value_count(const value *v)
{
    int n = 0;
    const value *child;
    if (v == NULL || v->kind != LIST)
        return -1;
    for (child = v->child; child; child = child->next)
        n++;
    return n;
}

int value_is_true(const value *v)
{
    if (v->kind == TRUTH)
        return v->number;
    if (v->kind == NUMBER)
        return v->number != 0;
    return v->child != NULL;
}
