/* tiny-regex-c: the first line is a pattern, the rest is searched. */
#include "re.h"
#include "entry.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *pattern = entry_text(data, size), *text = strchr(pattern, '\n');
    re_t compiled = 0;
    int length = 0, at = -1;
    if (text)
        *text++ = 0;
    else
        text = pattern + size;
    /* Longer patterns than the library has room for overflow its tables: that is not what is looked for here. */
    if (strlen(pattern) <= 24) {
        ENTER("re_compile", compiled = re_compile(pattern));
        ENTER("re_matchp", at = re_matchp(compiled, text, &length));
        ENTER("re_match", at = re_match(pattern, text, &length));
    }
    (void)at;
    free(pattern);
    return 0;
}
