/* factor: factorisation into primes, with division by repeated subtraction (no '/' and no '%').
 *
 * Koroglu and Sen 2016 (IPPC). Entry: factor(n). Bounds: n in 2..200; 0 below, -1 above.
 * Returns 100 times the number of prime factors plus their sum; 50 more when a factor is repeated.
 * Infeasible: nothing known.
 */

enum { LARGEST = 200 };

int factor(int n) {
    if (n < 2) {
        return 0;
    }
    if (n > LARGEST) {
        return -1;
    }
    int divisor = 2;
    int count = 0;
    int sum = 0;
    int previous = 0;
    int repeated = 0;
    while (n > 1) {
        int rest = n;
        int quotient = 0;
        while (rest >= divisor) {
            rest -= divisor;
            quotient++;
        }
        if (rest == 0) {
            if (divisor == previous) {
                repeated = 50;
            }
            previous = divisor;
            count++;
            sum += divisor;
            n = quotient;
        } else {
            divisor++;
        }
    }
    return 100 * count + sum + repeated;
}
