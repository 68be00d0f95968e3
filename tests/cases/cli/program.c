#include <stdio.h>
#include <string.h>
int main(int argc, char **argv) {
    char line[16];
    if (argc == 2 && strcmp(argv[1], "go") == 0) return 7;
    if (fgets(line, sizeof line, stdin) && strcmp(line, "on\n") == 0) return 8;
    return 0;
}
