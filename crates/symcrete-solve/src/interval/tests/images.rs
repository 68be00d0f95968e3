//! A value computed from members of sets is a member of the image of the sets.

use super::{pick, random_domain, samples};
use crate::interval::domain::{Domain, Span};
use crate::interval::forward::{Step, image};
use crate::interval::math::Math;
use symcrete_term::eval::eval;
use symcrete_term::op::{Indices, SortRule};
use symcrete_term::{Function, Op, Rng, Seed, Sort, Value};

/// Checks one application on all tuples of members.
fn check(op: Op, indices: Indices, args: &[Domain], members: &[Vec<Value>]) {
    let sorts: Vec<Sort> = args.iter().map(|arg| arg.sort).collect();
    let Some(sort) = op.result_sort(indices, &sorts) else { return };
    let step = Step::App { op, indices, twice: false };
    let set = image(step, sort, args);
    let mut tuple = Vec::with_capacity(3);
    for_each_tuple(members, &mut tuple, &mut |tuple| {
        let value = eval(op, indices, tuple);
        assert!(set.contains(value), "{op:?} {indices:?} {tuple:?} = {value:?}\n{args:?}\n{set:?}");
    });
    // The same, for the same term as both arguments.
    if args.len() == 2 && args[0] == args[1] {
        let set = image(Step::App { op, indices, twice: true }, sort, args);
        for &x in &members[0] {
            let value = eval(op, indices, &[x, x]);
            assert!(set.contains(value), "{op:?} {indices:?} {x:?} twice = {value:?}\n{set:?}");
        }
    }
}

fn for_each_tuple(lists: &[Vec<Value>], tuple: &mut Vec<Value>, f: &mut dyn FnMut(&[Value])) {
    let Some((first, rest)) = lists.split_first() else { return f(tuple) };
    for &value in first {
        tuple.push(value);
        for_each_tuple(rest, tuple, f);
        tuple.pop();
    }
}

/// Argument sorts for an operator, and indices that fit.
fn signatures(op: Op) -> Vec<(Indices, Vec<Sort>)> {
    let arity = op.info().arity;
    let widths = [1, 2, 3, 4, 8, 32, 64].map(Sort::Bv);
    let floats = [Sort::F32, Sort::F64];
    let same = |sorts: &[Sort], indices: &[Indices]| {
        let of = |&sort: &Sort| indices.iter().map(move |&i| (i, vec![sort; arity]));
        sorts.iter().flat_map(of).collect::<Vec<_>>()
    };
    let modes = |second: &[u8]| {
        let of = |&n: &u8| (0..5).map(move |mode| [mode, n]);
        second.iter().flat_map(of).collect::<Vec<_>>()
    };
    let all = [[Sort::Bool].as_slice(), &widths, &floats].concat();
    match op.info().sort_rule {
        SortRule::Bool => same(&[Sort::Bool], &[[0, 0]]),
        SortRule::Equal => same(&all, &[[0, 0]]),
        SortRule::Ite => all.iter().map(|&sort| ([0, 0], vec![Sort::Bool, sort, sort])).collect(),
        SortRule::Bv | SortRule::BvTest => same(&widths, &[[0, 0]]),
        SortRule::Concat => [(4, 4), (1, 3), (8, 56), (32, 32), (63, 1)]
            .map(|(a, b)| ([0, 0], vec![Sort::Bv(a), Sort::Bv(b)]))
            .to_vec(),
        SortRule::Extract => same(&widths, &[[0, 0], [2, 1], [3, 0], [3, 3], [31, 8], [63, 31]]),
        SortRule::Extend => same(&widths, &[[0, 0], [1, 0], [4, 0], [32, 0], [60, 0]]),
        SortRule::Fp | SortRule::FpTest | SortRule::FpBits => same(&floats, &[[0, 0]]),
        SortRule::FpRounded => same(&floats, &modes(&[0])),
        SortRule::FpOfBits => same(&widths, &[[0, 0]]),
        SortRule::FpOfFp => same(&floats, &modes(&[32, 64])),
        SortRule::FpOfBv => same(&widths, &modes(&[32, 64])),
        SortRule::BvOfFp => same(&floats, &modes(&[1, 4, 8, 32, 64])),
    }
}

#[test]
fn images_of_random_sets_hold_all_values() {
    for &op in Op::ALL {
        let mut rng = Seed(1).derive_number(op as u64).rng();
        for (indices, sorts) in signatures(op) {
            for _ in 0..40 {
                let mut args: Vec<Domain> =
                    sorts.iter().map(|&sort| random_domain(&mut rng, sort)).collect();
                if args.len() == 2 && sorts[0] == sorts[1] && rng.below(4) == 0 {
                    args[1] = args[0];
                }
                let few = if args.len() == 3 { 8 } else { 40 };
                let members: Vec<Vec<Value>> = args
                    .iter()
                    .map(|&arg| {
                        let values = samples(&mut rng, arg);
                        if values.len() <= few {
                            return values;
                        }
                        (0..few).map(|_| pick(&mut rng, &values)).collect()
                    })
                    .collect();
                check(op, indices, &args, &members);
            }
        }
    }
}

