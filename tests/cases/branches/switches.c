/* switch: dense, sparse, fall-through, ranges, enums, characters, without default, nested. */
#include <stdio.h>

enum token { NUMBER, PLUS, MINUS, TIMES = 10, END };
#define SPECIAL 77

int dense(int x) {
    int r = 0;
    switch (x) {
        case 1: r = 10; break;
        case 2: r = 25;
        case 3: r += 7; break;
        case 4: r = 4; break;
        case 5: r = 8; break;
        case 6: r = 3; break;
        default: r = 99;
    }
    return r;
}

int sparse(int x) {
    switch (x) {
        case -1000: return 1;
        case 5: return 2;
        case SPECIAL: return 3;
        case 100000: return 4;
    }
    return 0;
}

int shared(int x) {
    switch (x) {
        case 1: case 3: case 5: case 7: return 1;
        case 2: case 4: return 2;
        case 20: return 3;
        default: return 0;
    }
}

const char *name(enum token t) {
    switch (t) {
        case NUMBER: return "number";
        case PLUS: return "plus";
        case MINUS: return "minus";
        case TIMES: return "times";
        case END: return "end";
    }
    return "none";
}

int class(char c) {
    switch (c) {
        case '0' ... '9': return 1;
        case 'a' ... 'z': return 2;
        case ' ': case '\t': case '\n': return 3;
        case '\\': return 4;
    }
    return 0;
}

int small(int x, int y) {
    int r = 1;
    switch (x) {
        case 3:
            r = 2;
            break;
        default:
            switch (y) {
                case 1: r = 5; break;
                case 2: r = 6; break;
                default: r = y > 9 ? 7 : 8;
            }
    }
    return r;
}

long long wide(long long x) {
    switch (x) {
        case 0: return 5;
        case 1: return 77;
        case 10000000000: return 6;
        default: return 1;
    }
}

int main(void) {
    int sum = 0;
    for (int x = -2; x < 25; x++) {
        sum += dense(x) + sparse(x) + shared(x) + name((enum token)x)[0] + (int)wide(x);
        sum += small(x, x + 1) + small(3, x) + small(x, 12);
    }
    for (const char *s = "a7 \\\t.Z"; *s; s++) sum += class(*s);
    sum += sparse(-1000) + sparse(77) + sparse(100000) + (int)wide(10000000000);
    printf("%d\n", sum);
    return 0;
}
