//! Images of the input: cells of all kinds, objects and what lies between them, cells that the program
//! asks for. Each run is checked against itself: see `behaviour::run`.

#![expect(clippy::single_range_in_vec_init, reason = "objects are ranges, and one may be alone")]

use crate::behaviour::{ENGINE, executable, origins, returned, run, run_on, trap, valuation};
use libtest_mimic::{Failed, Trial};
use symcrete_exec::{
    Config, Constraint, Entry, ExecError, Executable, Executor, ImportAction, Origin, Trace,
};
use symcrete_program::{
    BitsOf, Cell, CellKind, CellRange, Image, Other, Outcome, Resource, Scalar, SiteId, Symbol,
    TrapKind, Write,
};
use symcrete_term::{Literal, Node, Op, Sort, TermId, Terms, Value};

pub(crate) fn trials() -> Vec<Trial> {
    macro_rules! tests {
        ($($name:ident),* $(,)?) => { vec![$(Trial::test(concat!("images::", stringify!($name)), || {
            $name();
            Ok::<(), Failed>(())
        }),)*] };
    }
    tests![
        narrow_integers_are_extended,
        a_cell_is_the_same_variable_when_it_is_read,
        nans_enter_as_they_are,
        bit_fields_share_a_unit,
        cells_that_mean_nothing_are_errors,
        bounds_are_assumed_and_make_windows,
        broken_bounds_reject,
        watched_memory_is_what_it_was_at_the_end,
        pointers_are_null_or_there,
        pointers_may_have_one_object,
        an_index_behind_a_pointer_has_a_window,
        a_small_object_is_a_window,
        pointers_without_an_arena_are_pinned,
        poison_is_not_touched,
        poison_is_seen_by_bulk_operations,
        symbolic_addresses_are_guarded_by_their_object,
        poisoned_programs_do_not_run_as_clones,
        stubs_draw_their_results,
        drawn_names_avoid_those_of_the_image,
        stubs_draw_pointers,
        primitives_draw_by_name,
        primitives_draw_bytes,
        bad_names_are_outcomes,
        programs_exit_and_fail,
        functions_that_are_not_exported_can_be_called,
        executed_functions_are_opaque,
        what_cannot_be_executed_is_an_error,
    ]
}

fn int(bits: u8, signed: bool) -> CellKind {
    CellKind::Int { bits, signed }
}

fn variable(terms: &Terms, name: &str) -> TermId {
    terms.var_term(terms.find_var(name).unwrap())
}

fn prepare(wat: &str, config: &Config) -> Executable {
    ENGINE.prepare(&wat::parse_str(wat).unwrap(), config).unwrap()
}

/// The literals of one origin, as terms that are no negations with what is expected of them.
fn literals(terms: &Terms, trace: &Trace, origin: Origin) -> Vec<(TermId, bool)> {
    let constraints = trace.path.constraints.iter().filter(|c| c.origin == origin);
    constraints
        .map(|Constraint { literal: Literal { term, expected }, .. }| match terms.node(*term) {
            Node::App { op: Op::Not, args, .. } => (args[0], !expected),
            Node::Const(_)
            | Node::Var(_)
            | Node::App { .. }
            | Node::Call { .. }
            | Node::Lookup { .. } => (*term, *expected),
        })
        .collect()
}

fn narrow_integers_are_extended() {
    let wat = r#"(module (func (export "f") (param i32 i32 i32 i64 i64) (result i32 i32 i32 i64 i64)
        local.get 0 local.get 1 local.get 2 local.get 3 local.get 4))"#;
    let image = Image {
        args: vec![
            Cell::variable(int(8, true), 0xfd, "a"),
            Cell::variable(int(16, false), 0xfffe, "b"),
            Cell::variable(CellKind::Bool, 1, "c"),
            Cell::variable(int(32, true), 0xffff_fff0, "d"),
            Cell::concrete(int(8, true), 0x80),
        ],
        ..Image::default()
    };
    let (terms, trace) = run(wat, &image, 100);
    let expected = [-3i32 as u32, 0xfffe, 1].map(Scalar::I32);
    let Outcome::Returned(values) = &trace.outcome else { panic!("{}", trace.outcome) };
    assert_eq!(values[..3], expected);
    assert_eq!(values[3..], [Scalar::I64(-16i64 as u64), Scalar::I64(-128i64 as u64)]);
    for (name, sort) in
        [("a", Sort::Bv(8)), ("b", Sort::Bv(16)), ("c", Sort::Bool), ("d", Sort::Bv(32))]
    {
        assert_eq!(terms.var_sort(terms.find_var(name).unwrap()), sort);
    }
    assert_eq!(trace.results.iter().filter(|term| term.is_some()).count(), 4);
}

fn write(address: u32, cell: Cell) -> Write {
    Write { address, cell }
}

