//! eval = SMT, one ground claim per row of every operator.

use crate::prove::{Claim, prove};
use crate::rows::rows;
use crate::support::toolbox;
use symcrete_solve::smt::Backend;
use symcrete_term::eval::eval;
use symcrete_term::{Op, Tape, Terms, Value};

fn agree(backend: Backend) {
    for &op in Op::ALL {
        let mut terms = Terms::new();
        let mut claims = Vec::new();
        for (indices, args) in rows(op) {
            let value = eval(op, indices, &args);
            let ids: Vec<_> = args.iter().map(|&arg| terms.constant(arg)).collect();
            let left = terms.app_unsimplified(op, indices, &ids);
            let right = terms.constant(value);
            claims.push(Claim {
                left,
                right,
                label: format!("{op:?} {indices:?} {args:?} = {value:?}"),
            });
        }
        assert!(!claims.is_empty(), "{op:?} has no rows");
        prove(backend, &terms, &claims);
    }
}

#[test]
fn z3_agrees() {
    agree(Backend::Z3);
}

#[test]
fn bitwuzla_agrees() {
    agree(Backend::Bitwuzla);
}

/// The set-up leaves cvc5 out where it cannot be had; the other two must be there.
#[test]
fn cvc5_agrees_if_installed() {
    if toolbox().available().contains(&Backend::Cvc5) {
        agree(Backend::Cvc5);
    }
}

/// The tape and folding are the evaluator again: on the same rows they give the same bits.
#[test]
fn tape_and_folding_agree() {
    for &op in Op::ALL {
        for (indices, args) in rows(op) {
            let value = eval(op, indices, &args);
            let mut terms = Terms::new();
            let constants: Vec<_> = args.iter().map(|&arg| terms.constant(arg)).collect();
            let folded = terms.app_indexed(op, indices, &constants);
            assert_eq!(terms.as_const(folded), Some(value), "folding {op:?} {indices:?} {args:?}");

            let named = args.iter().enumerate();
            let vars: Vec<_> =
                named.map(|(i, arg)| terms.var(&format!("x{i}"), arg.sort())).collect();
            let term = terms.app_unsimplified(op, indices, &vars);
            let tape = Tape::compile(&terms, &[term]);
            let mut state = tape.state();
            for (i, arg) in args.iter().enumerate() {
                state.set(i, arg.bits());
            }
            tape.run(&mut state);
            let ran = Value::from_bits(terms.sort(term), tape.root(&state, 0));
            assert_eq!(ran, value, "tape {op:?} {indices:?} {args:?}");
        }
    }
}
