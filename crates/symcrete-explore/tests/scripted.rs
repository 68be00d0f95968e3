//! The explorer and its strategies on programs that are scripts: no WebAssembly, no SMT solver, every order exact.
//!
//! A script looks at bits of its one input, each question at a site of its own. Inputs are what the explorer runs, in order.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;
use symcrete_exec::{Constraint, ExecError, Executor, Met, Origin, PathCondition, Trace, Unknown};
use symcrete_explore::{
    Attempt, Backward, Effort, Explored, Explorer, Goals, Growth, Limits, Parts, StrategyKind,
};
use symcrete_program::{
    Bounds, Branch, BranchKind, Coverage, Edge, Ended, FileId, Gap, GoalState, Image, Input,
    Outcome, Param, Position, Program, Resource, Shape, ShapeOptions, SiteId, Sizes, SourceFile,
    TimeLimit, Trap, TrapKind, Type, TypeKind, Unit, Uses, suite,
};
use symcrete_solve::{Budget, Cancel, Query, Solver, Verdict, Why};
use symcrete_term::{Literal, Op, Seed, Sort, Terms, Valuation, Value};

/// Bits of the input; all of its values are tried when a question is to be answered.
const BITS: u32 = 4;

/// What a script does next.
#[derive(Clone, Debug)]
enum Script {
    /// Asks whether a bit is set, at a site; what follows if it is not, and if it is.
    Ask {
        site: u32,
        bit: u32,
        sides: [Box<Script>; 2],
    },
    /// The model leaves something out here.
    Gap(Gap, Box<Script>),
    End(Outcome),
}

fn ask(site: u32, bit: u32, unset: Script, set: Script) -> Script {
    Script::Ask { site, bit, sides: [Box::new(unset), Box::new(set)] }
}

fn end() -> Script {
    Script::End(Outcome::Returned(Vec::new()))
}

/// Asks for bits from one on, with a site for every question: site 1 is the first, `2 n` and `2 n + 1` follow `n`.
fn all_bits(site: u32, bit: u32, last: u32) -> Script {
    if bit > last {
        return end();
    }
    ask(site, bit, all_bits(2 * site, bit + 1, last), all_bits(2 * site + 1, bit + 1, last))
}

impl Script {
    fn edges(&self) -> BTreeMap<Edge, &Script> {
        match self {
            Script::End(_) => BTreeMap::new(),
            Script::Gap(_, next) => next.edges(),
            Script::Ask { site, sides, .. } => {
                let side = |taken: bool| {
                    let next = &*sides[usize::from(taken)];
                    let edge = Edge { site: SiteId::at(*site), taken };
                    next.edges().into_iter().chain([(edge, next)]).collect::<Vec<_>>()
                };
                side(false).into_iter().chain(side(true)).collect()
            }
        }
    }

    /// Branches from each edge to the nearest of some targets.
    fn distances(&self, targets: &BTreeSet<Edge>) -> BTreeMap<Edge, u32> {
        let near = |(edge, next): (Edge, &Script)| {
            let behind = || next.nearest(targets).map(|n| n + 1);
            let distance = if targets.contains(&edge) { Some(0) } else { behind() };
            distance.map(|n| (edge, n))
        };
        self.edges().into_iter().filter_map(near).collect()
    }

    fn nearest(&self, targets: &BTreeSet<Edge>) -> Option<u32> {
        match self {
            Script::End(_) => None,
            Script::Gap(_, next) => next.nearest(targets),
            Script::Ask { site, sides, .. } => [false, true]
                .into_iter()
                .filter_map(|taken| {
                    let is_target = targets.contains(&Edge { site: SiteId::at(*site), taken });
                    let behind = || sides[usize::from(taken)].nearest(targets).map(|n| n + 1);
                    if is_target { Some(0) } else { behind() }
                })
                .min(),
        }
    }

    fn reachable(&self, starts: &BTreeSet<Edge>) -> BTreeSet<Edge> {
        let from = self.edges().into_iter().filter(|(edge, _)| starts.contains(edge));
        from.flat_map(|(edge, next)| next.edges().into_keys().chain([edge])).collect()
    }
}