fn a_cell_is_the_same_variable_when_it_is_read() {
    let wat = r#"(module (memory 1)
        (func (export "f") (result i32 i64 f32 f64 i32)
          (i32.load (i32.const 101)) (i64.load (i32.const 106))
          (f32.load (i32.const 115)) (f64.load (i32.const 120))
          (if (result i32) (i32.load8_u (i32.const 131)) (then (i32.const 1))
            (else (i32.const 2)))))"#;
    let image = Image {
        writes: vec![
            write(101, Cell::variable(int(32, true), 7, "i")),
            write(106, Cell::variable(int(64, false), u64::MAX, "j")),
            write(115, Cell::variable(CellKind::F32, 1.5f32.to_bits().into(), "x")),
            write(120, Cell::variable(CellKind::F64, (-2.5f64).to_bits(), "y")),
            write(131, Cell::variable(CellKind::Bool, 1, "b")),
        ],
        ..Image::default()
    };
    let (terms, trace) = run(wat, &image, 100);
    let read: Vec<TermId> = trace.results[..4].iter().map(|term| term.unwrap()).collect();
    assert_eq!(read, ["i", "j", "x", "y"].map(|name| variable(&terms, name)));
    assert_eq!(literals(&terms, &trace, Origin::Branch), [(variable(&terms, "b"), true)]);
}

fn nans_enter_as_they_are() {
    let wat = r#"(module (memory 1) (func (export "f") (param f64) (result i64 i64 i32)
        (i64.reinterpret_f64 (local.get 0)) (i64.load (i32.const 64)) (i32.load (i32.const 72))))"#;
    let image = Image {
        args: vec![Cell::variable(CellKind::F64, u64::MAX, "x")],
        writes: vec![
            write(64, Cell::variable(CellKind::F64, 0xfff0 << 48 | 1, "y")),
            write(72, Cell::concrete(CellKind::F32, 0xffff_ffff)),
        ],
        ..Image::default()
    };
    let (_, trace) = run(wat, &image, 100);
    let nans = [u64::MAX, 0xfff0 << 48 | 1].map(Scalar::I64);
    let expected = vec![nans[0], nans[1], Scalar::I32(u32::MAX)];
    assert_eq!(trace.outcome, Outcome::Returned(expected));
}

fn bits(name: &str, low: u8, width: u8) -> BitsOf {
    BitsOf { name: name.to_string(), low, width }
}

fn bit_fields_share_a_unit() {
    let wat = r#"(module (memory 1) (func (export "f") (result i32 i32 i32)
        (i32.shr_u (i32.load (i32.const 64)) (i32.const 29))
        (i32.and (i32.load8_u (i32.const 64)) (i32.const 7))
        (i32.load (i32.const 64))))"#;
    let fields = vec![bits("high", 29, 3), bits("low", 0, 3), bits("middle", 7, 9)];
    let bits = 0b101 << 29 | 0x1234_5678 & 0x1fff_ffff;
    let cell = Cell { kind: int(32, false), bits, symbol: Some(Symbol::Fields(fields)) };
    let image = Image { writes: vec![write(64, cell)], ..Image::default() };
    let (terms, trace) = run(wat, &image, 100);
    let Outcome::Returned(values) = &trace.outcome else { panic!("{}", trace.outcome) };
    assert_eq!(values[..], [5, 0, bits as u32].map(Scalar::I32));
    assert_eq!(terms.var_sort(terms.find_var("middle").unwrap()), Sort::Bv(9));
    assert!(trace.results.iter().all(Option::is_some));
}

fn cells_that_mean_nothing_are_errors() {
    let program = executable(r#"(module (memory 1) (func (export "f")))"#);
    let cell = |kind, symbol| Cell { kind, bits: 1, symbol: Some(symbol) };
    let pointer = Symbol::Pointer { present: "p".to_string(), address: 64, others: Vec::new() };
    let fields = |fields: &[BitsOf]| Symbol::Fields(fields.to_vec());
    let cases = [
        vec![cell(CellKind::F64, pointer)],
        vec![cell(CellKind::Bool, fields(&[bits("a", 0, 1)]))],
        vec![cell(int(8, false), fields(&[bits("a", 0, 5), bits("b", 4, 2)]))],
        vec![cell(int(8, false), fields(&[bits("a", 4, 5)]))],
        vec![cell(int(8, false), fields(&[bits("a", 4, 0)]))],
        vec![Cell::variable(int(8, false), 1, "x"), Cell::variable(int(8, false), 2, "x")],
        vec![Cell::variable(int(8, false), 1, "x"), Cell::variable(int(16, false), 1, "x")],
    ];
    for cells in cases {
        let writes = cells.into_iter().map(|cell| write(64, cell)).collect();
        let image = Image { writes, ..Image::default() };
        let mut executor = program.executor(Entry::new("f")).unwrap();
        let error = executor.run(&mut Terms::new(), &image, 100).unwrap_err();
        assert!(matches!(error, ExecError::InvalidCell { .. }), "{error}");
        assert!(!error.to_string().contains('\n'));
    }
}

const TABLE: &str = r#"(module (memory 1) (data (i32.const 64) "\03\01\04\01\05\09\02\06")
    (func (export "f") (param i32) (result i32) (i32.load8_u offset=64 (local.get 0))))"#;

fn bounded(kind: CellKind, value: u64, low: i64, high: i64) -> Image {
    let range = CellRange { name: "n".to_string(), kind, low, high };
    Image { args: vec![Cell::variable(kind, value, "n")], ranges: vec![range], ..Image::default() }
}

