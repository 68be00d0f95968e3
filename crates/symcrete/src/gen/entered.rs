//! Which functions are entered where nobody says: a harness or program where it starts, otherwise every function that others
//! can see, `main` among them, and those that none of them reaches.

use super::reachable_units;
use std::collections::BTreeSet;
use symcrete_program::cfg::{CallGraph, Cfg, ModuleView};
use symcrete_program::{Program, Unit};

/// The entry of a fuzz target.
const FUZZ_TARGET: &str = "LLVMFuzzerTestOneInput";
/// With these a harness asks for its inputs, or says what must not happen.
const ASKING: &[&str] = &[
    "__VERIFIER_",
    "reach_error",
    "__CPROVER_",
    "__ESBMC_",
    "nondet_",
    "klee_make_symbolic",
    "klee_int",
    "klee_range",
    "klee_choose",
    "CREST_",
    "__Crest",
    "symcrete_",
];

/// The units to enter, by index.
pub(crate) fn default_units(program: &Program) -> Vec<usize> {
    let all = || program.units.iter().enumerate();
    let named = |name: &str| all().find(|(_, unit)| unit.name == name).map(|(i, _)| i);
    if let Some(harness) = named(FUZZ_TARGET) {
        return vec![harness];
    }
    let main = named("main");
    if let Some(main) = main.filter(|_| asks_for_inputs(program)) {
        return vec![main];
    }
    let is_visible = |unit: &Unit| !unit.is_static && unit.name != "main";
    let visible: Vec<usize> = all().filter(|(_, unit)| is_visible(unit)).map(|(i, _)| i).collect();
    match (visible.is_empty(), main) {
        (false, main) => {
            let mut entered = visible;
            entered.extend(main);
            entered.extend(unreached(program));
            entered.sort_unstable();
            entered
        }
        (true, Some(main)) => vec![main],
        (true, None) => all().map(|(i, _)| i).collect(),
    }
}

/// Whether the program is a harness: it uses what verifiers give it.
fn asks_for_inputs(program: &Program) -> bool {
    program.user_texts().any(|text| ASKING.iter().any(|asking| text.contains(asking)))
}

/// Static functions that no visible function reaches: of several that call each other, those that the others are reached
/// from.
fn unreached(program: &Program) -> Vec<usize> {
    let (statics, others): (Vec<usize>, Vec<usize>) =
        (0..program.units.len()).partition(|&unit| program.units[unit].is_static);
    if statics.is_empty() {
        return Vec::new();
    }
    let calls = ModuleView::parse(&program.wasm)
        .and_then(|module| Ok(CallGraph::of(&module, &Cfg::of_module(&module)?)));
    let Ok(calls) = calls else { return Vec::new() };
    let reach = |unit: usize| reachable_units(program, &calls, unit);
    let mut reached: BTreeSet<usize> = others.into_iter().flat_map(reach).collect();
    let mut left: Vec<usize> = statics.into_iter().filter(|unit| !reached.contains(unit)).collect();
    // Whoever reaches most comes first, so that what it calls needs no entry of its own.
    left.sort_by_key(|&unit| (std::cmp::Reverse(reach(unit).len()), unit));
    let mut entered = Vec::new();
    for unit in left {
        if !reached.contains(&unit) {
            entered.push(unit);
            reached.extend(reach(unit));
        }
    }
    entered
}
