/* Every function of the library that reads or writes strings, on memory that ends where the string does. */
#define _GNU_SOURCE
#include <ctype.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

static const char word[] = "word";
static const char list[] = "a,bc,d";

int searches(int c)
{
    char text[5] = "abcd";
    int n = 0;
    n += strchr(text, c) != 0;
    n += strrchr(text, c) != 0;
    n += memchr(text, c, sizeof text) != 0;
    n += strspn(text, word) + strcspn(text, word);
    n += strpbrk(text, word) != 0;
    n += strstr(text, word) != 0;
    n += strcmp(text, word) == 0;
    n += strncmp(text, word, 9) == 0;
    n += strcasecmp(text, word) == 0;
    n += strncasecmp(text, word, 9) == 0;
    n += memcmp(text, word, 5) == 0;
    n += strcoll(text, word) == 0;
    n += strlen(word) + strnlen(word, 9);
    n += getenv("HOME") != 0;
    return n > 100;
}

int copies(int c)
{
    char text[5], more[9], all[14];
    strcpy(text, word);
    strncpy(text, word, 5);
    stpcpy(text, word);
    memcpy(text, word, 5);
    memmove(text, word, 5);
    memset(more, 0, sizeof more);
    strcat(more, word);
    strncat(more, word, 9);
    strxfrm(all, word, sizeof all);
    memccpy(all, word, c, 5);
    char *copy = strdup(word), *part = strndup(word, 2);
    int n = copy && part && strlen(copy) + strlen(part) == 6;
    free(copy);
    free(part);
    return n + (int)strlen(more);
}

int numbers(int c)
{
    char text[4] = "127", real[5] = "1.25", *end;
    int n = atoi(text) + (int)atol(text) + (int)atof(real);
    n += (int)strtol(text, &end, 10) + (int)strtoul(text, 0, c % 2 ? 16 : 8) + (int)strtoll(text, 0, 10);
    n += (int)strtod(real, 0) + (int)strtof(real, 0);
    int read = 0;
    double fraction = 0;
    n += sscanf(text, "%d", &read) + sscanf(real, "%lf", &fraction);
    return n + read;
}

int prints(int c)
{
    char text[12], small[4];
    int n = snprintf(text, sizeof text, "%s-%d", word, c & 7);
    n += snprintf(small, sizeof small, "%s", list);
    sprintf(text, "%s %.2f", word, 0.5);
    printf("%s %s %d\n", text, small, c);
    puts(word);
    fputs(word, stdout);
    fprintf(stderr, "%5s|%-5s|%c\n", word, small, 'x');
    return n;
}

int parts(int c)
{
    char text[7], other[7];
    memcpy(text, list, 7);
    memcpy(other, list, 7);
    int n = 0;
    for (char *part = strtok(text, ","); part; part = strtok(0, ","))
        n += (int)strlen(part);
    char *rest = other;
    while (strsep(&rest, ","))
        n++;
    return n + c % 2;
}

static int compare(const void *a, const void *b) { return *(const char *)a - *(const char *)b; }

int sorts(int c)
{
    char text[5] = "dbca";
    qsort(text, 4, 1, compare);
    char key = (char)(c & 127);
    return bsearch(&key, text, 4, 1, compare) != 0;
}

int times(int c)
{
    struct tm when = {0};
    char text[11];
    when.tm_year = 100 + (c & 7);
    when.tm_mday = 1;
    return strftime(text, sizeof text, "%Y-%m-%d", &when) == 10 && setlocale(LC_ALL, "C") != 0;
}

int lines(int c)
{
    char *line = malloc(3);
    size_t size = 3;
    if (!line)
        return 0;
    long n = getline(&line, &size, stdin);
    int first = n > 0 && line[0] == 'x' && c > 3;
    line = realloc(line, 5);
    free(line);
    return first;
}

int grows(unsigned n)
{
    int *list = calloc(n % 4 + 1, sizeof *list);
    if (!list)
        return 0;
    list[n % 4] = 1;
    list = realloc(list, 9 * sizeof *list);
    if (!list)
        return 0;
    list[8] = 2;
    int sum = list[n % 4] + list[8];
    free(list);
    void *aligned = aligned_alloc(32, 64);
    free(aligned);
    char *text = 0;
    if (asprintf(&text, "%d", sum) > 0)
        free(text);
    return sum;
}