/// Runs a script, and notes what it was given.
struct Scripted<'a> {
    script: &'a Script,
    given: Vec<u64>,
}

impl Executor for Scripted<'_> {
    fn run(&mut self, terms: &mut Terms, image: &Image, _: u64) -> Result<Trace, ExecError> {
        let x = image.args[0].bits;
        self.given.push(x);
        let variable = terms.var("x", Sort::Bv(32));
        let (mut path, mut edges, mut gaps) = (Vec::new(), Vec::new(), Vec::new());
        let mut step = self.script;
        let outcome = loop {
            match step {
                Script::End(outcome) => break outcome.clone(),
                Script::Gap(gap, next) => {
                    gaps.push(Met { gap: *gap, n_constraints: path.len() });
                    step = next;
                }
                Script::Ask { site, bit, sides } => {
                    let mask = terms.bv(32, 1 << bit);
                    let masked = terms.app(Op::BvAnd, &[variable, mask]);
                    let term = terms.eq(masked, mask);
                    let (expected, site) = (x >> bit & 1 == 1, SiteId::at(*site));
                    let literal = Literal { term, expected };
                    // A question that an earlier one has answered is none.
                    if path.iter().all(|known: &Constraint| known.literal != literal) {
                        path.push(Constraint { literal, site, origin: Origin::Branch });
                    }
                    edges.push(Edge { site, taken: expected });
                    step = &sides[usize::from(expected)];
                }
            }
        };
        Ok(Trace {
            stray: None,
            freed: Vec::new(),
            address_from: Vec::new(),
            path: PathCondition { constraints: path },
            outcome,
            results: Vec::new(),
            coverage: edges.into_iter().collect(),
            fuel_used: 1,
            watched: Vec::new(),
            drawn: Vec::new(),
            noted: None,
            gaps,
            unknown: Unknown::default(),
            margins: Vec::new(),
        })
    }
}

/// Tries all values of the input, the least first.
struct Least {
    /// Sides that it pretends not to know.
    unknown: BTreeSet<usize>,
    n_asked: usize,
}

impl Solver for Least {
    fn name(&self) -> &'static str {
        "least"
    }

    fn solve(&mut self, query: &Query<'_>, _: &mut Budget) -> Verdict {
        self.n_asked += 1;
        if self.unknown.contains(&self.n_asked) {
            return Verdict::Unknown(Why::GaveUp);
        }
        let x = query.terms.find_var("x").expect("the script asks about it");
        let valuation = |value| Valuation::from_iter([(x, Value::bv(32, value))]);
        let fits = |value: &u64| query.terms.satisfies(query.literals, &valuation(*value));
        match (0..1 << BITS).find(fits) {
            Some(value) => Verdict::Sat(valuation(value)),
            None => Verdict::Unsat,
        }
    }
}

fn program(script: &Script) -> Program {
    let mut program = Program::default();
    let kind = TypeKind::Int { signed: false, is_char: false };
    let ty = program.types.add(Type { name: "unsigned".to_string(), size: 4, kind });
    let position = Position { file: FileId(0), line: 1, column: 1 };
    program.files.push(SourceFile {
        path: "script.c".into(),
        text: None,
        is_user: true,
        is_compiled: true,
    });
    program.units.push(Unit {
        name: "script".to_string(),
        position,
        function: 0,
        body: 0..1000,
        params: vec![Param { name: "x".to_string(), ty }],
        result: None,
        is_static: false,
        is_variadic: false,
        list: None,
        uses: Uses::default(),
    });
    for edge in script.edges().into_keys() {
        let branch = Branch {
            unit: 0,
            position,
            end: position,
            text: format!("question {}", edge.site.offset),
            kind: BranchKind::Condition,
            is_negated: false,
        };
        program.branches.insert(edge.site, branch);
    }
    program
}

/// What is different from test to test.
struct Setting {
    strategy: &'static str,
    unknown: BTreeSet<usize>,
    iterations: u64,
    depth: u32,
    keep_all: bool,
    backward: Option<Known>,
}

