/* String functions byte by byte, in the place of the C library's.
 *
 * The library reads whole words, beyond the end of a string and with arithmetic on four characters at once. Here no
 * byte outside of the string is touched, and a condition is about one character. A program's own definitions win.
 */

#include <stddef.h>

#define WEAK __attribute__((weak))

WEAK size_t strlen(const char *s) {
    size_t n = 0;
    while (s[n]) {
        n++;
    }
    return n;
}

WEAK size_t strnlen(const char *s, size_t max) {
    size_t n = 0;
    while (n < max && s[n]) {
        n++;
    }
    return n;
}

WEAK char *strchrnul(const char *s, int c) {
    while (*s && *s != (char)c) {
        s++;
    }
    return (char *)s;
}

WEAK char *strchr(const char *s, int c) {
    char *found = strchrnul(s, c);
    return *found == (char)c ? found : NULL;
}

WEAK char *strrchr(const char *s, int c) {
    char *found = NULL;
    do {
        if (*s == (char)c) {
            found = (char *)s;
        }
    } while (*s++);
    return found;
}

WEAK void *memchr(const void *start, int c, size_t n) {
    const unsigned char *s = start;
    for (; n > 0; s++, n--) {
        if (*s == (unsigned char)c) {
            return (void *)s;
        }
    }
    return NULL;
}

WEAK char *stpcpy(char *to, const char *from) {
    while ((*to = *from)) {
        to++;
        from++;
    }
    return to;
}

WEAK char *strcpy(char *to, const char *from) {
    __symcrete_copy_string(to, from, SIZE_MAX);
    return to;
}

WEAK char *stpncpy(char *to, const char *from, size_t n) {
    for (; n > 0 && (*to = *from); n--) {
        to++;
        from++;
    }
    for (size_t i = 0; i < n; i++) {
        to[i] = 0;
    }
    return to;
}

WEAK char *strncpy(char *to, const char *from, size_t n) {
    for (size_t i = __symcrete_copy_string(to, from, n); i < n; i++) {
        to[i] = 0;
    }
    return to;
}

/* The end of a string may be appended to it. */
static char *append_string(char *to, const char *from, size_t max) {
    char *end = to + strlen(to);
    if (from != end) {
        end[__symcrete_copy_string(end, from, max)] = 0;
    }
    return to;
}

WEAK char *strcat(char *to, const char *from) {
    return append_string(to, from, SIZE_MAX);
}

WEAK char *strncat(char *to, const char *from, size_t n) {
    return append_string(to, from, n);
}

WEAK void *memccpy(void *to, const void *from, int c, size_t n) {
    unsigned char *t = to;
    const unsigned char *f = from;
    for (; n; n--) {
        if ((*t++ = *f++) == (unsigned char)c) {
            return t;
        }
    }
    return 0;
}

WEAK size_t strlcpy(char *to, const char *from, size_t size) {
    size_t n = strnlen(from, size ? size - 1 : 0);
    if (size) {
        strncpy(to, from, n);
        to[n] = 0;
    }
    return n + strlen(from + n);
}

/* What the library's own functions call. */
WEAK char *__strchrnul(const char *s, int c) { return strchrnul(s, c); }
WEAK char *__stpcpy(char *to, const char *from) { return stpcpy(to, from); }
WEAK char *__stpncpy(char *to, const char *from, size_t n) { return stpncpy(to, from, n); }
