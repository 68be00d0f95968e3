//! What a run leaves for a later one in `suite.json`, and what it takes over from an earlier one.
//!
//! **Invariant:** what was proved is taken over for the same question only: the same module, inputs, checks and
//! version. Inputs are taken over from anywhere, because they are run again.

use crate::args::GenArgs;
use crate::names::Part;
use serde_json::{Value as Json, json};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use symcrete_emit::suite::{Fingerprint, SizesEntry, SuiteError, UnitEntry};
use symcrete_program::frontend::Check;
use symcrete_program::suite::bugs;
use symcrete_program::{
    Bounds, Bug, Edge, Ended, GoalState, Input, Program, Shape, Sizes, Spent, Suite, TestCase,
};

/// Values as the command line has them.
pub(crate) fn names<T: Copy>(values: &[T], name: fn(T) -> &'static str) -> Vec<&'static str> {
    values.iter().map(|value| name(*value)).collect()
}

/// What an earlier run left of a unit.
pub(crate) struct Earlier {
    pub(crate) entry: UnitEntry,
    pub(crate) suite: Suite,
    /// Whether it answered the same question.
    pub(crate) is_same_question: bool,
    is_same_method: bool,
}

/// What is taken over into the search of a unit.
#[derive(Default)]
pub(crate) struct Resumed {
    /// All of it, if nothing is left to be done.
    pub(crate) complete: Option<Suite>,
    /// Inputs that are run first.
    pub(crate) inputs: Vec<Input>,
    /// Tests that still hold.
    pub(crate) tests: Vec<TestCase>,
    /// Sides that no input takes.
    pub(crate) infeasible: BTreeMap<Edge, Bounds>,
    /// What was spent before.
    pub(crate) spent: Spent,
}

/// The fingerprint of a run with these arguments.
pub(crate) fn fingerprint(args: &GenArgs, program: &Program) -> Fingerprint {
    let question = json!({
        "tool": tool(),
        "program": digest(program),
        "length": args.shape.length,
        "pointer_depth": args.shape.pointer_depth,
        "globals": args.shape.globals,
        "raw_structs": args.raw_structs,
        "check": names(&args.source.check, Check::name),
        "opaque": args.source.opaque,
        "stub": args.source.stub,
    });
    // Time and iterations are no part of it: a search that came to its end did not need all of them.
    let method = json!({
        "strategy": args.strategy.name(),
        "solver": args.solver.name(),
        "seed": args.seed,
        "random_input": args.random_input,
        "depth": args.depth,
        "steps": args.steps,
        "fuel": args.fuel,
        "without": names(&args.without, Part::name),
        "backward": !args.no_backward,
        "all": args.all,
        "max_length": args.growth.max_length,
        "max_pointer_depth": args.growth.max_pointer_depth,
        "max_input_bytes": args.growth.max_input_bytes,
    });
    let hash = |value: Json| hex(value.to_string().as_bytes());
    Fingerprint { question: hash(question), method: hash(method) }
}

impl Earlier {
    /// What a unit's entry says. Tests that cannot be read are left out and returned as errors.
    pub(crate) fn read(entry: UnitEntry, now: &Fingerprint) -> (Earlier, Vec<SuiteError>) {
        let (suite, errors) = entry.suite();
        let search = entry.search.as_ref();
        let is_same_question = search.is_some_and(|search| search.question == now.question);
        let is_same_method = search.is_some_and(|search| search.method == now.method);
        let is_whole = errors.is_empty();
        let earlier =
            Earlier { entry, suite, is_same_question, is_same_method: is_same_method && is_whole };
        (earlier, errors)
    }

    /// How large inputs had become.
    pub(crate) fn sizes(&self) -> Option<Sizes> {
        self.entry.search.as_ref()?.sizes.map(SizesEntry::sizes)
    }

    /// What can be taken over.
    pub(crate) fn resumed(&self, shape: &Shape, goals: &BTreeSet<Edge>) -> Resumed {
        let tests = &self.suite.tests;
        if !self.is_same_question {
            let inputs = tests.iter().map(|test| fitting(shape, test)).collect();
            return Resumed { inputs, ..Resumed::default() };
        }
        let proved = self.suite.goals.iter().filter_map(|(&edge, state)| match state {
            GoalState::Infeasible => Some((edge, Bounds::default())),
            GoalState::WithinBounds(bounds) => Some((edge, bounds.clone())),
            GoalState::Covered | GoalState::Open(_) => None,
        });
        Resumed {
            complete: self.is_complete(goals).then(|| self.suite.clone()),
            inputs: tests.iter().map(|test| test.input.clone().with_all_room()).collect(),
            tests: self.suite.kept().cloned().collect(),
            infeasible: proved.collect(),
            spent: self.suite.spent,
        }
    }

    /// Whether the same search would find nothing more, and the tests bear out what the suite says.
    fn is_complete(&self, goals: &BTreeSet<Edge>) -> bool {
        let is_ended = match self.suite.ended {
            Some(Ended::Covered | Ended::NothingLeft) => true,
            None | Some(Ended::Iterations | Ended::Time | Ended::Interrupted) => false,
        };
        let coverage = self.suite.coverage();
        let mut states = self.suite.goals.iter();
        let is_borne_out = self.suite.goals.keys().eq(goals)
            && states
                .all(|(&edge, state)| (*state == GoalState::Covered) == coverage.contains(edge));
        is_ended && self.is_same_method && is_borne_out
    }
}

/// Adds tests of an earlier run that a search which was cut off did not come to: those that take a side which no other test
/// takes, or fail in another way.
pub(crate) fn add_lost(suite: &mut Suite, earlier: Vec<TestCase>) {
    if matches!(suite.ended, Some(Ended::Covered | Ended::NothingLeft)) {
        return;
    }
    for test in earlier {
        let covered = suite.coverage();
        let sides = test.coverage.edges().iter().copied();
        let is_lost = |edge: &Edge| suite.goals.contains_key(edge) && !covered.contains(*edge);
        let lost: Vec<Edge> = sides.filter(is_lost).collect();
        let is_known = |bug: &Bug| {
            suite.bugs().iter().any(|known| known.kind == bug.kind && known.site == bug.site)
        };
        let fails_anew = bugs(std::slice::from_ref(&test)).iter().any(|bug| !is_known(bug));
        if lost.is_empty() && !fails_anew {
            continue;
        }
        suite.goals.extend(lost.into_iter().map(|edge| (edge, GoalState::Covered)));
        suite.tests.push(test);
    }
}

/// The input of a test of another program, without cells that this one does not have.
fn fitting(shape: &Shape, test: &TestCase) -> Input {
    TestCase { input: shape.complete(&test.input), ..test.clone() }.whole_input()
}

/// The version of Symcrete that writes.
pub(crate) fn tool() -> String {
    format!("symcrete {}", env!("CARGO_PKG_VERSION"))
}

/// Names a program: another module has another name.
pub(crate) fn digest(program: &Program) -> String {
    hex(&program.wasm)
}

fn hex(bytes: &[u8]) -> String {
    let mut text = String::new();
    for byte in Sha256::digest(bytes) {
        let _ = write!(text, "{byte:02x}");
    }
    text
}
