// Which kind of triangle three lengths make.
int trityp(int i, int j, int k)
{
    int kind;
    if (i == 0 || j == 0 || k == 0) {
        kind = 4;
    } else {
        kind = 0;
        if (i == j) kind = kind + 1;
        if (i == k) kind = kind + 2;
        if (j == k) kind = kind + 3;
        if (kind == 0) {
            if (i + j <= k || j + k <= i || i + k <= j) {
                kind = 4;
            } else {
                kind = 1; // TARGET reached 3
            }
        } else {
            if (kind > 3) {
                kind = 3; // TARGET reached 4
            } else {
                if (kind == 1 && i + j > k) {
                    kind = 2;
                } else if (kind == 2 && i + k > j) {
                    kind = 2;
                } else if (kind == 3 && j + k > i) {
                    kind = 2; // TARGET reached 14
                } else {
                    kind = 4;
                }
            }
        }
    }
    return kind;
}
