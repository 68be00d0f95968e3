/* hard_loop: a loop whose 1024th iteration matters, then a call into the C library.
 *
 * Dinges and Agha, ASE 2014, figure 1. Entry: hard_loop(x, u). Bounds: x at most 2000, else -1.
 * Infeasible: nothing known. res is 8 * x for even x, so x = 1024 gives 8192.
 */

#include <math.h>

int hard_loop(int x, double u) {
    int res = 0;
    int i = 0;
    if (x > 2000) {
        return -1;
    }
    while (i < x) {
        int rest = i % 2;
        if (rest == 0) {
            res = res - 1;
        } else {
            res = res + 17;
        }
        i++;
    }
    if (res == 8192) {
        if (sin(u) > 0) {
            return 2;
        }
        return 1;
    }
    return 0;
}
