//! What traces say, and what happens to programs and callers that misbehave.

use crate::differential::LIMITS;
use libtest_mimic::{Failed, Trial};
use std::sync::LazyLock;
use std::sync::atomic::Ordering;
use symcrete_exec::{
    Config, Engine, Entry, ExecError, Executable, Executor, Limits, Origin, Trace,
};
use symcrete_program::nan;
use symcrete_program::{Cell, Edge, Image, Outcome, Resource, Scalar, SiteId, Symbol, TrapKind};
use symcrete_term::{Function, Signature, Sort, Terms, Valuation, Value};

pub(crate) static ENGINE: LazyLock<Engine> = LazyLock::new(|| {
    Engine::new(Limits { terms: 100_000, constraints: 10_000, ..LIMITS }).unwrap()
});

pub(crate) fn trials() -> Vec<Trial> {
    macro_rules! tests {
        ($($name:ident),* $(,)?) => { vec![$(Trial::test(concat!("behaviour::", stringify!($name)), || {
            $name();
            Ok::<(), Failed>(())
        }),)*] };
    }
    tests![
        an_endless_loop_runs_out_of_fuel,
        endless_symbolic_work_runs_out_of_constraints_or_terms,
        a_stop_flag_ends_a_run,
        runaway_recursion_overflows,
        gigabytes_are_not_had,
        what_is_not_wasm_is_invalid,
        unsupported_features_are_named_with_function_and_offset,
        missing_exports_and_wrong_arguments_are_errors,
        cells_outside_memory_are_errors,
        a_missing_import_is_a_trap_when_called,
        traps_have_a_site_and_guards_come_first,
        bounds_guards_come_before_the_access,
        selects_are_branches,
        switches_have_one_condition_per_target,
        assumptions_are_recorded_and_reject,
        opaque_functions_are_terms,
        bytes_are_symbolic_at_any_alignment,
        small_windows_become_tables,
        wide_addresses_are_pinned,
        globals_carry_shadows,
        copies_and_fills_move_shadows,
        symbolic_table_indices_are_guarded_and_pinned,
        nan_payloads_follow_the_rule,
        runs_are_reproducible_and_parallel,
        fuel_does_not_depend_on_what_is_symbolic,
        every_numeric_operator_means_what_wasmtime_does,
    ]
}

pub(crate) fn executable(wat: &str) -> Executable {
    ENGINE.prepare(&wat::parse_str(wat).unwrap(), &Config::standard()).unwrap()
}

fn refuse(wat: &str) -> ExecError {
    match ENGINE.prepare(&wat::parse_str(wat).unwrap(), &Config::standard()) {
        Ok(_) => panic!("accepted: {wat}"),
        Err(error) => error,
    }
}

/// Runs `f` and checks the trace against itself.
pub(crate) fn run(wat: &str, image: &Image, fuel: u64) -> (Terms, Trace) {
    run_on(&executable(wat), image, fuel)
}

/// The same on a program that is prepared already.
pub(crate) fn run_on(program: &Executable, image: &Image, fuel: u64) -> (Terms, Trace) {
    let mut executor = program.executor(Entry::new("f")).unwrap();
    let mut terms = Terms::new();
    let trace = executor.run(&mut terms, image, fuel).unwrap();
    check_truth(&terms, image, &trace);
    (terms, trace)
}

/// Every constraint holds on the input, and every result's term evaluates to the result.
fn check_truth(terms: &Terms, image: &Image, trace: &Trace) {
    let valuation = valuation(terms, image, trace);
    assert!(terms.satisfies(&trace.path.literals(), &valuation), "{trace:?}");
    if let Outcome::Returned(values) = &trace.outcome {
        for (value, term) in values.iter().zip(&trace.results) {
            if let Some(term) = *term {
                assert_eq!(Some(terms.evaluate(term, &valuation)), value.value());
            }
        }
    }
}