fn bounds_are_assumed_and_make_windows() {
    for kind in [int(8, true), int(8, false), int(32, true), int(32, false), int(16, true)] {
        let (_, trace) = run(TABLE, &bounded(kind, 5, 0, 7), 100);
        assert_eq!(returned(&trace), Scalar::I32(9));
        assert!(trace.results[0].is_some(), "{kind:?}");
        assert!(!origins(&trace).contains(&Origin::Concretized), "{kind:?}");
        let assumed = trace.path.constraints.iter().filter(|c| c.origin == Origin::Range);
        assert!(assumed.clone().all(|constraint| constraint.site == SiteId::at(0)));
        // That an unsigned number is not negative needs no saying.
        let signed = matches!(kind, CellKind::Int { signed: true, .. });
        assert_eq!(assumed.count(), 1 + usize::from(signed));
    }
    let nothing = r#"(module (func (export "f") (param f64)))"#;
    let (_, trace) = run(nothing, &bounded(CellKind::F64, 2.5f64.to_bits(), -3, 3), 100);
    assert_eq!(origins(&trace), [Origin::Range, Origin::Range]);
    let nothing = r#"(module (func (export "f") (param i32)))"#;
    let (_, trace) = run(nothing, &bounded(int(8, true), 0xff, -128, 127), 100);
    assert_eq!(origins(&trace), []);
}

fn broken_bounds_reject() {
    for (kind, value) in [(int(8, true), 0xff), (int(8, false), 8), (int(16, true), 9)] {
        let (terms, trace) = run(TABLE, &bounded(kind, value, 0, 7), 100);
        assert_eq!(trace.outcome, Outcome::Rejected(SiteId::at(0)));
        assert!(literals(&terms, &trace, Origin::Range).iter().any(|&(_, expected)| !expected));
    }
}

fn watched_memory_is_what_it_was_at_the_end() {
    let wat = r#"(module (memory 1) (func (export "f") (param i32)
        (i32.store8 (i32.const 65) (local.get 0))
        (if (local.get 0) (then unreachable))))"#;
    for value in [0, 9] {
        let mut image = Image::of_symbolic_args([Scalar::I32(value)]);
        image = image.with_bytes(64, &[1, 2, 3], Some("b"));
        image.watched = vec![64..67, 65_535..65_540, 70_000..70_001];
        let (_, trace) = run(wat, &image, 100);
        assert_eq!(trace.watched, [vec![1, value as u8, 3], vec![0], vec![]]);
        assert_eq!(matches!(trace.outcome, Outcome::Trapped(_)), value != 0);
    }
}

const ARENA: std::ops::Range<u32> = 4096..8192;

fn pointer(address: u32, there: bool) -> Cell {
    let symbol = Symbol::Pointer { present: "p".to_string(), address, others: Vec::new() };
    let bits = if there { u64::from(address) } else { 0 };
    Cell { kind: int(32, false), bits, symbol: Some(symbol) }
}

/// A pointer to an object in an arena, and an index.
fn object(length: u32, there: bool, index: i32) -> Image {
    Image {
        args: vec![pointer(4200, there), Cell::variable(int(32, true), index as u32 as u64, "i")],
        arena: ARENA,
        objects: vec![4200..4200 + length],
        ..Image::default()
    }
}

fn pointers_are_null_or_there() {
    let wat = r#"(module (memory 1) (func (export "f") (param $p i32) (param $i i32) (result i32)
        (if (i32.eqz (local.get $p)) (then (return (i32.const -1))))
        (i32.load offset=4 (local.get $p))))"#;
    let (terms, trace) = run(wat, &object(8, true, 0), 100);
    let p = variable(&terms, "p");
    // What the branch has said is not said again.
    assert_eq!(literals(&terms, &trace, Origin::Branch), [(p, true)]);
    assert_eq!(origins(&trace).len(), 1);
    let (terms, trace) = run(wat, &object(8, false, 0), 100);
    assert_eq!(returned(&trace), Scalar::I32(u32::MAX));
    assert_eq!(literals(&terms, &trace, Origin::Branch), [(variable(&terms, "p"), false)]);
    let unchecked = wat.replace("(i32.eqz (local.get $p))", "(i32.const 0)");
    let (terms, trace) = run(&unchecked, &object(8, true, 0), 100);
    assert_eq!(literals(&terms, &trace, Origin::ObjectGuard), [(variable(&terms, "p"), true)]);
    let (terms, trace) = run(&unchecked, &object(8, false, 0), 100);
    assert_eq!(trap(&trace), TrapKind::NullPointer);
    assert_eq!(literals(&terms, &trace, Origin::ObjectGuard), [(variable(&terms, "p"), false)]);
    assert_eq!(origins(&trace).len(), 1);
}

/// Two pointers, the second of which may have the object of the first, if that has one.
fn two_pointers(has_first: bool, has_second: bool, is_chosen: bool) -> Image {
    let other = Other {
        name: "q == p".to_string(),
        is_chosen,
        needs: vec![("p".to_string(), true)],
        holds: is_chosen && has_first,
        address: 4200,
        inside: None,
    };
    let (holds, there) = (other.holds, u64::from(if other.holds { 4200u32 } else { 4300 }));
    let symbol = Symbol::Pointer { present: "q".to_string(), address: 4300, others: vec![other] };
    let bits = if has_second { there } else { 0 };
    let second = Cell { kind: int(32, false), bits, symbol: Some(symbol) };
    let mut objects = vec![4200..4208];
    objects.extend((!holds).then_some(4300..4308));
    Image {
        args: vec![pointer(4200, has_first), second],
        arena: ARENA,
        objects,
        ..Image::default()
    }
}

