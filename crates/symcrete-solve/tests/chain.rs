//! The chain of decorators against the complete solver, link by link.
//!
//! Terms are random, over four variables of four bits, so that `enumerate` decides every query. A chain keeps its memory over a
//! sequence of queries, as it does in exploration: what one query taught must not spoil another.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod support;

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use support::toolbox;
use symcrete_solve::enumerate::Enumerate;
use symcrete_solve::inspect::InspectOptions;
use symcrete_solve::smt::Toolbox;
use symcrete_solve::{
    BatchSolver, Budget, Chain, ChainOptions, ChainStats, Link, Query, Setup, Solver, SolverKind,
    Verdict, build_chain,
};
use symcrete_term::{Literal, Op, Rng, Seed, Sort, TermId, Terms, Valuation, Value, VarId};

const N_VARS: usize = 4;
const BITS: u8 = 4;

/// A path: an arena, and queries as a driver makes them.
struct Path {
    terms: Terms,
    queries: Vec<(Vec<Literal>, Valuation)>,
    /// What the complete solver says.
    expected: Vec<&'static str>,
}

impl Path {
    /// Random conditions; every query flips one of them for an input that satisfies those before it, or,
    /// one time in five, comes with any hint at all.
    fn random(seed: u64) -> Path {
        let mut rng = Seed(seed).rng();
        let mut terms = Terms::new();
        let mut pool: Vec<TermId> =
            (0..N_VARS).map(|i| terms.var(&format!("x{i}"), Sort::Bv(BITS))).collect();
        let mut conditions = Vec::new();
        for _ in 0..24 {
            let value = value(&mut rng, &mut terms, &pool);
            pool.push(value);
            conditions.push(condition(&mut rng, &mut terms, &pool));
        }
        let mut queries = Vec::new();
        for _ in 0..10 {
            let input = input(&mut rng);
            let n = 1 + rng.below(conditions.len() as u64) as usize;
            let start = rng.below(n as u64) as usize;
            let taken = |&term: &TermId| Literal {
                term,
                expected: terms.evaluate(term, &input) == Value::Bool(true),
            };
            let mut literals: Vec<Literal> = conditions[start..n].iter().map(taken).collect();
            let last = literals.pop().unwrap();
            literals.push(last.negated());
            let hint = if rng.one_in(5) { self::input(&mut rng) } else { input };
            queries.push((literals, hint));
        }
        let mut path = Path { terms, queries, expected: Vec::new() };
        let decide = |query| Enumerate.solve(&query, &mut Budget::of_steps(1 << 20)).word();
        path.expected = path.queries().map(decide).collect();
        path
    }

    fn queries(&self) -> impl Iterator<Item = Query<'_>> {
        let query = |(literals, hint)| Query { terms: &self.terms, literals, hint };
        self.queries.iter().map(move |(literals, hint)| query((literals.as_slice(), hint)))
    }
}

fn input(rng: &mut Rng) -> Valuation {
    let value = |i| (VarId::from_index(i), Value::bv(BITS, rng.below(1 << BITS)));
    (0..N_VARS).map(value).collect()
}

fn value(rng: &mut Rng, terms: &mut Terms, pool: &[TermId]) -> TermId {
    let (a, b) = (*rng.choose(pool), *rng.choose(pool));
    let k = terms.bv(BITS, rng.below(1 << BITS));
    let op = *rng.choose(&[Op::BvAdd, Op::BvMul, Op::BvXor, Op::BvAnd, Op::BvUdiv, Op::BvSub]);
    if rng.one_in(2) { terms.app(op, &[a, k]) } else { terms.app(op, &[a, b]) }
}

fn condition(rng: &mut Rng, terms: &mut Terms, pool: &[TermId]) -> TermId {
    let (a, b) = (*rng.choose(pool), *rng.choose(pool));
    let k = terms.bv(BITS, rng.below(1 << BITS));
    let other = if rng.one_in(2) { k } else { b };
    match rng.below(4) {
        0 => terms.eq(a, other),
        1 => terms.app(Op::BvUlt, &[a, other]),
        2 => terms.app(Op::BvSle, &[a, other]),
        _ => {
            let (less, equal) = (terms.app(Op::BvUle, &[a, other]), terms.eq(a, b));
            terms.app(Op::Xor, &[less, equal])
        }
    }
}

fn chain(kind: SolverKind, toolbox: &Toolbox, options: ChainOptions) -> Chain {
    build_chain(&Setup { toolbox, seed: Seed(1), experience: None }, kind, options).unwrap()
}