impl Setting {
    fn of(strategy: &'static str) -> Setting {
        Setting {
            strategy,
            unknown: BTreeSet::new(),
            iterations: 100,
            depth: 100,
            keep_all: false,
            backward: None,
        }
    }
}

/// How large inputs are.
const SIZES: Sizes = Sizes { length: 8, depth: 3, bytes: 64, calls: 0 };

/// What was found, and the inputs that were run.
fn explore(script: &Script, mut setting: Setting) -> (Explored, Vec<u64>) {
    let program = program(script);
    let options = ShapeOptions { sizes: SIZES, globals: false, learnt: Default::default() };
    let shape = Shape::of(&program, &program.units[0], &options).expect("one number");
    let mut executor = Scripted { script, given: Vec::new() };
    let limits = Limits {
        iterations: setting.iterations,
        fuel: 100,
        steps: 100,
        depth: setting.depth,
        query_time: Duration::from_secs(1),
        cancel: Cancel::new(),
        time_limit: TimeLimit::Unit,
        clock: &|| Duration::ZERO,
        backward_after: Duration::MAX,
        null_pointers: false,
        uninitialized: false,
        keep_all: setting.keep_all,
    };
    let strategy: StrategyKind = setting.strategy.parse().expect("a name of ours");
    let parts = Parts {
        program: &program,
        shape: &shape,
        growth: Growth { max: shape.sizes, shape: &|_, _| None, on_grown: &mut |_, _| {} },
        goals: Goals::of(&program, &BTreeSet::from([0])),
        gaps: Vec::new(),
        executor: &mut executor,
        solver: &mut Least { unknown: setting.unknown, n_asked: 0 },
        strategy: &|| strategy.build(Seed(0)),
        bursts: None,
        batch: None,
        backward: setting.backward.as_mut().map(|backward| backward as &mut dyn Backward),
        distances: &|targets| script.distances(targets),
        reachable: &|starts| script.reachable(starts),
        on_test: &mut |_| {},
        on_infeasible: &mut |_| {},
        on_progress: &mut |_, _, _| {},
    };
    let first = Input { values: BTreeMap::from([("x".to_string(), Value::bv(32, 0))]) };
    let explored = Explorer::new(parts, &limits).explore(&[first]).expect("scripts run");
    (explored, executor.given)
}

/// Backward execution that knows what becomes of some sides.
struct Known {
    attempts: BTreeMap<Edge, Attempt>,
}

impl Backward for Known {
    fn attempt(&mut self, goal: Edge, _: Effort, _: usize) -> Attempt {
        self.attempts.get(&goal).cloned().unwrap_or(Attempt::Unknown)
    }

    fn grown(&mut self, _: &Shape) {}
}

fn n_of(explored: &Explored, is_wanted: impl Fn(&GoalState) -> bool) -> usize {
    explored.goals.values().filter(|state| is_wanted(state)).count()
}

#[test]
fn every_strategy_has_its_order() {
    let script = all_bits(1, 0, 2);
    for (strategy, order) in [
        ("dfs", [0, 4, 2, 6, 1, 5, 3, 7]),
        ("bfs", [0, 1, 2, 3, 4, 5, 6, 7]),
        ("generational", [0, 1, 3, 5, 2, 4, 6, 7]),
        ("cfg", [0, 1, 2, 3, 4, 5, 6, 7]),
        ("random", [0, 1, 3, 7, 5, 4, 2, 6]),
        ("auto", [0, 1, 2, 3, 4, 5, 6, 7]),
        ("least-tried", [0, 1, 2, 3, 4, 5, 6, 7]),
        ("random-walk", [0, 4, 1, 5, 3, 7, 2, 6]),
    ] {
        let (explored, given) = explore(&script, Setting::of(strategy));
        assert_eq!(given, order, "{strategy}");
        assert_eq!(explored.ended, Ended::Covered, "{strategy}");
        assert_eq!(n_of(&explored, |state| *state == GoalState::Covered), 14, "{strategy}");
        assert!(explored.is_exhaustive, "{strategy}");
    }
}