fn pointers_may_have_one_object() {
    let wat = r#"(module (memory 1) (func (export "f") (param $p i32) (param $q i32) (result i32)
        (if (i32.eqz (local.get $p)) (then (return (i32.const 1))))
        (if (i32.eqz (local.get $q)) (then (return (i32.const 2))))
        (i32.store (local.get $q) (i32.const 7))
        (if (i32.eq (local.get $p) (local.get $q)) (then (return (i32.const 3))))
        (i32.load (local.get $p))))"#;
    let cases = [
        (true, true, true, 3),
        (true, true, false, 0),
        (true, false, true, 2),
        (false, true, true, 1),
    ];
    for (has_first, has_second, is_chosen, result) in cases {
        let (terms, trace) = run(wat, &two_pointers(has_first, has_second, is_chosen), 100);
        assert_eq!(returned(&trace), Scalar::I32(result));
        // That a pointer is there, a branch has said; whose object it has, is asked where it is followed.
        let guards = literals(&terms, &trace, Origin::ObjectGuard);
        let expected = usize::from(has_first && has_second);
        assert_eq!(guards.len(), expected, "{result}");
        assert!(guards.iter().all(|&(_, holds)| holds == is_chosen));
    }
}

fn an_index_behind_a_pointer_has_a_window() {
    let wat = r#"(module (memory 1) (func (export "f") (param $p i32) (param $i i32) (result i32)
        (i32.load offset=4 (i32.add (local.get $p)
          (i32.shl (i32.and (local.get $i) (i32.const 3)) (i32.const 2))))))"#;
    for (swapped, index) in [(false, 2), (true, 1), (false, 3)] {
        let mut image = object(20, true, index).with_bytes(4204, &[1, 0, 0, 0, 2], None);
        image = image.with_bytes(4212, &[3, 0, 0, 0, 4], None);
        let wat = match swapped {
            true => {
                wat.replace("(local.get $p)", "(i32.const 0)")
                    .replace("(i32.shl", "(i32.add (i32.sub (local.get $p) (i32.const 0)) (i32.shl")
                    + ")"
            }
            false => wat.to_string(),
        };
        let (terms, trace) = run(&wat, &image, 100);
        assert_eq!(returned(&trace), Scalar::I32(index as u32 + 1));
        assert!(!origins(&trace).contains(&Origin::Concretized));
        let mut values = valuation(&terms, &image, &trace);
        for i in 0..4 {
            values.set(terms.find_var("i").unwrap(), Value::bv(32, i));
            let result = terms.evaluate(trace.results[0].unwrap(), &values);
            assert_eq!(result, Value::bv(32, i + 1));
        }
    }
}

fn a_small_object_is_a_window() {
    let wat = r#"(module (memory 1) (func (export "f") (param $p i32) (param $i i32) (result i32)
        (i32.load8_u (i32.add (local.get $p) (local.get $i)))))"#;
    let bytes = [10, 11, 12, 13, 14];
    let image = object(5, true, 3).with_bytes(4200, &bytes, None);
    let (terms, trace) = run(wat, &image, 100);
    assert_eq!(returned(&trace), Scalar::I32(13));
    assert!(!origins(&trace).contains(&Origin::Concretized));
    let mut values = valuation(&terms, &image, &trace);
    for (i, byte) in bytes.into_iter().enumerate() {
        values.set(terms.find_var("i").unwrap(), Value::bv(32, i as u64));
        assert!(terms.satisfies(&trace.path.literals(), &values));
        assert_eq!(terms.evaluate(trace.results[0].unwrap(), &values), Value::bv(32, byte.into()));
    }
    for i in [5, u64::from(u32::MAX)] {
        values.set(terms.find_var("i").unwrap(), Value::bv(32, i));
        assert!(!terms.satisfies(&trace.path.literals(), &values));
    }
    // Symbolic bytes cannot be a table.
    let image = object(5, true, 3).with_bytes(4200, &bytes, Some("b"));
    let (terms, trace) = run(wat, &image, 100);
    assert!(origins(&trace).contains(&Origin::Concretized));
    assert!(matches!(terms.node(trace.results[0].unwrap()), Node::App { .. }));
}

fn pointers_without_an_arena_are_pinned() {
    let wat = r#"(module (memory 1) (func (export "f") (param i32) (result i32)
        (i32.load (local.get 0))))"#;
    for there in [true, false] {
        let image = Image { args: vec![pointer(64, there)], ..Image::default() };
        let (terms, trace) = run(wat, &image, 100);
        assert_eq!(returned(&trace), Scalar::I32(0));
        let pinned = literals(&terms, &trace, Origin::Concretized);
        assert_eq!(pinned, [(variable(&terms, "p"), there)]);
    }
}

/// An arena with objects at 4100..4105 and 4112..4128, all concrete.
fn poisoned(address: u32) -> Image {
    let objects = vec![4100..4105, 4112..4128];
    Image { arena: ARENA, objects, ..Image::of_args([Scalar::I32(address)]) }
}

fn ends(wat: &str, address: u32) -> Option<TrapKind> {
    let (_, trace) = run(wat, &poisoned(address), 1000);
    match trace.outcome {
        Outcome::Trapped(trap) => {
            assert!(trap.site.is_some(), "a trap has a place");
            Some(trap.kind)
        }
        Outcome::Returned(_) => None,
        other @ (Outcome::Rejected(_) | Outcome::Exhausted(_) | Outcome::Exited(_)) => {
            panic!("{other}")
        }
    }
}

