//! Partial constraints (Koroglu and Sen 2016) over one SMT session, beside the whole constraint in the same session.
//!
//! Paths of 60 branches over eight integers; each branch is flipped in turn, as a depth-first driver does. About half of the
//! flips are infeasible, most of them for a reason that is a few literals away. No interval, guess or cache takes part: every query goes to the SMT
//! solver, whole or in parts, in scopes or as assumptions.

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

const BRANCHES: usize = 60;
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

fn path(terms: &mut Terms, rng: &mut Rng) -> Path {
    let variables: Vec<TermId> =
        (0..VARIABLES).map(|i| terms.var(&format!("x{i}"), Sort::Bv(32))).collect();
    let input: Valuation = (0..VARIABLES)
        .map(|i| {
            let var = terms.find_var(&format!("x{i}")).expect("declared above");
            (var, Value::bv(32, rng.below(60)))
        })
        .collect();
    let literals = (0..BRANCHES)
        .map(|_| {
            let term = condition(terms, rng, &variables);
            Literal { term, expected: terms.evaluate(term, &input) == Value::Bool(true) }
        })
        .collect();
    Path { literals, input }
}

/// One line for each solver and configuration.
pub(crate) fn measure(effort: &Effort) -> Report {
    let mut report = Report::new(
        "Partial constraints over an SMT session",
        "backend,keeping,partial,queries,sat,unsat,calls,literals_mean,literals_max,seconds",
    );
    let toolbox = toolbox();
    report.line("| solver | session keeps | constraint | queries | sat | unsat | calls | literals of a call, mean | most | seconds |");
    report.line("|---|---|---|---|---|---|---|---|---|---|");
    let n_paths = if effort.seeds > 1 { 6 } else { 1 };
    for (kind, backend) in
        [(SolverKind::Z3, Backend::Z3), (SolverKind::Bitwuzla, Backend::Bitwuzla)]
    {
        if !toolbox.available().contains(&backend) {
            continue;
        }
        for keeping in [Keeping::Scopes, Keeping::Assumptions] {
            for is_partial in [false, true] {
                let mut terms = Terms::new();
                let mut rng = Seed(7).derive("bench/ippc").rng();
                let paths: Vec<Path> = (0..n_paths).map(|_| path(&mut terms, &mut rng)).collect();
                let links: &[Link] = if is_partial { &[Link::Partial] } else { &[] };
                let mut options = ChainOptions::with(links.iter().copied());
                options.limits = ChainLimits { keeping, ..ChainLimits::default() };
                let setup = Setup { toolbox: &toolbox, seed: Seed(0), experience: None };
                let mut chain = build_chain(&setup, kind, options).expect("it is installed");
                let begin = wall_seconds();
                let mut counts = [0u32; 3];
                for path in &paths {
                    for flip in (0..path.literals.len()).step_by(effort.every).rev() {
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
                let form = if is_partial { "partial" } else { "whole" };
                report.row(&format!(
                    "{kind},{keeping:?},{is_partial},{n},{sat},{unsat},{},{:.2},{},{seconds:.3}",
                    calls.calls,
                    calls.literals_per_call(),
                    calls.literals_max
                ));
                report.line(&format!(
                    "| {kind} | {keeping:?} | {form} | {n} | {sat} | {unsat} | {} | {:.1} | {} | {seconds:.2} |",
                    calls.calls,
                    calls.literals_per_call(),
                    calls.literals_max
                ));
            }
        }
    }
    report
}
