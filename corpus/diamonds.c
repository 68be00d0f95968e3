/* diamonds: a control-dependent accumulator: twenty conditions add one or two, then the sum is tested.
 *
 * Our own, after figure 6 of Dinges and Agha, ASE 2014. Entry: diamonds(x1, ..., x20). There are 2^20 paths; 77520 of them (20 over
 * 13) end in y == 33.
 * Infeasible: nothing.
 */

int diamonds(int x1, int x2, int x3, int x4, int x5, int x6, int x7, int x8, int x9, int x10, int x11, int x12,
             int x13, int x14, int x15, int x16, int x17, int x18, int x19, int x20) {
    int y = 0;
    if (x1 > 0) {
        y += 1;
    } else {
        y += 2;
    }
    if (x2 > 0) {
        y += 1;
    } else {
        y += 2;
    }
    if (x3 > 0) {
        y += 1;
    } else {
        y += 2;
    }
    if (x4 > 0) {
        y += 1;
    } else {
        y += 2;
    }
    if (x5 > 0) {
        y += 1;
    } else {
        y += 2;
    }
    if (x6 > 0) {
        y += 1;
    } else {
        y += 2;
    }
    if (x7 > 0) {
        y += 1;
    } else {
        y += 2;
    }
    if (x8 > 0) {
        y += 1;
    } else {
        y += 2;
    }
    if (x9 > 0) {
        y += 1;
    } else {
        y += 2;
    }
    if (x10 > 0) {
        y += 1;
    } else {
        y += 2;
    }
    if (x11 > 0) {
        y += 1;
    } else {
        y += 2;
    }
    if (x12 > 0) {
        y += 1;
    } else {
        y += 2;
    }
    if (x13 > 0) {
        y += 1;
    } else {
        y += 2;
    }
    if (x14 > 0) {
        y += 1;
    } else {
        y += 2;
    }
    if (x15 > 0) {
        y += 1;
    } else {
        y += 2;
    }
    if (x16 > 0) {
        y += 1;
    } else {
        y += 2;
    }
    if (x17 > 0) {
        y += 1;
    } else {
        y += 2;
    }
    if (x18 > 0) {
        y += 1;
    } else {
        y += 2;
    }
    if (x19 > 0) {
        y += 1;
    } else {
        y += 2;
    }
    if (x20 > 0) {
        y += 1;
    } else {
        y += 2;
    }
    if (y == 33) {
        return -1;
    }
    return y;
}
