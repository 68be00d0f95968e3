//! Matches the sites of one expression with its conditions.

use super::branches::{Evidence, Scope, is_in, place_of};
use super::polarity;
use super::sites::Site;
use crate::program::{FileId, Position};
use crate::source::{Leaf, Source};

/// Which condition each site of a group decides: the best match in which both go forward. A condition may have
/// several sites if a macro hides them.
pub(super) fn align(
    scope: &Scope<'_, '_>,
    source: &Source,
    file: FileId,
    leaves: &[Leaf],
    sites: &[usize],
    evidence: &[Evidence],
) -> Vec<Option<usize>> {
    let (n, m) = (sites.len(), leaves.len());
    // `best[i][j]`: the best score of the first `i` sites with the first `j` conditions, and whether the last step
    // left a site out (0), left a condition out (1), matched both (2) or matched and kept the condition (3).
    let mut best = vec![vec![(0, 1u8); m + 1]; n + 1];
    for i in 1..=n {
        best[i][0] = (0, 0);
        let seen = &evidence[sites[i - 1]];
        for j in 1..=m {
            let leaf = &leaves[j - 1];
            let score = score(scope, seen, &scope.function.sites[sites[i - 1]], file, leaves, leaf);
            let is_shared = [seen.branch, seen.root].iter().flatten().any(|&position| {
                is_in(Some(position), file, &leaf.places) && source.is_macro_at(place_of(position))
            });
            let again = if is_shared { score } else { score - 5 };
            let steps = [
                (best[i][j - 1].0, 1),
                (best[i - 1][j].0, 0),
                (best[i - 1][j - 1].0 + score, 2),
                (best[i - 1][j].0 + again, 3),
            ];
            best[i][j] =
                steps.into_iter().max_by_key(|step| (step.0, step.1 == 2)).unwrap_or((0, 1));
        }
    }
    let mut chosen = vec![None; n];
    let (mut i, mut j) = (n, m);
    while i > 0 {
        match best[i][j].1 {
            0 => i -= 1,
            1 => j -= 1,
            2 => {
                chosen[i - 1] = Some(j - 1);
                i -= 1;
                j -= 1;
            }
            _ => {
                chosen[i - 1] = Some(j - 1);
                i -= 1;
            }
        }
    }
    chosen
}

/// How well a condition explains what is seen of a site; below zero if it contradicts.
fn score(
    scope: &Scope<'_, '_>,
    seen: &Evidence,
    site: &Site,
    file: FileId,
    leaves: &[Leaf],
    leaf: &Leaf,
) -> i32 {
    // A condition within this one is closer to what is inside it.
    let closer = |position: Option<Position>| {
        leaves.iter().any(|other| {
            other.tokens != leaf.tokens
                && leaf.tokens.start <= other.tokens.start
                && other.tokens.end <= leaf.tokens.end
                && is_in(position, file, &other.places)
        })
    };
    let is_inside = |position| is_in(position, file, &leaf.places) && !closer(position);
    let is_operator =
        |position: Option<Position>| position.is_some() && position.map(place_of) == leaf.operator;
    let mut score = 1;
    if is_operator(seen.root) {
        score += 8;
    } else if is_inside(seen.root) {
        score += 4;
    } else if leaves.iter().any(|leaf| is_in(seen.root, file, &leaf.places)) {
        score -= 6;
    }
    if is_operator(seen.linked) {
        score += 6;
    } else if is_inside(seen.linked) {
        score += 3;
    }
    if seen.others.iter().any(|&other| is_inside(Some(other))) {
        score += 1;
    }
    let branch = seen.branch.map(place_of);
    let explains = |leaf: &Leaf| leaf.branch_places.iter().any(|at| Some(*at) == branch);
    if explains(leaf) {
        score += 3;
    } else if branch.is_some() && leaf.operator_before == branch {
        score += 2;
    } else if leaves.iter().any(explains) {
        score -= 3;
    } else if is_inside(seen.branch) {
        score += 2;
    }
    score + polarity::agreement(scope, site, leaf)
}
