/* easy_loop: a loop that counts its input down to zero, then a test on the number of steps.
 *
 * Dinges and Agha, ASE 2014, table 1. Entry: easy_loop(n). Bounds: n at most 2000, else -1.
 * Infeasible: nothing known (n = 500).
 */

int easy_loop(int n) {
    int steps = 0;
    if (n > 2000) {
        return -1;
    }
    while (n > 0) {
        n--;
        steps++;
    }
    if (steps == 500) {
        return 1;
    }
    return 0;
}
