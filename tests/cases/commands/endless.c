int endless(int x)
{
    if (x > 3)
        for (;;)
            x ^= 5;
    return x;
}
