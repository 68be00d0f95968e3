/* stat: one value added four times to a sorted list that keeps its sums; then its median and its deviation.
 *
 * Dinges and Agha 2014. Entry: stat_values(val) ("stat" is a function of the C library). The deviation of equal values is 0 up to
 * rounding.
 * Returns a number with one digit for each condition.
 * Infeasible: see units.tsv (all values are equal, so nothing is ever inserted before or after another value).
 */

#include <math.h>

enum { CAPACITY = 4 };

struct list {
    int values[CAPACITY];
    int size;
    double sum;
    double sum_of_squares;
};

/* Where val is, or minus one minus where it belongs. */
static int search(const struct list *list, int val) {
    int low = 0;
    int high = list->size - 1;
    while (low <= high) {
        int middle = (low + high) / 2;
        if (list->values[middle] < val) {
            low = middle + 1;
        } else if (list->values[middle] > val) {
            high = middle - 1;
        } else {
            return middle;
        }
    }
    return -1 - low;
}

/* Inserts val and returns how: 1 beside an equal value, 2 at the end, 3 before a larger value. */
static int add(struct list *list, int val) {
    int index = search(list, val);
    int how;
    if (index >= 0 && index < list->size) {
        how = 1;
    } else if (-1 - index == list->size || list->size == 0) {
        index = list->size;
        how = 2;
    } else {
        index = -1 - index;
        how = 3;
    }
    for (int i = list->size; i > index; i--) {
        list->values[i] = list->values[i - 1];
    }
    list->values[index] = val;
    list->size++;
    list->sum += val;
    list->sum_of_squares += (double)val * val;
    return how;
}

int stat_values(int val) {
    struct list list = {{0}, 0, 0.0, 0.0};
    int result = 0;
    for (int i = 0; i < CAPACITY; i++) {
        result = 10 * result + add(&list, val);
    }
    double mean = list.sum / list.size;
    double deviation = sqrt(list.sum_of_squares / list.size - mean * mean);
    double median = (list.values[1] + (double)list.values[2]) / 2;
    result *= 10;
    if (median == 3) {
        result += 1;
    }
    result *= 10;
    if (deviation <= 0.82915619758885) {
        result += 1;
    }
    return result;
}
