int limit = 10;
static int table[2] = {1, 2};
struct { int on; const char *name; } config;

int check(int x)
{
    if (x > limit)
        return 1;
    if (config.on && config.name && config.name[0] == 'n')
        return 2;
    return table[1] == 7 ? 3 : 0;
}
