//! The evaluator, the tape and machine code agree on every operator.

use super::*;
use symcrete_term::eval::eval;
use symcrete_term::op::{Indices, SortRule};
use symcrete_term::{Function, Op, Rng, Rounding, Seed, Signature, Sort, Tape, Value};

const WIDTHS: [u8; 6] = [1, 4, 7, 32, 33, 64];

/// The argument sorts and indices on which an operator is compared.
fn instances(op: Op) -> Vec<(Vec<Sort>, Indices)> {
    let bit_vectors = || WIDTHS.map(Sort::Bv).into_iter();
    let floats = || [Sort::F32, Sort::F64].into_iter();
    let modes = || Rounding::ALL.map(|mode| mode as u8).into_iter();
    let same = |sort: Sort| vec![sort; op.info().arity];
    match op.info().sort_rule {
        SortRule::Bool => vec![(same(Sort::Bool), [0, 0])],
        SortRule::Equal => bit_vectors()
            .chain(floats())
            .chain([Sort::Bool])
            .map(|sort| (same(sort), [0, 0]))
            .collect(),
        SortRule::Ite => bit_vectors()
            .chain(floats())
            .map(|sort| (vec![Sort::Bool, sort, sort], [0, 0]))
            .collect(),
        SortRule::Bv | SortRule::BvTest => bit_vectors().map(|sort| (same(sort), [0, 0])).collect(),
        SortRule::Concat => [(1, 4), (32, 32), (7, 33), (63, 1)]
            .map(|(a, b)| (vec![Sort::Bv(a), Sort::Bv(b)], [0, 0]))
            .to_vec(),
        SortRule::Extract => [(64, 63, 0), (64, 40, 9), (33, 32, 32), (4, 2, 1)]
            .map(|(width, high, low)| (same(Sort::Bv(width)), [high, low]))
            .to_vec(),
        SortRule::Extend => [(1, 63), (4, 3), (32, 32), (33, 1)]
            .map(|(width, n)| (same(Sort::Bv(width)), [n, 0]))
            .to_vec(),
        SortRule::Fp | SortRule::FpTest | SortRule::FpBits => {
            floats().map(|sort| (same(sort), [0, 0])).collect()
        }
        SortRule::FpRounded => floats()
            .flat_map(|sort| modes().map(move |mode| (sort, mode)))
            .map(|(sort, mode)| (same(sort), [mode, 0]))
            .collect(),
        SortRule::FpOfBits => vec![(same(Sort::Bv(32)), [0, 0]), (same(Sort::Bv(64)), [0, 0])],
        SortRule::FpOfFp => floats()
            .flat_map(|sort| modes().flat_map(move |mode| [(sort, mode, 32), (sort, mode, 64)]))
            .map(|(sort, mode, to)| (same(sort), [mode, to]))
            .collect(),
        SortRule::FpOfBv => bit_vectors()
            .flat_map(|sort| modes().flat_map(move |mode| [(sort, mode, 32), (sort, mode, 64)]))
            .map(|(sort, mode, to)| (same(sort), [mode, to]))
            .collect(),
        SortRule::BvOfFp => floats()
            .flat_map(|sort| modes().flat_map(move |mode| WIDTHS.map(|to| (sort, mode, to))))
            .map(|(sort, mode, to)| (same(sort), [mode, to]))
            .collect(),
    }
}

/// Bits on the edges of a sort.
fn edges(sort: Sort) -> Vec<u64> {
    let floats: &[f64] = &[
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        1.5,
        2.5,
        -2.5,
        1e-45,
        5e-324,
        1e10,
        -1e10,
        2147483647.5,
        -2147483649.0,
        9.3e18,
        -9.3e18,
        1.9e19,
        1e308,
        f64::MAX,
        f64::MIN_POSITIVE,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
    ];
    match sort {
        Sort::Bool => vec![0, 1],
        Sort::Bv(width) => {
            let (mask, sign) = (sort.mask(), 1u64 << (width - 1));
            let all = [0, 1, 2, 3, 31, mask, mask - 1, sign, sign - 1, u64::from(width)];
            all.map(|bits| bits & mask).to_vec()
        }
        Sort::F32 => floats.iter().map(|&x| u64::from((x as f32).to_bits())).collect(),
        Sort::F64 => floats.iter().map(|x| x.to_bits()).collect(),
    }
}

/// Rows of arguments: every pair of edges, and random ones.
fn rows(rng: &mut Rng, sorts: &[Sort]) -> Vec<Vec<u64>> {
    let last = *sorts.last().unwrap();
    let mut rows = Vec::new();
    for a in edges(sorts[0]) {
        for b in edges(last) {
            let middle = *rng.choose(&edges(sorts[sorts.len() / 2]));
            rows.push(match sorts.len() {
                1 => vec![a],
                2 => vec![a, b],
                _ => vec![a, middle, b],
            });
        }
    }
    for _ in 0..50 {
        let random = |sort: &Sort| Value::from_bits(*sort, rng.next_u64()).bits();
        rows.push(sorts.iter().map(random).collect());
    }
    rows
}

