//! What we prove unsatisfiable by ourselves, put to SMT solvers: none may have a model.
//!
//! Random conditions over full widths, made tight so that many have no model. The solvers get little time: an `unknown` says nothing,
//! but most must be confirmed.

use crate::support::toolbox;
use std::time::Duration;
use symcrete_solve::interval::prune::BranchAndPrune;
use symcrete_solve::interval::refutes;
use symcrete_solve::linear::{order, proof};
use symcrete_solve::smt::{Backend, SmtSolver};
use symcrete_solve::{Budget, Query, Solver, Verdict};
use symcrete_term::{Literal, Op, Rng, Rounding, Seed, Sort, TermId, Terms, Valuation, Value};

/// How many proofs of each method are put to each solver.
const PROOFS: u32 = 25;

fn linear_condition(terms: &mut Terms, rng: &mut Rng) -> Vec<Literal> {
    let variables = ["x", "y", "z"].map(|name| terms.var(name, Sort::Bv(32)));
    let mut sums = Vec::new();
    for _ in 0..3 {
        let mut sum = terms.bv(32, rng.next_u64() >> rng.below(60));
        for &variable in &variables {
            let factor = terms.bv(32, rng.below(5).wrapping_sub(2));
            let product = terms.app(Op::BvMul, &[variable, factor]);
            sum = terms.app(if rng.one_in(2) { Op::BvAdd } else { Op::BvSub }, &[sum, product]);
        }
        sums.push(sum);
    }
    let mut operands: Vec<TermId> = [&variables[..], &sums].concat();
    operands.extend((0..2).map(|_| terms.bv(32, rng.below(40))));
    let comparisons = [Op::BvSlt, Op::BvSle, Op::BvUlt, Op::BvUle, Op::Eq];
    (0..rng.between(4, 9))
        .map(|_| {
            let (a, b) = (*rng.choose(&operands), *rng.choose(&operands));
            Literal {
                term: terms.app(*rng.choose(&comparisons), &[a, b]),
                expected: !rng.one_in(3),
            }
        })
        .collect()
}

fn float_condition(terms: &mut Terms, rng: &mut Rng) -> Vec<Literal> {
    let variables = ["x", "y"].map(|name| terms.var(name, Sort::F32));
    let number = |terms: &mut Terms, x: f32| terms.constant(Value::f32(x));
    let mut literals = Vec::new();
    let ends = [number(terms, -8.0), number(terms, 8.0)];
    for x in variables {
        literals.push(Literal::holds(terms.app(Op::FpLe, &[ends[0], x])));
        literals.push(Literal::holds(terms.app(Op::FpLe, &[x, ends[1]])));
    }
    let mut operands: Vec<TermId> = variables.to_vec();
    for _ in 0..4 {
        let (a, b) = (*rng.choose(&operands), *rng.choose(&operands));
        let k = number(terms, (rng.fraction() * 8.0 - 4.0) as f32);
        let op = *rng.choose(&[Op::FpAdd, Op::FpSub, Op::FpMul]);
        let b = if rng.one_in(2) { k } else { b };
        operands.push(terms.rounded(op, Rounding::NearestEven, &[a, b]));
    }
    for _ in 0..rng.between(2, 5) {
        let (a, b) = (*rng.choose(&operands), *rng.choose(&operands));
        let op = *rng.choose(&[Op::FpLt, Op::FpLe, Op::FpEq]);
        literals.push(Literal { term: terms.app(op, &[a, b]), expected: rng.one_in(2) });
    }
    literals
}

/// Puts conditions that a method proves to every solver.
fn confirm(
    what: &str,
    condition: fn(&mut Terms, &mut Rng) -> Vec<Literal>,
    proves: fn(&Query<'_>) -> bool,
) {
    let toolbox = toolbox();
    let backends = [Backend::Bitwuzla, Backend::Z3, Backend::Cvc5];
    let mut solvers: Vec<SmtSolver> =
        backends.iter().filter_map(|&backend| SmtSolver::new(backend, &toolbox).ok()).collect();
    let mut rng = Seed(11).derive(what).rng();
    let (mut n_proved, mut n_confirmed, mut n_asked) = (0, 0, 0);
    for round in 0..4_000 {
        let mut terms = Terms::new();
        let literals = condition(&mut terms, &mut rng);
        let hint = Valuation::new();
        let query = Query { terms: &terms, literals: &literals, hint: &hint };
        // What plain order or a literal that was folded shows is not worth a process.
        if order::contradicts(&query) || !proves(&query) {
            continue;
        }
        n_proved += 1;
        for solver in &mut solvers {
            let mut budget = Budget::of_steps(u64::MAX);
            budget.wall_max = Duration::from_secs(2);
            let verdict = solver.solve(&query, &mut budget);
            assert!(
                !matches!(verdict, Verdict::Sat(_)),
                "{what}, round {round}: {} has a model {verdict:?}",
                solver.name()
            );
            n_asked += 1;
            n_confirmed += u32::from(verdict == Verdict::Unsat);
        }
        if n_proved == PROOFS {
            break;
        }
    }
    assert_eq!(n_proved, PROOFS, "{what}");
    assert!(n_confirmed * 2 > n_asked, "{what}: {n_confirmed} of {n_asked} are confirmed");
}

#[test]
fn linear_proofs_are_confirmed() {
    confirm("linear", linear_condition, |query| !refutes(query) && proof::refutes(query));
}

#[test]
fn interval_proofs_are_confirmed() {
    confirm("intervals", float_condition, refutes);
}

#[test]
fn branch_and_prune_is_confirmed() {
    confirm("branch and prune", float_condition, |query| {
        let prunes = |query| BranchAndPrune::new().solve(query, &mut Budget::of_steps(400));
        !refutes(query) && prunes(query) == Verdict::Unsat
    });
}
