/* One side is taken by numbers that wrap in 32 bits only, where `long` has 64. */
int mixed(int x, unsigned long n)
{
    if (x == 3)
        return 1;
    if (n > 10 && n + 4294967290u < 9)
        return 2;
    return 0;
}
