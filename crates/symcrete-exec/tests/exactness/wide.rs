//! Memories and tables with 64-bit addresses, at their ends and beyond.

use crate::behaviour::{executable, run};
use crate::differential::{ENGINE, Pair, config};
use libtest_mimic::{Failed, Trial};
use symcrete_exec::{Origin, Trace};
use symcrete_program::{Cell, Image, Outcome, Scalar, TrapKind};
use symcrete_term::{Literal, Terms, Valuation, Value};

const FUEL: u64 = 100_000;

/// Bits of addresses at which something may go wrong.
const CORNERS: [u64; 14] = [
    0,
    1,
    16,
    65_527,
    65_528,
    65_529,
    65_536,
    u32::MAX as u64,
    1 << 32,
    (1 << 32) + 16,
    1 << 33,
    1 << 63,
    u64::MAX - 7,
    u64::MAX,
];

pub(crate) fn trials() -> Vec<Trial> {
    macro_rules! tests {
        ($($name:ident),* $(,)?) => { vec![$(Trial::test(concat!("wide::", stringify!($name)), || {
            $name();
            Ok::<(), Failed>(())
        }),)*] };
    }
    tests![
        every_operator_agrees_at_the_corners,
        one_guard_compares_all_64_bits,
        a_table_is_read_through_a_wide_index,
        an_index_into_a_table_is_guarded_in_all_its_bits,
        lengths_above_are_guarded,
        segments_beyond_trap_at_the_start,
    ]
}

/// Calls every export on all pairs of corners, plain and on the engine, concrete and symbolic.
fn agree(wat: &str, names: &[&str]) {
    let wasm = wat::parse_str(wat).unwrap();
    let program = ENGINE.prepare(&wasm, &config()).unwrap();
    for symbolic in [false, true] {
        for name in names {
            let mut pair = Pair::start(&wasm, &program, symbolic, FUEL).unwrap();
            for a in CORNERS {
                for b in CORNERS {
                    let args = [Scalar::I64(a), Scalar::I64(b)];
                    pair.call(name, &args).unwrap();
                }
            }
            pair.memory().unwrap();
        }
    }
}

/// In memory and in tables; what is stored first makes memory symbolic, so that flags are looked at.
fn every_operator_agrees_at_the_corners() {
    agree(
        r#"(module (memory (export "m") i64 1 2) (data $d "0123456789")
        (table $t (export "t") i64 20 30 funcref) (elem $e func $one $one) (type $n (func (result i64)))
        (table $narrow 20 funcref)
        (func $one (type $n) (i64.const 1))
        (func (export "load") (param i64 i64) (result i64)
          (i64.store (i64.const 16) (local.get 1))
          (i64.add (i64.load (local.get 0)) (i64.load16_s offset=3 (local.get 0))))
        (func (export "offset") (param i64 i64) (result i64)
          (i64.load offset=0xffffffff (local.get 0)))
        (func (export "beyond") (param i64 i64) (result i64)
          (i64.load offset=0xffffffffffffffff (local.get 0)))
        (func (export "store") (param i64 i64) (i64.store32 offset=2 (local.get 0) (local.get 1)))
        (func (export "store_beyond") (param i64 i64)
          (i64.store offset=0x100000000 (local.get 0) (local.get 1)))
        (func (export "fill") (param i64 i64)
          (memory.fill (local.get 0) (i32.const 7) (local.get 1)))
        (func (export "copy_to") (param i64 i64)
          (memory.copy (local.get 0) (i64.const 8) (local.get 1)))
        (func (export "copy_from") (param i64 i64)
          (memory.copy (i64.const 100) (local.get 0) (local.get 1)))
        (func (export "init") (param i64 i64)
          (memory.init $d (local.get 0) (i32.const 2) (i32.wrap_i64 (i64.shr_u (local.get 1) (i64.const 60)))))
        (func (export "grow") (param i64 i64) (result i64 i64)
          (memory.grow (local.get 0)) (memory.size))
        (func (export "call") (param i64 i64) (result i64)
          (table.set $t (i64.const 1) (ref.func $one))
          (call_indirect $t (type $n) (local.get 0)))
        (func (export "get") (param i64 i64) (result i32) (ref.is_null (table.get $t (local.get 0))))
        (func (export "set") (param i64 i64) (table.set $t (local.get 0) (ref.func $one)))
        (func (export "fill_table") (param i64 i64)
          (table.fill $t (local.get 0) (ref.func $one) (local.get 1)))
        (func (export "copy_table") (param i64 i64)
          (table.copy $t $t (local.get 0) (i64.const 1) (local.get 1)))
        (func (export "copy_mixed") (param i64 i64)
          (table.copy $t $narrow (local.get 0) (i32.const 1) (i32.wrap_i64 (local.get 1)))
          (table.copy $narrow $t (i32.const 3) (local.get 0) (i32.wrap_i64 (local.get 1))))
        (func (export "init_table") (param i64 i64)
          (table.init $t $e (local.get 0) (i32.const 0) (i32.wrap_i64 (local.get 1))))
        (func (export "grow_table") (param i64 i64) (result i64 i64)
          (table.grow $t (ref.null func) (local.get 0)) (table.size $t)))"#,
        &[
            "load",
            "offset",
            "beyond",
            "store",
            "store_beyond",
            "fill",
            "copy_to",
            "copy_from",
            "init",
            "grow",
            "call",
            "get",
            "set",
            "fill_table",
            "copy_table",
            "copy_mixed",
            "init_table",
            "grow_table",
        ],
    );
}

