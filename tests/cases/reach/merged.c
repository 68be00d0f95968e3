/* Branches that backward execution takes as one: both their sides come together before the target. */
int merged(int a, int b)
{
    int x = 3;
    if (a > 7)
        x = 12;
    int y = b < 0 ? 5 : 8;
    if (x * y == 60)
        return 1;
    return 0;
}
