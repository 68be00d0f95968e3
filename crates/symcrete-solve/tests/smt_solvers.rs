//! SMT solvers on terms: one by one, in a group, and incrementally.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod support;

use support::toolbox;
use symcrete_solve::smt::{Backend, IncrementalSolver, Keeping, SmtGroup, SmtSolver};
use symcrete_solve::{Budget, Query, Solver, Verdict, Why};
use symcrete_term::{Literal, Op, Sort, TermId, Terms, Valuation, Value};

fn backends() -> Vec<Backend> {
    let found = toolbox().available();
    assert!(
        found.contains(&Backend::Z3) && found.contains(&Backend::Bitwuzla),
        "run `make tools` first"
    );
    found
}

fn budget() -> Budget {
    Budget::of_steps(u64::MAX)
}

/// Variables and some literals over them.
struct Problem {
    terms: Terms,
    x: TermId,
    y: TermId,
}

impl Problem {
    fn new() -> Problem {
        let mut terms = Terms::new();
        let (x, y) = (terms.var("x", Sort::Bv(32)), terms.var("y", Sort::F64));
        Problem { terms, x, y }
    }

    /// `x < bound`, unsigned.
    fn below(&mut self, bound: u64) -> Literal {
        let bound = self.terms.bv(32, bound);
        Literal::holds(self.terms.app(Op::BvUlt, &[self.x, bound]))
    }

    /// `y + y == value`, rounded to nearest.
    fn twice_is(&mut self, value: f64) -> Literal {
        let value = self.terms.constant(Value::F64(value.to_bits()));
        let twice =
            self.terms.rounded(Op::FpAdd, symcrete_term::Rounding::NearestEven, &[self.y, self.y]);
        Literal::holds(self.terms.app(Op::FpEq, &[twice, value]))
    }

    fn sine_is_zero(&mut self) -> Literal {
        let sine = self.terms.function_named("sin").unwrap();
        let (call, zero) = (self.terms.call(sine, &[self.y]), self.terms.constant(Value::F64(0)));
        Literal::holds(self.terms.app(Op::FpEq, &[call, zero]))
    }
}

fn solve(solver: &mut dyn Solver, problem: &Problem, literals: &[Literal]) -> Verdict {
    let query = Query { terms: &problem.terms, literals, hint: &Valuation::new() };
    let verdict = solver.solve(&query, &mut budget());
    if let Verdict::Sat(model) = &verdict {
        assert!(query.accepts(model), "{}: {model:?}", solver.name());
    }
    verdict
}

#[test]
fn every_back_end_decides() {
    let mut problem = Problem::new();
    let (low, twice) = (problem.below(10), problem.twice_is(2.25));
    let impossible = [low, problem.below(20).negated()];
    for backend in backends() {
        let mut solver = SmtSolver::new(backend, &toolbox()).unwrap();
        for _ in 0..2 {
            assert!(
                matches!(solve(&mut solver, &problem, &[low, twice]), Verdict::Sat(_)),
                "{backend}"
            );
            assert_eq!(solve(&mut solver, &problem, &impossible), Verdict::Unsat, "{backend}");
            assert!(matches!(solve(&mut solver, &problem, &[]), Verdict::Sat(_)), "{backend}");
        }
    }
}

#[test]
fn verdicts_do_not_depend_on_history() {
    let mut problem = Problem::new();
    let queries =
        [[problem.below(1000), problem.twice_is(6.25)], [problem.below(7), problem.twice_is(9.0)]];
    for backend in backends() {
        let run = |order: &[usize]| {
            let mut solver = SmtSolver::new(backend, &toolbox()).unwrap();
            let mut results = Vec::new();
            for &which in order {
                let query = Query {
                    terms: &problem.terms,
                    literals: &queries[which],
                    hint: &Valuation::new(),
                };
                let mut budget = budget();
                results.push((which, solver.solve(&query, &mut budget), budget.steps_used()));
            }
            results.sort_by_key(|&(which, ..)| which);
            results.dedup();
            results
        };
        let (one, other) = (run(&[0, 1]), run(&[1, 0, 1]));
        assert_eq!(one.len(), 2, "{backend}");
        assert!(one == other, "{backend}: {one:?} or {other:?}");
    }
}

