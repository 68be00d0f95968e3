/* A function that looks behind the end of a text that the test writes into the call. */
#include <stdlib.h>
#include <string.h>

struct text {
    size_t length;
    char bytes[16];
};

struct text *text_new(const char *from)
{
    struct text *text = malloc(sizeof *text);

    if (!text)
        return 0;
    text->length = strlen(from) & 15;
    memcpy(text->bytes, from, text->length);
    return text;
}

void text_free(struct text *text)
{
    free(text);
}

int text_ends(struct text *text, const char *set)
{
    if (set[9] == 'x')
        return 1;
    return text->length > 2 ? 2 : 0;
}