/// All spans of a small sort, as sets with their members.
fn all_spans(width: u8) -> Vec<(Domain, Vec<Value>)> {
    let sort = Sort::Bv(width);
    let half = 1u64 << (width - 1);
    let mut spans = Vec::new();
    for side in 0..2 {
        for low in 0..half {
            for high in low..half {
                let shift = half * side as u64;
                let mut domain = Domain::empty(sort);
                domain.spans[side] = Span { low: low + shift, high: high + shift };
                let values = (low + shift..=high + shift).map(|bits| Value::bv(width, bits));
                spans.push((domain, values.collect()));
            }
        }
    }
    spans
}

#[test]
fn images_of_all_small_spans_hold_all_values() {
    for &op in Op::ALL {
        let fits =
            |(_, sorts): &(Indices, Vec<Sort>)| sorts.iter().all(|&sort| sort == Sort::Bv(4));
        for (indices, sorts) in signatures(op).into_iter().filter(fits) {
            let spans = all_spans(4);
            for (x, xs) in &spans {
                if sorts.len() == 1 {
                    check(op, indices, &[*x], std::slice::from_ref(xs));
                    continue;
                }
                for (y, ys) in &spans {
                    check(op, indices, &[*x, *y], &[xs.clone(), ys.clone()]);
                }
            }
        }
    }
}

/// A NaN as a machine may hold it: quiet, signalling, of either sign.
fn raw_bits(rng: &mut Rng, value: Value) -> u64 {
    let is_nan = value.as_f64().is_some_and(f64::is_nan);
    match value.sort() {
        Sort::F32 if is_nan => pick(rng, &[0x7fc0_0000, 0x7f80_0001, 0xff80_0001, 0xffc0_0000]),
        Sort::F64 if is_nan => pick(rng, &[0x7ff8 << 48, (0x7ff0 << 48) | 1, (0xfff0 << 48) | 1]),
        Sort::F32 | Sort::F64 | Sort::Bool | Sort::Bv(_) => value.bits(),
    }
}

#[test]
fn images_of_math_functions_hold_all_values() {
    for name in Function::math_library_names() {
        let function = Function::of_math_library(name).unwrap();
        let math = Math::of(&function).unwrap_or_else(|| panic!("{name} is not known"));
        let params = &function.signature().params;
        let mut rng = Seed(2).derive(name).rng();
        for _ in 0..600 {
            let args: Vec<Domain> =
                params.iter().map(|&sort| random_domain(&mut rng, sort)).collect();
            let set = math.image(&args);
            let members: Vec<Vec<Value>> = args.iter().map(|&arg| samples(&mut rng, arg)).collect();
            for _ in 0..40 {
                let values: Vec<Value> = members.iter().map(|all| pick(&mut rng, all)).collect();
                let bits: Vec<u64> =
                    values.iter().map(|&value| raw_bits(&mut rng, value)).collect();
                let result =
                    Value::from_bits(function.signature().result, function.call_bits(&bits));
                assert!(set.contains(result), "{name} {values:?} = {result:?}\n{args:?}\n{set:?}");
            }
        }
    }
}

/// Where x is a zero, what `atan2` gives at the ends of a span of y is all that it gives in the span.
#[test]
fn angles_of_zero_do_not_depend_on_magnitude() {
    for name in ["atan2", "atan2f"] {
        let function = Function::of_math_library(name).unwrap();
        let math = Math::of(&function).unwrap();
        let sort = function.signature().result;
        let zero = Value::from_bits(sort, 0);
        let minus_zero = Value::from_bits(sort, super::super::domain::top_bit(sort));
        let mut rng = Seed(3).derive(name).rng();
        for xs in [vec![zero], vec![minus_zero], vec![zero, minus_zero]] {
            let mut x = Domain::empty(sort);
            xs.iter().for_each(|value| x.insert(value.bits()));
            for _ in 0..500 {
                let y = random_domain(&mut rng, sort).without_nan();
                let set = math.image(&[y, x]);
                let mut values: Vec<Value> = Vec::new();
                for y in samples(&mut rng, y) {
                    for x in &xs {
                        let bits = function.call_bits(&[y.bits(), x.bits()]);
                        values.push(Value::from_bits(sort, bits));
                    }
                }
                assert!(values.iter().all(|&value| set.contains(value)), "{name} {y:?} {x:?}");
                // No wider than needed: the ends are values.
                for span in set.spans.into_iter().filter(|span| !span.is_empty()) {
                    for bits in [span.low, span.high] {
                        assert!(values.contains(&Value::from_bits(sort, bits)), "{name} {set:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn a_closure_with_the_name_of_a_math_function_may_do_anything() {
    let signature = Function::of_math_library("sin").unwrap().signature().clone();
    let closure = Function::new("sin", signature, |_| Some(Value::f64(5.0)));
    assert!(Math::of(&closure).is_none());
}