/// Puts all queries of a path to a chain, each twice, and compares with the complete solver.
fn compare(path: &Path, chain: &mut Chain, label: &str) {
    for (i, query) in path.queries().chain(path.queries()).enumerate() {
        let expected = path.expected[i % path.queries.len()];
        let verdict = chain.solve(&query, &mut Budget::of_steps(1 << 30));
        assert_eq!(verdict.word(), expected, "{label}, query {i}: {verdict:?}");
        if let Verdict::Sat(model) = &verdict {
            assert!(query.accepts(model), "{label}, query {i}");
        }
    }
}

#[test]
fn any_set_of_links_gives_the_same_verdicts() {
    let none = Toolbox::new([]);
    for seed in 0..3 {
        let path = Path::random(seed);
        for bits in 0..1u32 << Link::ALL.len() {
            let in_set = |&(i, _): &(usize, &Link)| bits >> i & 1 == 1;
            let links = Link::ALL.iter().enumerate().filter(in_set).map(|(_, &link)| link);
            let links: BTreeSet<Link> = links.collect();
            let mut chain = chain(SolverKind::Enumerate, &none, ChainOptions::with(links.clone()));
            compare(&path, &mut chain, &format!("{links:?}, seed {seed}"));
        }
    }
}

#[test]
fn every_link_left_out_alone_on_many_paths() {
    let none = Toolbox::new([]);
    let mut whole = ChainStats::default();
    for seed in 100..120 {
        let path = Path::random(seed);
        for left_out in Link::ALL.iter().map(Some).chain([None]) {
            let mut options = ChainOptions::default();
            if let Some(&link) = left_out {
                options = options.without(link);
            }
            let mut chain = chain(SolverKind::Enumerate, &none, options);
            compare(&path, &mut chain, &format!("without {left_out:?}, seed {seed}"));
            let stats = chain.stats();
            whole.sliced = whole.sliced + stats.sliced;
            whole.cached = whole.cached + stats.cached;
            whole.partial = whole.partial + stats.partial;
            whole.cores = whole.cores + stats.cores;
        }
    }
    // The comparison means something only if every link had work to do.
    assert!(whole.sliced.literals_kept < whole.sliced.literals_asked, "{whole:?}");
    assert!(whole.sliced.hints_refused > 0, "{whole:?}");
    assert!(whole.cached.opposites > 0 && whole.cached.unsat_known > 0, "{whole:?}");
    assert!(whole.cached.inputs_fit > 0, "{whole:?}");
    assert!(whole.partial.literals_sent < whole.partial.literals_asked * 2, "{whole:?}");
    assert!(whole.cores.literals_kept < whole.cores.literals_asked, "{whole:?}");
}

#[test]
fn sessions_agree_with_the_complete_solver() {
    let toolbox = toolbox();
    let kinds = [SolverKind::Auto, SolverKind::Bitwuzla, SolverKind::Z3];
    // Without these two the session gets work to do.
    let solving = || ChainOptions::default().without(Link::Tiny).without(Link::Guessed);
    let mut proved = 0;
    for (i, &kind) in kinds.iter().enumerate() {
        for seed in 0..3 {
            let path = Path::random(1_000 * i as u64 + seed);
            let mut whole = chain(kind, &toolbox, solving().without(Link::Partial));
            compare(&path, &mut whole, &format!("{kind} whole, seed {seed}"));
            let mut partial = chain(kind, &toolbox, solving());
            compare(&path, &mut partial, &format!("{kind}, seed {seed}"));
            let stats = partial.stats();
            assert!(stats.partial.literals_final <= stats.partial.literals_asked);
            assert_eq!(stats.cores.cores_refused, 0, "{kind}");
            proved += stats.cores.unsat;
        }
    }
    assert!(proved > 0, "sessions prove");
}

/// A long path: a loop over an input that is compared at every turn, beside many inputs that are not connected.
fn long_path(n_turns: usize) -> (Terms, Vec<Literal>, Valuation) {
    let mut terms = Terms::new();
    let inputs: Vec<TermId> = (0..100).map(|i| terms.var(&format!("x{i}"), Sort::Bv(32))).collect();
    let limit = terms.bv(32, 1_000_000);
    let mut literals = Vec::new();
    for turn in 0..n_turns {
        let input = inputs[turn % inputs.len()];
        let k = terms.bv(32, turn as u64);
        let sum = terms.app(Op::BvAdd, &[input, k]);
        literals.push(Literal::holds(terms.app(Op::BvUlt, &[sum, limit])));
    }
    (terms, literals, Valuation::new())
}

