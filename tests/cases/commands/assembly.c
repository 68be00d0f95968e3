/* One function that can be tested, one that cannot be expressed. */

int plain(int x)
{
    if (x > 3)
        return 1;
    return 2;
}

int clock(void)
{
    int low;

    __asm__ volatile("rdtsc" : "=a"(low) : : "edx");
    return low;
}
