//! In which order functions are explored: first all of them for a short time, then those with open sides again, which try what
//! tests of the others show.
//!
//! **Invariant:** what is found does not depend on how many are explored at a time: second looks begin when all first ones have
//! ended.

use super::explore::{Looked, Opened, explore_or_raw};
use super::handed_on::Giver;
use super::{Chosen, Shared, Tested, n_workers};
use crate::failure::Failure;
use crate::jobs::in_parallel;
use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};
use symcrete_program::{Edge, GoalState, Shape};

/// How much more a side is worth that no test of any function takes than one that only tests of others take.
const NEW_SIDE: u64 = 2;
/// What every second look is worth: the search has to be prepared before it finds anything.
const EACH: u64 = 8;

/// Explores units, several at a time.
pub(super) fn explore_all(shared: &Shared<'_>, chosen: &Chosen) -> Result<Vec<Tested>, Failure> {
    let look = |(unit, shape): &(usize, Shape)| {
        if shared.cancel.check().is_err() || shared.time.is_over() {
            return None;
        }
        let looked = explore_or_raw(shared, *unit, shape);
        if let Ok(Looked::Done(tested)) = &looked {
            done(shared, tested);
        }
        Some(looked)
    };
    let looked = in_parallel(n_workers(shared.args), chosen, look);
    let looked = looked.into_iter().flatten().collect::<Result<Vec<Looked>, Failure>>()?;
    let (mut tested, mut opened) = (Vec::new(), Vec::new());
    for looked in looked {
        match looked {
            Looked::Done(done) => tested.push(*done),
            Looked::Open(open) => opened.push(*open),
        }
    }
    let again = look_again(shared, &tested, opened)?;
    tested.extend(again);
    tested.sort_by_key(|tested| tested.unit);
    Ok(tested)
}

/// Looks again at units with open sides, those first that may find most.
fn look_again(
    shared: &Shared<'_>,
    tested: &[Tested],
    opened: Vec<Opened>,
) -> Result<Vec<Tested>, Failure> {
    let covered = covered(tested, &opened);
    let mut weighed: Vec<(u64, Opened)> =
        opened.into_iter().map(|opened| (weight(&opened, &covered), opened)).collect();
    weighed.sort_by_key(|(weight, opened)| (std::cmp::Reverse(*weight), opened.unit));
    let weights: Vec<u64> = weighed.iter().map(|(weight, _)| *weight).collect();
    shared.time.begin_second_looks(&weights);
    let shapes: Vec<Shape> =
        weighed.iter().map(|(_, opened)| opened.explored.shape.clone()).collect();
    let tests: Vec<_> = weighed.iter().map(|(_, opened)| opened.explored.tests.clone()).collect();
    let of_open = weighed.iter().zip(&shapes).zip(&tests).map(|(((_, opened), shape), tests)| {
        Giver { unit: opened.unit, shape, tests: tests.iter().collect() }
    });
    let of_done = tested.iter().map(|tested| Giver {
        unit: tested.unit,
        shape: &tested.shape,
        tests: tested.suite.tests.iter().collect(),
    });
    let mut givers: Vec<Giver<'_>> = of_open.chain(of_done).collect();
    givers.sort_by_key(|giver| giver.unit);
    let weighed: Vec<(u64, Mutex<Option<Opened>>)> =
        weighed.into_iter().map(|(weight, opened)| (weight, Mutex::new(Some(opened)))).collect();
    let look = |(weight, opened): &(u64, Mutex<Option<Opened>>)| {
        let opened = opened.lock().unwrap_or_else(PoisonError::into_inner).take()?;
        let tested = opened.look_again(shared, (*weight, &givers));
        if let Ok(tested) = &tested {
            done(shared, tested);
        }
        Some(tested)
    };
    let looked = in_parallel(n_workers(shared.args), &weighed, look);
    looked.into_iter().flatten().collect()
}

/// The sides that some test takes.
fn covered(tested: &[Tested], opened: &[Opened]) -> BTreeSet<Edge> {
    let of_done = tested.iter().map(|tested| &tested.suite.goals);
    let goals = of_done.chain(opened.iter().map(|opened| &opened.explored.goals)).flatten();
    goals.filter(|(_, state)| **state == GoalState::Covered).map(|(&edge, _)| edge).collect()
}

/// How much a second look may find.
fn weight(opened: &Opened, covered: &BTreeSet<Edge>) -> u64 {
    let worth = |edge: &Edge| if covered.contains(edge) { 1 } else { NEW_SIDE };
    EACH + opened.open().iter().map(worth).sum::<u64>()
}

/// Writes what was found of a unit.
fn done(shared: &Shared<'_>, tested: &Tested) {
    if let Some(folder) = &shared.folder {
        folder.finish_unit(tested.unit, &tested.shape, &tested.suite);
    }
    shared.progress.done();
}
