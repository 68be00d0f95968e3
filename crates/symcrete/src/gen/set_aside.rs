//! Sets aside tests that end or branch differently on this machine than in WebAssembly.
//!
//! They stay in `suite.json`, with the reason, and are in no test file. A side that no other test takes natively is open.

use crate::native::ended_text;
use std::collections::BTreeSet;
use symcrete_emit::native::{BranchSide, Ended, NativeReport};
use symcrete_program::{GoalState, Program, Reason, Suite};

/// Follows the native proof in the suite of a unit whose test file has this name; whether anything changed.
pub(super) fn set_aside(
    program: &Program,
    file: &str,
    suite: &mut Suite,
    native: &NativeReport,
) -> bool {
    let mut is_changed = false;
    for (i, test) in suite.tests.iter_mut().enumerate() {
        let name = format!("{file}_{}", i + 1);
        let ended = native.failed.iter().find(|difference| difference.test == name);
        // That a file does not compile is no fault of its tests.
        let ended = ended.map(|difference| &difference.ended);
        if let Some(ended) = ended.filter(|ended| !matches!(ended, Ended::NotCompiled(_))) {
            test.set_aside = Some(ended_text(ended));
            is_changed = true;
        }
        let elsewhere = taken_elsewhere(file, &name, native);
        let is_taken =
            |edge| BranchSide::of(program, edge).is_none_or(|side| !elsewhere.contains(&side));
        let edges = test.coverage.edges().iter().copied();
        let taken: Vec<_> = edges.filter(|&edge| is_taken(edge)).collect();
        if taken.len() < test.coverage.edges().len() {
            test.coverage = taken.into_iter().collect();
            is_changed = true;
        }
    }
    if is_changed {
        let coverage = suite.coverage();
        for (edge, state) in &mut suite.goals {
            if *state == GoalState::Covered && !coverage.contains(*edge) {
                *state = GoalState::Open(Reason::OnlyHere.into());
            }
        }
    }
    is_changed
}

/// The sides that a test of a file took in WebAssembly only.
fn taken_elsewhere<'a>(
    file: &str,
    test: &str,
    native: &'a NativeReport,
) -> BTreeSet<&'a BranchSide> {
    // Where the tests of a file ran together, none of them took what is listed.
    let is_together =
        |side: &BranchSide| native.seen.get(file).is_some_and(|seen| !seen.contains_key(side));
    let sides = native.coverage.iter().filter(|difference| !difference.is_native);
    let is_its = sides.filter(|difference| {
        let names = &difference.tests;
        names.iter().any(|name| name == test)
            || (names.iter().any(|name| name.starts_with("all ")) && is_together(&difference.side))
    });
    is_its.map(|difference| &difference.side).collect()
}
