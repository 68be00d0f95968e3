// A loop that counts down.
int easy_loop(int x)
{
    int n = 0;
    while (x > 0) {
        x = x - 3;
        n++;
    }
    if (n == 200) {
        return 1; // TARGET reached 7
    }
    return 0;
}
