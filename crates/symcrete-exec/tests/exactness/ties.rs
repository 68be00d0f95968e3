//! Arrays whose length is a variable. A program is run on all inputs of a small space; an input that satisfies
//! the path condition of another run must take the same path to the same end, and a guard that fails must end
//! the run.

use crate::behaviour::{executable, valuation};
use libtest_mimic::{Failed, Trial};
use symcrete_exec::{Constraint, Entry, Executor, Origin, Trace};
use symcrete_program::{Cell, CellKind, CellRange, Image, Outcome, Tie, Write};
use symcrete_term::{Literal, Terms, Value};

pub(crate) fn trials() -> Vec<Trial> {
    macro_rules! tests {
        ($($name:ident),* $(,)?) => { vec![$(Trial::test(concat!("ties::", stringify!($name)), || {
            $name();
            Ok::<(), Failed>(())
        }),)*] };
    }
    tests![
        concrete_elements,
        elements_by_index,
        stores_by_index,
        bytes_read_as_words,
        lengths_of_all_kinds,
        copies_of_all_elements,
        copies_of_some_bytes,
        elements_that_are_concrete,
        elements_written_before,
        two_arrays_of_one_length,
        arrays_with_a_terminator,
        loops_need_no_guards,
        a_guard_that_fails_names_the_length,
    ]
}

const START: u32 = 4208;
const MOST: u32 = 5;

/// An array in memory.
#[derive(Clone, Copy)]
struct Array {
    start: u32,
    stride: u32,
    is_symbolic: bool,
    is_terminated: bool,
}

const WORDS: Array = Array { start: START, stride: 4, is_symbolic: true, is_terminated: false };

fn int(bits: u8, signed: bool) -> CellKind {
    CellKind::Int { bits, signed }
}

/// `f(a, n, i)` for an array, or several: the first is passed.
fn image(arrays: &[Array], kind: CellKind, n: i64, i: i32) -> Image {
    let CellKind::Int { bits, .. } = kind else { panic!("a length is an integer") };
    let low = match kind {
        CellKind::Int { signed: true, bits } => i64::MIN >> (64 - u32::from(bits)),
        CellKind::Int { .. } | CellKind::Bool | CellKind::F32 | CellKind::F64 => 0,
    };
    let mask = u64::MAX >> (64 - u32::from(bits));
    let mut image = Image {
        args: vec![
            Cell::concrete(int(32, false), u64::from(arrays[0].start)),
            Cell::variable(kind, n as u64 & mask, "n"),
            Cell::variable(int(32, true), u64::from(i as u32), "i"),
        ],
        arena: 4096..8192,
        ranges: vec![CellRange { name: "n".to_string(), kind, low, high: i64::from(MOST) }],
        ..Image::default()
    };
    for array in arrays {
        let Array { start, stride, is_symbolic, is_terminated } = *array;
        let n_elements = n.max(0) as u32;
        let more = u32::from(is_terminated);
        image.objects.push(start..start + (n_elements + more) * stride);
        for byte in 0..n_elements * stride {
            let cell = Cell::concrete(CellKind::BYTE, u64::from(byte + 1));
            let cell = if is_symbolic { cell.named(format!("{start}[{byte}]")) } else { cell };
            image.writes.push(Write { address: start + byte, cell });
        }
        image.ties.push(Tie {
            start,
            end_max: start + (MOST + more) * stride,
            stride,
            name: "n".to_string(),
            kind,
            is_terminated,
        });
    }
    image
}

fn wat(ty: &str, body: &str) -> String {
    let n = if ty == "i64" { "(i32.wrap_i64 (local.get $n))" } else { "(local.get $n)" };
    let body = body.replace("$N", n);
    format!(
        r#"(module (memory 1) (func (export "f") (param $a i32) (param $n {ty}) (param $i i32)
          (result i32) (local $k i32) (local $s i32) {body}))"#
    )
}

const SIGNED: CellKind = CellKind::Int { bits: 32, signed: true };
const UNSIGNED: CellKind = CellKind::Int { bits: 32, signed: false };

/// Lengths and indices of a small space.
fn space(arrays: &[Array], kind: CellKind, indices: &[i32]) -> Vec<Image> {
    let extreme = match kind {
        CellKind::Int { bits, signed: true } => {
            let least = i64::MIN >> (64 - u32::from(bits));
            vec![least, least + 1, least / 2, least / 2 + 1, least / 4 + 1, -2, -1]
        }
        CellKind::Int { .. } | CellKind::Bool | CellKind::F32 | CellKind::F64 => vec![],
    };
    let lengths = extreme.into_iter().chain(0..=i64::from(MOST));
    let pairs = lengths.flat_map(|n| indices.iter().map(move |&i| (n, i)));
    pairs.map(|(n, i)| image(arrays, kind, n, i)).collect()
}

/// What a run said, in words that do not depend on the values of cells.
fn end(trace: &Trace) -> String {
    match &trace.outcome {
        Outcome::Returned(_) => "returned".to_string(),
        other @ (Outcome::Trapped(_)
        | Outcome::Rejected(_)
        | Outcome::Exhausted(_)
        | Outcome::Exited(_)) => other.to_string(),
    }
}