#[test]
fn opaque_calls_are_left_out_soundly() {
    let mut problem = Problem::new();
    let (sine, twice) = (problem.sine_is_zero(), problem.twice_is(2.25));
    let (low, high) = (problem.below(10), problem.below(20).negated());
    for backend in backends() {
        let mut solver = SmtSolver::new(backend, &toolbox()).unwrap();
        assert_eq!(solve(&mut solver, &problem, &[low, sine, high]), Verdict::Unsat, "{backend}");
        let verdict = solve(&mut solver, &problem, &[twice, sine]);
        assert_eq!(
            verdict,
            Verdict::Unknown(Why::Unsupported("call of `sin`".to_owned())),
            "{backend}"
        );
        // The sine of the absent `y`, which is zero, is zero.
        assert!(matches!(solve(&mut solver, &problem, &[low, sine]), Verdict::Sat(_)), "{backend}");
    }
}

#[test]
fn a_group_takes_the_first_answer_and_collects_all_reasons() {
    let mut problem = Problem::new();
    let (low, twice, sine) = (problem.below(10), problem.twice_is(2.25), problem.sine_is_zero());
    let backends = backends();
    let mut group = SmtGroup::new(&backends, &toolbox()).unwrap();
    for _ in 0..3 {
        assert!(matches!(solve(&mut group, &problem, &[low, twice]), Verdict::Sat(_)));
        assert!(backends.iter().any(|backend| backend.name() == group.credit()));
        assert_eq!(solve(&mut group, &problem, &[low, low.negated()]), Verdict::Unsat);
    }
    let verdict = solve(&mut group, &problem, &[twice, sine]);
    assert_eq!(verdict, Verdict::Unknown(Why::Unsupported("call of `sin`".to_owned())));
    assert_eq!(group.credit(), "smt");
    let mut hurried = Budget::of_steps(u64::MAX);
    hurried.cancel().interrupt();
    let query = Query { terms: &problem.terms, literals: &[low], hint: &Valuation::new() };
    assert_eq!(group.solve(&query, &mut hurried), Verdict::Unknown(Why::Interrupted));
}

#[test]
fn prefixes_are_kept_and_cores_are_positions() {
    let mut problem = Problem::new();
    let literals: Vec<Literal> = (0..20).map(|i| problem.below(1000 - i)).collect();
    let (twice, sine) = (problem.twice_is(2.25), problem.sine_is_zero());
    let both = [Keeping::Scopes, Keeping::Assumptions];
    for (backend, keeping) in backends().into_iter().flat_map(|b| both.map(|keeping| (b, keeping)))
    {
        let mut solver = IncrementalSolver::keeping(keeping, backend, &toolbox()).unwrap();
        let mut ask = |literals: &[Literal]| {
            let query = Query { terms: &problem.terms, literals, hint: &Valuation::new() };
            let verdict = solver.solve(&query, &mut budget());
            let core = match &verdict {
                Verdict::Unsat => solver.unsat_core(&budget()).unwrap(),
                Verdict::Sat(_) | Verdict::Unknown(_) => Vec::new(),
            };
            (verdict.word(), core)
        };
        for n in [20, 3, 7, 0, 12] {
            assert_eq!(ask(&literals[..n]), ("sat", vec![]), "{backend}");
            let flipped: Vec<Literal> =
                [&literals[..n], &[twice, literals[19], literals[0].negated()]].concat();
            let core = ask(&flipped).1;
            assert!(
                core.contains(&(n + 2)) && core.iter().all(|&position| position < n + 3),
                "{backend}: {core:?}"
            );
            let contradiction: Vec<Literal> =
                core.iter().map(|&position| flipped[position]).collect();
            assert_eq!(ask(&contradiction).0, "unsat", "{backend}");
        }
        assert_eq!(ask(&[twice, sine]).0, "unknown", "{backend}");
        assert_eq!(ask(&[twice]).0, "sat", "{backend}");
    }
}
