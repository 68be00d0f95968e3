// Two conditions that contradict each other, after 80 branches that do not matter to them.
int diamonds_80(int y, int x0, int x1, int x2, int x3, int x4, int x5, int x6, int x7, int x8, int x9, int x10, int x11, int x12, int x13, int x14, int x15, int x16, int x17, int x18, int x19, int x20, int x21, int x22, int x23, int x24, int x25, int x26, int x27, int x28, int x29, int x30, int x31, int x32, int x33, int x34, int x35, int x36, int x37, int x38, int x39, int x40, int x41, int x42, int x43, int x44, int x45, int x46, int x47, int x48, int x49, int x50, int x51, int x52, int x53, int x54, int x55, int x56, int x57, int x58, int x59, int x60, int x61, int x62, int x63, int x64, int x65, int x66, int x67, int x68, int x69, int x70, int x71, int x72, int x73, int x74, int x75, int x76, int x77, int x78, int x79)
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
    if (x40 > 0) z += 41; else z -= 41;
    if (x41 > 0) z += 42; else z -= 42;
    if (x42 > 0) z += 43; else z -= 43;
    if (x43 > 0) z += 44; else z -= 44;
    if (x44 > 0) z += 45; else z -= 45;
    if (x45 > 0) z += 46; else z -= 46;
    if (x46 > 0) z += 47; else z -= 47;
    if (x47 > 0) z += 48; else z -= 48;
    if (x48 > 0) z += 49; else z -= 49;
    if (x49 > 0) z += 50; else z -= 50;
    if (x50 > 0) z += 51; else z -= 51;
    if (x51 > 0) z += 52; else z -= 52;
    if (x52 > 0) z += 53; else z -= 53;
    if (x53 > 0) z += 54; else z -= 54;
    if (x54 > 0) z += 55; else z -= 55;
    if (x55 > 0) z += 56; else z -= 56;
    if (x56 > 0) z += 57; else z -= 57;
    if (x57 > 0) z += 58; else z -= 58;
    if (x58 > 0) z += 59; else z -= 59;
    if (x59 > 0) z += 60; else z -= 60;
    if (x60 > 0) z += 61; else z -= 61;
    if (x61 > 0) z += 62; else z -= 62;
    if (x62 > 0) z += 63; else z -= 63;
    if (x63 > 0) z += 64; else z -= 64;
    if (x64 > 0) z += 65; else z -= 65;
    if (x65 > 0) z += 66; else z -= 66;
    if (x66 > 0) z += 67; else z -= 67;
    if (x67 > 0) z += 68; else z -= 68;
    if (x68 > 0) z += 69; else z -= 69;
    if (x69 > 0) z += 70; else z -= 70;
    if (x70 > 0) z += 71; else z -= 71;
    if (x71 > 0) z += 72; else z -= 72;
    if (x72 > 0) z += 73; else z -= 73;
    if (x73 > 0) z += 74; else z -= 74;
    if (x74 > 0) z += 75; else z -= 75;
    if (x75 > 0) z += 76; else z -= 76;
    if (x76 > 0) z += 77; else z -= 77;
    if (x77 > 0) z += 78; else z -= 78;
    if (x78 > 0) z += 79; else z -= 79;
    if (x79 > 0) z += 80; else z -= 80;
    if (y > 10) {
        if (y < 5) {
            return 1; // TARGET unreachable 2
        }
    }
    return z;
}