fn poison_is_not_touched() {
    let bodies = [
        (1, "(drop (i32.load8_u (local.get 0)))"),
        (2, "(drop (i32.load16_u (local.get 0)))"),
        (4, "(drop (f32.load (local.get 0)))"),
        (8, "(drop (i64.load (local.get 0)))"),
        (1, "(i32.store8 (local.get 0) (i32.const 1))"),
        (4, "(i32.store (local.get 0) (i32.const 1))"),
        (8, "(f64.store (local.get 0) (f64.const 1))"),
        (4, "(drop (i32.load offset=8 (i32.sub (local.get 0) (i32.const 8))))"),
    ];
    for (n, body) in bodies {
        let wat = format!(r#"(module (memory 1) (func (export "f") (param i32) {body}))"#);
        for address in (4090..4135).chain([8180, 8184, 8185, 8191, 8192, 9000, 1024, 2000]) {
            let touched = address..address + n;
            let is_bad = |byte: u32| {
                ARENA.contains(&byte)
                    && !(4100..4105).contains(&byte)
                    && !(4112..4128).contains(&byte)
            };
            let expected = touched.clone().any(is_bad).then_some(TrapKind::OutOfObject);
            assert_eq!(ends(&wat, address), expected, "{body} at {address}");
        }
        for address in [8, 9, 500, 1023] {
            assert_eq!(ends(&wat, address), Some(TrapKind::NullPointer), "{body} at {address}");
        }
    }
}

fn poison_is_seen_by_bulk_operations() {
    let wat = |operation: &str| {
        format!(
            r#"(module (memory 1) (data "abcdefgh") (func (export "f") (param i32) ({operation})))"#
        )
    };
    let reads = "memory.copy (i32.const 3000) (local.get 0) (i32.const 5)";
    let writes = "memory.copy (local.get 0) (i32.const 3000) (i32.const 5)";
    let fills = "memory.fill (local.get 0) (i32.const 1) (i32.const 5)";
    let inits = "memory.init 0 (local.get 0) (i32.const 1) (i32.const 5)";
    for operation in [reads, writes, fills, inits] {
        let wat = wat(operation);
        assert_eq!(ends(&wat, 4100), None, "{operation}");
        assert_eq!(ends(&wat, 4123), None, "{operation}");
        assert_eq!(ends(&wat, 4101), Some(TrapKind::OutOfObject), "{operation}");
        assert_eq!(ends(&wat, 4124), Some(TrapKind::OutOfObject), "{operation}");
        assert_eq!(ends(&wat, 16), Some(TrapKind::NullPointer), "{operation}");
        assert_eq!(ends(&wat, 65_535), Some(TrapKind::MemoryOutOfBounds), "{operation}");
        let nothing = wat.replace("(i32.const 5)", "(i32.const 0)");
        assert_eq!(ends(&nothing, 16), None, "{operation}");
    }
}

fn symbolic_addresses_are_guarded_by_their_object() {
    let load = r#"(module (memory 1) (func (export "f") (param i32) (result i32)
        (i32.load offset=4 (local.get 0))))"#;
    let store = load.replace("(result i32)", "").replace(
        "(i32.load offset=4 (local.get 0))",
        "(i32.store offset=4 (local.get 0) (i32.const 1))",
    );
    let copy = load.replace("(result i32)", "").replace(
        "(i32.load offset=4 (local.get 0))",
        "(memory.copy (i32.add (local.get 0) (i32.const 4)) (i32.const 3000) (i32.const 4))",
    );
    for wat in [load, &store, &copy] {
        let symbolic = |address| Image {
            args: vec![Cell::variable(int(32, false), address, "a")],
            ..poisoned(0)
        };
        let image = symbolic(4110);
        let (terms, trace) = run(wat, &image, 100);
        assert!(matches!(trace.outcome, Outcome::Returned(_)), "{}", trace.outcome);
        let mut values = valuation(&terms, &image, &trace);
        let var = terms.find_var("a").unwrap();
        let guards: Vec<_> =
            trace.path.constraints.iter().filter(|c| c.origin != Origin::Concretized).collect();
        for (address, allowed) in
            [(4107, false), (4108, true), (4120, true), (4121, false), (0, false)]
        {
            values.set(var, Value::bv(32, address));
            let guards: Vec<_> = guards.iter().map(|guard| guard.literal).collect();
            assert_eq!(terms.satisfies(&guards, &values), allowed, "{wat} at {address}");
        }
        // Off the end: the last guard says so.
        let (terms, trace) = run(wat, &symbolic(4121), 100);
        assert_eq!(trap(&trace), TrapKind::OutOfObject);
        assert!(
            literals(&terms, &trace, Origin::ObjectGuard).iter().any(|&(_, expected)| !expected)
        );
        let (_, trace) = run(wat, &symbolic(4130), 100);
        assert_eq!(trap(&trace), TrapKind::OutOfObject);
    }
}

fn poisoned_programs_do_not_run_as_clones() {
    let wat = r#"(module (memory 1)
        (func $touch (param i32) (result i32) (i32.load8_u (local.get 0)))
        (func (export "f") (param i32) (drop (call $touch (local.get 0)))))"#;
    assert_eq!(ends(wat, 4106), Some(TrapKind::OutOfObject));
    assert_eq!(ends(wat, 4104), None);
}

