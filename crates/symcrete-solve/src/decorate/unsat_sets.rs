//! Sets of literals that contradict each other.
//!
//! A query that includes such a set is unsatisfiable. Each set is filed under that of its literals under which the
//! fewest others are filed, so a query looks at few sets: those filed under one of its own literals.

use std::collections::BTreeMap;
use symcrete_term::Literal;

/// Sets that are known to contradict themselves, over one arena.
pub(crate) struct UnsatSets {
    sets: Vec<Vec<Literal>>,
    filed: BTreeMap<Literal, Vec<usize>>,
    n_max: usize,
}

/// Longer sets are hardly ever part of another query.
const LITERALS_MAX: usize = 64;

impl UnsatSets {
    /// Keeps at least half of `n_max` sets, the latest ones.
    pub(crate) fn new(n_max: usize) -> UnsatSets {
        UnsatSets { sets: Vec::new(), filed: BTreeMap::new(), n_max: n_max.max(2) }
    }

    pub(crate) fn len(&self) -> usize {
        self.sets.len()
    }

    /// Whether a known set is part of these literals.
    pub(crate) fn contradict(&self, literals: &[Literal]) -> bool {
        if self.sets.is_empty() {
            return false;
        }
        let mut sorted = literals.to_vec();
        sorted.sort_unstable();
        // Sets of one path differ in their newest literals, which are the last.
        let is_part = |&set: &usize| {
            self.sets[set].iter().rev().all(|literal| sorted.binary_search(literal).is_ok())
        };
        let filed = sorted.iter().filter_map(|literal| self.filed.get(literal));
        filed.flatten().any(is_part)
    }

    /// Adds a set that was proved. Says whether it was worth it.
    pub(crate) fn add(&mut self, literals: &[Literal]) -> bool {
        if literals.is_empty() || literals.len() > LITERALS_MAX || self.contradict(literals) {
            return false;
        }
        if self.sets.len() >= self.n_max {
            let kept = self.sets.split_off(self.sets.len() - self.n_max / 2);
            self.sets.clear();
            self.filed.clear();
            kept.into_iter().for_each(|set| self.file(set));
        }
        let mut set = literals.to_vec();
        set.sort_unstable();
        set.dedup();
        self.file(set);
        true
    }

    fn file(&mut self, set: Vec<Literal>) {
        let n_filed = |literal: &&Literal| self.filed.get(literal).map_or(0, Vec::len);
        let rarest = *set.iter().min_by_key(n_filed).expect("no set is empty");
        self.filed.entry(rarest).or_default().push(self.sets.len());
        self.sets.push(set);
    }
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
        assert!(!sets.contradict(&set(&[1, 2, 3])));
        assert!(sets.add(&set(&[5, 2])));
        assert!(!sets.add(&set(&[2, 4, 5])), "includes a known one");
        assert!(sets.contradict(&set(&[9, 5, 7, 2])));
        assert!(!sets.contradict(&set(&[9, 5, 7])));
        let negated: Vec<Literal> = set(&[2, 5]).into_iter().map(Literal::negated).collect();
        assert!(!sets.contradict(&negated));
        assert!(!sets.add(&[]), "nothing proves that nothing holds");
    }

    #[test]
    fn old_sets_make_room_and_what_is_found_agrees_with_a_plain_test() {
        let mut sets = UnsatSets::new(64);
        let mut rng = symcrete_term::Seed(7).rng();
        for _ in 0..500 {
            let drawn: Vec<usize> = (0..=rng.below(4)).map(|_| rng.below(30) as usize).collect();
            let plain = sets
                .sets
                .iter()
                .any(|known| known.iter().all(|literal| set(&drawn).contains(literal)));
            assert_eq!(sets.contradict(&set(&drawn)), plain);
            if rng.one_in(3) {
                sets.add(&set(&drawn));
            }
            assert!(sets.len() <= 64);
        }
    }
}
