// Dinges and Agha 2014, figure 1: a data-dependent loop of 1024 passes, a remainder, an external function.
double sin(double);

int challenges(int x, double u)
{
    int res = 0;
    int i = 0;
    while (i < x) {
        int tmp = i % 2;
        if (tmp == 0) {
            res = res - 1;
        } else {
            res = res + 17;
        }
        i++;
    }
    if (res == 8192) {
        if (sin(u) > 0) {
            return 1; // TARGET reached 22
        }
    }
    return 0;
}
