//! A search that is told to stop ends at whatever stage it is, and what it found stays.

use std::collections::BTreeSet;
use std::time::Duration;
use symcrete_exec::{Config, Engine, Entry, ExecError, Executor, Limits as ExecLimits, Trace};
use symcrete_explore::{
    Bursts, Explored, Explorer, Goals, Growth, Limits, Parts, StrategyKind, Tidying,
};
use symcrete_program::cfg::{Cfg, FlowGraph, ModuleView};
use symcrete_program::{
    Ended, GoalState, Image, Input, Program, ReadOptions, Shape, ShapeOptions, Sizes, Spent,
    TimeLimit, read_program,
};
use symcrete_solve::smt::Toolbox;
use symcrete_solve::{Budget, Cancel, Query, Setup, Solver, SolverKind, Verdict, Why};
use symcrete_term::{Seed, Terms};

const PROGRAM: &str = r#"(module (func (export "f") (param i32) (result i32)
    (if (i32.eq (local.get 0) (i32.const 7)) (then (return (i32.const 1))))
    (if (i32.eq (local.get 0) (i32.const 99)) (then (return (i32.const 2))))
    (if (i32.gt_u (local.get 0) (i32.const 5000)) (then (return (i32.const 3))))
    (i32.const 4)))"#;

/// When a search is told to stop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Moment {
    BeforeItBegins,
    AtTheFirstTest,
    WhileItSolves,
    WhileBurstsAreCompiled,
    Never,
}

fn program() -> Program {
    let options = ReadOptions { user_files: Vec::new(), load: &|_| None };
    read_program(wat::parse_str(PROGRAM).expect("the test's own program works"), &options)
        .expect("the test's own program works")
}

fn shape(program: &Program) -> Shape {
    let sizes = Sizes { length: 8, depth: 3, bytes: 64, calls: 0 };
    let options = ShapeOptions { sizes, globals: false, learnt: Default::default() };
    Shape::of(program, &program.units[0], &options).expect("the test's own program works")
}

/// Solves, and may be stopped in the middle of it.
struct Stoppable {
    solver: Box<dyn Solver>,
    stop: Option<Cancel>,
}

impl Solver for Stoppable {
    fn name(&self) -> &'static str {
        "stoppable"
    }

    fn solve(&mut self, query: &Query<'_>, budget: &mut Budget) -> Verdict {
        match &self.stop {
            Some(cancel) => {
                cancel.interrupt();
                Verdict::Unknown(budget.cancel().check().expect_err("it was just set"))
            }
            // Nothing is quick, so that the bursts are wanted.
            None if budget.is_quick => Verdict::Unknown(Why::GaveUp),
            None => self.solver.solve(query, budget),
        }
    }
}

fn explore(moment: Moment) -> Explored {
    let program = program();
    let shape = shape(&program);
    let limits = ExecLimits { memory_bytes: 1 << 20, instances: 2, ..ExecLimits::STANDARD };
    let executable = Engine::new(limits)
        .expect("the test's own program works")
        .prepare(&program.wasm, &Config::standard())
        .expect("the test's own program works");
    let mut executor = executable.executor(Entry::new("f")).expect("the test's own program works");
    let view = ModuleView::parse(&program.wasm).expect("the test's own program works");
    let cfg = Cfg::of_module(&view).expect("the test's own program works");
    let distances = FlowGraph::of(&view, &cfg).from_entries(cfg.functions().map(|f| f.index));
    let cancel = Cancel::new();
    if moment == Moment::BeforeItBegins {
        cancel.interrupt();
    }
    let setup = Setup { toolbox: &Toolbox::new([]), seed: Seed(0), experience: None };
    let solver = SolverKind::ConcolicWalk.build(&setup).expect("the test's own program works");
    let stop = (moment == Moment::WhileItSolves).then(|| cancel.clone());
    let in_bursts = cancel.clone();
    let bursts = Bursts::new(
        move || {
            in_bursts.interrupt();
            Ok(None)
        },
        1_000,
        Seed(0),
    );
    let limits = Limits {
        iterations: 1_000,
        fuel: 1_000,
        steps: 100_000,
        depth: 1_000,
        query_time: Duration::from_secs(1),
        cancel: cancel.clone(),
        time_limit: TimeLimit::Unit,
        clock: &|| Duration::ZERO,
        backward_after: Duration::MAX,
        null_pointers: false,
        uninitialized: false,
        keep_all: false,
    };
    let parts = Parts {
        program: &program,
        shape: &shape,
        growth: Growth { max: shape.sizes, shape: &|_, _| None, on_grown: &mut |_, _| {} },
        goals: Goals::of(&program, &BTreeSet::from([0])),
        gaps: Vec::new(),
        executor: &mut executor,
        solver: &mut Stoppable { solver, stop },
        strategy: &|| "auto".parse::<StrategyKind>().expect("a strategy").build(Seed(0)),
        bursts: (moment == Moment::WhileBurstsAreCompiled).then_some(bursts),
        batch: None,
        backward: None,
        distances: &|targets| distances.to(targets),
        reachable: &|starts| distances.reachable_from(starts),
        on_test: &mut |_| {
            if moment == Moment::AtTheFirstTest {
                cancel.interrupt();
            }
        },
        on_infeasible: &mut |_| {},
        on_progress: &mut |_, _, _| {},
    };
    Explorer::new(parts, &limits)
        .explore(&[Input::default()])
        .expect("the test's own program works")
}

