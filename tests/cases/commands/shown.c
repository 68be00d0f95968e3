/* Values of every kind, as they come back and as a program asks for them. */
enum mode { OFF, ON = 5, AUTO };
struct inner { short a; };
struct record {
    int code;
    double value;
    char name[4];
    enum mode mode;
    unsigned low : 3;
    int high : 5;
    struct { short hidden; };
    struct inner inner;
    int list[2];
    int *pointer;
};
struct single { float f; };
enum mode pick(void);
unsigned char level(void);

struct record make(int x, enum mode mode)
{
    struct record r = {x, x / 2.0, "ab", mode, 5, -2, {7}, {8}, {9, 10}, 0};

    if (mode == AUTO)
        r.code = -1;
    return r;
}
struct single single(float f)
{
    struct single s = {2 * f};
    return s;
}
enum mode other(enum mode mode) { return mode == ON ? AUTO : OFF; }
int ask(void)
{
    if (pick() == ON && level() > 200)
        return 1;
    return 0;
}
int *same(int *p) { return p; }
