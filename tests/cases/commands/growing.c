/* Functions that need longer arrays, longer strings or longer lists than inputs have at first. */
#include <stddef.h>
#include <stdio.h>

/* A header of 64 bytes, and a body. */
int header(const unsigned char *data, size_t size)
{
    if (size < 64)
        return 0;
    if (data[0] != 'S' || data[1] != 'Y')
        return 1;
    if (data[40] == 7)
        return 2;
    return data[63] > 200 ? 3 : 4;
}

int long_word(const char *word)
{
    int n = 0;
    while (word[n])
        n++;
    if (n > 20)
        return 1;
    return 0;
}

/* How many elements there are, nobody says. */
int before_zero(const int *numbers)
{
    int n = 0;
    while (numbers[n] != 0)
        n++;
    if (n == 12)
        return 1;
    return 0;
}

struct node {
    int value;
    struct node *next;
};

int fifth(const struct node *list)
{
    int n = 0;
    while (list) {
        n++;
        list = list->next;
    }
    if (n == 5)
        return 1;
    return 0;
}

/* No string has more such characters than characters, whatever its length is. */
int never(const char *word)
{
    int n = 0, found = 0;
    while (word[n]) {
        if (word[n] == 'a')
            found++;
        n++;
        if (found > n)
            return 1;
    }
    return 0;
}

/* Longer than any input. */
int too_long(const char *word)
{
    int n = 0;
    while (word[n])
        n++;
    if (n > 5000)
        return 1;
    return 0;
}

int small(int x)
{
    if (x > 3)
        return 1;
    return 0;
}

/* A file with a header of 200 bytes. */
int file_header(void)
{
    unsigned char header[200];
    FILE *file = fopen("picture.bin", "rb");
    size_t n;

    if (!file)
        return -1;
    n = fread(header, 1, sizeof header, file);
    fclose(file);
    if (n < sizeof header)
        return 0;
    return header[199] == 'Z' ? 2 : 1;
}
