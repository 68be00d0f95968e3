// defines: overflows
// branches: overflows 1
// imports:
int overflows(int a) { if (a + 100 < a) return 1; return 0; }
