/* Pointers, structures, strings, arrays, bit-fields, unions, lists. */
#include <stddef.h>
#include <string.h>

struct point {
    int x;
    double y;
};
typedef struct point point;

struct node {
    int value;
    struct node *next;
};

struct packet {
    unsigned kind : 3;
    int delta : 5;
    char name[6];
    unsigned char raw[4];
    union {
        int i;
        float f;
    } u;
    struct point corners[2];
    const char *label;
};

double norm(const struct point *p) { return p ? p->x + p->y : -1; }

void move(struct point *p, int dx)
{
    p->x += dx;
    p->y = -0.0;
}

struct point mirror(struct point p)
{
    struct point q = {-p.x, -p.y};
    return q;
}

int sum(const int *a, size_t n)
{
    int total = 0;
    for (size_t i = 0; i < n; i++)
        total += a[i];
    return total;
}

char *skip(char *s, char c)
{
    while (*s && *s == c)
        s++;
    return *s ? s : NULL;
}

int length(struct node *list)
{
    int n = 0;
    for (; list; list = list->next)
        n++;
    return n;
}

void upper(char *s)
{
    for (; *s; s++)
        if (*s >= 'a' && *s <= 'z')
            *s = (char)(*s - 32);
}

int packet(struct packet *p)
{
    p->kind = 5;
    p->delta = -3;
    return p->name[0] + p->raw[3] + p->corners[1].x + (p->label ? (int)strlen(p->label) : 0);
}

int across(point point) { return point.x; }
unsigned bytes(const void *data, size_t size) { return size ? ((const unsigned char *)data)[size - 1] : 0; }
int rows(int (*m)[3]) { return m[1][2]; }
struct one { long long v; };
struct one wrap(struct one o) { o.v++; return o; }

//@ {"unit": "norm", "input": {"p": null}, "returns": ["f64", -1]}
//@ {"unit": "norm", "input": {"p": {"x": 2, "y": 0.5}}, "returns": ["f64", 2.5]}
//@ {"unit": "move", "input": {"p": {"x": 2, "y": 0.5}, "dx": 3}, "changes": [["p->x", "i32", 5], ["p->y", "f64", -0.0]]}
//@ {"unit": "mirror", "input": {"p": {"x": 2, "y": 0.1}}, "changes": [["result.x", "i32", -2], ["result.y", "f64", -0.1]]}
//@ {"unit": "sum", "input": {"a": [1, 2, -2147483648]}, "returns": ["i32", -2147483645]}
//@ {"unit": "sum", "input": {"a": []}, "returns": ["i32", 0]}
//@ {"unit": "sum", "input": {"a": null, "n": 0}, "returns": ["i32", 0]}
//@ {"unit": "skip", "input": {"s": "aa\"??=\\\n", "c": "a"}, "returns": ["object", "s", 2]}
//@ {"unit": "skip", "input": {"s": "", "c": 0}, "returns": ["i32", 0]}
//@ {"unit": "skip", "input": {"s": "12345678", "c": "1"}, "returns": ["object", "s", 1]}
//@ {"unit": "skip", "input": {"s": "ab\u0000cd\u00ff1", "c": "z"}, "returns": ["object", "s", 0]}
//@ {"unit": "length", "input": {"list": {"value": 1, "next": {"value": 2, "next": {"value": 3}}}}, "returns": ["i32", 3]}
//@ {"unit": "length", "input": {"list": null}, "returns": ["i32", 0]}
//@ {"unit": "upper", "input": {"s": "aB1"}, "changes": [["s[0]", "i8", 65]]}
//@ {"unit": "upper", "input": {"s": "1abcd\"z"}, "changes": [["s[1]", "i8", 65], ["s[2]", "i8", 66], ["s[3]", "i8", 67], ["s[4]", "i8", 68], ["s[6]", "i8", 90]]}
//@ {"unit": "packet", "input": {"p": {"kind": 1, "delta": -2, "name": "abcdef", "raw": [1, 2, 3, 4], "u": {"i": 3}, "corners": [{"x": 1}, {"x": 9, "y": 0.333333333333333333}], "label": "four"}}, "returns": ["i32", 114], "changes": [["p->kind", "u32", 5], ["p->delta", "u32", 29]]}
//@ {"unit": "packet", "input": {"p": {"label": null}}, "returns": ["i32", 0], "changes": [["p->kind", "u32", 5], ["p->delta", "u32", 29]]}
//@ {"unit": "across", "input": {"point": {"x": 7}}, "returns": ["i32", 7]}
//@ {"unit": "bytes", "input": {"data": [1, 200, 255]}, "returns": ["i32", 255]}
//@ {"unit": "rows", "input": {"m": [[1, 2, 3], [4, 5, 6]]}, "returns": ["i32", 6]}
//@ {"unit": "wrap", "input": {"o": {"v": 9223372036854775806}}, "returns": ["i64", 9223372036854775807]}
