/* switch_machine: a state machine of four steps, one of which asks for a product of two inputs.
 *
 * Takaki et al. 2010 (after an example of jCUTE). Entry: switch_machine(a, b, c, d). The product wraps, which unsigned
 * arithmetic makes explicit.
 * Returns the last state, or -1 from the state that only a certain sequence reaches.
 * Infeasible: the switch of `next` has a label for every state, so nothing takes its implicit default.
 */

enum state { IDLE, ARMED, COUNTING, LOCKED, OPEN };

static enum state next(enum state state, int x, int y) {
    switch (state) {
    case IDLE:
        if (x > 10) {
            return ARMED;
        }
        return IDLE;
    case ARMED:
        if (x + (long long)y == 7) {
            return COUNTING;
        }
        if (x <= 0) {
            return IDLE;
        }
        return LOCKED;
    case COUNTING:
        if ((int)((unsigned)x * (unsigned)y) == 1001 && x > y) {
            return OPEN;
        }
        return LOCKED;
    case LOCKED:
        if (x != y) {
            return LOCKED;
        }
        return IDLE;
    case OPEN:
        return OPEN;
    }
    return state;
}

int switch_machine(int a, int b, int c, int d) {
    enum state state = IDLE;
    state = next(state, a, b);
    state = next(state, b, c);
    state = next(state, c, d);
    state = next(state, d, a);
    if (state == OPEN) {
        return -1;
    }
    return (int)state;
}

/* The size that the paper's queries have: eleven inputs go round, two at a time, for 220 steps. Each time round a pair is further apart, so
 * that the machine sees every ordered pair twice, in whatever states it is then. */
int switch_sequence(int a, int b, int c, int d, int e, int f, int g, int h, int i, int j, int k) {
    int inputs[11] = {a, b, c, d, e, f, g, h, i, j, k};
    enum state state = IDLE;
    int n_locked = 0;
    for (int step = 0; step < 220; step++) {
        int other = step + 1 + step / 11 % 10;
        state = next(state, inputs[step % 11], inputs[other % 11]);
        if (state == OPEN) {
            return -1 - step;
        }
        n_locked += state == LOCKED;
    }
    return 100 * (int)state + n_locked;
}