fn stub(kind: CellKind) -> Config {
    let mut config = Config::standard();
    let action = ImportAction::Draw { name: "read()".to_string(), kind };
    config.imports.insert(("env".to_string(), "read".to_string()), action);
    config
}

const READS: &str = r#"(module (import "env" "read" (func $read (param i32) (result i32)))
    (func $again (result i32) (call $read (i32.const 1)))
    (func (export "f") (result i32 i32 i32)
      (call $read (i32.const 0)) (call $again) (call $again)))"#;

fn stubs_draw_their_results() {
    let program = prepare(READS, &stub(int(16, true)));
    let mut image = Image::default();
    image.drawn.set("read()", Value::bv(16, 0xfffe));
    image.drawn.set("read()#2", Value::bv(16, 7));
    let (terms, trace) = run_on(&program, &image, 100);
    let values = [-2i32 as u32, 0, 7].map(Scalar::I32).to_vec();
    assert_eq!(trace.outcome, Outcome::Returned(values));
    assert!(trace.results.iter().all(Option::is_some));
    let names: Vec<&str> = trace.drawn.iter().map(|drawn| drawn.name.as_str()).collect();
    assert_eq!(names, ["read()", "read()#1", "read()#2"]);
    assert_eq!(terms.n_vars(), 3);
    assert_eq!(trace.drawn[0].value, Value::bv(16, 0xfffe));
    let nothing = r#"(module (import "env" "read" (func $read))
        (func (export "f") (call $read)))"#;
    let (_, trace) = run_on(&prepare(nothing, &stub(CellKind::Bool)), &Image::default(), 100);
    assert_eq!((trace.outcome, trace.drawn.len()), (Outcome::Returned(vec![]), 0));
    let float = READS.replace("(result i32)", "(result f64)").replace("i32 i32 i32", "f64 f64 f64");
    let (_, trace) = run_on(&prepare(&float, &stub(CellKind::Bool)), &Image::default(), 100);
    assert_eq!(trap(&trace), TrapKind::MissingImport("env.read".to_string()));
}

fn drawn_names_avoid_those_of_the_image() {
    let program = prepare(READS, &stub(int(32, true)));
    let cell = Cell::variable(int(32, true), 5, "read()#1");
    let wat_memory = READS.replace("(func $again", "(memory 1) (func $again");
    let image = Image { writes: vec![write(64, cell)], ..Image::default() };
    let (_, trace) = run_on(&prepare(&wat_memory, &stub(int(32, true))), &image, 100);
    let names: Vec<&str> = trace.drawn.iter().map(|drawn| drawn.name.as_str()).collect();
    assert_eq!(names, ["read()", "read()#2", "read()#3"]);
    // A name that is another kind's in the same terms is an outcome.
    let mut terms = Terms::new();
    terms.var("read()", Sort::F64);
    let mut executor = program.executor(Entry::new("f")).unwrap();
    let trace = executor.run(&mut terms, &Image::default(), 100).unwrap();
    assert_eq!(trap(&trace), TrapKind::InvalidName);
}

fn stubs_draw_pointers() {
    let wat = r#"(module (import "env" "make" (func $make (result i32))) (memory 1)
        (func (export "f") (result i32)
          (local $p i32)
          (local.set $p (call $make))
          (if (i32.eqz (local.get $p)) (then (return (i32.const -1))))
          (drop (call $make))
          (i32.load16_u offset=4 (local.get $p))))"#;
    let mut config = Config::standard();
    let action = ImportAction::DrawPointer { name: "make()".to_string(), size: 6 };
    config.imports.insert(("env".to_string(), "make".to_string()), action.clone());
    let program = prepare(wat, &config);
    let mut image = Image { arena: ARENA, objects: vec![4200..4300], ..Image::default() };
    let (_, trace) = run_on(&program, &image, 100);
    assert_eq!(returned(&trace), Scalar::I32(u32::MAX));
    assert_eq!(origins(&trace), [Origin::Branch]);
    image.drawn.set("make()", Value::Bool(true));
    image.drawn.set("*make()[4]", Value::bv(8, 0x34));
    image.drawn.set("*make()[5]", Value::bv(8, 0x12));
    let (terms, trace) = run_on(&program, &image, 100);
    assert_eq!(returned(&trace), Scalar::I32(0x1234));
    assert!(trace.results[0].is_some());
    assert_eq!(literals(&terms, &trace, Origin::Branch), [(variable(&terms, "make()"), true)]);
    assert_eq!(origins(&trace).len(), 1);
    let names: Vec<&str> = trace.drawn.iter().map(|drawn| drawn.name.as_str()).collect();
    assert_eq!(names[..2], ["make()", "*make()[0]"]);
    assert_eq!(names[7..], ["make()#1"]);
    // Beyond its end it is poisoned as all of the arena is.
    let (_, trace) = run_on(&prepare(&wat.replace("offset=4", "offset=5"), &config), &image, 100);
    assert_eq!(trap(&trace), TrapKind::OutOfObject);
    // Without an arena, or without room in it, there is only null.
    for full in [Image::default(), Image { objects: vec![ARENA], ..image.clone() }] {
        let (_, trace) = run_on(&program, &full, 100);
        assert_eq!((returned(&trace), trace.drawn.len()), (Scalar::I32(u32::MAX), 0));
    }
}

