// Figure 8: only the least integer stays negative.
int narrow(int x)
{
    int y;
    if (x >= 0) {
        y = x;
    } else {
        y = -x;
    }
    if (y < 0) {
        return 1; // TARGET reached 2
    }
    return 0;
}