/// Runs all images. See the module.
fn check(wat: &str, images: &[Image]) -> (Terms, Vec<Trace>) {
    let program = executable(wat);
    let mut executor = program.executor(Entry::new("f")).unwrap();
    let mut terms = Terms::new();
    let run = |image| executor.run(&mut terms, image, 1000).unwrap();
    let traces: Vec<Trace> = images.iter().map(run).collect();
    for (image, trace) in images.iter().zip(&traces) {
        let values = valuation(&terms, image, trace);
        let paths: Vec<Literal> = trace.path.literals();
        let of = || format!("{wat}\n{:?}\n{}", image.args, trace.outcome);
        assert!(terms.satisfies(&paths, &values), "{}", of());
        for &Constraint { literal, origin, .. } in &trace.path.constraints {
            if origin == Origin::TrapGuard && !literal.expected {
                assert!(matches!(trace.outcome, Outcome::Trapped(_)), "{}", of());
            }
        }
        for (other_image, other) in images.iter().zip(&traces) {
            if !terms.satisfies(&other.path.literals(), &values) {
                continue;
            }
            let other_of = || format!("{}\n{:?}\n{}", of(), other_image.args, other.outcome);
            assert_eq!(trace.path.literals(), other.path.literals(), "{}", other_of());
            assert_eq!(end(trace), end(other), "{}", other_of());
            assert_eq!(trace.results, other.results, "{}", other_of());
        }
    }
    (terms, traces)
}

const INDICES: &[i32] = &[-1000, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7, 9, 20, 1000];

fn concrete_elements() {
    for offset in [0, 1, 3, 4, 7, 8, 12, 16, 17, 20, 24] {
        for access in ["i32.load", "i32.load8_u", "i32.load16_s"] {
            let body = format!("({access} offset={offset} (local.get $a))");
            for kind in [SIGNED, UNSIGNED] {
                check(&wat("i32", &body), &space(&[WORDS], kind, &[0]));
            }
        }
        let body =
            format!("(i64.store offset={offset} (local.get $a) (i64.const 1)) (i32.const 0)");
        check(&wat("i32", &body), &space(&[WORDS], SIGNED, &[0]));
    }
}

const INDEX: &str = "(i32.add (local.get $a) (i32.shl (local.get $i) (i32.const 2)))";

fn elements_by_index() {
    for kind in [SIGNED, UNSIGNED] {
        let body = format!("(i32.load {INDEX})");
        check(&wat("i32", &body), &space(&[WORDS], kind, INDICES));
        let body = format!("(i32.load offset=4 {INDEX})");
        check(&wat("i32", &body), &space(&[WORDS], kind, INDICES));
    }
}

fn stores_by_index() {
    let body = format!("(i32.store {INDEX} (i32.const 7)) (i32.load offset=4 (local.get $a))");
    check(&wat("i32", &body), &space(&[WORDS], SIGNED, INDICES));
}

fn bytes_read_as_words() {
    let bytes = Array { stride: 1, ..WORDS };
    for access in ["i32.load", "i32.load8_u", "i32.load16_u offset=1"] {
        let body = format!("({access} (i32.add (local.get $a) (local.get $i)))");
        check(&wat("i32", &body), &space(&[bytes], SIGNED, INDICES));
    }
}

fn lengths_of_all_kinds() {
    for bits in [8, 16, 32, 64] {
        for signed in [false, true] {
            let ty = if bits == 64 { "i64" } else { "i32" };
            for body in [format!("(i32.load {INDEX})"), "(i32.load (local.get $a))".to_string()] {
                let images = space(&[WORDS], int(bits, signed), &[-1, 0, 1, 4, 5]);
                check(&wat(ty, &body), &images);
            }
        }
    }
}

fn copies_of_all_elements() {
    let copy = "(memory.copy (i32.const 3000) (local.get $a)
        (i32.shl $N (i32.const 2))) (i32.load (i32.const 3000))";
    let only_positive = format!(
        "(if (i32.gt_s $N (i32.const 0)) (then
        {})) (i32.const 0)",
        copy.replace("(i32.load (i32.const 3000))", "")
    );
    for kind in [SIGNED, UNSIGNED] {
        check(&wat("i32", copy), &space(&[WORDS], kind, &[0]));
        check(&wat("i32", &only_positive), &space(&[WORDS], kind, &[0]));
    }
}

fn copies_of_some_bytes() {
    for start in [0, 4, 16, 20] {
        let body = format!(
            "(memory.copy (i32.const 3000) (i32.add (local.get $a) (i32.const {start}))
            (local.get $i)) (i32.const 0)"
        );
        check(&wat("i32", &body), &space(&[WORDS], SIGNED, INDICES));
        let body = body.replace("(local.get $i)", "(i32.const 8)");
        check(&wat("i32", &body), &space(&[WORDS], SIGNED, &[0]));
    }
    for length in [0, 4, 6] {
        let body = format!(
            "(memory.fill (i32.add (local.get $a) (local.get $i)) (i32.const 1)
            (i32.const {length})) (i32.const 0)"
        );
        check(&wat("i32", &body), &space(&[WORDS], SIGNED, INDICES));
    }
}

