/* narrow: an absolute value that is negative, for one int in 2^32.
 *
 * Dinges and Agha, ASE 2014, figure 8. Entry: narrow(x). The negation wraps, which unsigned arithmetic makes explicit.
 * Infeasible: nothing (x = INT_MIN).
 */

int narrow(int x) {
    int y;
    if (x >= 0) {
        y = x;
    } else {
        y = (int)(0u - (unsigned)x);
    }
    if (y < 0) {
        return 1;
    }
    return 0;
}
