/* gcd: greatest common divisor by the binary method, with additions, subtractions and comparisons only.
 *
 * Koroglu and Sen 2016 (IPPC). Entry: gcd(a, b). Bounds: both in 1..64, else -1, because halving counts up in steps of one.
 * Infeasible: nothing known.
 */

enum { LARGEST = 64 };

/* Half of n, rounded down; *odd tells whether a one was left over. */
static int halve(int n, int *odd) {
    int half = 0;
    while (n >= 2) {
        n -= 2;
        half++;
    }
    *odd = n;
    return half;
}

int gcd(int a, int b) {
    if (a < 1 || b < 1 || a > LARGEST || b > LARGEST) {
        return -1;
    }
    int doublings = 0;
    while (a != b) {
        int a_odd, b_odd;
        int a_half = halve(a, &a_odd);
        int b_half = halve(b, &b_odd);
        if (a_odd == 0 && b_odd == 0) {
            a = a_half;
            b = b_half;
            doublings++;
        } else if (a_odd == 0) {
            a = a_half;
        } else if (b_odd == 0) {
            b = b_half;
        } else if (a > b) {
            a -= b;
        } else {
            b -= a;
        }
    }
    while (doublings > 0) {
        a += a;
        doublings--;
    }
    return a;
}