/// The values of all variables of a run.
pub(crate) fn valuation(terms: &Terms, image: &Image, trace: &Trace) -> Valuation {
    let mut valuation = Valuation::new();
    let mut set = |name: &str, bits: u64| {
        let var = terms.find_var(name).unwrap();
        valuation.set(var, Value::from_bits(terms.var_sort(var), bits));
    };
    let cells = image.args.iter().chain(image.writes.iter().map(|write| &write.cell));
    for Cell { kind, bits, symbol } in cells {
        match symbol {
            None => {}
            Some(Symbol::Variable(name)) => {
                set(name, *bits);
                if nan::is_nan(*kind, *bits) {
                    set(&nan::companion(name), *bits);
                }
            }
            Some(Symbol::Callback { present, .. }) => set(present, u64::from(*bits != 0)),
            Some(Symbol::Pointer { present, others, .. }) => {
                set(present, u64::from(*bits != 0));
                others.iter().for_each(|other| set(&other.name, u64::from(other.is_chosen)));
            }
            Some(Symbol::End { present, length, n, .. }) => {
                set(present, u64::from(*bits != 0));
                set(length, u64::from(*n));
            }
            Some(Symbol::OneOf { present, others, .. }) => {
                present.iter().for_each(|present| set(present, u64::from(*bits != 0)));
                others.iter().for_each(|other| set(&other.name, u64::from(other.is_chosen)));
            }
            Some(Symbol::Fields(fields)) => {
                fields.iter().for_each(|field| set(&field.name, bits >> field.low));
            }
        }
    }
    trace.drawn.iter().for_each(|drawn| set(&drawn.name, drawn.value.bits()));
    valuation
}

fn ints(args: &[i32]) -> Image {
    Image::of_symbolic_args(args.iter().map(|&x| Scalar::I32(x as u32)))
}

pub(crate) fn origins(trace: &Trace) -> Vec<Origin> {
    trace.path.constraints.iter().map(|constraint| constraint.origin).collect()
}

pub(crate) fn trap(trace: &Trace) -> TrapKind {
    let Outcome::Trapped(trap) = &trace.outcome else { panic!("no trap: {}", trace.outcome) };
    trap.kind.clone()
}

pub(crate) fn returned(trace: &Trace) -> Scalar {
    let Outcome::Returned(values) = &trace.outcome else { panic!("{}", trace.outcome) };
    values[0]
}

const ENDLESS: &str = r#"(module (func (export "f") (param i32) (loop (br 0))))"#;

fn an_endless_loop_runs_out_of_fuel() {
    let (_, trace) = run(ENDLESS, &ints(&[1]), 1_000_000);
    assert_eq!(trace.outcome, Outcome::Exhausted(Resource::Fuel));
    assert!((900_000..=1_000_000).contains(&trace.fuel_used), "{}", trace.fuel_used);
}

fn endless_symbolic_work_runs_out_of_constraints_or_terms() {
    let counting = r#"(module (func (export "f") (param i32)
        (loop (local.set 0 (i32.mul (i32.add (local.get 0) (i32.const 1)) (local.get 0)))
              (br_if 0 (i32.const 1)))))"#;
    let (_, trace) = run(counting, &ints(&[3]), u64::MAX);
    assert_eq!(trace.outcome, Outcome::Exhausted(Resource::Terms));
    let branching = r#"(module (func (export "f") (param i32)
        (loop (local.set 0 (i32.add (local.get 0) (i32.const 1)))
              (br_if 0 (i32.ne (local.get 0) (i32.const 0))))))"#;
    let (_, trace) = run(branching, &ints(&[3]), u64::MAX);
    assert_eq!(trace.outcome, Outcome::Exhausted(Resource::Constraints));
}

fn a_stop_flag_ends_a_run() {
    let mut executor = executable(ENDLESS).executor(Entry::new("f")).unwrap();
    let stop = executor.stop_flag();
    stop.store(true, Ordering::Relaxed);
    let trace = executor.run(&mut Terms::new(), &ints(&[1]), u64::MAX).unwrap();
    assert_eq!(trace.outcome, Outcome::Exhausted(Resource::Time));
}

fn runaway_recursion_overflows() {
    let recursive = r#"(module (func $f (export "f") (param i32) (result i32)
        (i32.add (call $f (i32.add (local.get 0) (i32.const 1))) (i32.const 1))))"#;
    assert_eq!(trap(&run(recursive, &ints(&[1]), 1 << 40).1), TrapKind::StackOverflow);
    let chain: String = (0..300).map(|i| format!("(func $f{i} call $f{})", i + 1)).collect();
    let deep = format!(r#"(module {chain} (func $f300) (func (export "f") (param i32) call $f0))"#);
    assert_eq!(run(&deep, &ints(&[1]), 1 << 40).1.outcome, Outcome::Returned(vec![]));
}

