// Two conditions that contradict each other, after 20 branches that do not matter to them.
int diamonds_20(int y, int x0, int x1, int x2, int x3, int x4, int x5, int x6, int x7, int x8, int x9, int x10, int x11, int x12, int x13, int x14, int x15, int x16, int x17, int x18, int x19)
{
    int z = 0;
    if (x0 > 0) z += 1; else z -= 1;
    if (x1 > 0) z += 2; else z -= 2;
    if (x2 > 0) z += 3; else z -= 3;
    if (x3 > 0) z += 4; else z -= 4;
    if (x4 > 0) z += 5; else z -= 5;
    if (x5 > 0) z += 6; else z -= 6;
    if (x6 > 0) z += 7; else z -= 7;
    if (x7 > 0) z += 8; else z -= 8;
    if (x8 > 0) z += 9; else z -= 9;
    if (x9 > 0) z += 10; else z -= 10;
    if (x10 > 0) z += 11; else z -= 11;
    if (x11 > 0) z += 12; else z -= 12;
    if (x12 > 0) z += 13; else z -= 13;
    if (x13 > 0) z += 14; else z -= 14;
    if (x14 > 0) z += 15; else z -= 15;
    if (x15 > 0) z += 16; else z -= 16;
    if (x16 > 0) z += 17; else z -= 17;
    if (x17 > 0) z += 18; else z -= 18;
    if (x18 > 0) z += 19; else z -= 19;
    if (x19 > 0) z += 20; else z -= 20;
    if (y > 10) {
        if (y < 5) {
            return 1; // TARGET unreachable 2
        }
    }
    return z;
}
