/* blind: a product that has to equal one of its factors.
 *
 * Dinges and Agha 2014. Entry: blind(a, b). The product wraps, which unsigned arithmetic makes explicit.
 * Infeasible: nothing known (a == 1 solves it).
 */

int blind(int a, int b) {
    int c = (int)((unsigned)a * (unsigned)b);
    if (b > 2 && b == c) {
        return 1;
    }
    return 0;
}
