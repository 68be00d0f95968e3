/* Accesses that leave their object, and near misses: what may be said of a branch side then? Inputs are few and small, so
   that a test can run them all. */
#include <stdbool.h>
#include <string.h>

struct pair { signed low : 4; unsigned high : 4; };
struct tiny { unsigned x : 3; };
struct flag { bool on; };

int table[4] = {1, 2, 3, 4};
int after_table = 77;
char grid[3][4] = {"abc", "def", "ghi"};
char text[8] = "ab\0cd";

/* An index without a check into a global variable. */
int neighbour(signed char i) { return table[i] == 77 ? 1 : 0; }

/* The same, checked: nobody gets past the end. */
int checked(signed char i) {
    if (i < 0 || i > 3) {
        return -1;
    }
    if (table[i] == 77) {
        return 1;
    }
    return table[i] == 3;
}

/* Half checked. */
int from_below(signed char i) {
    if (i > 3) {
        return -1;
    }
    if (table[i] == 3) {
        return 1;
    }
    return table[i] == 5;
}

/* A row of an array continues in the next one. */
int row(unsigned char i) {
    char c = grid[0][i % 12];
    if (c == 'h') {
        return 1;
    }
    return c == 'z';
}

/* What lies behind the end of a string. */
int behind(unsigned char i) {
    if (i > 7) {
        return 0;
    }
    if (i > strlen(text) && text[i] == 'd') {
        return 1;
    }
    return text[i] == 'x';
}

/* A member that an array before it runs into. */
struct record { bool flags[3]; bool tag; };

int member(struct record *r, signed char i) {
    r->flags[0] = r->flags[1] = r->flags[2] = false;
    r->tag = true;
    if (r->flags[i]) {
        return 1;
    }
    return 0;
}

int member_checked(struct record *r, signed char i) {
    r->flags[0] = r->flags[1] = r->flags[2] = false;
    r->tag = true;
    if (i < 0 || i > 2) {
        return -1;
    }
    if (r->flags[i]) {
        return 1;
    }
    return 0;
}

/* One object of the input runs into another. */
int other_object(struct flag *p, struct flag *q, signed char i) {
    p->on = false;
    q->on = true;
    if ((&p->on)[i]) {
        return 1;
    }
    return 0;
}

/* Objects of the input are 48 bytes apart. Whichever of the others an index reaches first, the rest count too. */
struct flags { bool on, off; };

static void set(struct flags *f, bool value) { f->on = f->off = value; }

static int apart(struct flags *p, struct tiny t) {
    if ((&p->on)[(t.x & 1) + (t.x >> 1) * 48]) {
        return 1;
    }
    return 0;
}

int second_object(struct flags *p, struct flags *q, struct flags *r, struct flags *s, struct tiny t) {
    set(p, false), set(q, true), set(r, false), set(s, false);
    return apart(p, t);
}

int third_object(struct flags *p, struct flags *q, struct flags *r, struct flags *s, struct tiny t) {
    set(p, false), set(q, false), set(r, true), set(s, false);
    return apart(p, t);
}

int fourth_object(struct flags *p, struct flags *q, struct flags *r, struct flags *s, struct tiny t) {
    set(p, false), set(q, false), set(r, false), set(s, true);
    return apart(p, t);
}

/* A wide index reaches global variables from an array of the input. */
int far_object(bool *p, signed char i) {
    p[0] = p[1] = p[2] = false;
    int at = i * 7;
    if (p[at] == 77) {
        return 1;
    }
    return 0;
}

/* A write past the end changes what is tested. */
int overwritten(struct flag *p, struct flag *q, signed char i) {
    q->on = false;
    (&p->on)[i] = true;
    if (q->on) {
        return 1;
    }
    return 0;
}

/* A write into a local array changes a local variable behind or before it. */
int overwritten_local(signed char i, bool on) {
    volatile char before = 0;
    char room[4] = {0};
    volatile char behind_it = 0;
    room[i & 7] = on;
    if (before != 0) {
        return 1;
    }
    if (behind_it != 0) {
        return 2;
    }
    return room[0];
}