#[test]
fn evaluator_tape_and_machine_code_agree_on_every_operator() {
    let mut rng = Seed(20).rng();
    let cache = JitCache::new();
    for &op in Op::ALL {
        for (sorts, indices) in instances(op) {
            let mut terms = Terms::new();
            let vars: Vec<TermId> = sorts
                .iter()
                .enumerate()
                .map(|(i, &sort)| terms.var(&format!("x{i}"), sort))
                .collect();
            let term = terms.app_unsimplified(op, indices, &vars);
            let result = terms.sort(term);
            let tape = Tape::compile(&terms, &[term]);
            let mut state = tape.state();
            let compiled = cache.compile(&terms, &[term]).expect("the host is known");
            for row in rows(&mut rng, &sorts) {
                let values: Vec<Value> =
                    sorts.iter().zip(&row).map(|(&s, &bits)| Value::from_bits(s, bits)).collect();
                let expected = eval(op, indices, &values);
                row.iter().enumerate().for_each(|(i, &bits)| state.set(i, bits));
                tape.run(&mut state);
                let mut machine = [0];
                compiled.run(&row, &mut machine);
                let of = |bits| Value::from_bits(result, bits);
                let context = format!("{op:?} {indices:?} {values:?}");
                assert_eq!(of(tape.root(&state, 0)), expected, "tape: {context}");
                assert_eq!(of(machine[0]), expected, "machine code: {context}");
                assert_eq!(machine[0] & !result.mask(), 0, "no bits above the sort: {context}");
            }
        }
    }
}

#[test]
fn calls_lookups_and_closures_agree_with_the_tape() {
    let mut terms = Terms::new();
    let [x, y] = ["x", "y"].map(|name| terms.var(name, Sort::F64));
    let signature = Signature { params: vec![Sort::F64, Sort::Bv(8)], result: Sort::Bv(8) };
    let wild = Function::new("wild", signature, |args| match args[1].bits() {
        0 => None,
        1 => panic!("a function may panic"),
        n => Some(Value::bv(8, n + u64::from(args[0] == Value::f64(0.5)))),
    });
    let wild = terms.register(wild);
    let i = terms.var("i", Sort::Bv(8));
    let table = terms.table(&[Value::f64(2.0), Value::f64(-3.0)]);
    let (entry, odd) = (terms.lookup(table, i), terms.call(wild, &[x, i]));
    let (pow, sin) = (terms.function_named("pow").unwrap(), terms.function_named("sin").unwrap());
    let sine = terms.call(sin, &[y]);
    let power = terms.call(pow, &[x, sine]);
    let roots = [power, entry, odd];
    let tape = Tape::compile(&terms, &roots);
    let mut state = tape.state();
    let compiled = JitCache::new().compile(&terms, &roots).unwrap();
    for index in 0..4 {
        for number in [0.5f64, -1.25, 1e300] {
            let inputs = [number.to_bits(), 3f64.to_bits(), index];
            inputs.iter().enumerate().for_each(|(i, &bits)| state.set(i, bits));
            tape.run(&mut state);
            let mut outputs = [0; 3];
            compiled.run(&inputs, &mut outputs);
            for (i, &bits) in outputs.iter().enumerate() {
                let sort = terms.sort(roots[i]);
                let expected = Value::from_bits(sort, tape.root(&state, i));
                assert_eq!(Value::from_bits(sort, bits), expected);
            }
        }
    }
}

#[test]
fn equal_templates_share_code_and_keep_their_constants() {
    let mut terms = Terms::new();
    let [x, y] = ["x", "y"].map(|name| terms.var(name, Sort::Bv(32)));
    let (two, nine) = (terms.bv(32, 2), terms.bv(32, 9));
    let (a, b) = (terms.app(Op::BvMul, &[x, two]), terms.app(Op::BvMul, &[y, nine]));
    let other = terms.app(Op::BvAdd, &[x, two]);
    let cache = JitCache::new();
    assert!(cache.is_empty());
    let compiled = [a, b, other].map(|term| cache.compile(&terms, &[term]).unwrap());
    assert_eq!(cache.len(), 2);
    let run = |compiled: &Compiled| {
        let mut output = [0];
        compiled.run(&[5], &mut output);
        output[0]
    };
    assert_eq!(compiled.each_ref().map(run), [10, 45, 7]);
    drop(cache);
    assert_eq!(run(&compiled[1]), 45, "code outlives its cache");
}