#[test]
fn every_strategy_is_in_the_list_of_orders() {
    assert_eq!(StrategyKind::all().count(), 8, "the test above has an order for each");
}

#[test]
fn what_comes_after_a_value_that_nobody_has_written_is_last() {
    let unwritten = Script::Gap(Gap::Uninitialized, Box::new(all_bits(2, 1, 2)));
    let script = ask(1, 0, unwritten, all_bits(3, 1, 2));
    let (explored, given) = explore(&script, Setting::of("dfs"));
    assert_eq!(given, [0, 1, 5, 3, 7, 4, 2, 6]);
    assert_eq!(explored.ended, Ended::Covered);
}

#[test]
fn the_least_tried_side_has_its_turn() {
    // A loop that passes site 1 three times, and site 2 behind it.
    let last = || ask(2, 3, end(), end());
    let third = || ask(1, 2, last(), last());
    let second = || ask(1, 1, third(), third());
    let script = ask(1, 0, second(), second());
    let setting = |strategy| Setting { keep_all: true, iterations: 3, ..Setting::of(strategy) };
    let (_, given) = explore(&script, setting("least-tried"));
    assert_eq!(given[..3], [0, 1, 8], "site 2 comes second");
    let (_, given) = explore(&script, setting("bfs"));
    assert_eq!(given[..3], [0, 1, 2], "the loop comes first");
}

/// The same question twice: the second time one side is impossible.
fn repeated() -> Script {
    let again = |site| ask(site, 0, end(), end());
    ask(1, 0, again(2), again(3))
}

#[test]
fn what_cannot_be_is_proved_once_nothing_leads_there() {
    for strategy in StrategyKind::all() {
        let (explored, given) = explore(&repeated(), Setting::of(strategy.name()));
        assert_eq!(given, [0, 1], "{strategy}");
        assert_eq!(explored.ended, Ended::NothingLeft);
        assert_eq!(n_of(&explored, |state| *state == GoalState::Infeasible), 2, "{strategy}");
        assert!(explored.is_exhaustive);
    }
}

#[test]
fn a_gap_on_the_way_is_a_bound_or_leaves_it_open() {
    for (gap, is_bound) in [(Gap::Length, true), (Gap::Unsupported, false)] {
        let script = Script::Gap(gap, Box::new(repeated()));
        let (explored, _) = explore(&script, Setting::of("dfs"));
        let bounds = GoalState::WithinBounds(Bounds::of([gap], SIZES));
        let n_bounded = n_of(&explored, |state| *state == bounds);
        let n_open = n_of(&explored, |state| matches!(state, GoalState::Open(_)));
        assert_eq!((n_bounded, n_open), if is_bound { (2, 0) } else { (0, 2) }, "{gap:?}");
        assert!(!explored.is_exhaustive);
    }
}

#[test]
fn what_the_solver_does_not_know_stays_open() {
    let setting = Setting { unknown: BTreeSet::from([1]), ..Setting::of("bfs") };
    let (explored, given) = explore(&all_bits(1, 0, 1), setting);
    assert_eq!(given, [0, 2]);
    assert_eq!(n_of(&explored, |state| matches!(state, GoalState::Open(_))), 3);
    assert_eq!(n_of(&explored, |state| *state == GoalState::Infeasible), 0);
}

#[test]
fn limits_hold() {
    let script = all_bits(1, 0, 3);
    let (explored, given) = explore(&script, Setting { iterations: 3, ..Setting::of("dfs") });
    assert_eq!((explored.ended, given.len()), (Ended::Iterations, 4));
    let (explored, given) = explore(&script, Setting { depth: 1, ..Setting::of("dfs") });
    assert_eq!((explored.ended, given), (Ended::NothingLeft, vec![0, 2, 1, 3]));
    assert_eq!(n_of(&explored, |state| *state == GoalState::Infeasible), 0);
}

