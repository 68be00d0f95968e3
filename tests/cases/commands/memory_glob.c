/* A pattern without an end is read beyond it, on a path that takes no new side of a branch. */
#include "klee/klee.h"

static int glob(const char *pattern, const char *text)
{
    if (pattern[0] == '\0')
        return text[0] == '\0';
    if (pattern[0] == '?')
        return text[0] && glob(pattern + 1, text + 1);
    if (pattern[0] == '*') {
        do {
            if (glob(pattern + 1, text))
                return 1;
        } while (*text++);
        return 0;
    }
    return pattern[0] == text[0] && glob(pattern + 1, text + 1);
}

int main(void)
{
    char pattern[6];

    klee_make_symbolic(pattern, sizeof pattern, "pattern");
    return glob(pattern, "hello");
}