fn count(explored: &Explored, is_wanted: fn(&GoalState) -> bool) -> usize {
    explored.goals.values().filter(|state| is_wanted(state)).count()
}

#[test]
fn a_search_that_is_not_stopped_covers_all() {
    let explored = explore(Moment::Never);
    assert_eq!((explored.ended, explored.goals.len()), (Ended::Covered, 6));
    assert_eq!(count(&explored, |state| *state == GoalState::Covered), 6);
}

#[test]
fn a_search_ends_where_it_is_stopped_and_keeps_what_it_found() {
    let moments = [
        Moment::BeforeItBegins,
        Moment::AtTheFirstTest,
        Moment::WhileItSolves,
        Moment::WhileBurstsAreCompiled,
    ];
    for moment in moments {
        let explored = explore(moment);
        assert_eq!(explored.ended, Ended::Interrupted, "{moment:?}");
        assert!(!explored.tests.is_empty(), "{moment:?}: the first run is a test");
        assert_eq!(explored.goals.len(), 6, "{moment:?}: every goal has a state");
        let is_open = |state: &GoalState| matches!(state, GoalState::Open(_));
        assert!(count(&explored, is_open) > 0, "{moment:?}: not all of it was tried");
        // What was not tried is not infeasible.
        assert_eq!(count(&explored, |state| *state == GoalState::Infeasible), 0, "{moment:?}");
        let is_early = moment != Moment::WhileBurstsAreCompiled;
        assert!(!is_early || explored.stats.executions == 1, "{moment:?}: {:?}", explored.stats);
    }
}

/// Fails whoever runs something.
struct NoRuns;

impl Executor for NoRuns {
    fn run(&mut self, _: &mut Terms, _: &Image, _: u64) -> Result<Trace, ExecError> {
        panic!("nothing is to be run any more")
    }
}

#[test]
fn a_suite_is_made_without_a_run_if_there_is_no_time_for_one() {
    let program = program();
    for keep_all in [true, false] {
        let explored = explore(Moment::Never);
        let (found, spare) = (explored.tests.clone(), explored.spare.clone());
        // Nothing here is undefined elsewhere, so it does not matter whether there is time to mend that.
        let (is_stopped, is_interrupted) = (&|| true, &|| keep_all);
        let tidying =
            Tidying { program: &program, fuel: 1_000, keep_all, is_stopped, is_interrupted };
        let suite = tidying
            .suite(explored, Spent::default(), &mut NoRuns)
            .expect("the test's own program works");
        assert!(suite.tests.iter().all(|test| found.contains(test) || spare.contains(test)));
        assert!(!keep_all || suite.tests == found, "all are kept");
        let covered = suite.goals.iter().filter(|(_, state)| **state == GoalState::Covered);
        assert!(covered.count() == 6 && suite.coverage().edges().len() == 6, "as much as before");
    }
}