fn gigabytes_are_not_had() {
    let grow = r#"(module (memory 1) (func (export "f") (param i32) (result i32)
        (memory.grow (local.get 0))))"#;
    let (_, trace) = run(grow, &ints(&[40_000]), 1000);
    assert_eq!(returned(&trace), Scalar::I32(u32::MAX));
    assert_eq!(origins(&trace), [Origin::Concretized]);
    let fill = r#"(module (memory 900) (func (export "f") (param i32)
        (memory.fill (i32.const 0) (local.get 0) (i32.const 50000000))))"#;
    let (_, trace) = run(fill, &ints(&[1]), 1 << 40);
    assert_eq!(trace.outcome, Outcome::Exhausted(Resource::Terms));
    assert!(matches!(refuse("(module (memory 60000))"), ExecError::TooLarge { .. }));
    assert!(matches!(refuse("(module (table 9000000 funcref))"), ExecError::TooLarge { .. }));
}

fn what_is_not_wasm_is_invalid() {
    let config = Config::standard();
    for bytes in [&b""[..], b"\0asm", b"hello", b"\0asm\x01\0\0\0\x01\xff\xff"] {
        assert!(matches!(ENGINE.prepare(bytes, &config), Err(ExecError::Invalid { .. })));
    }
    let error = refuse("(module (func (result i32) i64.const 1))");
    assert!(matches!(error, ExecError::Invalid { offset, .. } if offset > 0), "{error}");
}

fn unsupported_features_are_named_with_function_and_offset() {
    let cases = [
        ("(module (func $v (drop (v128.const i64x2 0 0))))", "SIMD", "function v"),
        ("(module (memory i64 1) (memory 1))", "multiple memories", "outside functions"),
        (
            "(module (memory 1 1 shared) (func $a (drop (i32.atomic.load (i32.const 0)))))",
            "threads",
            "",
        ),
        ("(module (tag $t) (func $e (throw $t)))", "exceptions", ""),
        ("(module (func $t (return_call $t)))", "tail calls", "function t"),
        ("(module (func $x (param externref)))", "references other than funcref", "types"),
    ];
    for (wat, feature, place) in cases {
        let error = refuse(wat);
        let ExecError::Unsupported { .. } = error else { panic!("{wat}: {error}") };
        let text = error.to_string();
        assert!(text.contains(feature) && text.contains(place), "{text}");
        assert!(text.contains("at offset 0x") && !text.contains('\n'), "{text}");
    }
}

fn missing_exports_and_wrong_arguments_are_errors() {
    let program = executable(r#"(module (func (export "f") (param i32 f64)))"#);
    let Err(error) = program.executor(Entry::new("g")) else { panic!("no such export") };
    assert_eq!(error.to_string(), "the module exports no function g");
    let mut executor = program.executor(Entry::new("f")).unwrap();
    let mut terms = Terms::new();
    terms.var("kept", Sort::Bool);
    let error = executor.run(&mut terms, &ints(&[1, 2]), 10).unwrap_err();
    assert_eq!(error.to_string(), "f takes (i32, f64), not (i32, i32)");
    assert!(terms.find_var("kept").is_some(), "terms survive an error");
}

fn cells_outside_memory_are_errors() {
    let program = executable(r#"(module (memory 1) (func (export "f")))"#);
    let mut executor = program.executor(Entry::new("f")).unwrap();
    for address in [65_536, 65_533, u32::MAX] {
        let image = Image::default().with_bytes(address, &[0; 4], None);
        let error = executor.run(&mut Terms::new(), &image, 10).unwrap_err();
        assert!(matches!(error, ExecError::CellOutOfBounds { .. }), "{error}");
    }
}

fn a_missing_import_is_a_trap_when_called() {
    let wat = r#"(module (import "env" "gone" (func $gone (param i32)))
        (func (export "f") (param i32)
          (if (local.get 0) (then (call $gone (local.get 0))))))"#;
    assert_eq!(run(wat, &ints(&[0]), 100).1.outcome, Outcome::Returned(vec![]));
    let (_, trace) = run(wat, &ints(&[5]), 100);
    assert_eq!(trap(&trace), TrapKind::MissingImport("env.gone".to_string()));
    assert_eq!(origins(&trace), [Origin::Branch]);
}

fn traps_have_a_site_and_guards_come_first() {
    let wat = r#"(module (func (export "f") (param i32 i32) (result i32)
        (i32.div_s (local.get 0) (local.get 1))))"#;
    for (args, kind, n_guards) in [
        ([7, 0], Some(TrapKind::DivisionByZero), 1),
        ([i32::MIN, -1], Some(TrapKind::IntegerOverflow), 2),
        ([7, 2], None, 2),
    ] {
        let (_, trace) = run(wat, &ints(&args), 100);
        assert_eq!(origins(&trace), vec![Origin::TrapGuard; n_guards]);
        if let Some(kind) = kind {
            assert_eq!(trap(&trace), kind);
            let Outcome::Trapped(trap) = &trace.outcome else { panic!("it trapped") };
            assert_eq!(trap.site, Some(trace.path.constraints[0].site));
        }
    }
}

