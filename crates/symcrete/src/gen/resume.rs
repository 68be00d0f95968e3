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
use symcrete_emit::suite::{
    EdgeEntry, EndedEntry, GoalEntry, GoalStateEntry, SearchEntry, SpentEntry, SuiteError,
    UnitEntry,
};
use symcrete_explore::{Bug, Ended, Explored, GoalState};
use symcrete_program::frontend::Check;
use symcrete_program::{Coverage, Edge, Gap, Input, Outcome, Program, Shape, TestCase};

/// Says by which runs a search can be continued.
pub(crate) struct Fingerprint {
    question: String,
    method: String,
}

/// Values as the command line has them.
pub(crate) fn names<T: Copy>(values: &[T], name: fn(T) -> &'static str) -> Vec<&'static str> {
    values.iter().map(|value| name(*value)).collect()
}

/// What an earlier run left of a unit.
pub(crate) struct Earlier {
    pub(crate) entry: UnitEntry,
    pub(crate) tests: Vec<TestCase>,
    /// Whether it answered the same question.
    pub(crate) is_same_question: bool,
    is_same_method: bool,
}

/// What is taken over into the search of a unit.
#[derive(Default)]
pub(crate) struct Resumed {
    /// All of it, if nothing is left to be done.
    pub(crate) complete: Option<Explored>,
    /// Inputs that are run first.
    pub(crate) inputs: Vec<Input>,
    /// Sides that no input takes.
    pub(crate) infeasible: BTreeMap<Edge, BTreeSet<Gap>>,
    /// What was spent before.
    pub(crate) spent: SpentEntry,
}

impl Fingerprint {
    /// Of a run with these arguments.
    pub(crate) fn of(args: &GenArgs, program: &Program) -> Fingerprint {
        let question = json!({
            "tool": tool(),
            "program": digest(program),
            "length": args.shape.length,
            "pointer_depth": args.shape.pointer_depth,
            "globals": args.shape.globals,
            "check": names(&args.source.check, Check::name),
            "opaque": args.source.opaque,
            "stub": args.source.stub,
        });
        // Time and iterations are no part of it: a search that came to its end did not need all of them.
        let method = json!({
            "strategy": args.strategy.name(),
            "solver": args.solver.name(),
            "seed": args.seed,
            "depth": args.depth,
            "steps": args.steps,
            "fuel": args.fuel,
            "without": names(&args.without, Part::name),
            "backward": !args.no_backward,
            "all": args.all,
        });
        let hash = |value: Json| hex(value.to_string().as_bytes());
        Fingerprint { question: hash(question), method: hash(method) }
    }

    /// A search that is going on.
    pub(crate) fn running(
        &self,
        program: &Program,
        infeasible: &BTreeMap<Edge, BTreeSet<Gap>>,
        spent: SpentEntry,
    ) -> SearchEntry {
        let goal = |(&edge, bounds): (&Edge, &BTreeSet<Gap>)| {
            goal(program, edge, &GoalState::proved(bounds))
        };
        SearchEntry {
            question: self.question.clone(),
            method: self.method.clone(),
            ended: EndedEntry::Running,
            exhaustive: false,
            spent,
            goals: infeasible.iter().map(goal).collect(),
        }
    }

    /// A search that came to an end.
    pub(crate) fn ended(
        &self,
        program: &Program,
        explored: &Explored,
        spent: SpentEntry,
    ) -> SearchEntry {
        let goals = explored.goals.iter();
        SearchEntry {
            question: self.question.clone(),
            method: self.method.clone(),
            ended: match explored.ended {
                Ended::Covered => EndedEntry::Covered,
                Ended::NothingLeft => EndedEntry::NothingLeft,
                Ended::Iterations => EndedEntry::Iterations,
                Ended::Time => EndedEntry::Time,
                Ended::Interrupted => EndedEntry::Interrupted,
            },
            exhaustive: explored.is_exhaustive,
            spent,
            goals: goals.map(|(&edge, state)| goal(program, edge, state)).collect(),
        }
    }
}

impl Earlier {
    /// What a unit's entry says. Tests that cannot be read are left out and returned as errors.
    pub(crate) fn read(entry: UnitEntry, now: &Fingerprint) -> (Earlier, Vec<SuiteError>) {
        let (mut tests, mut errors) = (Vec::new(), Vec::new());
        for test in &entry.tests {
            match test.test_case() {
                Ok(test) => tests.push(test),
                Err(error) => errors.push(error),
            }
        }
        let search = entry.search.as_ref();
        let is_same_question = search.is_some_and(|search| search.question == now.question);
        let is_same_method = search.is_some_and(|search| search.method == now.method);
        let is_whole = errors.is_empty();
        let earlier =
            Earlier { entry, tests, is_same_question, is_same_method: is_same_method && is_whole };
        (earlier, errors)
    }

    /// What can be taken over.
    pub(crate) fn resumed(&self, shape: &Shape, goals: &BTreeSet<Edge>) -> Resumed {
        if !self.is_same_question {
            let inputs = self.tests.iter().map(|test| fitting(shape, test)).collect();
            return Resumed { inputs, ..Resumed::default() };
        }
        let Some(search) = &self.entry.search else { return Resumed::default() };
        let proved = search.goals.iter().filter_map(|goal| match state(goal) {
            GoalState::Infeasible => Some((goal.edge.edge(), BTreeSet::new())),
            GoalState::WithinBounds(bounds) => Some((goal.edge.edge(), bounds)),
            GoalState::Covered | GoalState::Open(_) => None,
        });
        Resumed {
            complete: self.complete(search, goals),
            inputs: self.tests.iter().map(|test| test.input.clone()).collect(),
            infeasible: proved.collect(),
            spent: search.spent,
        }
    }

    /// The result, if the same search would find nothing more and the entry bears out what it says.
    fn complete(&self, search: &SearchEntry, goals: &BTreeSet<Edge>) -> Option<Explored> {
        let states: BTreeMap<Edge, GoalState> =
            search.goals.iter().map(|goal| (goal.edge.edge(), state(goal))).collect();
        let coverage: Coverage =
            self.tests.iter().flat_map(|test| test.coverage.edges()).copied().collect();
        let is_borne_out = states.keys().eq(goals)
            && states
                .iter()
                .all(|(&edge, state)| (*state == GoalState::Covered) == coverage.contains(edge));
        let is_complete = search.ended.is_complete() && self.is_same_method && is_borne_out;
        is_complete.then(|| Explored {
            bugs: bugs(&self.tests),
            tests: self.tests.clone(),
            goals: states,
            coverage,
            is_exhaustive: search.exhaustive,
            ended: match search.ended {
                EndedEntry::NothingLeft => Ended::NothingLeft,
                EndedEntry::Covered
                | EndedEntry::Running
                | EndedEntry::Iterations
                | EndedEntry::Time
                | EndedEntry::Interrupted => Ended::Covered,
            },
            ..Explored::default()
        })
    }
}

/// What an entry says of a side. Limits that this version does not know prove nothing.
fn state(goal: &GoalEntry) -> GoalState {
    let bounds: Option<BTreeSet<Gap>> =
        goal.bounds.iter().map(|name| Gap::from_name(name)).collect();
    match (goal.state, bounds) {
        (GoalStateEntry::Covered, _) => GoalState::Covered,
        (GoalStateEntry::Infeasible, _) => GoalState::Infeasible,
        (GoalStateEntry::WithinBounds, Some(bounds)) if !bounds.is_empty() => {
            GoalState::WithinBounds(bounds)
        }
        (GoalStateEntry::Open | GoalStateEntry::WithinBounds, _) => {
            GoalState::Open(goal.why.clone().unwrap_or_default())
        }
    }
}

/// The input of a test of another program, without cells that this one does not have.
fn fitting(shape: &Shape, test: &TestCase) -> Input {
    let mut input = shape.complete(&test.input);
    for drawn in &test.drawn {
        input.set(drawn.name.clone(), drawn.value);
    }
    input
}

/// The first test of each failure.
fn bugs(tests: &[TestCase]) -> Vec<Bug> {
    let mut bugs: Vec<Bug> = Vec::new();
    for (i, test) in tests.iter().enumerate() {
        if let Outcome::Trapped(trap) = &test.outcome
            && !bugs.iter().any(|bug| bug.kind == trap.kind && bug.site == trap.site)
        {
            bugs.push(Bug { kind: trap.kind.clone(), site: trap.site, test: i });
        }
    }
    bugs
}

fn goal(program: &Program, edge: Edge, state: &GoalState) -> GoalEntry {
    let (state, why, bounds) = match state {
        GoalState::Covered => (GoalStateEntry::Covered, None, Vec::new()),
        GoalState::Infeasible => (GoalStateEntry::Infeasible, None, Vec::new()),
        GoalState::WithinBounds(bounds) => {
            let names = bounds.iter().map(ToString::to_string).collect();
            (GoalStateEntry::WithinBounds, None, names)
        }
        GoalState::Open(why) => (GoalStateEntry::Open, Some(why.clone()), Vec::new()),
    };
    GoalEntry { edge: EdgeEntry::of(program, edge), state, why, bounds }
}

/// Who writes.
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
