/* Functions that are given buffers to fill: callbacks, and functions that nobody defines. */
#include <stddef.h>
#include <string.h>

struct pair { int a; short b; };
struct flags { unsigned low : 3, high : 5; int n; };
typedef struct source source;
struct source {
    int (*read)(source *from, void *data, unsigned size);
    int (*write)(source *to, void *data, unsigned size);
    unsigned at;
};

void init(int *x);
int get_pair(struct pair *to, double *scale);
void get_flags(struct flags *to);
long fetch(int fd, char *to, size_t size);
int values(int *to, int n);
size_t blocks(void *to, size_t size, size_t n, void *user);
void show(char *text);
void send_all(char *text, int n);

int initialised(void)
{
    int x = 1;
    init(&x);
    if (x == 5)
        return 1;
    return x == 1 ? 2 : 3;
}

int pairs(void)
{
    struct pair p;
    double scale;
    if (get_pair(&p, &scale) != 0)
        return -1;
    if (p.a == 7 && p.b == -2)
        return scale > 0.5 ? 1 : 2;
    return 3;
}

int bits(void)
{
    struct flags f = {0};
    get_flags(&f);
    return f.high == 9 && f.n == 4;
}

/* As microtar: a header that a callback reads. */
int header(source *from)
{
    char buffer[16];
    if (from->read(from, buffer, sizeof buffer) != 0)
        return -1;
    if (memcmp(buffer, "ustar", 5) != 0)
        return -2;
    return buffer[15] == 'x' ? 1 : 0;
}

/* Each call fills anew, and one that is given nothing fills nothing. */
int twice(source *from)
{
    unsigned char first[2] = {0}, second[2] = {0};
    from->read(from, first, 2);
    from->read(from, NULL, 2);
    from->read(from, second, 2);
    if (first[0] == 1 && second[0] == 2 && second[1] == first[1] + 1)
        return 1;
    return 0;
}

/* As many as a number says that is an input. */
int some(int n)
{
    char line[8] = "aaaaaaa";
    if (n < 0 || n > 6)
        return -1;
    fetch(0, line, n);
    if (line[2] == 'b')
        return line[3] == 'a' ? 1 : 2;
    return line[0] == 'c' ? 3 : 4;
}

int counted(int n)
{
    int v[4] = {0};
    values(v, n);
    return v[0] == 3 && v[3] == 9;
}

int in_blocks(void *user)
{
    unsigned short v[2] = {0};
    if (blocks(v, sizeof *v, 2, user) != 2)
        return 0;
    return v[1] == 0x1234;
}

/* The caller's own buffer. */
int filled(int *to)
{
    if (to)
        *to = 0;
    init(to);
    if (!to)
        return 0;
    return *to == 8 ? 1 : 2;
}

/* Nobody writes to what is constant, nor where a name says that it only looks. */
int constant(void)
{
    char own[] = "abc";
    show(own);
    send_all(own, 3);
    fetch(1, (char *)"xyz", 3);
    return own[1] == 'b' ? 1 : 2;
}
