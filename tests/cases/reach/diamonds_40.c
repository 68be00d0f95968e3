// Two conditions that contradict each other, after 40 branches that do not matter to them.
int diamonds_40(int y, int x0, int x1, int x2, int x3, int x4, int x5, int x6, int x7, int x8, int x9, int x10, int x11, int x12, int x13, int x14, int x15, int x16, int x17, int x18, int x19, int x20, int x21, int x22, int x23, int x24, int x25, int x26, int x27, int x28, int x29, int x30, int x31, int x32, int x33, int x34, int x35, int x36, int x37, int x38, int x39)
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
    if (x20 > 0) z += 21; else z -= 21;
    if (x21 > 0) z += 22; else z -= 22;
    if (x22 > 0) z += 23; else z -= 23;
    if (x23 > 0) z += 24; else z -= 24;
    if (x24 > 0) z += 25; else z -= 25;
    if (x25 > 0) z += 26; else z -= 26;
    if (x26 > 0) z += 27; else z -= 27;
    if (x27 > 0) z += 28; else z -= 28;
    if (x28 > 0) z += 29; else z -= 29;
    if (x29 > 0) z += 30; else z -= 30;
    if (x30 > 0) z += 31; else z -= 31;
    if (x31 > 0) z += 32; else z -= 32;
    if (x32 > 0) z += 33; else z -= 33;
    if (x33 > 0) z += 34; else z -= 34;
    if (x34 > 0) z += 35; else z -= 35;
    if (x35 > 0) z += 36; else z -= 36;
    if (x36 > 0) z += 37; else z -= 37;
    if (x37 > 0) z += 38; else z -= 38;
    if (x38 > 0) z += 39; else z -= 39;
    if (x39 > 0) z += 40; else z -= 40;
    if (y > 10) {
        if (y < 5) {
            return 1; // TARGET unreachable 2
        }
    }
    return z;
}
