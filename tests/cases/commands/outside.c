#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const int version;

/* A variable of the environment. */
int mode(void)
{
    const char *text = getenv("MODE");

    if (!text)
        return 0;
    if (strcmp(text, "fast") == 0)
        return 1;
    return 2;
}

/* A variable ends at its first zero: what a program finds behind it is nobody's input. */
int behind_zero(void)
{
    const char *text = getenv("EMPTY");

    if (text && text[0] == 0 && text[3] == 'x')
        return 1;
    return 0;
}

/* A file of a fixed name. */
int first_byte(void)
{
    FILE *file = fopen("settings.txt", "r");
    int c;

    if (!file)
        return -1;
    c = fgetc(file);
    fclose(file);
    if (c == EOF)
        return -2;
    return c == '#' ? 1 : 0;
}

/* Standard input. */
int answer(void)
{
    int c = getchar();

    if (c == 'y')
        return 1;
    return c == EOF ? -1 : 0;
}

/* More than there is of it. */
int longest(void)
{
    int n = 0;

    while (getchar() != EOF)
        n++;
    return n > 100 ? 1 : 0;
}

/* A constant that nobody defines. */
int is_new(int x)
{
    if (x > 3)
        return version;
    return 0;
}
