//! How many sites a run may pass. Most runs that pass very many never end: a circular list, a loop that waits for something
//! that never happens, or one that reads an input in each iteration. Such runs take long and have more flips than there
//! will be time for. So a run begins with little fuel, and gets all that is allowed if its input has decided little by
//! then; a few such runs do, and later ones get only as much as runs that end suggest.

/// So many runs may use up all fuel before others get less.
const CUT_RUNS_MAX: u64 = 4;
/// A run gets no more than it had if inputs have decided more often than once in so many sites.
const SITES_OF_DECISION: u64 = 10;
/// A run may take so many times what the longest terminating run took, …
const TIMES_THE_LONGEST: u64 = 64;
/// … and at least this share of what is allowed, …
const LEAST_SHARE: u64 = 500;
/// … or this one, if inputs decide little.
const LITTLE_SHARE: u64 = 100;
/// No run gets less than this, if it is allowed.
const LEAST: u64 = 2_000;
/// Where pointers share an object, circles are likely: such runs get this share at the most, …
const SHARED_MOST_SHARE: u64 = 32;
/// … and this share at the least.
const SHARED_LEAST_SHARE: u64 = 500;
/// One in so many runs that were cut, or would get less, has all of it: a program may have both endless loops and very long
/// runs.
const FULL_TURN: u64 = 16;
/// Each of them that does not end makes the next one rarer by this factor.
const RARER: u64 = 2;
/// A run in which no input has decided anything is the only path there is: one of them may take so many times what is allowed.
const TIMES_FOR_STRAIGHT: u64 = 50;

/// What runs have shown so far.
#[derive(Debug)]
pub(super) struct Fuel {
    /// What the longest terminating run took.
    longest: u64,
    /// How many runs did not end with all that is allowed.
    n_cut: u64,
    n_shortened: u64,
    /// After so many shortened runs one gets all.
    full_turn: u64,
    /// The least fuel with which a run did not end.
    least_cut: Option<u64>,
    /// Whether a run without decisions had its second try.
    has_gone_straight: bool,
}

impl Default for Fuel {
    fn default() -> Fuel {
        Fuel {
            longest: 0,
            n_cut: 0,
            n_shortened: 0,
            full_turn: FULL_TURN,
            least_cut: None,
            has_gone_straight: false,
        }
    }
}

impl Fuel {
    /// What the next run may take of what is allowed.
    pub(super) fn for_run(&mut self, allowed: u64, is_shared: bool) -> u64 {
        let likely = self.longest.saturating_mul(TIMES_THE_LONGEST);
        let (most, least) = match is_shared {
            true => (allowed / SHARED_MOST_SHARE, allowed / SHARED_LEAST_SHARE),
            false => (allowed, (allowed / LEAST_SHARE).max(LEAST).min(allowed)),
        };
        let fuel = likely.clamp(least, most);
        if fuel == most || self.n_shortened < self.full_turn {
            return fuel;
        }
        self.n_shortened = 0;
        most
    }

    /// The fuel for another try of a run that used up what it `got`, after so many decisions by its input; `None` if that was
    /// enough.
    pub(super) fn for_more(&mut self, got: u64, allowed: u64, n_decisions: usize) -> Option<u64> {
        if got < allowed {
            let little = allowed / LITTLE_SHARE;
            let is_promising = (n_decisions as u64) < got / SITES_OF_DECISION;
            return match got < little {
                true if is_promising => Some(little),
                false if is_promising && self.n_cut < CUT_RUNS_MAX => Some(allowed),
                true | false => None,
            };
        }
        let is_first = got == allowed && n_decisions == 0;
        let is_first = is_first && !std::mem::replace(&mut self.has_gone_straight, true);
        is_first.then(|| allowed.saturating_mul(TIMES_FOR_STRAIGHT))
    }

    /// Learns from a run that came to its end.
    pub(super) fn note_end(&mut self, used: u64) {
        self.longest = self.longest.max(used);
    }

    /// Learns from a run that used up what it got of what is allowed.
    pub(super) fn note_cut(&mut self, got: u64, allowed: u64) {
        self.least_cut = Some(self.least_cut.map_or(got, |least| least.min(got)));
        if got < allowed {
            self.n_shortened += 1;
            return;
        }
        self.n_cut += 1;
        if self.n_cut > CUT_RUNS_MAX || self.longest == 0 {
            self.full_turn = self.full_turn.saturating_mul(RARER);
        }
    }

    /// The least that a run got which did not end.
    pub(super) fn least_cut(&self) -> Option<u64> {
        self.least_cut
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALLOWED: u64 = 1_000_000;

    #[test]
    fn one_run_without_decisions_has_much_more() {
        let mut fuel = Fuel::default();
        assert_eq!(fuel.for_run(ALLOWED, false), 2_000);
        assert_eq!(fuel.for_more(2_000, ALLOWED, 0), Some(10_000));
        assert_eq!(fuel.for_more(10_000, ALLOWED, 0), Some(ALLOWED));
        assert_eq!(fuel.for_more(ALLOWED, ALLOWED, 0), Some(50 * ALLOWED));
        assert_eq!(fuel.for_more(ALLOWED, ALLOWED, 0), None);
    }

    #[test]
    fn endless_runs_soon_get_less() {
        let mut fuel = Fuel::default();
        for _ in 0..CUT_RUNS_MAX {
            assert_eq!(fuel.for_more(10_000, ALLOWED, 10), Some(ALLOWED));
            fuel.note_cut(ALLOWED, ALLOWED);
        }
        assert_eq!(fuel.for_more(10_000, ALLOWED, 10), None);
        fuel.note_end(500);
        assert_eq!(fuel.for_run(ALLOWED, false), 32_000);
        fuel.note_end(100_000);
        assert_eq!(fuel.for_run(ALLOWED, false), ALLOWED);
        assert_eq!(fuel.least_cut(), Some(ALLOWED));
    }

    #[test]
    fn a_run_with_many_decisions_gets_no_more() {
        let mut fuel = Fuel::default();
        assert_eq!(fuel.for_more(2_000, ALLOWED, 200), None);
        assert_eq!(fuel.for_more(2_000, ALLOWED, 199), Some(10_000));
        assert_eq!(fuel.for_more(10_000, ALLOWED, 1_000), None);
    }

    #[test]
    fn some_runs_get_all_of_it() {
        let mut fuel = Fuel::default();
        let mut cut = |n: u64| {
            let given = (0..n).map(|_| {
                let got = fuel.for_run(ALLOWED, false);
                fuel.note_cut(got, ALLOWED);
                got
            });
            given.filter(|&got| got == ALLOWED).count()
        };
        assert_eq!(cut(FULL_TURN), 0);
        assert_eq!(cut(1), 1);
        assert_eq!(cut(RARER * FULL_TURN), 0, "the next one is rarer");
        assert_eq!(cut(1), 1);
    }

    #[test]
    fn objects_that_are_shared_get_less() {
        let mut fuel = Fuel::default();
        assert_eq!(fuel.for_run(ALLOWED, true), 2_000);
        for _ in 0..FULL_TURN {
            fuel.note_cut(2_000, ALLOWED);
        }
        assert_eq!(fuel.for_run(ALLOWED, true), ALLOWED / SHARED_MOST_SHARE);
    }
}
