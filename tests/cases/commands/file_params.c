/* Functions that are given files. */
#include <stdio.h>
#include <string.h>

int count_lines(FILE *in)
{
    int c, n = 0;
    while ((c = fgetc(in)) != EOF)
        if (c == '\n')
            n++;
    return n > 1 ? -1 : n;
}

int first_line(FILE *in, char *to, int size)
{
    char line[16];
    if (!in)
        return -1;
    if (size < 16 || !fgets(line, sizeof line, in))
        return 0;
    if (strncmp(line, "key=", 4) == 0)
        return 2;
    strcpy(to, line);
    return 1;
}

int report(FILE *out, int level, const char *text)
{
    if (level > 3)
        return fprintf(out, "warning: %s\n", text) > 0;
    return fputs(text, out) >= 0;
}

int both(FILE *a, FILE *b)
{
    int x = getc(a), y = getc(b);
    fclose(a);
    return x == 'a' && y == 'b';
}
