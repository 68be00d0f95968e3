/* jsmn: tokens of a text, counted and stored, with enough room and without. */
#define JSMN_HEADER
#include "jsmn.h"
#include "entry.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static jsmntok_t tokens[64];
    jsmn_parser parser;
    int n;
    ENTER("jsmn_init", jsmn_init(&parser));
    ENTER("jsmn_parse", n = jsmn_parse(&parser, (const char *)data, size, 0, 0));
    jsmn_init(&parser);
    ENTER("jsmn_parse", n = jsmn_parse(&parser, (const char *)data, size, tokens, 64));
    jsmn_init(&parser);
    ENTER("jsmn_parse", n = jsmn_parse(&parser, (const char *)data, size / 2, tokens, 3));
    ENTER("jsmn_parse", n = jsmn_parse(&parser, (const char *)data, size, tokens, 64));
    (void)n;
    return 0;
}
