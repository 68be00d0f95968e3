/* A small parser: `set NAME`, `get NAME`, `quit`. What must a line look like to get everywhere? */

#include <stddef.h>
#include <string.h>

enum command { NONE, SET, GET, QUIT, BAD };

static const char *skip_blanks(const char *s) {
    while (*s == ' ') {
        s++;
    }
    return s;
}

/* The command of a line; its argument's length goes to *length. */
enum command parse(const char *line, size_t *length) {
    if (line == NULL || length == NULL) {
        return BAD;
    }
    *length = 0;
    line = skip_blanks(line);
    if (*line == '\0') {
        return NONE;
    }
    if (strncmp(line, "quit", 4) == 0) {
        return line[4] == '\0' ? QUIT : BAD;
    }
    int is_set = strncmp(line, "set ", 4) == 0;
    if (!is_set && strncmp(line, "get ", 4) != 0) {
        return BAD;
    }
    const char *name = skip_blanks(line + 4);
    *length = strlen(name);
    if (*length == 0) {
        return BAD;
    }
    return is_set ? SET : GET;
}
