//! Conditions of a size that no program should make, for every solver that searches.

use symcrete_solve::smt::Toolbox;
use symcrete_solve::{Budget, Query, Setup, SolverKind, Verdict};
use symcrete_term::{Literal, Op, Seed, Sort, TermId, Terms, Valuation};

const LITERALS: usize = 100_000;

/// A hundred thousand literals over a thousand variables, the last of which says the opposite of the first if asked so.
fn condition(terms: &mut Terms, is_contradictory: bool) -> Vec<Literal> {
    let variables: Vec<TermId> =
        (0..1_000).map(|i| terms.var(&format!("x{i}"), Sort::Bv(32))).collect();
    let mut literals = Vec::with_capacity(LITERALS);
    for i in 0..LITERALS {
        let limit = terms.bv(32, 1_000_000 + i as u64);
        let (a, b) = (variables[i % 1_000], variables[(i * 7 + 1) % 1_000]);
        let mixed = if i % 2 == 0 { a } else { terms.app(Op::BvAnd, &[a, b]) };
        literals.push(Literal::holds(terms.app(Op::BvUlt, &[mixed, limit])));
    }
    if is_contradictory {
        literals.push(literals[0].negated());
    }
    literals
}

#[test]
fn a_hundred_thousand_literals_are_survived_by_all() {
    let mut terms = Terms::new();
    let conditions = [condition(&mut terms, false), condition(&mut terms, true)];
    let (toolbox, hint) = (Toolbox::new([]), Valuation::new());
    let setup = Setup { toolbox: &toolbox, seed: Seed(1), experience: None };
    for &kind in SolverKind::ALL {
        // Without SMT solvers installed only those are built that do without.
        let Ok(mut solver) = kind.build(&setup) else { continue };
        for (literals, has_model) in conditions.iter().zip([true, false]) {
            if has_model && kind != SolverKind::Auto {
                continue;
            }
            let query = Query { terms: &terms, literals, hint: &hint };
            let verdict = solver.solve(&query, &mut Budget::of_steps(40));
            match verdict {
                Verdict::Sat(model) => assert!(has_model && query.accepts(&model), "{kind}"),
                Verdict::Unsat => assert!(!has_model, "{kind}"),
                Verdict::Unknown(_) => {}
            }
        }
    }
}
