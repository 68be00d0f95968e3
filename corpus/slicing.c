/* slicing: nine conditions that do not matter at all, before an error that cannot happen.
 *
 * Dinges and Agha, ASE 2014, figure 7. Entry: slicing(x1, ..., x9).
 * Infeasible: y == 1 true, see units.tsv.
 */

int slicing(int x1, int x2, int x3, int x4, int x5, int x6, int x7, int x8, int x9) {
    int z = 0;
    if (x1 > 0) {
        z = z + 1;
    } else {
        z = z - 1;
    }
    if (x2 > 0) {
        z = z + 1;
    } else {
        z = z - 1;
    }
    if (x3 > 0) {
        z = z + 1;
    } else {
        z = z - 1;
    }
    if (x4 > 0) {
        z = z + 1;
    } else {
        z = z - 1;
    }
    if (x5 > 0) {
        z = z + 1;
    } else {
        z = z - 1;
    }
    if (x6 > 0) {
        z = z + 1;
    } else {
        z = z - 1;
    }
    if (x7 > 0) {
        z = z + 1;
    } else {
        z = z - 1;
    }
    if (x8 > 0) {
        z = z + 1;
    } else {
        z = z - 1;
    }
    if (x9 > 0) {
        z = z + 1;
    } else {
        z = z - 1;
    }
    int y = 0;
    if (y == 1) {
        return 100;
    }
    return z;
}
