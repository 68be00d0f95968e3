//! Makes tests pleasant to read: the same path with smaller, rounder values.

use crate::driver::changes::changes;
use symcrete_exec::{ExecError, Executor};
use symcrete_program::{CellKind, Input, Outcome, Program, Shape, TestCase};
use symcrete_term::{Terms, Value};

/// Runs that one test is worth.
const RUNS_MAX: usize = 2_000;
/// Values that are tried for one cell.
const CANDIDATES_MAX: usize = 8;

/// Gives values for a cell that are nicer than the one it has, the nicest first.
pub type Nicer<'a> = &'a dyn Fn(CellKind, Value) -> Vec<Value>;

/// Makes the values of a test nicer as long as it takes the same sides of branches and ends the same way.
pub fn polish(
    test: TestCase,
    (program, shape): (&Program, &Shape),
    executor: &mut dyn Executor,
    fuel: u64,
    nicer: Nicer<'_>,
) -> Result<TestCase, ExecError> {
    let mut best = test;
    let mut runs_left = RUNS_MAX;
    for (name, kind, value) in shape.leaves(&best.input) {
        // A cell of an array that has become shorter, or of a pointer that has become null, is gone.
        if best.input.get(&name) != Some(value) {
            continue;
        }
        for candidate in nicer(kind, value).into_iter().take(CANDIDATES_MAX) {
            if runs_left == 0 {
                return Ok(best);
            }
            runs_left -= 1;
            let mut input = best.input.clone();
            input.set(name.clone(), candidate);
            if let Some(better) = same_path(&best, input, (program, shape), executor, fuel)? {
                best = better;
                break;
            }
        }
    }
    Ok(best)
}

/// The test of another input, if it takes the same path.
fn same_path(
    test: &TestCase,
    input: Input,
    (program, shape): (&Program, &Shape),
    executor: &mut dyn Executor,
    fuel: u64,
) -> Result<Option<TestCase>, ExecError> {
    let mut complete = shape.complete(&input);
    for drawn in &test.drawn {
        complete.set(drawn.name.clone(), drawn.value);
    }
    let image = shape.image(&program.types, &complete);
    let trace = executor.run(&mut Terms::new(), &image, fuel)?;
    if trace.coverage != test.coverage || !ends_alike(&trace.outcome, &test.outcome) {
        return Ok(None);
    }
    Ok(Some(TestCase {
        changes: changes(shape, &complete, &image, &trace),
        input: complete,
        drawn: trace.drawn,
        outcome: trace.outcome,
        coverage: trace.coverage,
    }))
}

fn ends_alike(a: &Outcome, b: &Outcome) -> bool {
    match (a, b) {
        (Outcome::Returned(_), Outcome::Returned(_)) => true,
        (a, b) => a == b,
    }
}
