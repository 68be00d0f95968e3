#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    char line[16];

    if (argc == 2 && !strcmp(argv[1], "-v"))
        return 7;
    if (!fgets(line, sizeof line, stdin))
        return 1;
    if (line[0] == 'y')
        return 2;
    return 3;
}
