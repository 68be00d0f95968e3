/* power: a square decides which of two paths a later condition meets.
 *
 * Dinges and Agha 2014. Entry: power(x, y). The square wraps, which unsigned arithmetic makes explicit.
 * Returns 0, or 1..4 for the four combinations.
 * Infeasible: nothing known.
 */

int power(int x, int y) {
    int path;
    if (x <= 0) {
        return 0;
    }
    if (y == (int)((unsigned)x * (unsigned)x)) {
        path = 1;
    } else {
        path = 2;
    }
    if (y > 8) {
        if (path == 1) {
            return 1;
        }
        return 2;
    }
    if (path == 1) {
        return 3;
    }
    return 4;
}
