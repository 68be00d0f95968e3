/* trityp: which kind of triangle has the sides i, j and k?
 *
 * Dinges and Agha, ASE 2014 (symcretic execution), a classic of the testing literature. Entry: trityp(i, j, k).
 * Returns 1 scalene, 2 isosceles, 3 equilateral, 4 none. Sums are written as differences of positive ints, so nothing
 * overflows.
 * Infeasible: nothing known. tri is 0, 1, 2, 3 or 6: two equalities imply the third. In the last test tri is 1, 2 or
 * 3, and all of these come with a long third side.
 */

int trityp(int i, int j, int k) {
    int tri = 0;
    if (i <= 0 || j <= 0 || k <= 0) {
        return 4;
    }
    if (i == j) {
        tri += 1;
    }
    if (i == k) {
        tri += 2;
    }
    if (j == k) {
        tri += 3;
    }
    if (tri == 0) {
        if (i <= k - j || j <= i - k || k <= j - i) {
            return 4;
        }
        return 1;
    }
    if (tri > 3) {
        return 3;
    }
    if (tri == 1 && i > k - j) {
        return 2;
    }
    if (tri == 2 && k > j - i) {
        return 2;
    }
    if (tri == 3 && j > i - k) {
        return 2;
    }
    return 4;
}
