/* newton: a square root by Newton's iteration in 32-bit floats.
 *
 * Takaki et al. 2010. Entry: newton(x). Bounds: at most 40 steps; -1 for negative numbers and NaN, -2 for numbers above a
 * million.
 * Returns the number of steps, plus 100 for a root that is a whole number below 100, and 200 for a root that is
 * exact.
 * Infeasible: nothing known.
 */

enum { STEPS = 40 };

int newton(float x) {
    if (!(x >= 0)) {
        return -1;
    }
    if (x > 1e6f) {
        return -2;
    }
    float root = x;
    int steps = 0;
    int settled = 0;
    while (!settled && steps < STEPS) {
        float better = (root + x / root) * 0.5f;
        float change = root - better;
        if (change < 0) {
            change = -change;
        }
        settled = change <= 1e-6f * root;
        root = better;
        steps++;
    }
    int result = steps;
    if (root < 100 && (float)(int)root == root) {
        result += 100;
    }
    if (root * root == x) {
        result += 200;
    }
    return result;
}

/* The size that the paper's queries have: the first guess is an input too, and far from the root it takes many steps. */
int newton_sequence(float x, float guess) {
    if (!(x >= 0.001f) || x > 1e6f || !(guess >= 0.001f) || guess > 1e9f) {
        return -1;
    }
    float root = guess;
    int steps = 0;
    int n_up = 0;
    int settled = 0;
    while (!settled && steps < STEPS) {
        float better = (root + x / root) * 0.5f;
        float change = root - better;
        if (change < 0) {
            change = -change;
            n_up++;
        }
        settled = change <= 1e-6f * root;
        root = better;
        steps++;
    }
    if (n_up > 1) {
        return -2;
    }
    if (root * root == x) {
        return 100 + steps;
    }
    return steps;
}
