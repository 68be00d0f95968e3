/* sqrt: integer floor square root, by taking away odd numbers: 1 + 3 + 5 + ... + (2k - 1) = k * k.
 *
 * Koroglu and Sen 2016 (IPPC). Entry: int_sqrt(n). Bounds: n in 0..1000; -1 below, -2 above.
 * Returns the root, negated minus 1000 when n is not a square.
 * Infeasible: nothing known.
 */

int int_sqrt(int n) {
    if (n < 0) {
        return -1;
    }
    if (n > 1000) {
        return -2;
    }
    int odd = 1;
    int root = 0;
    while (odd <= n) {
        n -= odd;
        odd += 2;
        root++;
    }
    if (n != 0) {
        return -1000 - root;
    }
    return root;
}
