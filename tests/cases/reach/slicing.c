// Figure 7: branches that have nothing to do with the target.
int slicing(int x1, int x2, int x3, int x4, int x5, int x6, int x7, int x8, int x9, int y0)
{
    int y = y0 & 1, z = 0;
    if (x1 > 0) { z += 1; } else { z += 2; }
    if (x2 > 0) { z += 1; } else { z += 2; }
    if (x3 > 0) { z += 1; } else { z += 2; }
    if (x4 > 0) { z += 1; } else { z += 2; }
    if (x5 > 0) { z += 1; } else { z += 2; }
    if (x6 > 0) { z += 1; } else { z += 2; }
    if (x7 > 0) { z += 1; } else { z += 2; }
    if (x8 > 0) { z += 1; } else { z += 2; }
    if (x9 > 0) { z += 1; } else { z += 2; }
    if (y == 2) {
        return -1; // TARGET unreachable 2
    }
    return z;
}
