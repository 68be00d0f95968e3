/* Floating point and library calls: is a target inside the beam, and how bright is its echo? */

#include <math.h>

struct target {
    double distance; /* kilometres */
    double bearing;  /* radians */
};

/* 0: outside the beam, 1: faint, 2: clear, 3: on the axis; -1: no target. */
int classify(const struct target *t, double axis) {
    if (t == 0 || t->distance <= 0.0) {
        return -1;
    }
    double offset = sin(t->bearing - axis);
    if (offset * offset > 0.04) {
        return 0;
    }
    double power = 1.0e6 / pow(t->distance, 4.0);
    if (power < 1.0e-2) {
        return 1;
    }
    if (offset == 0.0 && t->distance == 12.5) {
        return 3;
    }
    return 2;
}
