/* A division that nobody guarded, and a sum that must hit a number exactly. */

int average(const int *values, int n) {
    int sum = 0;
    int used = 0;
    for (int i = 0; i < n; i++) {
        if (values[i] >= 0) {
            sum += values[i];
            used++;
        }
    }
    if (sum == 4711) {
        return -1;
    }
    return sum / used;
}
