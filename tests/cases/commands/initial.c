/* Global variables that start with something. */
typedef const int fixed_int;
int limit = 42;
const char *name = "hello";
int *where = &limit;
int *nowhere;
struct { unsigned a : 3, b : 4; } bits = {5, 9};
static int grid[2][2] = {{1, 2}, {3, 4}};
double ratio = 0.5;
const int table[3] = {1, 2, 3};
fixed_int fixed = 9;

int look(int i)
{
    if (i > limit)
        return bits.a + bits.b;
    if (name && name[4] == 'o' && where && *where == 42)
        return grid[1][0] + fixed + table[i & 1];
    return nowhere != 0 && ratio > 0.5;
}
