//! Fewer tests with the same coverage.
//!
//! Greedy set cover (Chvátal, A greedy heuristic for the set-covering problem, 1979), then whatever the later
//! choices made superfluous is taken out again: the result is never larger than the greedy one.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};
use symcrete_program::{Edge, TestCase};

/// Which tests are enough, by index. `required` ones stay, for example the first of each bug; others are taken from the candidates.
///
/// Goals that no test reaches do not matter. At least one test stays where there is one.
pub(super) fn minimise(
    tests: &[TestCase],
    goals: &BTreeSet<Edge>,
    required: &BTreeSet<usize>,
    is_candidate: impl Fn(&TestCase) -> bool,
) -> BTreeSet<usize> {
    let candidates: BTreeSet<usize> =
        (0..tests.len()).filter(|&i| required.contains(&i) || is_candidate(&tests[i])).collect();
    let taken = |i: usize| match candidates.contains(&i) {
        true => {
            tests[i].coverage.edges().iter().filter(|edge| goals.contains(edge)).copied().collect()
        }
        false => BTreeSet::new(),
    };
    let sets: Vec<BTreeSet<Edge>> = (0..tests.len()).map(taken).collect();
    let mut chosen = required.clone();
    choose_greedily(&sets, &mut chosen);
    drop_superfluous(&sets, required, &mut chosen);
    if chosen.is_empty() {
        chosen.extend(candidates.first());
    }
    chosen
}

/// Adds tests until all goals that any of them reaches are reached, always the one that reaches most new ones.
fn choose_greedily(sets: &[BTreeSet<Edge>], chosen: &mut BTreeSet<usize>) {
    let mut tests_of: BTreeMap<Edge, Vec<usize>> = BTreeMap::new();
    for (test, set) in sets.iter().enumerate() {
        set.iter().for_each(|&edge| tests_of.entry(edge).or_default().push(test));
    }
    // How many open goals each test reaches.
    let mut gains: Vec<usize> = sets.iter().map(BTreeSet::len).collect();
    let mut cover = |test: usize, gains: &mut [usize]| {
        for edge in &sets[test] {
            for other in tests_of.remove(edge).unwrap_or_default() {
                gains[other] -= 1;
            }
        }
    };
    chosen.iter().for_each(|&test| cover(test, &mut gains));
    // Of several with the same gain the earliest is the simplest: exploration starts from small inputs.
    let mut best: BinaryHeap<(usize, Reverse<usize>)> =
        gains.iter().enumerate().map(|(test, &gain)| (gain, Reverse(test))).collect();
    while let Some((gain, Reverse(test))) = best.pop() {
        match gains[test] {
            0 => {}
            // Gains only become smaller, so one that is as it was is the largest.
            now if now == gain => {
                cover(test, &mut gains);
                chosen.insert(test);
            }
            now => best.push((now, Reverse(test))),
        }
    }
}

/// Takes out tests all of whose goals others reach, the latest first.
fn drop_superfluous(
    sets: &[BTreeSet<Edge>],
    required: &BTreeSet<usize>,
    chosen: &mut BTreeSet<usize>,
) {
    let mut times: BTreeMap<Edge, u32> = BTreeMap::new();
    for edge in chosen.iter().flat_map(|&test| &sets[test]) {
        *times.entry(*edge).or_default() += 1;
    }
    for test in chosen.clone().into_iter().rev() {
        let is_superfluous = sets[test].iter().all(|edge| times[edge] > 1);
        if is_superfluous && !required.contains(&test) {
            sets[test].iter().for_each(|edge| *times.entry(*edge).or_default() -= 1);
            chosen.remove(&test);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{edge, test};
    use symcrete_term::Seed;

    fn check(tests: &[&[u32]], required: &[usize], expected: &[usize]) {
        let tests: Vec<TestCase> = tests.iter().map(|edges| test(edges)).collect();
        let goals: BTreeSet<Edge> = (0..10).map(edge).collect();
        let required = required.iter().copied().collect();
        let kept = minimise(&tests, &goals, &required, |_| true);
        assert_eq!(kept, expected.iter().copied().collect());
    }

    #[test]
    fn every_test_adds_something() {
        check(&[&[0], &[1], &[0, 1, 2], &[3]], &[], &[2, 3]);
        check(&[&[0], &[0], &[0]], &[], &[0]);
        check(&[&[0], &[1], &[0, 1, 2], &[3]], &[1], &[1, 2, 3]);
        // Greedy takes the large one first, which the others then make superfluous.
        check(&[&[0, 1, 2, 3], &[0, 1, 4], &[2, 3, 5]], &[], &[1, 2]);
        // Nothing to cover: one test is kept, edges that are no goals do not count.
        check(&[&[], &[77]], &[], &[0]);
        check(&[], &[], &[]);
    }

    /// Set cover as the textbook has it, after the required tests.
    fn greedy(sets: &[BTreeSet<u32>], required: &BTreeSet<usize>) -> usize {
        let mut missing: BTreeSet<u32> = sets.iter().flatten().copied().collect();
        missing.retain(|edge| !required.iter().any(|&test| sets[test].contains(edge)));
        let mut n = required.len();
        while !missing.is_empty() {
            let gains = sets.iter().map(|set| set.intersection(&missing).count());
            let (best, _) = gains
                .enumerate()
                .fold((0, 0), |best, (i, gain)| if gain > best.1 { (i, gain) } else { best });
            missing.retain(|edge| !sets[best].contains(edge));
            n += 1;
        }
        n.max(usize::from(!sets.is_empty()))
    }

    #[test]
    fn nothing_is_lost_and_nothing_is_larger_than_greedy_set_cover() {
        for round in 0..2_000 {
            let mut rng = Seed(round).rng();
            let (n_tests, n_edges) = (rng.below(16), 1 + rng.below(24) as u32);
            let density = 1 + rng.below(8);
            let sets: Vec<BTreeSet<u32>> = (0..n_tests)
                .map(|_| (0..n_edges).filter(|_| rng.one_in(density)).collect())
                .collect();
            let required: BTreeSet<usize> = (0..sets.len()).filter(|_| rng.one_in(6)).collect();
            let tests: Vec<TestCase> =
                sets.iter().map(|set| test(&set.iter().copied().collect::<Vec<_>>())).collect();
            let goals: BTreeSet<Edge> = (0..n_edges).map(edge).collect();
            let kept = minimise(&tests, &goals, &required, |_| true);
            let union = |tests: &mut dyn Iterator<Item = usize>| -> BTreeSet<u32> {
                tests.flat_map(|test| sets[test].iter().copied()).collect()
            };
            assert_eq!(
                union(&mut kept.iter().copied()),
                union(&mut (0..sets.len())),
                "round {round}: {sets:?}"
            );
            assert!(required.iter().all(|test| kept.contains(test)), "round {round}");
            assert!(kept.len() <= greedy(&sets, &required), "round {round}: {kept:?} of {sets:?}");
        }
    }
}