#[test]
fn a_failure_is_kept_once_and_what_cannot_be_followed_is_no_test() {
    let trap = |kind| Script::End(Outcome::Trapped(Trap { kind, site: Some(SiteId::at(9)) }));
    let script = ask(
        1,
        0,
        ask(2, 1, end(), trap(TrapKind::DivisionByZero)),
        ask(3, 1, trap(TrapKind::DivisionByZero), Script::End(Outcome::Exhausted(Resource::Model))),
    );
    let (explored, given) = explore(&script, Setting::of("bfs"));
    assert_eq!(given, [0, 1, 2, 3]);
    assert_eq!(suite::bugs(&explored.tests).len(), 1);
    assert_eq!(explored.stats.not_followed, 1);
    let last = Edge { site: SiteId::at(3), taken: true };
    assert!(matches!(explored.goals[&last], GoalState::Open(_)), "{:?}", explored.goals[&last]);
    assert!(explored.tests.iter().all(|test| !test.coverage.contains(last)));
}

#[test]
fn a_run_for_every_path_is_kept_if_that_is_asked_for() {
    // Four paths, but three runs cover both sides of both questions of the second bit.
    let second = |site| ask(site, 1, end(), end());
    let script = ask(1, 0, second(2), second(2));
    let n_tests =
        |keep_all| explore(&script, Setting { keep_all, ..Setting::of("dfs") }).0.tests.len();
    assert_eq!((n_tests(false), n_tests(true)), (3, 4));
}

#[test]
fn coverage_is_that_of_the_tests() {
    let (explored, _) = explore(&all_bits(1, 0, 2), Setting::of("auto"));
    let mut together = Coverage::default();
    for test in &explored.tests {
        together.absorb(&test.coverage);
    }
    assert_eq!(together, explored.coverage);
}

#[test]
fn what_forward_exploration_leaves_open_is_tried_backward() {
    // Two questions; one run is allowed, so three of the six sides stay open.
    let script = all_bits(1, 0, 1);
    let side = |site, taken| Edge { site: SiteId::at(site), taken };
    let input = |x| Input { values: BTreeMap::from([("x".to_string(), Value::bv(32, x))]) };
    let bounds = BTreeSet::from([Gap::Length]);
    let attempts = BTreeMap::from([
        (side(1, true), Attempt::Input(input(1))),
        (side(2, true), Attempt::Proved(BTreeSet::new())),
        (side(3, true), Attempt::Proved(bounds.clone())),
    ]);
    let setting = |backward| Setting { iterations: 0, backward, ..Setting::of("dfs") };
    let (forward, _) = explore(&script, setting(None));
    assert_eq!(n_of(&forward, |state| matches!(state, GoalState::Open(_))), 4);
    let known = Known { attempts };
    let (explored, given) = explore(&script, setting(Some(known)));
    assert_eq!(given, [0, 1], "what it finds is run");
    assert_eq!(explored.goals[&side(1, true)], GoalState::Covered);
    assert_eq!(explored.goals[&side(3, false)], GoalState::Covered, "on the same run");
    assert_eq!(explored.goals[&side(2, true)], GoalState::Infeasible);
    assert_eq!(explored.goals[&side(3, true)], GoalState::WithinBounds(Bounds::of(bounds, SIZES)));
    let counted = explored.stats.backward;
    assert_eq!((counted.tried, counted.covered, counted.proved), (3, 2, 2));
    assert_eq!(explored.ended, Ended::Covered);
}

#[test]
fn an_input_that_goes_elsewhere_covers_only_what_its_run_took() {
    let script = all_bits(1, 0, 1);
    let side = |site, taken| Edge { site: SiteId::at(site), taken };
    let wrong = Input { values: BTreeMap::from([("x".to_string(), Value::bv(32, 2))]) };
    let attempts = BTreeMap::from([(side(1, true), Attempt::Input(wrong))]);
    let known = Known { attempts };
    let setting = Setting { iterations: 0, backward: Some(known), ..Setting::of("dfs") };
    let (explored, _) = explore(&script, setting);
    assert!(matches!(explored.goals[&side(1, true)], GoalState::Open(_)));
    assert_eq!(explored.goals[&side(2, true)], GoalState::Covered);
}
