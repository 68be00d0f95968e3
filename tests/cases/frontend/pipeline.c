// defines: compare used_by_nobody inlined_header_style choose main
// imports:
// exports: _initialize __symcrete_arena __symcrete_files __symcrete_input_max
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Two conditions, two branches. */
int compare(int a, int b) { if (a < b && b > 3) return sin(a) > 0.5; return a < b ? 7 : 9; }

static int used_by_nobody(int a) { return a > 3 ? 1 : 2; }

/* C99: without an external definition elsewhere this has no body but its own. */
inline int inlined_header_style(int a) { return a + 1; }

/* Becomes a switch. */
int choose(int a)
{
    static const void *const targets[] = {&&one, &&two};
    goto *targets[a & 1];
one:
    return 1;
two:
    return inlined_header_style(a);
}

int main(int argc, char **argv)
{
    char buffer[10];
    FILE *file = fopen(argv[0], "r");

    if (file && fgets(buffer, sizeof buffer, file))
        puts(buffer);
    if (getenv("HOME"))
        exit(3);
    return compare(argc, 2);
}
