/* Array types with names, two dimensions, arrays in structures, parameters with fixed sizes. */
typedef int triple[3];
typedef double matrix[2][2];
typedef unsigned char digest[4];

struct board { char cells[3][3]; int scores[2]; };

int ascending(triple t)
{
    return t[0] < t[1] && t[1] < t[2];
}

int swapped(const triple *rows, int n)
{
    return n > 1 && rows[0][2] == 8 && rows[1][0] == -8;
}

double trace(matrix m)
{
    if (m[0][0] > m[1][1])
        m[0][0] = 0.5;
    return m[0][0] + m[1][1];
}

int diagonal(const int grid[3][4])
{
    if (grid[0][0] == 1 && grid[2][3] == 2)
        return 1;
    return 0;
}

int won(const struct board *b)
{
    for (int i = 0; i < 3; i++)
        if (b->cells[i][0] == 'x' && b->cells[i][1] == 'x' && b->cells[i][2] == 'x')
            return i + 1;
    return 0;
}

void marked(struct board *b, int row, int column)
{
    if (row >= 0 && row < 3 && column >= 0 && column < 3) {
        b->cells[row][column] = 'o';
        b->scores[1]++;
    }
}

int same(digest a, const digest b)
{
    for (int i = 0; i < 4; i++)
        if (a[i] != b[i])
            return 0;
    return 1;
}

void filled(int values[static 4], int with)
{
    if (with > 3)
        for (int i = 0; i < 4; i++)
            values[i] = with;
}