fn bounds_guards_come_before_the_access() {
    let wat = r#"(module (memory 1) (func (export "f") (param i32) (result i64)
        (i64.load offset=8 (local.get 0))))"#;
    let (terms, trace) = run(wat, &ints(&[-9]), 100);
    assert_eq!(trap(&trace), TrapKind::MemoryOutOfBounds);
    assert_eq!(origins(&trace), [Origin::TrapGuard, Origin::Concretized]);
    let var = terms.find_var("arg0").unwrap();
    let guard = trace.path.constraints[0].literal;
    let fits = |address: u64| {
        let valuation = Valuation::from_iter([(var, Value::bv(32, address))]);
        terms.satisfies(&[guard.negated()], &valuation)
    };
    assert_eq!([fits(65_520), fits(65_521), fits(u64::from(u32::MAX))], [true, false, false]);
}

fn selects_are_branches() {
    let wat = r#"(module (func (export "f") (param i32) (result i32)
        (select (i32.const 7) (local.get 0) (i32.gt_u (local.get 0) (i32.const 9)))))"#;
    let (_, trace) = run(wat, &ints(&[10]), 100);
    assert_eq!(origins(&trace), [Origin::Select]);
    assert_eq!(trace.results, [None]);
    let site = trace.path.constraints[0].site;
    assert_eq!(trace.coverage.edges(), [Edge { site, taken: true }]);
    let (_, trace) = run(wat, &ints(&[3]), 100);
    assert!(trace.results[0].is_some());
    assert_eq!(trace.coverage.edges(), [Edge { site, taken: false }]);
}

fn switches_have_one_condition_per_target() {
    let wat = r#"(module (func (export "f") (param i32) (result i32)
        (block (block (block (br_table 0 1 0 2 (local.get 0)))
          (return (i32.const 10))) (return (i32.const 11))) (i32.const 12)))"#;
    for (index, result, case) in [(0, 10, 0), (1, 11, 1), (2, 10, 0), (3, 12, 2), (-1, 12, 2)] {
        let (_, trace) = run(wat, &ints(&[index]), 100);
        assert_eq!(returned(&trace), Scalar::I32(result));
        assert_eq!(trace.path.constraints.len(), case + 1);
        let offset = trace.path.constraints[0].site.offset;
        for other in 0..3u16 {
            let edge = |taken| Edge { site: SiteId { offset, case: other }, taken };
            let is_taken = usize::from(other) == case;
            assert_eq!(trace.coverage.contains(edge(true)), is_taken);
            assert_eq!(trace.coverage.contains(edge(false)), !is_taken);
        }
    }
}

fn assumptions_are_recorded_and_reject() {
    let wat = r#"(module (import "symcrete" "assume" (func $assume (param i32)))
        (func (export "f") (param i32) (call $assume (i32.lt_s (local.get 0) (i32.const 5)))))"#;
    let (_, trace) = run(wat, &ints(&[1]), 100);
    assert_eq!(trace.outcome, Outcome::Returned(vec![]));
    assert_eq!(origins(&trace), [Origin::Assumed]);
    let (_, trace) = run(wat, &ints(&[6]), 100);
    assert_eq!(trace.outcome, Outcome::Rejected(trace.path.constraints[0].site));
}

