//! Every rewrite fires on a pool of small applications, and solvers prove both sides equal.

use crate::prove::{Claim, prove};
use std::collections::BTreeSet;
use symcrete_solve::smt::Backend;
use symcrete_term::op::{Indices, SortRule};
use symcrete_term::rewrite::{RULES, Redex, Rule};
use symcrete_term::{Op, Sort, TermId, Terms, Value};

#[test]
fn rewrites_are_proven() {
    let mut terms = Terms::new();
    let pool = pool(&mut terms);
    let mut claims = Vec::new();
    for rule in RULES {
        let before = claims.len();
        for &op in rule.ops {
            for (indices, args) in redexes(&terms, op, &pool) {
                claims.extend(fire(&mut terms, rule, op, indices, &args));
            }
        }
        assert!(claims.len() > before, "the rule `{}` never fires on the pool", rule.name);
    }
    prove(Backend::Bitwuzla, &terms, &claims);
    prove(Backend::Z3, &terms, &claims);
}

fn fire(
    terms: &mut Terms,
    rule: &Rule,
    op: Op,
    indices: Indices,
    args: &[TermId],
) -> Option<Claim> {
    if args.iter().all(|&arg| terms.as_const(arg).is_some()) {
        return None;
    }
    let right = (rule.apply)(terms, Redex { op, indices, args })?;
    let left = terms.app_unsimplified(op, indices, args);
    let label = format!("{}: {op:?} {indices:?} {args:?}", rule.name);
    Some(Claim { left, right, label })
}

/// Variables, constants and one layer of operators on them, at 1, 4 and 8 bits and for both floats.
fn pool(terms: &mut Terms) -> Vec<TermId> {
    let mut pool = BTreeSet::new();
    let (p, q) = (terms.var("p", Sort::Bool), terms.var("q", Sort::Bool));
    pool.extend([p, q, terms.bool(true), terms.bool(false), terms.not(p)]);
    for width in [1, 4, 8] {
        pool.extend(bit_vectors(terms, p, width));
    }
    for sort in [Sort::F32, Sort::F64] {
        pool.extend(floats(terms, sort));
    }
    pool.into_iter().collect()
}

fn bit_vectors(terms: &mut Terms, p: TermId, width: u8) -> Vec<TermId> {
    let sort = Sort::Bv(width);
    let x = terms.var(&format!("x{width}"), sort);
    let y = terms.var(&format!("y{width}"), sort);
    let min = sort.mask() ^ (sort.mask() >> 1);
    let constants = [0, 1, 2, sort.mask(), min, sort.mask() >> 1].map(|bits| terms.bv(width, bits));
    let mut pool = vec![x, y];
    pool.extend(constants);
    pool.push(terms.app(Op::BvNot, &[x]));
    pool.push(terms.app(Op::BvNeg, &[x]));
    for op in [Op::BvAdd, Op::BvMul, Op::BvAnd, Op::BvOr, Op::BvXor] {
        let k = terms.bv(width, 3);
        pool.push(terms.app(op, &[x, k]));
    }
    pool.push(terms.ite(p, constants[0], constants[1]));
    pool.push(terms.ite(p, constants[3], constants[1]));
    if width > 1 {
        let half = width / 2;
        let (low, high) = (
            terms.app_indexed(Op::Extract, [half - 1, 0], &[x]),
            terms.app_indexed(Op::Extract, [width - 1, half], &[x]),
        );
        pool.extend([low, high, terms.app(Op::Concat, &[low, high])]);
        pool.push(terms.bv(half, 0));
        pool.push(terms.app_indexed(Op::ZeroExtend, [half, 0], &[low]));
        pool.push(terms.app_indexed(Op::SignExtend, [half, 0], &[low]));
    }
    pool
}

fn floats(terms: &mut Terms, sort: Sort) -> Vec<TermId> {
    let x = terms.var(&format!("f{}", sort.bits()), sort);
    let bits = terms.app(Op::FpBits, &[x]);
    let negated = terms.app(Op::FpNeg, &[x]);
    let absolute = terms.app(Op::FpAbs, &[x]);
    let other = 96 - sort.bits() as u8;
    let converted = terms.app_indexed(Op::FpOfFp, [0, other], &[x]);
    let zero = terms.constant(Value::zero(sort));
    vec![x, bits, negated, absolute, converted, zero]
}

/// All applications of an operator to the pool that are well sorted, in the order the arena uses.
fn redexes(terms: &Terms, op: Op, pool: &[TermId]) -> Vec<(Indices, Vec<TermId>)> {
    let mut tuples: Vec<Vec<TermId>> = vec![Vec::new()];
    for _ in 0..op.info().arity {
        let longer = |tuple: Vec<TermId>| {
            pool.iter().map(move |&term| [tuple.as_slice(), &[term]].concat()).collect::<Vec<_>>()
        };
        tuples = tuples.into_iter().flat_map(longer).collect();
    }
    let mut redexes = Vec::new();
    for args in tuples {
        let is_const = |i: usize| terms.as_const(args[i]).is_some();
        if op.info().commutative && is_const(0) {
            continue;
        }
        let sorts: Vec<Sort> = args.iter().map(|&arg| terms.sort(arg)).collect();
        for indices in all_indices(op, sorts[0]) {
            if op.result_sort(indices, &sorts).is_some() {
                redexes.push((indices, args.clone()));
            }
        }
    }
    redexes
}

fn all_indices(op: Op, sort: Sort) -> Vec<Indices> {
    let width = sort.bits() as u8;
    match op.info().sort_rule {
        SortRule::Extract => {
            (0..width).flat_map(|high| (0..=high).map(move |low| [high, low])).collect()
        }
        SortRule::Extend => (0..4).map(|n| [n, 0]).collect(),
        SortRule::FpOfFp => (0..5).flat_map(|mode| [[mode, 32], [mode, 64]]).collect(),
        SortRule::Bool
        | SortRule::Equal
        | SortRule::Ite
        | SortRule::Bv
        | SortRule::BvTest
        | SortRule::Concat
        | SortRule::Fp
        | SortRule::FpRounded
        | SortRule::FpTest
        | SortRule::FpOfBits
        | SortRule::FpBits
        | SortRule::FpOfBv
        | SortRule::BvOfFp => vec![[0, 0]],
    }
}
