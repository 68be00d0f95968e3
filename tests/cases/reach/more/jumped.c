// Every way through the first branch returns; what refutes those ways must not refute the other.
int jumped(int a, int b, int c)
{
    int z = 0;
    if (a > 0) {
        if (b > 10) {
            if (c > 7)
                z = b;
            if (b > 5)
                return 0;
        } else {
            if (b < 20)
                return 1;
        }
    }
    if (c == 3)
        return 2; // TARGET reached
    return z;
}