fn primitives_draw_by_name() {
    let cases = [
        ("int8", "i32", 0xff, Scalar::I32(u32::MAX)),
        ("uint8", "i32", 0xff, Scalar::I32(255)),
        ("int16", "i32", 0x8000, Scalar::I32(0xffff_8000)),
        ("uint16", "i32", 0x8000, Scalar::I32(0x8000)),
        ("int32", "i32", 0xffff_ffff, Scalar::I32(u32::MAX)),
        ("uint32", "i64", 0xffff_ffff, Scalar::I64(0xffff_ffff)),
        ("int64", "i64", u64::MAX, Scalar::I64(u64::MAX)),
        ("uint64", "i64", 1 << 63, Scalar::I64(1 << 63)),
        ("float32", "f32", 0x3fc0_0000, Scalar::F32(0x3fc0_0000)),
        ("float64", "f64", 0x3ff8 << 48, Scalar::F64(0x3ff8 << 48)),
        ("bool", "i32", 1, Scalar::I32(1)),
    ];
    for (primitive, ty, bits, expected) in cases {
        let wat = format!(
            r#"(module
              (import "symcrete" "{primitive}" (func $draw (param i32) (result {ty})))
              (memory 1) (data (i32.const 2000) "speed\00")
              (func (export "f") (result {ty}) (call $draw (i32.const 2000))))"#
        );
        let mut image = Image::default();
        // Any sort will do: the bits count.
        image.drawn.set("speed", Value::bv(64, bits));
        let (_, trace) = run(&wat, &image, 100);
        assert_eq!(returned(&trace), expected, "{primitive}");
        assert!(trace.results[0].is_some());
        let (_, trace) = run(&wat, &Image::default(), 100);
        assert_eq!(returned(&trace).bits(), 0);
    }
}

const BYTES: &str = r#"(module (import "symcrete" "bytes" (func $bytes (param i32 i32 i32)))
    (memory 1) (data (i32.const 2000) "buf\00")
    (func (export "f") (param i32 i32) (result i32 i32)
      (i32.store (i32.const 3000) (i32.const -1))
      (call $bytes (i32.const 3001) (i32.const 2) (i32.const 2000))
      (call $bytes (local.get 0) (local.get 1) (i32.const 2000))
      (i32.load (i32.const 3000)) (i32.load8_u (local.get 0))))"#;

fn primitives_draw_bytes() {
    let mut image = Image::of_symbolic_args([3100, 3].map(Scalar::I32));
    image.drawn.set("buf[1]", Value::bv(8, 0x21));
    image.drawn.set("buf#1[0]", Value::bv(8, 0x42));
    image.watched = vec![3000..3004];
    let (terms, trace) = run(BYTES, &image, 100);
    assert_eq!(trace.outcome, Outcome::Returned([0xff21_00ff, 0x42].map(Scalar::I32).to_vec()));
    assert!(trace.results.iter().all(Option::is_some));
    assert_eq!(trace.watched, [vec![0xff, 0, 0x21, 0xff]]);
    let names: Vec<&str> = trace.drawn.iter().map(|drawn| drawn.name.as_str()).collect();
    assert_eq!(names, ["buf[0]", "buf[1]", "buf#1[0]", "buf#1[1]", "buf#1[2]"]);
    let pins = literals(&terms, &trace, Origin::Concretized);
    assert_eq!(pins.len(), 2);
    assert!(trace.path.constraints.iter().all(|constraint| constraint.site.offset > 0));
    let large = BYTES.replace("(memory 1)", "(memory 100)");
    let image = Image::of_symbolic_args([4000, 5_000_000].map(Scalar::I32));
    assert_eq!(run(&large, &image, 100).1.outcome, Outcome::Exhausted(Resource::Terms));
    for (start, length) in [(65_530, 7), (u32::MAX, 1), (1, u32::MAX)] {
        let image = Image::of_symbolic_args([start, length].map(Scalar::I32));
        assert_eq!(trap(&run(BYTES, &image, 100).1), TrapKind::MemoryOutOfBounds);
    }
}

fn bad_names_are_outcomes() {
    let wat = r#"(module (import "symcrete" "int32" (func $draw (param i32) (result i32)))
        (memory 1) (data (i32.const 2000) "\ff\fe\00")
        (func (export "f") (param i32) (result i32)
          (memory.fill (i32.const 30000) (i32.const 65) (i32.const 2000))
          (memory.fill (i32.const 65000) (i32.const 65) (i32.const 536))
          (call $draw (local.get 0))))"#;
    for address in [0, 1, 2000, 2002, 30_000, 65_000, 65_535, 65_536, u32::MAX] {
        let (_, trace) = run(wat, &Image::of_args([Scalar::I32(address)]), 1000);
        assert_eq!(trap(&trace), TrapKind::InvalidName, "{address}");
    }
    let (_, trace) = run(wat, &poisoned(0), 1000);
    assert_eq!(trap(&trace), TrapKind::NullPointer);
}