fn elements_that_are_concrete() {
    let concrete = Array { is_symbolic: false, ..WORDS };
    for offset in [0, 4, 8, 12, 16] {
        let body = format!("(i32.load offset={offset} (local.get $a))");
        check(&wat("i32", &body), &space(&[concrete], SIGNED, &[0]));
        let body =
            format!("(i32.store offset={offset} (local.get $a) (i32.const 1)) (i32.const 1)");
        check(&wat("i32", &body), &space(&[concrete], SIGNED, &[0]));
    }
    let body = format!("(i32.load {INDEX})");
    check(&wat("i32", &body), &space(&[concrete], SIGNED, INDICES));
    let masked = body.replace("(local.get $i)", "(i32.and (local.get $i) (i32.const 3))");
    check(&wat("i32", &masked), &space(&[concrete], SIGNED, INDICES));
}

fn elements_written_before() {
    let body = format!(
        "(i64.store (local.get $a) (i64.const 1)) (i64.store offset=8 (local.get $a) (i64.const 2))
        (i32.load {INDEX})"
    );
    check(&wat("i32", &body), &space(&[WORDS], SIGNED, INDICES));
}

fn two_arrays_of_one_length() {
    let other = Array { start: START + 64, stride: 2, ..WORDS };
    let body = format!(
        "(i32.add (i32.load {INDEX}) (i32.load16_u offset={} (i32.shl (local.get $i) (i32.const 1))))",
        other.start
    );
    check(&wat("i32", &body), &space(&[WORDS, other], SIGNED, &[-1, 0, 1, 2, 3, 4, 5, 6]));
    let body =
        format!("(i32.add (i32.load (local.get $a)) (i32.load16_u (i32.const {})))", other.start);
    let (_, traces) = check(&wat("i32", &body), &space(&[WORDS, other], SIGNED, &[0]));
    // What was said for the one needs no saying for the other.
    let guards = |trace: &Trace| {
        trace.path.constraints.iter().filter(|c| c.origin == Origin::TrapGuard).count()
    };
    assert!(traces.iter().all(|trace| guards(trace) == 1));
}

fn arrays_with_a_terminator() {
    for is_symbolic in [false, true] {
        let array = Array { is_terminated: true, is_symbolic, ..WORDS };
        for offset in [0, 2, 4, 8, 16, 20, 24] {
            let body = format!("(i32.load offset={offset} (local.get $a))");
            for kind in [SIGNED, UNSIGNED] {
                check(&wat("i32", &body), &space(&[array], kind, &[0]));
            }
        }
        let body = format!("(i32.load {INDEX})");
        check(&wat("i32", &body), &space(&[array], SIGNED, INDICES));
        let body = "(memory.copy (i32.const 3000) (local.get $a) (local.get $i)) (i32.const 0)";
        check(&wat("i32", body), &space(&[array], SIGNED, INDICES));
        let bytes = Array { stride: 1, ..array };
        let body = "(i32.load (i32.add (local.get $a) (local.get $i)))";
        check(&wat("i32", body), &space(&[bytes], SIGNED, INDICES));
    }
}

fn loops_need_no_guards() {
    let sum = "(local.set $s (i32.add (local.get $s) (i32.load
          (i32.add (local.get $a) (i32.shl (local.get $k) (i32.const 2))))))
          (local.set $k (i32.add (local.get $k) (i32.const 1)))";
    let below = format!(
        "(block (loop (br_if 1 (i32.ge_s (local.get $k) $N)) {sum} (br 0))) (local.get $s)"
    );
    let until_equal = format!(
        "(if (i32.gt_s $N (i32.const 0)) (then (loop {sum} (br_if 0 (i32.ne (local.get $k) $N)))))
        (local.get $s)"
    );
    for body in [below, until_equal] {
        let (_, traces) = check(&wat("i32", &body), &space(&[WORDS], SIGNED, &[0]));
        for trace in &traces {
            assert_eq!(end(trace), "returned");
            let mut origins = trace.path.constraints.iter().map(|constraint| constraint.origin);
            let is_guard = |origin| matches!(origin, Origin::TrapGuard | Origin::ObjectGuard);
            assert!(!origins.any(is_guard), "{body}");
        }
    }
}

fn a_guard_that_fails_names_the_length() {
    let image = image(&[WORDS], SIGNED, 3, 0);
    let (terms, traces) =
        check(&wat("i32", "(i32.load offset=16 (local.get $a))"), std::slice::from_ref(&image));
    let guards = traces[0].path.constraints.iter().filter(|c| c.origin == Origin::TrapGuard);
    let [guard] = guards.collect::<Vec<_>>()[..] else { panic!("one guard") };
    assert!(!guard.literal.expected);
    let mut values = valuation(&terms, &image, &traces[0]);
    let n = terms.find_var("n").unwrap();
    for length in -3i64..=5 {
        values.set(n, Value::bv(32, length as u64));
        assert_eq!(terms.satisfies(&[guard.literal.negated()], &values), length >= 5);
    }
}
