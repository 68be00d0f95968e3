//! Sets of literals that contradict each other.
//!
//! A query that includes such a set is unsatisfiable. What stands before a query's target holds, for its hint satisfies it;
//! so only sets that include the target are looked at.

use symcrete_term::Literal;

/// Sets that are known to contradict themselves, over one arena.
pub(crate) struct UnsatSets {
    sets: Vec<Vec<Literal>>,
    /// By literal: the sets that include it.
    including: Vec<Vec<u32>>,
    /// By literal: the round in which it was last part of what is asked.
    asked: Vec<u32>,
    round: u32,
    n_max: usize,
}

/// Longer sets are hardly ever part of another query.
const LITERALS_MAX: usize = 64;

impl UnsatSets {
    /// Keeps at least half of `n_max` sets, the latest ones.
    pub(crate) fn new(n_max: usize) -> UnsatSets {
        let n_max = n_max.max(2);
        UnsatSets { sets: Vec::new(), including: Vec::new(), asked: Vec::new(), round: 0, n_max }
    }

    /// Whether a known set that includes the target is part of these literals.
    pub(crate) fn contradict(&mut self, literals: &[Literal], target: Literal) -> bool {
        if self.including.get(index(target)).is_none_or(Vec::is_empty) {
            return false;
        }
        self.round = self.round.checked_add(1).unwrap_or_else(|| {
            self.asked.clear();
            1
        });
        for &literal in literals {
            *entry(&mut self.asked, literal) = self.round;
        }
        let is_asked = |literal: &Literal| {
            self.asked.get(index(*literal)).is_some_and(|&round| round == self.round)
        };
        let mut sets = self.including[index(target)].iter();
        sets.any(|&set| self.sets[set as usize].iter().all(is_asked))
    }

    /// Adds a set that was proved. Says whether it was worth it.
    pub(crate) fn add(&mut self, literals: &[Literal]) -> bool {
        if literals.is_empty() || literals.len() > LITERALS_MAX {
            return false;
        }
        if literals.iter().any(|&literal| self.contradict(literals, literal)) {
            return false;
        }
        if self.sets.len() >= self.n_max {
            let kept = self.sets.split_off(self.sets.len() - self.n_max / 2);
            self.sets.clear();
            self.including.iter_mut().for_each(Vec::clear);
            kept.into_iter().for_each(|set| self.file(set));
        }
        let mut set = literals.to_vec();
        set.sort_unstable();
        set.dedup();
        self.file(set);
        true
    }

    fn file(&mut self, set: Vec<Literal>) {
        for &literal in &set {
            entry(&mut self.including, literal).push(self.sets.len() as u32);
        }
        self.sets.push(set);
    }
}

/// A place for a literal in a list.
fn index(literal: Literal) -> usize {
    2 * literal.term.index() + usize::from(literal.expected)
}

fn entry<T: Default + Clone>(list: &mut Vec<T>, literal: Literal) -> &mut T {
    let index = index(literal);
    if list.len() <= index {
        list.resize(index + 1, T::default());
    }
    &mut list[index]
}

#[cfg(test)]
mod tests {
    use super::*;
    use symcrete_term::TermId;

    fn set(terms: &[usize]) -> Vec<Literal> {
        terms.iter().map(|&term| Literal::holds(TermId::from_index(term))).collect()
    }

    #[test]
    fn supersets_are_found_and_others_are_not() {
        let mut sets = UnsatSets::new(100);
        let holds = |term| Literal::holds(TermId::from_index(term));
        assert!(!sets.contradict(&set(&[1, 2, 3]), holds(3)));
        assert!(sets.add(&set(&[5, 2])));
        assert!(!sets.add(&set(&[2, 4, 5])), "includes a known one");
        assert!(sets.contradict(&set(&[9, 5, 7, 2]), holds(2)));
        assert!(!sets.contradict(&set(&[9, 5, 7, 2]), holds(7)), "not what it is about");
        assert!(!sets.contradict(&set(&[9, 5, 7]), holds(5)));
        let negated: Vec<Literal> = set(&[2, 5]).into_iter().map(Literal::negated).collect();
        assert!(!sets.contradict(&negated, negated[0]));
        assert!(!sets.add(&[]), "nothing proves that nothing holds");
    }

    #[test]
    fn old_sets_make_room_and_what_is_found_agrees_with_a_plain_test() {
        let mut sets = UnsatSets::new(64);
        let mut rng = symcrete_term::Seed(7).rng();
        for _ in 0..500 {
            let drawn: Vec<usize> = (0..=rng.below(4)).map(|_| rng.below(30) as usize).collect();
            let target = set(&drawn)[0];
            let plain = sets.sets.iter().any(|known| {
                known.contains(&target) && known.iter().all(|literal| set(&drawn).contains(literal))
            });
            assert_eq!(sets.contradict(&set(&drawn), target), plain);
            if rng.one_in(3) {
                sets.add(&set(&drawn));
            }
            assert!(sets.sets.len() <= 64);
        }
    }
}