fn image(values: &[u64]) -> Image {
    let arg = |(i, &value)| Cell::of_scalar(Scalar::I64(value)).named(format!("a{i}"));
    Image { args: values.iter().enumerate().map(arg).collect(), ..Image::default() }
}

fn trap(trace: &Trace) -> Option<TrapKind> {
    match &trace.outcome {
        Outcome::Trapped(trap) => Some(trap.kind.clone()),
        Outcome::Returned(_)
        | Outcome::Rejected(_)
        | Outcome::Exited(_)
        | Outcome::Exhausted(_) => None,
    }
}

/// The trap guards of a run.
fn guards(trace: &Trace) -> Vec<Literal> {
    let constraints = trace.path.constraints.iter();
    let guards = constraints.filter(|constraint| constraint.origin == Origin::TrapGuard);
    guards.map(|constraint| constraint.literal).collect()
}

fn holds(terms: &Terms, literal: Literal, value: u64) -> bool {
    let var = terms.find_var("a0").unwrap();
    let valuation: Valuation = [(var, Value::bv(64, value))].into_iter().collect();
    terms.satisfies(&[literal], &valuation)
}

/// The guard of an access holds for exactly those addresses at which the machine does not trap.
fn one_guard_compares_all_64_bits() {
    let wat = r#"(module (memory i64 1) (func (export "f") (param i64) (result i64)
        (i64.load offset=8 (local.get 0))))"#;
    for run_at in CORNERS {
        let (terms, trace) = run(wat, &image(&[run_at]), FUEL);
        let [guard] = guards(&trace)[..] else { panic!("{trace:?}") };
        for address in CORNERS {
            let is_inside = address <= 65_536 - 16;
            let is_same = is_inside == (run_at <= 65_536 - 16);
            assert_eq!(holds(&terms, guard, address), is_same, "{run_at:#x} {address:#x}");
        }
        let expected = (run_at > 65_536 - 16).then_some(TrapKind::MemoryOutOfBounds);
        assert_eq!(trap(&trace), expected);
    }
}

/// `table[i]` with a widened byte, and with a 64-bit index that the path bounds, is a table term: nothing is pinned.
fn a_table_is_read_through_a_wide_index() {
    let load = "(i64.load8_u offset=100 (i64.shl (local.get 0) (i64.const 1)))";
    let module = |body: &str| {
        format!(
            r#"(module (memory i64 1) (data (i64.const 100) "\01\02\03\04\05\06\07\08")
            (func (export "f") (param i64) (result i64) {body}))"#
        )
    };
    let masked = format!("(local.set 0 (i64.and (local.get 0) (i64.const 3))) {load}");
    let compared =
        format!("(if (i64.ge_u (local.get 0) (i64.const 4)) (then (return (i64.const 0)))) {load}");
    for body in [masked, compared] {
        let (terms, trace) = run(&module(&body), &image(&[2]), FUEL);
        let is_pinned = |origin: Origin| origin == Origin::Concretized;
        assert!(!trace.path.constraints.iter().any(|c| is_pinned(c.origin)), "{trace:?}");
        let result = trace.results[0].unwrap();
        let var = terms.find_var("a0").unwrap();
        for (index, expected) in [(0, 1), (1, 3), (2, 5), (3, 7)] {
            let valuation: Valuation = [(var, Value::bv(64, index))].into_iter().collect();
            assert_eq!(terms.evaluate(result, &valuation), Value::bv(64, expected));
        }
    }
}

fn an_index_into_a_table_is_guarded_in_all_its_bits() {
    let wat = r#"(module (table $t i64 3 funcref) (elem (i64.const 1) $g) (type $n (func (result i64)))
        (func $g (type $n) (i64.const 7))
        (func (export "f") (param i64) (result i64) (call_indirect $t (type $n) (local.get 0))))"#;
    let (terms, trace) = run(wat, &image(&[1]), FUEL);
    let [guard] = guards(&trace)[..] else { panic!("{trace:?}") };
    for index in CORNERS {
        assert_eq!(holds(&terms, guard, index), index < 3, "{index:#x}");
    }
    let (_, trace) = run(wat, &image(&[(1 << 32) + 1]), FUEL);
    assert_eq!(trap(&trace), Some(TrapKind::TableOutOfBounds));
}

fn lengths_above_are_guarded() {
    let wat = r#"(module (memory i64 1) (func (export "f") (param i64)
        (memory.fill (i64.const 4) (i32.const 1) (local.get 0))))"#;
    for run_at in CORNERS {
        let (terms, trace) = run(wat, &image(&[run_at]), FUEL);
        let fits = |length: u64| length <= 65_532;
        assert_eq!(trap(&trace).is_none(), fits(run_at));
        // All guards together say whether it traps; the last one decides.
        for length in CORNERS.into_iter().filter(|&length| fits(length)) {
            let all = guards(&trace).iter().all(|&guard| holds(&terms, guard, length));
            assert_eq!(all, fits(run_at), "{run_at:#x} {length:#x}");
        }
    }
}

fn segments_beyond_trap_at_the_start() {
    for (offset, is_inside) in [("65533", true), ("65534", false), ("0x100000000", false)] {
        let wat = format!("(module (memory i64 1) (data (i64.const {offset}) \"abc\"))");
        let process = executable(&wat).start(FUEL);
        let started = process.started().unwrap();
        assert_eq!(matches!(started, Outcome::Returned(_)), is_inside, "{offset}: {started:?}");
    }
    let wat = "(module (table i64 2 funcref) (elem (i64.const 0x100000001) $f) (func $f))";
    let process = executable(wat).start(FUEL);
    assert!(matches!(process.started().unwrap(), Outcome::Trapped(_)));
}
