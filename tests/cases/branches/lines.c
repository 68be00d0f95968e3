/* Odd layouts: several statements in one line, conditions over many lines, else-if chains, empty bodies. */
#include <stdio.h>

int one_line(int a, int b) { if (a) { if (b) return 1; return 2; } if (b) return 3; return 4; }

int many_lines(int a, int b, int c)
{
    if (
        a
        >
        b
        &&
        (
            b
            > c
            ||
            c == 3
        )
    )
        return 1;
    else if (a == b) return 2; else if (b == c
        ) return 3;
    else
    if (a
        + b > c) return 4;
    return 5;
}

int empty(int a) {
    if (a > 3) {} else a++;
    if (a > 5)
        ;
    while (a-- > 0)
        ;
    for (int i = 0; i < a; i++) {}
    return a;
}

int chained(int a, int b) {
    int r = a > 1 ? 2 : 3, s = b > 1 && a > 2, t = (a > 0) + (b > 0);
    return r + s + t + (a ? b ? 1 : 2 : 3) + ((a && b) || (!a && !b));
}

int old(a, b) int a; int b; { return a > b; }

int dangling(int a, int b) {
    if (a > 0)
        if (b > 0) return 1;
        else return 2;
    return (a < 0) ? ({ int c = b; if (c > 3) c = 3; c; }) : 0;
}

int main(void) {
    int sum = 0;
    for (int a = 0; a < 3; a++) for (int b = 0; b < 3; b++) {
        sum += one_line(a, b) + many_lines(a, b, 1) + chained(a, b) + empty(a + b);
        sum += dangling(a - 1, b - 1) + old(a, b);
    }
    printf("%d\n", sum + many_lines(5, 4, 3) + many_lines(5, 2, 3) + dangling(-1, 9));
    return 0;
}
