/* Strings with escapes and zeros, signed and unsigned characters, characters in structures. */
#include <string.h>

struct name { char first[6]; char *last; unsigned char tag[2]; };

int quotes(const char *s)
{
    if (s[0] == '"' && s[1] == '\\' && s[2] == '\n')
        return 1;
    if (s[0] == '\'' && s[1] == '?' && s[2] == '?')
        return 2;
    return s[0] == '\t' || s[0] == '\x7f' || s[0] == '\a';
}

int high(const char *s)
{
    if (s[0] == (char)0xe9)
        return 1;
    return s[0] < 0 ? 2 : 3;
}

int plain(char c)
{
    return c < 0 ? -1 : c > 'z' ? 1 : 0;
}

int bytes(const unsigned char *data, size_t size)
{
    if (size >= 3 && data[0] == 0 && data[1] == 255 && data[2] == '0')
        return 1;
    return 0;
}

signed char least(signed char a, signed char b)
{
    return a < b ? a : b;
}

unsigned char sum(unsigned char a, unsigned char b)
{
    unsigned char s = (unsigned char)(a + b);
    if (s < a)
        return 255;
    return s;
}

int named(const struct name *n)
{
    if (strcmp(n->first, "Ada") == 0)
        return n->last && n->last[0] == 'L' ? 1 : 2;
    return n->tag[1] == 0x80;
}

void upper(char *s)
{
    for (; *s; s++)
        if (*s >= 'a' && *s <= 'z')
            *s = (char)(*s - 'a' + 'A');
}

char *skip_blanks(char *s)
{
    while (*s == ' ' || *s == '\t')
        s++;
    return s;
}
