/* bsort: bubble sort of a few ints, with the early end when a pass swaps nothing.
 *
 * Koroglu and Sen 2016 (IPPC). Entry: bsort(a, n). Bounds: n in 1..6, else -1. The array is copied, not changed.
 * Returns the number of swaps, plus 100 if equal neighbours are left.
 * Infeasible: nothing known.
 */

#include <stddef.h>

enum { LARGEST = 6 };

int bsort(const int *a, int n) {
    int sorted[LARGEST];
    int swaps = 0;
    int repeated = 0;
    if (a == NULL || n < 1 || n > LARGEST) {
        return -1;
    }
    for (int i = 0; i < n; i++) {
        sorted[i] = a[i];
    }
    int swapped = 1;
    for (int last = n - 1; last > 0 && swapped; last--) {
        swapped = 0;
        for (int i = 0; i < last; i++) {
            if (sorted[i] > sorted[i + 1]) {
                int larger = sorted[i];
                sorted[i] = sorted[i + 1];
                sorted[i + 1] = larger;
                swapped = 1;
                swaps++;
            }
        }
    }
    for (int i = 1; i < n; i++) {
        if (sorted[i - 1] == sorted[i]) {
            repeated = 100;
        }
    }
    return swaps + repeated;
}