fn opaque_functions_are_terms() {
    let wat = r#"(module
        (import "env" "twice" (func $twice (param i32) (result i32)))
        (func $sin (param f64) (result f64) unreachable)
        (func (export "f") (param f64 i32) (result f64 i32)
          (call $sin (local.get 0)) (call $twice (local.get 1))))"#;
    let wasm = wat::parse_str(wat).unwrap();
    let signature = Signature { params: vec![Sort::Bv(32)], result: Sort::Bv(32) };
    let twice = Function::new("twice", signature, |args| Some(Value::bv(32, 2 * args[0].bits())));
    let mut config = Config::standard();
    config.opaque.push(twice);
    let program = ENGINE.prepare(&wasm, &config).unwrap();
    let args = [Scalar::F64(0.5f64.to_bits()), Scalar::I32(21)];
    for (image, symbolic) in [(Image::of_symbolic_args(args), true), (Image::of_args(args), false)]
    {
        let (_, trace) = run_on(&program, &image, 100);
        let results = vec![Scalar::F64(0.5f64.sin().to_bits()), Scalar::I32(42)];
        assert_eq!(trace.outcome, Outcome::Returned(results));
        assert_eq!(trace.results.iter().all(Option::is_some), symbolic);
    }
}

fn bytes_are_symbolic_at_any_alignment() {
    let wat = r#"(module (memory 1) (func (export "f") (param i32) (result i64)
        (i32.store8 (i32.add (local.get 0) (i32.const 2)) (i32.const 0x5a))
        (i64.add (i64.load (local.get 0)) (i64.load16_s offset=3 (local.get 0)))))"#;
    let program = executable(wat);
    for address in 96..112 {
        let bytes = [0x81, 0x72, 0x63, 0x94, 0xa5, 0xb6];
        let image = Image::of_args([Scalar::I32(address)]).with_bytes(100, &bytes, Some("buffer"));
        let (_, trace) = run_on(&program, &image, 100);
        assert_eq!(trace.results[0].is_some(), address < 106);
    }
}

const TABLE: &str = r#"(module (memory 1) (data (i32.const 64) "\03\01\04\01\05\09\02\06")
    (func (export "f") (param i32) (result i32)
      (i32.load8_u offset=60 (i32.add (i32.and (local.get 0) (i32.const 7)) (i32.const 4)))))"#;

fn small_windows_become_tables() {
    for index in 0..8 {
        let (terms, trace) = run(TABLE, &ints(&[index]), 100);
        assert!(!origins(&trace).contains(&Origin::Concretized));
        let var = terms.find_var("arg0").unwrap();
        let term = trace.results[0].unwrap();
        let expected = [3, 1, 4, 1, 5, 9, 2, 6];
        for (i, &cell) in expected.iter().enumerate() {
            let valuation = Valuation::from_iter([(var, Value::bv(32, i as u64))]);
            assert_eq!(terms.evaluate(term, &valuation), Value::bv(32, cell));
        }
    }
}

fn wide_addresses_are_pinned() {
    let wat = TABLE.replace("(i32.const 7)", "(i32.const 4095)");
    let (_, trace) = run(&wat, &ints(&[5]), 100);
    assert_eq!(origins(&trace), [Origin::TrapGuard, Origin::Concretized]);
    assert_eq!(returned(&trace), Scalar::I32(9));
}

fn globals_carry_shadows() {
    let wat = r#"(module (global $g (mut i64) (i64.const 5))
        (func $set (param i64) (global.set $g (local.get 0)))
        (func $get (result i64) (global.get $g))
        (func (export "f") (param i32) (result i64)
          (call $set (i64.extend_i32_s (local.get 0))) (call $get)))"#;
    let (_, trace) = run(wat, &ints(&[-3]), 100);
    assert_eq!(returned(&trace), Scalar::I64(-3i64 as u64));
    assert!(trace.results[0].is_some());
}

