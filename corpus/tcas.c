/* tcas: the resolution advisory of an aircraft collision avoidance system.
 *
 * Dinges and Agha 2014 (Concolic Walk) and many others. Entry: tcas(...), 12 ints, all conditions linear.
 * Returns 0 no advisory, 1 climb, 2 descend; -1 when the layer is not in 0..3 (the original faults there).
 * Climbing when inhibited adds MINSEP, as in the paper's version. That sum wraps.
 * Infeasible: see units.tsv (five sides).
 */

enum {
    OLEV = 600,       /* the largest own rate at which advice is given */
    MAXALTDIFF = 600, /* the separation below which none is given */
    MINSEP = 300
};

struct encounter {
    int cur_vertical_sep;
    int own_tracked_alt;
    int other_tracked_alt;
    int up_separation;
    int down_separation;
    int climb_inhibit;
    int alim;
};

static int own_below(const struct encounter *e) {
    return e->own_tracked_alt < e->other_tracked_alt;
}

static int own_above(const struct encounter *e) {
    return e->other_tracked_alt < e->own_tracked_alt;
}

static int upward_preferred(const struct encounter *e) {
    unsigned biased = (unsigned)e->up_separation;
    if (e->climb_inhibit == 1) {
        biased += MINSEP;
    }
    return (int)biased > e->down_separation;
}

static int climb(const struct encounter *e) {
    if (upward_preferred(e)) {
        return !own_below(e) || (own_below(e) && !(e->down_separation >= e->alim));
    }
    return own_above(e) && e->cur_vertical_sep >= MINSEP && e->up_separation >= e->alim;
}

static int descend(const struct encounter *e) {
    if (upward_preferred(e)) {
        return own_below(e) && e->cur_vertical_sep >= MINSEP && e->down_separation >= e->alim;
    }
    return !own_above(e) || (own_above(e) && e->up_separation >= e->alim);
}

int tcas(int cur_vertical_sep, int high_confidence, int two_of_three_reports_valid, int own_tracked_alt,
         int own_tracked_alt_rate, int other_tracked_alt, int alt_layer_value, int up_separation,
         int down_separation, int other_rac, int other_capability, int climb_inhibit) {
    static const int alim[4] = {400, 500, 640, 740};
    if (alt_layer_value < 0 || alt_layer_value > 3) {
        return -1;
    }
    struct encounter e = {
        cur_vertical_sep, own_tracked_alt, other_tracked_alt, up_separation,
        down_separation,  climb_inhibit,   alim[alt_layer_value],
    };
    int enabled = high_confidence == 1 && own_tracked_alt_rate <= OLEV && cur_vertical_sep > MAXALTDIFF;
    int equipped = other_capability == 1;
    int unknown = two_of_three_reports_valid == 1 && other_rac == 0;
    if (enabled && ((equipped && unknown) || !equipped)) {
        int up = climb(&e) && own_below(&e);
        int down = descend(&e) && own_above(&e);
        if (up && down) {
            return 0;
        }
        if (up) {
            return 1;
        }
        if (down) {
            return 2;
        }
    }
    return 0;
}