fn programs_exit_and_fail() {
    let wat = |primitive: &str| {
        format!(
            r#"(module (import "symcrete" "{primitive}" (func $end (param i32)))
              (func $clean (param i32) (call $end (local.get 0)))
              (func (export "f") (param i32) (call $clean (local.get 0))))"#
        )
    };
    for image in [Image::of_args, Image::of_symbolic_args] {
        let end =
            |primitive: &str, x: i32| run(&wat(primitive), &image([Scalar::I32(x as u32)]), 100).1;
        assert_eq!(end("exit", -3).outcome, Outcome::Exited(-3));
        let kinds = [TrapKind::Abort, TrapKind::AssertionFailed, TrapKind::ReachError];
        for (i, kind) in kinds.into_iter().enumerate() {
            assert_eq!(trap(&end("fail", i as i32)), kind);
        }
        for (handler, name) in
            [(0, "overflow"), (3, "division"), (5, "float-cast"), (18, "bounds"), (20, "shift")]
        {
            let trace = end("check", handler);
            assert_eq!(trap(&trace), TrapKind::Check(name));
            let Outcome::Trapped(trap) = trace.outcome else { panic!("it trapped") };
            assert!(trap.site.is_some());
        }
    }
}

fn functions_that_are_not_exported_can_be_called() {
    let wat = r#"(module (import "env" "g" (func (param i32) (result i32)))
        (func $hidden (param i32) (result i32) (i32.add (local.get 0) (i32.const 1)))
        (func (export "twice") (param i32) (result i32) (i32.shl (local.get 0) (i32.const 1))))"#;
    let mut config = Config::standard();
    config.entries.insert("f".to_string(), 1);
    config.entries.insert("twice".to_string(), 1);
    let program = prepare(wat, &config);
    assert!(program.functions().eq(["f", "twice"]));
    let image = Image::of_symbolic_args([Scalar::I32(20)]);
    assert_eq!(returned(&run_on(&program, &image, 100).1), Scalar::I32(21));
    let mut twice = program.executor(Entry::new("twice")).unwrap();
    let trace = twice.run(&mut Terms::new(), &image, 100).unwrap();
    assert_eq!(returned(&trace), Scalar::I32(40));
    config.entries.insert("none".to_string(), 3);
    let Err(error) = ENGINE.prepare(&wat::parse_str(wat).unwrap(), &config) else {
        panic!("there is no function 3")
    };
    assert_eq!(error.to_string(), "the module has no function none");
}

const HASH: &str = r#"(module (memory 1) (data (i32.const 64) "\07")
    (func $hash (param i32 i64) (result i64) (local $h i64)
      (local.set $h (i64.extend_i32_u (i32.load8_u (i32.const 64))))
      (if (i32.eq (local.get 0) (i32.const 99)) (then unreachable))
      (if (i32.eq (local.get 0) (i32.const 98)) (then (loop (br 0))))
      (loop
        (local.set $h (i64.mul (i64.xor (local.get $h) (local.get 1)) (i64.const 1099511628211)))
        (br_if 0 (local.tee 0 (i32.shr_u (local.get 0) (i32.const 1)))))
      (local.get $h))
    (func (export "f") (param i32 i64) (result i64)
      (i32.store8 (i32.const 64) (i32.const 1))
      (if (i64.eqz (call $hash (local.get 0) (local.get 1))) (then (return (i64.const 5))))
      (call $hash (local.get 0) (local.get 1))))"#;

fn hash(mut x: u32, y: u64) -> u64 {
    let mut h = 7u64;
    loop {
        h = (h ^ y).wrapping_mul(1_099_511_628_211);
        x >>= 1;
        if x == 0 {
            return h;
        }
    }
}

fn executed_functions_are_opaque() {
    let mut config = Config::standard();
    config.executed.push("hash".to_string());
    let program = prepare(HASH, &config);
    let args = [Scalar::I32(1000), Scalar::I64(77)];
    for symbolic in [true, false] {
        let image = if symbolic { Image::of_symbolic_args(args) } else { Image::of_args(args) };
        let (terms, trace) = run_on(&program, &image, 1000);
        assert_eq!(returned(&trace), Scalar::I64(hash(1000, 77)));
        assert_eq!(trace.results[0].is_some(), symbolic);
        assert_eq!(origins(&trace).len(), usize::from(symbolic));
        let Some(result) = trace.results[0] else { continue };
        let values = valuation(&terms, &image, &trace);
        std::thread::scope(|scope| {
            for x in 0..8u32 {
                let (terms, mut values) = (&terms, values.clone());
                scope.spawn(move || {
                    values.set(terms.find_var("arg0").unwrap(), Value::bv(32, x.into()));
                    let value = terms.evaluate(result, &values);
                    assert_eq!(value, Value::bv(64, hash(x, 77)));
                });
            }
        });
    }
    // What traps or does not end is zero.
    for x in [99, 98] {
        let image = Image::of_symbolic_args([Scalar::I32(x), Scalar::I64(77)]);
        assert_eq!(returned(&run_on(&program, &image, 1000).1), Scalar::I64(5));
    }
}

fn what_cannot_be_executed_is_an_error() {
    let wat = r#"(module (import "env" "g" (func $g (param i32) (result i32)))
        (func $two (result i32 i32) (i32.const 1) (i32.const 2))
        (func $none (param i32)) (func $ref (param funcref) (result i32) (i32.const 1)))"#;
    let prepare = |name: &str| {
        let mut config = Config::standard();
        config.executed.push(name.to_string());
        let Err(error) = ENGINE.prepare(&wat::parse_str(wat).unwrap(), &config) else {
            panic!("{name} cannot be executed")
        };
        error
    };
    for name in ["two", "none", "ref"] {
        assert_eq!(prepare(name), ExecError::NotScalar { name: name.to_string() });
    }
    for name in ["g", "nobody"] {
        assert_eq!(prepare(name), ExecError::MissingFunction { name: name.to_string() });
    }
}