fn copies_and_fills_move_shadows() {
    let wat = r#"(module (memory 1) (func (export "f") (param i32 i32) (result i64)
        (memory.fill (i32.const 16) (local.get 0) (i32.const 5))
        (memory.copy (i32.const 17) (i32.const 15) (local.get 1))
        (i64.load (i32.const 15))))"#;
    let (_, trace) = run(wat, &ints(&[0xab, 4]), 100);
    assert_eq!(origins(&trace), [Origin::TrapGuard, Origin::Concretized, Origin::TrapGuard]);
    assert_eq!(returned(&trace), Scalar::I64(0x0000_abab_ab00_ab00));
    assert!(trace.results[0].is_some());
    assert_eq!(trap(&run(wat, &ints(&[1, -1]), 100).1), TrapKind::MemoryOutOfBounds);
}

fn symbolic_table_indices_are_guarded_and_pinned() {
    let wat = r#"(module (table 3 funcref) (elem (i32.const 0) $a $b)
        (func $a (param i32) (result i32) (local.get 0))
        (func $b (param i32) (result i32) (i32.const 9))
        (func (export "f") (param i32) (result i32)
          (call_indirect (param i32) (result i32) (local.get 0) (local.get 0))))"#;
    let (_, trace) = run(wat, &ints(&[0]), 100);
    assert_eq!(origins(&trace), [Origin::TrapGuard, Origin::Concretized]);
    assert!(trace.results[0].is_some());
    assert_eq!(run(wat, &ints(&[1]), 100).1.results, [None]);
    assert_eq!(trap(&run(wat, &ints(&[2]), 100).1), TrapKind::NullCall);
    assert_eq!(trap(&run(wat, &ints(&[3]), 100).1), TrapKind::TableOutOfBounds);
}

/// Bits that are read as floats, and floats that are inputs, directly and by way of memory.
fn nan_payloads_follow_the_rule() {
    let operands = [
        ("i64", "(f64.reinterpret_i64 (local.get 0))", "(f64.reinterpret_i64 (local.get 1))"),
        ("f64", "(local.get 0)", "(local.get 1)"),
        ("f64", "(f64.load (i32.const 64))", "(f64.reinterpret_i64 (i64.load (i32.const 72)))"),
    ];
    for (param, x, y) in operands {
        let before = match x.contains("load") {
            true => {
                "(f64.store (i32.const 64) (local.get 0)) (f64.store (i32.const 72) (local.get 1))"
            }
            false => "",
        };
        check_nan_payloads(param, before, x, y);
    }
}

fn check_nan_payloads(param: &str, before: &str, x: &str, y: &str) {
    let body = |expression: &str| {
        format!(
            r#"(module (memory 1) (func (export "f") (param {param} {param}) (result i64)
              {before} (i64.reinterpret_f64 ({expression}))))"#
        )
    };
    let expressions = [
        x[1..x.len() - 1].to_string(),
        format!("f64.neg {x}"),
        format!("f64.abs (f64.neg {x})"),
        format!("f64.neg (f64.abs (f64.neg {x}))"),
        format!("f64.copysign {x} {y}"),
        format!("f64.copysign (f64.const nan:0x123) {y}"),
        format!("f64.copysign {x} (f64.const -nan)"),
        format!("f64.neg (f64.add {x} {y})"),
        format!("f64.min {x} {y}"),
        format!("f64.max (f64.neg {x}) {y}"),
        format!("f64.promote_f32 (f32.demote_f64 {x})"),
        format!("f64.sqrt (f64.neg {x})"),
        format!("f64.nearest {x}"),
        format!("select {x} (f64.neg {y}) (i32.const 0)"),
    ];
    let values = [0, 1 << 63, 0x7ff8 << 48, 0xfff8 << 48, 0x7ff0 << 48 | 1, !0, 0x3ff8 << 48];
    for expression in expressions {
        let program = executable(&body(&expression));
        for a in values {
            for b in values {
                let args = match param {
                    "i64" => [a, b].map(Scalar::I64),
                    _ => [a, b].map(Scalar::F64),
                };
                run_on(&program, &Image::of_symbolic_args(args), 100);
            }
        }
    }
}

