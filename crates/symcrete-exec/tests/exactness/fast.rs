//! The fast machine against the engine: the same branches and the same end for the same image, whatever ran before.

use crate::differential::{ENGINE, LIMITS, config};
use crate::smith::{generate, random_value};
use libtest_mimic::{Failed, Trial};
use std::collections::BTreeMap;
use symcrete_exec::fast::plan::Plan;
use symcrete_exec::fast::{FastMachine, News};
use symcrete_exec::{Config, Entry, ExecError, Executable, Executor, ImportAction};
use symcrete_program::{
    BitsOf, Callee, Cell, CellKind, CellRange, Coverage, Image, Outcome, StubResult, Symbol,
    TrapKind, Write,
};
use symcrete_term::{Rng, Seed, Terms};

const FUEL: u32 = 20_000;
/// How functions are called that have a name of their own or none.
const ENTRY: &str = "the entry of the fast machine";
const INT: CellKind = CellKind::Int { bits: 32, signed: true };
const LONG: CellKind = CellKind::Int { bits: 64, signed: true };
const BYTE: CellKind = CellKind::Int { bits: 8, signed: false };

/// Each is a whole module whose export `f` takes numbers; memory cells are bytes from 1024 on.
const KERNELS: &[(&str, &[CellKind], u32, &str)] = &[
    (
        "switch",
        &[INT],
        0,
        "(func (export \"f\") (param i32)
           block block block local.get 0 br_table 0 1 0 2 2 1 end end end)",
    ),
    (
        "select_and_logic",
        &[INT, LONG],
        0,
        "(func (export \"f\") (param i32 i64) (result i32)
           (i32.and (i32.gt_s (local.get 0) (i32.const 7)) (i64.lt_u (local.get 1) (i64.const 9)))
           if (result i32) i32.const 1 else i32.const 2 end
           (select (i32.const 3) (i32.const 4) (i64.eqz (local.get 1))) i32.add)",
    ),
    (
        "floats",
        &[CellKind::F32, CellKind::F64],
        0,
        "(func (export \"f\") (param f32 f64) (result i32)
           (if (f32.lt (local.get 0) (f32.const 1.5)) (then (return (i32.const 1))))
           (if (f64.eq (local.get 1) (f64.const -0)) (then (return (i32.const 2))))
           (if (i32.eqz (f64.ge (local.get 1) (f64.promote_f32 (local.get 0))))
             (then (return (i32.const 3))))
           (i32.trunc_f64_s (local.get 1)))",
    ),
    (
        "rounding_directions",
        &[CellKind::F64, CellKind::F64, LONG],
        0,
        "(import \"symcrete\" \"f64.add.up\" (func $add (param f64 f64) (result f64)))
         (import \"symcrete\" \"f64.div.down\" (func $div (param f64 f64) (result f64)))
         (import \"symcrete\" \"f64.sqrt.zero\" (func $sqrt (param f64) (result f64)))
         (import \"symcrete\" \"f32.convert_i64_u.up\" (func $convert (param i64) (result f32)))
         (func (export \"f\") (param f64 f64 i64) (result i32)
           (if (f64.gt (call $add (local.get 0) (local.get 1)) (f64.add (local.get 0) (local.get 1)))
             (then (return (i32.const 1))))
           (if (f64.lt (call $div (local.get 0) (local.get 1)) (f64.div (local.get 0) (local.get 1)))
             (then (return (i32.const 2))))
           (if (f64.lt (call $sqrt (f64.abs (local.get 0))) (f64.sqrt (f64.abs (local.get 0))))
             (then (return (i32.const 3))))
           (f32.gt (call $convert (local.get 2)) (f32.convert_i64_u (local.get 2))))",
    ),
    (
        "state",
        &[INT],
        4,
        "(memory 1 4) (global $g (mut i32) (i32.const 5))
         (func (export \"f\") (param i32) (result i32)
           (if (i32.gt_u (memory.size) (i32.const 1)) (then unreachable))
           (if (i32.ne (global.get $g) (i32.const 5)) (then unreachable))
           (if (i32.ne (i32.load (i32.const 2044)) (i32.const 0)) (then unreachable))
           (global.set $g (local.get 0))
           (i64.store offset=3 (i32.const 2041) (i64.const -1))
           (memory.fill (i32.const 300) (i32.const 7) (i32.and (local.get 0) (i32.const 8191)))
           (if (i32.eq (i32.load8_u (i32.const 1025)) (i32.const 9)) (then unreachable))
           (if (i32.lt_s (memory.grow (i32.and (local.get 0) (i32.const 3))) (i32.const 0))
             (then (return (i32.const -1))))
           (i32.store (i32.shl (memory.size) (i32.const 15)) (i32.const 1))
           (i32.div_s (i32.const 100) (local.get 0)))",
    ),
    (
        "state_of_64_bits",
        &[INT, LONG],
        4,
        "(memory i64 1 4) (data (i64.const 512) \"abc\") (data $d \"xyz\")
         (func (export \"f\") (param i32 i64) (result i64)
           (if (i64.gt_u (memory.size) (i64.const 1)) (then unreachable))
           (if (i32.ne (i32.load (i64.const 2044)) (i32.const 0)) (then unreachable))
           (if (i32.ne (i32.load8_u offset=512 (i64.const 1)) (i32.const 98)) (then unreachable))
           (i64.store offset=3 (i64.const 2041) (i64.const -1))
           (memory.fill (i64.const 300) (i32.const 7) (i64.extend_i32_u (i32.and (local.get 0) (i32.const 8191))))
           (memory.init $d (i64.const 80) (i32.const 1) (i32.const 2))
           (memory.copy (i64.const 5000) (i64.const 300) (i64.and (local.get 1) (i64.const 0x1000000ff)))
           (if (i32.eq (i32.load8_u (i64.const 1025)) (i32.const 9)) (then unreachable))
           (if (i64.lt_s (memory.grow (i64.and (local.get 1) (i64.const 0x100000003))) (i64.const 0))
             (then (return (i64.const -1))))
           (i32.store (i64.shl (memory.size) (i64.const 15)) (i32.const 1))
           (i64.store8 (local.get 1) (i64.const 7))
           (i64.load8_s offset=9 (local.get 1)))",
    ),
    (
        "offsets_beyond",
        &[LONG],
        0,
        "(memory i64 1) (func (export \"f\") (param i64) (result i64)
           (if (result i64) (i64.gt_s (local.get 0) (i64.const 3))
             (then (i64.load offset=0x100000000 (local.get 0)))
             (else (i64.store offset=0x7fffffffffffffff (local.get 0) (i64.const 1)) (i64.const 2))))",
    ),
    (
        "tables_of_64_bits",
        &[INT, LONG],
        0,
        "(table $t i64 4 funcref) (elem (i64.const 1) $f $g) (type $t (func (param i32) (result i32)))
         (func $f (type $t) (i32.add (local.get 0) (i32.const 1)))
         (func $g (type $t) (i32.div_u (i32.const 9) (local.get 0)))
         (func (export \"f\") (param i32 i64) (result i32)
           (if (ref.is_null (table.get $t (i64.and (local.get 1) (i64.const 0x100000007))))
             (then (return (i32.wrap_i64 (table.size $t)))))
           (call_indirect $t (type $t) (local.get 0) (local.get 1)))",
    ),
    (
        "recursion_and_tables",
        &[INT],
        0,
        "(table funcref (elem $f $g)) (type $t (func (param i32) (result i32)))
         (func $f (export \"f\") (param i32) (result i32)
           (if (i32.le_s (local.get 0) (i32.const 0)) (then (return (i32.const 1))))
           (call_indirect (type $t) (i32.sub (local.get 0) (i32.const 3))
             (i32.and (local.get 0) (i32.const 1))))
         (func $g (param i32) (result i32)
           (if (i32.eq (local.get 0) (i32.const 8)) (then unreachable))
           (call $f (i32.shr_s (local.get 0) (i32.const 1))))",
    ),
];

pub(crate) fn trials() -> Vec<Trial> {
    let kernels = KERNELS.iter().map(|&(name, kinds, n_bytes, text)| {
        Trial::test(format!("fast::agrees::{name}"), move || {
            let text = format!("(module {text})");
            agree(&text, &image(kinds, n_bytes), &asked(&[]), &Config::standard(), 300)
        })
    });
    let mut trials: Vec<Trial> = kernels.collect();
    trials.extend((0..4).map(|portion| {
        Trial::test(format!("fast::smith_{portion}"), move || smith(portion * 60, 60, false))
    }));
    trials.extend((4..6).map(|portion| {
        Trial::test(format!("fast::smith_wide_{portion}"), move || smith(portion * 60, 60, true))
    }));
    trials.push(Trial::test("fast::draws_and_assumptions", draws_and_assumptions));
    for width in ["i32", "i64"] {
        let name = format!("fast::cells_by_name_{width}");
        trials.push(Trial::test(name, move || cells_by_name(width)));
    }
    trials.push(Trial::test("fast::structures_and_callbacks", structures_and_callbacks));
    trials.push(Trial::test("fast::bit_fields_and_bounds", bit_fields_and_bounds));
    trials
}

fn image(kinds: &[CellKind], n_bytes: u32) -> Image {
    let arg = |(i, &kind)| Cell::variable(kind, 0, format!("arg{i}"));
    let byte = |i| Write { address: 1024 + i, cell: Cell::variable(BYTE, 0, format!("s[{i}]")) };
    Image {
        args: kinds.iter().enumerate().map(arg).collect(),
        writes: (0..n_bytes).map(byte).collect(),
        ..Image::default()
    }
}

fn random_values(rng: &mut Rng, plan: &Plan) -> Vec<u64> {
    let types = |kind: CellKind| match kind {
        CellKind::F32 => wasmparser::ValType::F32,
        CellKind::F64 => wasmparser::ValType::F64,
        CellKind::Int { bits: 64, .. } => wasmparser::ValType::I64,
        CellKind::Int { .. } | CellKind::Bool => wasmparser::ValType::I32,
    };
    let small = |rng: &mut Rng| rng.below(16);
    plan.variables()
        .iter()
        .map(|variable| {
            let any = random_value(rng, types(variable.kind)).canonical().bits();
            let is_small = !variable.kind.sort().is_float() && rng.one_in(2);
            variable.normal(if is_small { small(rng) } else { any })
        })
        .collect()
}

/// What one run of a machine covers, and how it ends.
fn run_burst(
    machine: &mut FastMachine,
    plan: &Plan,
    values: &[u64],
) -> Result<(Coverage, Option<Outcome>), ExecError> {
    machine.reset(None);
    let mut news: Vec<News> = Vec::new();
    machine.run_batch(plan, values, FUEL, &mut news)?;
    let taken = machine.edges().filter(|(side, _)| machine.distance(*side) == Some(0));
    let coverage = taken.map(|(_, edge)| edge).collect();
    Ok((coverage, news.pop().and_then(|news| news.ended)))
}

/// Whether a machine and the engine agree on one run. `None` if how far they got may rightly differ.
fn compare(
    executable: &Executable,
    machine: &mut FastMachine,
    plan: &Plan,
    values: &[u64],
) -> Result<Option<()>, String> {
    let text = |error: ExecError| error.to_string();
    let (coverage, ended) = run_burst(machine, plan, values).map_err(text)?;
    let mut executor = executable.executor(Entry::new(ENTRY)).map_err(text)?;
    let trace =
        executor.run(&mut Terms::new(), &plan.image(values), u64::from(FUEL)).map_err(text)?;
    let engine_ended =
        Some(trace.outcome).filter(|outcome| !matches!(outcome, Outcome::Returned(_)));
    // How deep calls nest is counted a little differently.
    let is_vague = |end: &Option<Outcome>| kind_of(end.as_ref()) == Some(TrapKind::StackOverflow);
    if is_vague(&ended) || is_vague(&engine_ended) {
        return Ok(None);
    }
    // Compilers move what traps, and its place with it, so that only the kinds of traps are compared.
    let same_kind = kind_of(ended.as_ref()).is_some()
        && kind_of(ended.as_ref()) == kind_of(engine_ended.as_ref());
    if ended != engine_ended && !same_kind {
        return Err(format!("{values:?}: machine {ended:?}, engine {engine_ended:?}"));
    }
    let is_rejected = matches!(ended, Some(Outcome::Rejected(_)));
    if !is_rejected && coverage != trace.coverage {
        return Err(format!("{values:?}: machine {coverage:?}, engine {:?}", trace.coverage));
    }
    Ok(Some(()))
}

fn kind_of(end: Option<&Outcome>) -> Option<TrapKind> {
    match end? {
        Outcome::Trapped(trap) => Some(trap.kind.clone()),
        Outcome::Returned(_)
        | Outcome::Rejected(_)
        | Outcome::Exhausted(_)
        | Outcome::Exited(_) => None,
    }
}

/// Cells that a program asks for while it runs.
fn asked(cells: &[(&str, CellKind)]) -> BTreeMap<String, CellKind> {
    cells.iter().map(|(name, kind)| (name.to_string(), *kind)).collect()
}

fn agree(
    wat: &str,
    image: &Image,
    asked: &BTreeMap<String, CellKind>,
    config: &Config,
    n_runs: usize,
) -> Result<(), Failed> {
    let wasm = wat::parse_str(wat)?;
    let function = function_of(&wasm, "f")?;
    let mut config = config.clone();
    config.entries.insert(ENTRY.to_string(), function);
    let executable = ENGINE.prepare(&wasm, &config)?;
    let mut machine = FastMachine::prepare(&wasm, &config, &LIMITS, function, &[])?;
    let plan = machine.plan(image, asked)?;
    machine.load(&plan)?;
    let mut rng = Seed(3).rng();
    let mut n_compared = 0;
    for _ in 0..n_runs {
        let values = random_values(&mut rng, &plan);
        n_compared += usize::from(compare(&executable, &mut machine, &plan, &values)?.is_some());
    }
    match 2 * n_compared > n_runs {
        true => Ok(()),
        false => Err(Failed::from(format!("only {n_compared} runs ended"))),
    }
}

fn function_of(wasm: &[u8], name: &str) -> Result<u32, Failed> {
    exported(wasm)
        .into_iter()
        .find(|(export, _)| export == name)
        .map(|(_, index)| index)
        .ok_or_else(|| Failed::from("no such export"))
}

fn exported(wasm: &[u8]) -> Vec<(String, u32)> {
    let mut found = Vec::new();
    for payload in wasmparser::Parser::new(0).parse_all(wasm) {
        let Ok(wasmparser::Payload::ExportSection(section)) = payload else { continue };
        for export in section.into_iter().flatten() {
            if export.kind == wasmparser::ExternalKind::Func {
                found.push((export.name.to_string(), export.index));
            }
        }
    }
    found
}

fn has_start(wasm: &[u8]) -> bool {
    let mut payloads = wasmparser::Parser::new(0).parse_all(wasm);
    payloads.any(|payload| matches!(payload, Ok(wasmparser::Payload::StartSection { .. })))
}

/// Random modules: every exported function on a few values.
fn smith(first: u64, count: u64, may_be_wide: bool) -> Result<(), Failed> {
    let mut n_compared = 0;
    for number in first..first + count {
        let mut rng = Seed(0).derive_number(number).rng();
        let wasm = generate(&mut rng, may_be_wide)?;
        if has_start(&wasm) {
            // What it covers counts for the engine's runs alone.
            continue;
        }
        for (name, index) in exported(&wasm) {
            let mut config = config();
            config.entries.insert(ENTRY.to_string(), index);
            n_compared += smith_function(&wasm, &config, index, &mut rng)
                .map_err(|message| Failed::from(format!("module {number}, {name}: {message}")))?;
        }
    }
    match n_compared >= 20 {
        true => Ok(()),
        false => Err(Failed::from(format!("only {n_compared} runs were compared"))),
    }
}

fn smith_function(
    wasm: &[u8],
    config: &Config,
    index: u32,
    rng: &mut Rng,
) -> Result<usize, String> {
    let Ok(executable) = ENGINE.prepare(wasm, config) else { return Ok(0) };
    // Segments outside memory, tables that change.
    let Ok(mut machine) = FastMachine::prepare(wasm, config, &LIMITS, index, &[]) else {
        return Ok(0);
    };
    let Some(kinds) = kinds_of(wasm, index) else { return Ok(0) };
    let plan = machine.plan(&image(&kinds, 0), &asked(&[])).map_err(|error| error.to_string())?;
    machine.load(&plan).map_err(|error| error.to_string())?;
    let mut n_compared = 0;
    for _ in 0..4 {
        let values = random_values(rng, &plan);
        let mut compared = compare(&executable, &mut machine, &plan, &values);
        if compared.is_err() && grows(wasm) {
            // Memory that an earlier run has grown does not shrink again.
            machine = FastMachine::prepare(wasm, config, &LIMITS, index, &[])
                .map_err(|e| e.to_string())?;
            machine.load(&plan).map_err(|error| error.to_string())?;
            compared = compare(&executable, &mut machine, &plan, &values);
        }
        n_compared += usize::from(compared?.is_some());
    }
    Ok(n_compared)
}

fn grows(wasm: &[u8]) -> bool {
    wasmparser::Parser::new(0).parse_all(wasm).any(|payload| {
        let Ok(wasmparser::Payload::CodeSectionEntry(body)) = payload else { return false };
        let mut operators = body.get_operators_reader().unwrap().into_iter();
        operators.any(|operator| matches!(operator, Ok(wasmparser::Operator::MemoryGrow { .. })))
    })
}

fn kinds_of(wasm: &[u8], index: u32) -> Option<Vec<CellKind>> {
    let features = wasmparser::WasmFeatures::all();
    let types = wasmparser::Validator::new_with_features(features).validate_all(wasm).ok()?;
    let types = types.as_ref();
    let ty = types[types.core_function_at(index)].unwrap_func();
    let kind = |ty: &wasmparser::ValType| match ty {
        wasmparser::ValType::I32 => Some(INT),
        wasmparser::ValType::I64 => Some(LONG),
        wasmparser::ValType::F32 => Some(CellKind::F32),
        wasmparser::ValType::F64 => Some(CellKind::F64),
        wasmparser::ValType::V128 | wasmparser::ValType::Ref(_) => None,
    };
    ty.params().iter().map(kind).collect()
}

fn draws_and_assumptions() -> Result<(), Failed> {
    let mut config = Config::standard();
    let key = ("env".to_string(), "read".to_string());
    let draw = ImportAction::Draw { name: "read()".to_string(), kind: BYTE };
    config.imports.insert(key, draw);
    let wat = "(module
        (import \"env\" \"read\" (func $read (result i32)))
        (import \"env\" \"missing\" (func $missing))
        (import \"env\" \"sin\" (func $sin (param f64) (result f64)))
        (import \"symcrete\" \"assume\" (func $assume (param i32)))
        (import \"symcrete\" \"fail\" (func $fail (param i32)))
        (import \"symcrete\" \"exit\" (func $exit (param i32)))
        (func (export \"f\") (param i32)
          (call $assume (i32.lt_u (local.get 0) (i32.const 1000)))
          (if (i32.eq (call $read) (i32.const 3)) (then (call $missing)))
          (if (i32.eq (call $read) (i32.const 4)) (then (call $exit (i32.const 9))))
          (if (i32.eq (local.get 0) (i32.const 7)) (then (call $fail (i32.const 1))))
          (if (f64.gt (call $sin (f64.convert_i32_s (local.get 0))) (f64.const 0)) (then nop))))";
    let asked = asked(&[("read()", BYTE), ("read()#1", BYTE)]);
    agree(wat, &image(&[INT], 0), &asked, &config, 300)
}

/// Names that come up again, of other kinds too; bytes that may be none, and are gone in the next run.
fn cells_by_name(address: &str) -> Result<(), Failed> {
    let wide = if address == "i64" { "i64" } else { "" };
    let extend = if address == "i64" { "i64.extend_i32_u" } else { "i32.or (i32.const 0)" };
    let wat = format!(
        "(module (import \"symcrete\" \"int8\" (func $int8 (param {address}) (result i32)))
        (import \"symcrete\" \"uint16\" (func $uint16 (param {address}) (result i32)))
        (import \"symcrete\" \"int64\" (func $int64 (param {address}) (result i64)))
        (import \"symcrete\" \"float64\" (func $double (param {address}) (result f64)))
        (import \"symcrete\" \"bytes\" (func $bytes (param {address} {address} {address})))
        (memory {wide} 1) (data ({address}.const 16) \"x\") (data ({address}.const 20) \"d\")
        (data ({address}.const 32) \"b\")
        (func (export \"f\") (param i32)
          (if (i32.load ({address}.const 64)) (then unreachable))
          (if (i32.load ({address}.const 68)) (then unreachable))
          (if (i32.eq (call $int8 ({address}.const 16)) (i32.const -3)) (then nop))
          (if (i32.eq (call $int8 ({address}.const 16)) (i32.const 5)) (then unreachable))
          (if (i32.gt_u (call $uint16 ({address}.const 16)) (i32.const 9)) (then nop))
          (if (i64.lt_s (call $int64 ({address}.const 16)) (i64.const -1)) (then nop))
          (if (f64.gt (call $double ({address}.const 20)) (f64.const 2)) (then nop))
          (call $bytes ({address}.const 64) ({extend} (i32.and (local.get 0) (i32.const 3))) ({address}.const 32))
          (call $bytes ({address}.const 67) ({address}.const 2) ({address}.const 32))
          (if (i32.lt_u (i32.load8_u ({address}.const 65)) (i32.const 7)) (then nop))
          (if (i32.lt_s (i32.load16_s ({address}.const 67)) (i32.const 0)) (then nop))
          (if (i32.eq (call $int8 ({address}.const 32)) (i32.const 4)) (then nop))))"
    );
    let (byte, short) =
        (CellKind::Int { bits: 8, signed: true }, CellKind::Int { bits: 16, signed: false });
    let mut cells =
        vec![("x", byte), ("x#1", byte), ("x#2", short), ("x#3", LONG), ("d", CellKind::F64)];
    let names = ["b[0]", "b[1]", "b[2]", "b#1[0]", "b#1[1]"];
    cells.extend(names.map(|name| (name, BYTE)));
    cells.push(("b#2", byte));
    agree(&wat, &image(&[INT], 0), &asked(&cells), &Config::standard(), 300)
}

/// A structure that a function returns, and what callbacks of the input return.
fn structures_and_callbacks() -> Result<(), Failed> {
    let mut config = Config::standard();
    let mut import = |name: &str, action| {
        config.imports.insert(("env".to_string(), name.to_string()), action);
    };
    import("pair", ImportAction::DrawResult { name: "pair()".to_string(), size: 4 });
    import("callback", ImportAction::Callback(7));
    let callee = Callee {
        number: 7,
        name: "(*compare)()".to_string(),
        result: StubResult::Value(INT),
        fills: Vec::new(),
        noted: None,
    };
    let present = "compare != NULL".to_string();
    let symbol = Symbol::Callback { present, index: 0, callee: Some(callee) };
    let pointer = Cell { kind: INT, bits: 1, symbol: Some(symbol) };
    let image = Image { args: vec![pointer], ..Image::default() };
    let wat = "(module (import \"env\" \"pair\" (func $pair (param i32)))
        (import \"env\" \"callback\" (func $callback (param i32) (result i32)))
        (memory 1)
        (func (export \"f\") (param i32)
          (if (i32.load (i32.const 40)) (then unreachable))
          (call $pair (i32.const 40))
          (call $pair (i32.const 44))
          (if (i32.lt_s (i32.load (i32.const 40)) (i32.const 1000)) (then nop))
          (if (i32.eq (i32.load8_u (i32.const 45)) (i32.const 3)) (then unreachable))
          (if (i32.eq (call $callback (i32.const 1)) (i32.const -1)) (then nop))
          (if (i32.gt_s (call $callback (i32.const 2)) (i32.const 3)) (then nop))))";
    let bytes = |call: &str| (0..4).map(|i| format!("pair(){call}[{i}]")).collect::<Vec<_>>();
    let names = [bytes(""), bytes("#1")].concat();
    let mut cells: Vec<(&str, CellKind)> = names.iter().map(|name| (name.as_str(), BYTE)).collect();
    cells.extend([("(*compare)()", INT), ("(*compare)()#1", INT)]);
    agree(wat, &image, &asked(&cells), &config, 300)
}

fn bit_fields_and_bounds() -> Result<(), Failed> {
    let field = |name: &str, low, width| BitsOf { name: name.to_string(), low, width };
    let fields = vec![field("a", 0, 3), field("b", 5, 4)];
    let cell = Cell { kind: INT, bits: 1 << 4, symbol: Some(Symbol::Fields(fields)) };
    let short = CellKind::Int { bits: 16, signed: true };
    let image = Image {
        args: vec![Cell::variable(short, 0, "n")],
        writes: vec![
            Write { address: 16, cell },
            Write { address: 20, cell: Cell::concrete(INT, 77) },
        ],
        ranges: vec![CellRange { name: "n".to_string(), kind: short, low: -3, high: 4 }],
        ..Image::default()
    };
    let wat = "(module (memory 1) (func (export \"f\") (param i32)
        (if (i32.lt_s (local.get 0) (i32.const -3)) (then unreachable))
        (if (i32.gt_s (local.get 0) (i32.const 4)) (then unreachable))
        (if (i32.ne (i32.load (i32.const 20)) (i32.const 77)) (then unreachable))
        (i32.store (i32.const 20) (local.get 0))
        (if (i32.eqz (i32.and (i32.load (i32.const 16)) (i32.const 16))) (then unreachable))
        (if (i32.eq (i32.and (i32.load (i32.const 16)) (i32.const 7)) (i32.const 5)) (then nop))
        (if (i32.eq (i32.shr_u (i32.load (i32.const 16)) (i32.const 5)) (i32.const 9)) (then nop))))";
    agree(wat, &image, &asked(&[]), &Config::standard(), 300)
}
