/* Structures with members that are streams. */
#include <stdio.h>

struct reader { int line; FILE *in; };

int next_line(struct reader *reader)
{
    int c;
    if (reader->in == NULL)
        return -2;
    while ((c = fgetc(reader->in)) != EOF) {
        if (c == '\n')
            return ++reader->line;
        if (c == '#' && reader->line > 3)
            return -1;
    }
    return 0;
}

struct log { int level; struct { FILE *out; int n; } to; };

int log_text(const struct log *log, int level, const char *text)
{
    if (log == NULL || level < log->level)
        return 0;
    if (*text == '!')
        fputs("warning: ", log->to.out);
    fputs(text, log->to.out);
    return 1;
}

struct copier { FILE *from; FILE *to; };

int copy(struct copier *copier)
{
    int c, n = 0;
    while ((c = getc(copier->from)) != EOF && c != 'q') {
        putc(c, copier->to);
        n++;
    }
    fclose(copier->from);
    if (n == 3)
        return 1;
    return c == 'q' ? 2 : 0;
}

struct table { int n; FILE *from; int cells[4]; };

/* What is wrong with the fields is a precondition, as without the file. */
int cell(struct table *table)
{
    int c = getc(table->from);
    if (c == 'c')
        return table->cells[table->n];
    return 0;
}