#[test]
fn long_paths_are_cut_down() {
    let (mut terms, mut literals, hint) = long_path(100_000);
    let x = terms.var("x7", Sort::Bv(32));
    let k = terms.bv(32, 54_321);
    let target = terms.eq(x, k);
    literals.push(Literal::holds(target));
    let query = Query { terms: &terms, literals: &literals, hint: &hint };
    let none = Toolbox::new([]);
    let mut chain = chain(SolverKind::Random, &none, ChainOptions::default());
    let verdict = chain.solve(&query, &mut Budget::of_steps(100_000));
    assert!(matches!(verdict, Verdict::Sat(_)), "{verdict:?}");
    let stats = chain.stats();
    assert_eq!(stats.sliced.literals_asked, 100_001);
    assert_eq!(stats.sliced.literals_kept, 1_001, "a hundredth of the turns, and the target");
    assert_eq!(stats.refuted.met, 1, "the target leaves one value");
    // The same literal later on the path, flipped: its opposite is there.
    literals.push(Literal { term: target, expected: false });
    let query = Query { terms: &terms, literals: &literals, hint: &hint };
    assert_eq!(chain.solve(&query, &mut Budget::of_steps(100_000)), Verdict::Unsat);
    assert_eq!(chain.stats().cached.opposites, 1);
}

#[test]
fn partial_queries_stay_small_and_their_cores_are_reused() {
    let mut terms = Terms::new();
    let (x, y) = (terms.var("x", Sort::Bv(32)), terms.var("y", Sort::Bv(32)));
    let product = terms.app(Op::BvMul, &[x, y]);
    let mut literals: Vec<Literal> = (0..200)
        .map(|i| {
            let k = terms.bv(32, 3_000 + i);
            Literal { term: terms.eq(product, k), expected: false }
        })
        .collect();
    let (low, high) = (terms.bv(32, 10), terms.bv(32, 20));
    literals.push(Literal::holds(terms.app(Op::BvUlt, &[x, low])));
    let far = Literal::holds(terms.app(Op::BvUlt, &[high, x]));
    let hint = Valuation::new();
    // Ranges would refute it at once.
    let options = ChainOptions::default().without(Link::Guessed).without(Link::Refuted);
    let mut chain = chain(SolverKind::Auto, &toolbox(), options);
    let mut ask = |target: Literal| {
        let mut literals = literals.clone();
        literals.push(target);
        let query = Query { terms: &terms, literals: &literals, hint: &hint };
        chain.solve(&query, &mut Budget::of_steps(1 << 20)).word()
    };
    assert_eq!(ask(far), "unsat");
    assert_eq!(ask(far), "unsat");
    let stats = chain.stats();
    assert_eq!(stats.cached.unsat_known, 1);
    assert_eq!(stats.partial.literals_final, 2, "the target and the one it contradicts");
    assert!(stats.calls.literals_per_call() < 3.0, "{:?}", stats.calls);
    assert_eq!(stats.queries.unsat, 2);
}

#[test]
fn library_calls_and_floats_are_solved_by_what_stands_behind() {
    let mut terms = Terms::new();
    let (x, n) = (terms.var("x", Sort::F64), terms.var("n", Sort::Bv(32)));
    let sine = terms.function_named("sin").unwrap();
    let call = terms.call(sine, &[x]);
    let (most, zero) = (terms.constant(Value::f64(0.9)), terms.constant(Value::f64(0.0)));
    let five = terms.bv(32, 5);
    let small = Literal::holds(terms.app(Op::BvUlt, &[n, five]));
    let positive = Literal::holds(terms.app(Op::FpLe, &[zero, x]));
    let below = Literal::holds(terms.app(Op::FpLt, &[x, zero]));
    let high = Literal::holds(terms.app(Op::FpLt, &[most, call]));
    let hint = Valuation::new();
    let options = ChainOptions::default().without(Link::Guessed).without(Link::Refuted);
    let mut chain = chain(SolverKind::Auto, &toolbox(), options);
    let mut ask = |literals: &[Literal]| {
        let query = Query { terms: &terms, literals, hint: &hint };
        chain.solve(&query, &mut Budget::of_steps(200_000)).word()
    };
    assert_eq!(ask(&[small, positive, high]), "sat");
    // A literal with a call is not left out of a proof in silence: the others alone contradict here.
    assert_eq!(ask(&[high, positive, below]), "unsat");
    assert!(chain.stats().calls.calls > 0);
}

#[test]
fn the_same_steps_and_seed_give_the_same_answers() {
    let run = || {
        let path = Path::random(5);
        let options = ChainOptions::default().without(Link::Tiny);
        let mut chain = chain(SolverKind::Z3, &toolbox(), options);
        let ask = |query| chain.solve(&query, &mut Budget::of_steps(1 << 30));
        let verdicts: Vec<Verdict> = path.queries().map(ask).collect();
        (verdicts, chain.stats())
    };
    assert_eq!(run(), run());
}