/* A write to a global array changes its neighbour. */
int overwritten_global(unsigned char i) {
    after_table = 0;
    table[i & 7] = 9;
    if (after_table == 9) {
        return 1;
    }
    return table[3] == 9;
}

/* Copies of as many bytes as an input says. */
int copied(unsigned char n) {
    char from[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    char to[16] = {0};
    memcpy(to + 4, from, n & 15);
    if (to[5] == 2) {
        return 1;
    }
    return to[3] != 0;
}

/* The length of an array is an input: in bounds, one past, and far past. */
int summed(const bool *a, int n, unsigned char i) {
    if (i < n) {
        if (a[i]) {
            return 1;
        }
        return 0;
    }
    if (i > n && a[i]) {
        return 2;
    }
    return 3;
}

int tied(const bool *a, int n, signed char i) {
    if (n > 3) {
        return 5;
    }
    if (a[i] == 9) {
        return 1;
    }
    return a[0];
}

/* Pointers may be null. */
int maybe(const bool *p, signed char i) {
    if (!p) {
        return i == 5;
    }
    if (i < 0 || i > 2) {
        return -1;
    }
    if (p[i] && p == 0) {
        return 1;
    }
    return p[i];
}

/* Pointer arithmetic both ways. */
int backwards(const bool *p, unsigned char i) {
    const bool *end = p + 3;
    if (i > 3) {
        return 0;
    }
    if (i == 0) {
        return 2;
    }
    if (end[-i] > 1) {
        return 1;
    }
    return end[-i];
}

/* A table of tables. */
int jump(struct pair p, struct tiny t) {
    unsigned char i = p.high, j = t.x;
    static const unsigned char next[4][4] = {{1, 2, 3, 0}, {2, 3, 0, 1}, {3, 0, 1, 2}, {0, 1, 2, 3}};
    unsigned char at = next[i & 3][j & 3];
    at = next[at][j & 3];
    if (at == i + 4) {
        return 1;
    }
    if (at == 2 && i == 1) {
        return 2;
    }
    return 0;
}

/* A counter that only control flow determines. */
int counted(struct pair p) {
    int a = p.low, b = (int)p.high - 8;
    int n = 0;
    if (a > 0) n += 1;
    if (b > 0) n += 2;
    if (a > b) n += 4;
    if (n == 2) return 1;
    if (n == 4) return 2;
    if (n == 5) return 3;
    if (n == 8) return 4;
    return n;
}

/* Divisions that trap. */
int divided(signed char a, struct pair p) {
    int b = p.low + (p.high == 3);
    if (a / b == 200) {
        return 1;
    }
    if (a % b == 7 && b == 9) {
        return 2;
    }
    return a / b == -128;
}

static int recursive(int n, int limit) {
    if (n > limit) {
        return 0;
    }
    return 1 + recursive(n + 3, limit);
}

int deep(unsigned char n) {
    int d = recursive(n, 200);
    if (d == 67) {
        return 1;
    }
    return d == 68;
}

static int twice(int x) { return 2 * x; }
static int thrice(int x) { return 3 * x; }
static int (*const operations[2])(int) = {twice, thrice};

/* Calls through a table of functions. */
int indirect(struct tiny which, signed char x) {
    int y = operations[which.x & 1](x);
    if (y == 7) {
        return 1;
    }
    if (y == 9) {
        return 2;
    }
    return operations[which.x & 3](y) == 5;
}

/* Bit-fields. */
int fields(struct pair p) {
    if (p.low * 3 == p.high + 1) {
        return 1;
    }
    if (p.low > 6 && p.high > p.low * 2 + 1) {
        return 2;
    }
    return 0;
}

int loops(struct tiny n, signed char x) {
    int sum = 0;
    for (int i = 0; i < n.x; i++) {
        if (x & 1 << i) {
            sum += i;
        }
    }
    if (sum == 21) {
        return 1;
    }
    if (sum == 22) {
        return 2;
    }
    return 0;
}
