//! The search of bursts on the real fast machine: it finds what it should, stops when told to, and repeats itself.

use std::cell::Cell as Counter;
use std::collections::{BTreeMap, BTreeSet};
use symcrete_exec::fast::FastMachine;
use symcrete_exec::fast::plan::Plan;
use symcrete_exec::{Config, Engine, Entry, Executor, Limits};
use symcrete_explore::bursts::search::{Effort, Found, search};
use symcrete_program::{Cell, CellKind, Edge, Image, Scalar, Write};
use symcrete_term::{Seed, Terms};

const FUEL: u32 = 20_000;
const INT: CellKind = CellKind::Int { bits: 32, signed: true };
const LONG: CellKind = CellKind::Int { bits: 64, signed: true };
const BYTE: CellKind = CellKind::Int { bits: 8, signed: false };
const LIMITS: Limits = Limits { memory_bytes: 1 << 20, instances: 2, ..Limits::STANDARD };
const WORKS: &str = "the test's own program works";

/// Sides that random values hardly find, one way of finding them each.
const HARD: &str = "(module (func (export \"f\") (param i32 i64 f64 i32) (result i32)
    (if (i32.eq (i32.mul (local.get 0) (i32.const 3)) (i32.const 370370367)) (then
      (if (i64.eq (i64.add (local.get 1) (i64.const 1234567890123)) (i64.const 77)) (then
        (if (f64.eq (f64.mul (local.get 2) (f64.const 4)) (f64.const 1234.5)) (then
          (return (i32.const 1))))))))
    (if (i32.and (i32.eq (local.get 3) (local.get 0)) (i32.gt_s (local.get 3) (i32.const 100000)))
      (then (return (i32.const 2))))
    (if (f64.ne (local.get 2) (local.get 2)) (then (return (i32.const 3))))
    block block block block (i32.sub (local.get 3) (i32.const 500)) br_table 0 1 2 3 end end end end
    (i32.const 4)))";

/// Numbers as arguments, and bytes from 1024 on.
fn image(kinds: &[CellKind], n_bytes: u32) -> Image {
    let arg = |(i, &kind)| Cell::variable(kind, 0, format!("arg{i}"));
    let byte = |i| Write { address: 1024 + i, cell: Cell::variable(BYTE, 0, format!("s[{i}]")) };
    Image {
        args: kinds.iter().enumerate().map(arg).collect(),
        writes: (0..n_bytes).map(byte).collect(),
        ..Image::default()
    }
}

/// The machine for the only function of a module, and all sides of its branches.
fn machine(wasm: &[u8], image: &Image) -> (FastMachine, Plan, BTreeSet<Edge>) {
    let machine = FastMachine::prepare(wasm, &Config::standard(), &LIMITS, 0, &[]).expect(WORKS);
    let plan = machine.plan(image, &BTreeMap::new()).expect(WORKS);
    let goals = machine.edges().map(|(_, edge)| edge).collect();
    (machine, plan, goals)
}

/// What a search finds, and how many sides it leaves.
fn find(wat: &str, image: &Image, runs_max: u64) -> (Vec<Found>, usize) {
    let wasm = wat::parse_str(wat).expect(WORKS);
    let (mut machine, plan, goals) = machine(&wasm, image);
    let effort = Effort { fuel: FUEL, runs_max, seed: Seed(5), is_stopped: &|| false };
    let found = search(&mut machine, &plan, &[], &goals, &[Scalar::I32(12)], effort).expect(WORKS);
    let open = machine.edges().filter(|(side, _)| machine.distance(*side) != Some(0)).count();
    // Every find is an input on which the engine takes the sides that it was found for.
    let engine = Engine::new(LIMITS).expect(WORKS);
    let executable = engine.prepare(&wasm, &Config::standard()).expect(WORKS);
    let mut executor = executable.executor(Entry::new("f")).expect(WORKS);
    for found in &found {
        let image = plan.image(&found.values);
        let trace = executor.run(&mut Terms::new(), &image, 1_000_000).expect(WORKS);
        let missed = found.edges.iter().find(|edge| !trace.coverage.contains(**edge));
        assert_eq!(missed, None, "{found:?}: the engine does not take it");
    }
    (found, open)
}

#[test]
fn all_sides_are_found() {
    let (found, open) = find(HARD, &image(&[INT, LONG, CellKind::F64, INT], 0), 200_000);
    assert_eq!(open, 0, "{found:?}");
}

/// Byte by byte: the loop that goes round more often shows the way.
#[test]
fn strings_are_found() {
    let wat = "(module (memory 1) (data (i32.const 64) \"secret\\00\")
        (func (export \"f\") (result i32) (local i32)
          (loop $next
            (if (i32.ne (i32.load8_u offset=64 (local.get 0)) (i32.load8_u offset=1024 (local.get 0)))
              (then (return (i32.const 0))))
            (if (i32.load8_u offset=64 (local.get 0)) (then
              (local.set 0 (i32.add (local.get 0) (i32.const 1)))
              (br $next))))
          (i32.const 1)))";
    let (found, open) = find(wat, &image(&[], 8), 400_000);
    assert_eq!(open, 0, "{found:?}");
}

/// Whoever asks for the end of a search need not wait for the end of a batch.
#[test]
fn a_search_stops_within_a_batch() {
    let wasm = wat::parse_str("(module (func (export \"f\") (param i64) (loop (br 0))))");
    let (mut machine, plan, goals) = machine(&wasm.expect(WORKS), &image(&[LONG], 0));
    let n_asked = Counter::new(0);
    let is_stopped = || {
        n_asked.set(n_asked.get() + 1);
        n_asked.get() > 3
    };
    let effort =
        Effort { fuel: 1_000_000, runs_max: 1 << 20, seed: Seed(5), is_stopped: &is_stopped };
    let seeds = vec![vec![0]; 4096];
    search(&mut machine, &plan, &seeds, &goals, &[], effort).expect(WORKS);
    let n_runs = machine.n_runs();
    assert!((1..=24).contains(&n_runs), "{n_runs} endless runs before the end");
}

#[test]
fn finds_follow_from_the_seed() {
    let image = image(&[INT, LONG, CellKind::F64, INT], 0);
    assert_eq!(find(HARD, &image, 20_000), find(HARD, &image, 20_000));
}