fn runs_are_reproducible_and_parallel() {
    let wat = r#"(module (memory 1) (func (export "f") (param i32 i32) (result i32)
        (local $sum i32)
        (loop (local.set $sum (i32.add (local.get $sum) (i32.rem_u (local.get 1) (local.get 0))))
          (local.set 0 (i32.sub (local.get 0) (i32.const 1)))
          (br_if 0 (local.get 0)))
        (local.get $sum)))"#;
    let program = executable(wat);
    let once = || {
        let mut executor = program.executor(Entry::new("f")).unwrap();
        let mut terms = Terms::new();
        (0..20)
            .map(|i| executor.run(&mut terms, &ints(&[i + 1, 1000]), 10_000).unwrap())
            .collect::<Vec<Trace>>()
    };
    let expected = once();
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..4).map(|_| scope.spawn(once)).collect();
        workers.into_iter().for_each(|worker| assert_eq!(worker.join().unwrap(), expected));
    });
}

fn fuel_does_not_depend_on_what_is_symbolic() {
    let wat = r#"(module (func $g (param i32) (result i32)
          (loop (local.set 0 (i32.shr_u (local.get 0) (i32.const 1))) (br_if 0 (local.get 0)))
          (local.get 0))
        (func (export "f") (param i32) (result i32)
          (if (call $g (local.get 0)) (then unreachable)) (call $g (i32.const 100))))"#;
    let program = executable(wat);
    let fuel = |image| {
        let (_, trace) = run_on(&program, &image, 10_000);
        (trace.fuel_used, trace.coverage)
    };
    assert_eq!(fuel(ints(&[12345])), fuel(Image::of_args([Scalar::I32(12345)])));
}

/// One module per operator of the table, on corner values of its operands.
fn every_numeric_operator_means_what_wasmtime_does() {
    let names = include_str!("numeric_operators.txt");
    let mut n = 0;
    for line in names.lines().filter(|line| !line.is_empty()) {
        let (name, types) = line.split_once(' ').unwrap();
        let (params, result) = types.split_once(" => ").unwrap();
        let params: Vec<&str> = params.split(' ').collect();
        let gets: String = (0..params.len()).map(|i| format!("(local.get {i}) ")).collect();
        let wat = format!(
            r#"(module (func (export "f") (param {}) (result {result}) ({name} {gets})))"#,
            params.join(" ")
        );
        let program = executable(&wat);
        let mut executor = program.executor(Entry::new("f")).unwrap();
        for a in corners(params[0]) {
            let seconds =
                params.get(1).map_or(vec![None], |ty| corners(ty).into_iter().map(Some).collect());
            for b in seconds {
                let image = Image::of_symbolic_args([Some(a), b].into_iter().flatten());
                let mut terms = Terms::new();
                let trace = executor.run(&mut terms, &image, 100).unwrap();
                check_truth(&terms, &image, &trace);
                assert!(trace.results.iter().all(Option::is_some), "{name} {image:?}");
                n += 1;
            }
        }
    }
    assert!(n > 10_000, "{n}");
}

fn corners(ty: &str) -> Vec<Scalar> {
    let ints = [0u64, 1, 2, 31, 32, 33, 63, 64, 0x7f, 0x80, 0x7fff_ffff, 1 << 31, u64::MAX];
    let wide = [i64::MAX as u64, 1 << 63, 0x8000_0000_ffff_ffff];
    let floats = [0.0, -0.0, 0.5, 1.5, 2.5, -2.5, 1e-310, 2147483647.0, 2147483648.0];
    let large = [-2147483649.0, 4294967296.0, 9.3e18, -9.3e18, 1.9e19, f64::INFINITY, f64::NAN];
    match ty {
        "i32" => ints.iter().map(|&x| Scalar::I32(x as u32)).collect(),
        "i64" => ints.iter().chain(&wide).map(|&x| Scalar::I64(x)).collect(),
        "f32" => {
            let all = floats.iter().chain(&large);
            all.map(|&x| Scalar::F32((x as f32).to_bits()).canonical()).collect()
        }
        _ => {
            let all = floats.iter().chain(&large).chain(&[-1.0, -0.9, 3.4e38, 1e308]);
            all.map(|&x| Scalar::F64(x.to_bits()).canonical()).collect()
        }
    }
}
