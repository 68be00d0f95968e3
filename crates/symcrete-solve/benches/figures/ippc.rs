//! Partial constraints (Koroglu and Sen 2016) over one SMT session, beside the whole constraint in the same session.
//!
//! Paths of 60 to 2,000 branches over eight integers; sixty branches of each are flipped in turn, the last first, as a depth-first driver
//! does. About half of the flips are infeasible or more, most of them for a reason that is a few literals away. No interval, guess or cache
//! takes part: every query goes to the SMT solver, whole or in parts, in scopes or as assumptions.

use super::{Effort, Report, toolbox, wall_seconds};
use symcrete_solve::chain::ChainLimits;
use symcrete_solve::smt::{Backend, Keeping};
use symcrete_solve::{Budget, ChainOptions, Link, Query, Setup, Solver, SolverKind, build_chain};
use symcrete_term::{Literal, Op, Rng, Seed, Sort, TermId, Terms, Valuation, Value};

/// A path and the input that takes it.
struct Path {
    literals: Vec<Literal>,
    input: Valuation,
}

/// Branches of a path, and how many such paths there are.
const LENGTHS: [(usize, usize); 3] = [(60, 6), (500, 2), (2_000, 1)];
/// Branches of a path that are flipped.
const FLIPS: usize = 60;
const VARIABLES: usize = 8;

/// A branch over one or two of the variables.
fn condition(terms: &mut Terms, rng: &mut Rng, variables: &[TermId]) -> TermId {
    let (x, y) = (*rng.choose(variables), *rng.choose(variables));
    let k = terms.bv(32, rng.below(60));
    let small = terms.bv(32, 2 + rng.below(6));
    match rng.below(5) {
        0 => terms.app(Op::BvSlt, &[x, k]),
        1 => terms.app(Op::BvSlt, &[x, y]),
        2 => {
            let rest = terms.app(Op::BvUrem, &[x, small]);
            let zero = terms.bv(32, 0);
            terms.eq(rest, zero)
        }
        3 => {
            let sum = terms.app(Op::BvAdd, &[x, y]);
            terms.app(Op::BvSle, &[sum, k])
        }
        _ => terms.eq(x, k),
    }
}

fn path(terms: &mut Terms, rng: &mut Rng, n_branches: usize) -> Path {
    let variables: Vec<TermId> =
        (0..VARIABLES).map(|i| terms.var(&format!("x{i}"), Sort::Bv(32))).collect();
    let input: Valuation = (0..VARIABLES)
        .map(|i| {
            let var = terms.find_var(&format!("x{i}")).expect("declared above");
            (var, Value::bv(32, rng.below(60)))
        })
        .collect();
    let literals = (0..n_branches)
        .map(|_| {
            let term = condition(terms, rng, &variables);
            Literal { term, expected: terms.evaluate(term, &input) == Value::Bool(true) }
        })
        .collect();
    Path { literals, input }
}

/// What a chain is made of.
#[derive(Clone, Copy)]
struct Form {
    kind: SolverKind,
    keeping: Keeping,
    is_partial: bool,
}

/// One line for each length, solver and configuration.
pub(crate) fn measure(effort: &Effort) -> Report {
    let mut report = Report::new(
        "Partial constraints over an SMT session",
        "branches,backend,keeping,partial,queries,sat,unsat,calls,literals_mean,literals_max,seconds",
    );
    let toolbox = toolbox();
    report.line("| branches | solver | session keeps | constraint | queries | sat | unsat | calls | literals of a call, mean | most | seconds |");
    report.line("|---|---|---|---|---|---|---|---|---|---|---|");
    let lengths = if effort.seeds > 1 { &LENGTHS[..] } else { &[(60, 1)] };
    for &(n_branches, n_paths) in lengths {
        for (kind, backend) in
            [(SolverKind::Z3, Backend::Z3), (SolverKind::Bitwuzla, Backend::Bitwuzla)]
        {
            if !toolbox.available().contains(&backend) {
                continue;
            }
            for keeping in [Keeping::Scopes, Keeping::Assumptions] {
                for is_partial in [false, true] {
                    let form = Form { kind, keeping, is_partial };
                    run(form, (n_branches, n_paths), effort, &mut report);
                }
            }
        }
    }
    report
}

fn run(form: Form, (n_branches, n_paths): (usize, usize), effort: &Effort, report: &mut Report) {
    let Form { kind, keeping, is_partial } = form;
    let toolbox = toolbox();
    let mut terms = Terms::new();
    let mut rng = Seed(7).derive("bench/ippc").rng();
    let paths: Vec<Path> = (0..n_paths).map(|_| path(&mut terms, &mut rng, n_branches)).collect();
    let links: &[Link] = if is_partial { &[Link::Partial] } else { &[] };
    let mut options = ChainOptions::with(links.iter().copied());
    options.limits = ChainLimits { keeping, ..ChainLimits::default() };
    let setup = Setup { toolbox: &toolbox, seed: Seed(0), experience: None };
    let mut chain = build_chain(&setup, kind, options).expect("it is installed");
    let begin = wall_seconds();
    let mut counts = [0u32; 3];
    for path in &paths {
        let step = (n_branches / FLIPS).max(1) * effort.every;
        for flip in (0..path.literals.len()).step_by(step).rev() {
            let mut literals = path.literals[..=flip].to_vec();
            literals[flip] = literals[flip].negated();
            let query = Query { terms: &terms, literals: &literals, hint: &path.input };
            let verdict = chain.solve(&query, &mut Budget::of_steps(u64::MAX));
            let column = match verdict.word() {
                "sat" => 1,
                "unsat" => 2,
                other => panic!("{kind}: {other}"),
            };
            counts[0] += 1;
            counts[column] += 1;
        }
    }
    let seconds = wall_seconds() - begin;
    let calls = chain.stats().calls;
    let [n, sat, unsat] = counts;
    let constraint = if is_partial { "partial" } else { "whole" };
    let (n_calls, mean, most) = (calls.calls, calls.literals_per_call(), calls.literals_max);
    report.row(&format!(
        "{n_branches},{kind},{keeping:?},{is_partial},{n},{sat},{unsat},{n_calls},{mean:.2},{most},{seconds:.3}"
    ));
    report.line(&format!(
        "| {n_branches} | {kind} | {keeping:?} | {constraint} | {n} | {sat} | {unsat} | {n_calls} | {mean:.1} | {most} | {seconds:.2} |"
    ));
}
