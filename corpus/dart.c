/* dart: a cubic condition before two linear ones.
 *
 * Papers 000 and 002, after the example of the DART paper. Entry: dart(x, y). The cube wraps, which unsigned
 * arithmetic makes explicit. Returns 1 and 2 for the two failures of the original.
 * Infeasible: nothing in 32 bits. In the integers a positive x with a cube <= 0 would be.
 */

int dart(int x, int y) {
    int cube = (int)((unsigned)x * (unsigned)x * (unsigned)x);
    if (cube > 0) {
        if (x > 0 && y == 10) {
            return 1;
        }
    } else {
        if (x > 0 && y == 20) {
            return 2;
        }
    }
    return 0;
}
