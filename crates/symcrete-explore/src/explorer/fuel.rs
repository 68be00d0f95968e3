//! How many sites a run may pass. Most runs that pass very many never end: a circular list, a
//! loop that waits for something that never happens. A few such runs get all the fuel; later ones only as much as runs that
//! end suggest.

/// So many runs may use up all fuel before others get less.
const CUT_RUNS_MAX: u64 = 4;
/// A run may take so many times what the longest terminating run took, …
const TIMES_THE_LONGEST: u64 = 64;
/// … and at least this share of what is allowed.
const LEAST_SHARE: u64 = 100;
/// Where pointers share an object, circles are likely: such runs get this share at the most, …
const SHARED_MOST_SHARE: u64 = 32;
/// … and this share at the least.
const SHARED_LEAST_SHARE: u64 = 500;
/// One in so many runs that would get less has all of it: a program may have both endless loops and very long ones.
const FULL_TURN: u64 = 16;
/// A run in which no input has decided anything is the only path there is: one of them may take so many times what is allowed.
const TIMES_FOR_STRAIGHT: u64 = 50;

/// What runs have shown so far.
#[derive(Default, Debug)]
pub(super) struct Fuel {
    /// What the longest terminating run took.
    longest: u64,
    n_cut: u64,
    n_shortened: u64,
    /// The least fuel with which a run did not end.
    least_cut: Option<u64>,
    /// Whether a run without decisions had its second try.
    has_gone_straight: bool,
}

impl Fuel {
    /// What the next run may take of what is allowed.
    pub(super) fn for_run(&mut self, allowed: u64, is_shared: bool) -> u64 {
        let likely = self.longest.saturating_mul(TIMES_THE_LONGEST);
        let (most, least) = match is_shared {
            true => (allowed / SHARED_MOST_SHARE, allowed / SHARED_LEAST_SHARE),
            false if self.n_cut < CUT_RUNS_MAX => return allowed,
            false => (allowed, allowed / LEAST_SHARE),
        };
        let fuel = likely.clamp(least, most);
        if fuel == most {
            return most;
        }
        self.n_shortened += 1;
        if self.n_shortened.is_multiple_of(FULL_TURN) { most } else { fuel }
    }

    /// The second try of a run that used up its fuel without a decision by its input; `None` if another run had it.
    pub(super) fn for_straight(&mut self, got: u64, allowed: u64) -> Option<u64> {
        let is_first = got == allowed && !std::mem::replace(&mut self.has_gone_straight, true);
        is_first.then(|| allowed.saturating_mul(TIMES_FOR_STRAIGHT))
    }

    /// Learns from a run that came to its end.
    pub(super) fn note_end(&mut self, used: u64) {
        self.longest = self.longest.max(used);
    }

    /// Learns from a run that used up what it got.
    pub(super) fn note_cut(&mut self, got: u64) {
        self.n_cut += 1;
        self.least_cut = Some(self.least_cut.map_or(got, |least| least.min(got)));
    }

    /// The least that a run got which did not end.
    pub(super) fn least_cut(&self) -> Option<u64> {
        self.least_cut
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_run_without_decisions_has_much_more() {
        let mut fuel = Fuel::default();
        assert_eq!(fuel.for_straight(10, 1_000), None, "it had less than others");
        let mut fuel = Fuel::default();
        assert_eq!(fuel.for_straight(1_000, 1_000), Some(50_000));
        assert_eq!(fuel.for_straight(1_000, 1_000), None);
    }

    #[test]
    fn endless_runs_soon_get_less() {
        let mut fuel = Fuel::default();
        for _ in 0..CUT_RUNS_MAX {
            assert_eq!(fuel.for_run(1_000_000, false), 1_000_000);
            fuel.note_cut(1_000_000);
        }
        assert_eq!(fuel.for_run(1_000_000, false), 10_000);
        fuel.note_end(500);
        assert_eq!(fuel.for_run(1_000_000, false), 32_000);
        fuel.note_end(100_000);
        assert_eq!(fuel.for_run(1_000_000, false), 1_000_000);
        assert_eq!(fuel.least_cut(), Some(1_000_000));
    }

    #[test]
    fn some_runs_get_all_of_it() {
        let mut fuel = Fuel::default();
        let given: Vec<u64> = (0..2 * FULL_TURN).map(|_| fuel.for_run(1_000_000, true)).collect();
        assert_eq!(given.iter().filter(|&&n| n == 1_000_000 / SHARED_MOST_SHARE).count(), 2);
        assert_eq!(given[0], 2_000);
    }
}