#[test]
fn queries_are_logged_as_files_that_read_back() {
    let files = Arc::new(Mutex::new(Vec::new()));
    let sink = files.clone();
    let log = move |name: &str, text: &str| {
        sink.lock().unwrap().push((name.to_owned(), text.to_owned()));
    };
    let options = ChainOptions { log: Some(Box::new(log)), ..ChainOptions::default() };
    let path = Path::random(11);
    let mut chain = chain(SolverKind::Enumerate, &Toolbox::new([]), options);
    compare(&path, &mut chain, "logged");
    let files = files.lock().unwrap();
    // A query whose hint is no witness is asked a second time, whole.
    assert!(files.len() >= 2 * path.queries.len());
    assert_eq!(files[0].0, "query-000001.smt2");
    for (name, text) in files.iter() {
        let status = text.lines().find_map(|line| line.strip_prefix("(set-info :status "));
        let status = status.unwrap().trim_end_matches(')');
        assert!(["sat", "unsat"].contains(&status), "{name}: {status}");
        assert!(text.contains("(set-info :source |answered by "), "{name}");
        assert_eq!(answer_of_z3(text), status, "{name}\n{text}");
    }
}

/// What Z3 says to a file, as text.
fn answer_of_z3(text: &str) -> &'static str {
    use symcrete_solve::smt::{Answer, Backend, Mode, Session};
    let mut session = Session::new(Backend::Z3, &toolbox(), Mode::OneShot, None).unwrap();
    let body: Vec<&str> = text.lines().filter(|line| *line != "(check-sat)").collect();
    session.tell(&body.join("\n"));
    match session.check(&[], &mut Budget::of_steps(u64::MAX)) {
        Answer::Sat => "sat",
        Answer::Unsat => "unsat",
        Answer::Unknown(why) => panic!("{why}"),
    }
}

#[test]
fn calls_and_time_are_counted() {
    let ticks = Arc::new(AtomicU64::new(0));
    let mut options = ChainOptions::with([]);
    options.clock =
        Some(Arc::new(move || Duration::from_nanos(ticks.fetch_add(1, Ordering::Relaxed))));
    let path = Path::random(3);
    let mut chain = chain(SolverKind::Enumerate, &Toolbox::new([]), options);
    compare(&path, &mut chain, "counted");
    let stats = chain.stats();
    let n = 2 * path.queries.len() as u64;
    assert_eq!((stats.queries.calls, stats.calls.calls), (n, n));
    let n_literals: usize = path.queries.iter().map(|(literals, _)| literals.len()).sum();
    assert_eq!(stats.queries.literals, 2 * n_literals as u64);
    assert_eq!(stats.queries.sat + stats.queries.unsat, n);
    // The inner clock is read twice within the outer one's two readings.
    assert_eq!(stats.calls.time(), Duration::from_nanos(n));
    assert_eq!(stats.queries.time(), Duration::from_nanos(3 * n));
}

#[test]
fn inputs_that_were_run_answer_later_queries() {
    let mut terms = Terms::new();
    let x = terms.var("x", Sort::Bv(32));
    let square = terms.app(Op::BvMul, &[x, x]);
    let k = terms.bv(32, 12_345u64.pow(2));
    let literals = [Literal::holds(terms.eq(square, k))];
    let hint = Valuation::new();
    let query = Query { terms: &terms, literals: &literals, hint: &hint };
    let options = ChainOptions::default().without(Link::Guessed).without(Link::Refuted);
    let mut chain = chain(SolverKind::Enumerate, &Toolbox::new([]), options);
    assert_eq!(chain.solve(&query, &mut Budget::of_steps(10)).word(), "unknown");
    chain.add_input(Valuation::from_iter([(VarId::from_index(0), Value::bv(32, 12_345))]));
    assert_eq!(chain.solve(&query, &mut Budget::of_steps(10)).word(), "sat");
    assert_eq!((chain.stats().cached.inputs_fit, chain.credit()), (1, "cache"));
}

#[test]
fn batches_are_checked_and_completed() {
    let (mut terms, prefix, hint) = long_path(1_000);
    let mut batch = Vec::new();
    for (name, k) in [("x3", 40), ("x4", 7), ("x0", 4_000_000_000)] {
        let x = terms.var(name, Sort::Bv(32));
        let k = terms.bv(32, k);
        let more = Literal::holds(terms.app(Op::BvUlt, &[k, x]));
        batch.push([prefix.clone(), vec![more]].concat());
    }
    let queries: Vec<Query<'_>> =
        batch.iter().map(|literals| Query { terms: &terms, literals, hint: &hint }).collect();
    let mut solver = BatchSolver::new(Seed(1), InspectOptions::published());
    let verdicts = solver.solve_all(&queries, &mut Budget::of_steps(100_000));
    let words: Vec<&str> = verdicts.iter().map(Verdict::word).collect();
    assert_eq!(words, ["sat", "sat", "unknown"]);
    for (query, verdict) in queries.iter().zip(&verdicts) {
        if let Verdict::Sat(model) = verdict {
            assert!(query.accepts(model));
        }
    }
    assert!(solver.solve_all(&[], &mut Budget::of_steps(1)).is_empty());
}
