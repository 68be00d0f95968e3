/* prime: primality by trial division, with divisibility decided by repeated subtraction (no '%').
 *
 * Koroglu and Sen 2016 (IPPC). Entry: prime(n). Bounds: n in 2..200; 0 below, -1 above.
 * Returns 1 for a prime, minus the smallest proper divisor otherwise.
 * Infeasible: nothing known.
 */

enum { LARGEST = 200 };

static int is_divisible(int n, int divisor) {
    while (n >= divisor) {
        n -= divisor;
    }
    return n == 0;
}

int prime(int n) {
    if (n < 2) {
        return 0;
    }
    if (n > LARGEST) {
        return -1;
    }
    for (int divisor = 2; divisor <= n - divisor; divisor++) {
        if (is_divisible(n, divisor)) {
            return -divisor;
        }
    }
    return 1;
}
