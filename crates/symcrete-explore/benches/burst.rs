//! How many runs a second bursts make: the batch loop alone, and the search that steers it.
//!
//! ```text
//! cargo bench -p symcrete-explore --bench burst            # the figures
//! cargo bench -p symcrete-explore --bench burst -- --test  # everything once, on tiny inputs
//! ```
//!
//! Times are processor time of one thread. "batch" runs random values, "search" also makes them.

#![expect(clippy::print_stdout, reason = "prints its figures")]

use std::collections::{BTreeMap, BTreeSet};
use symcrete_exec::fast::FastMachine;
use symcrete_exec::{Config, Limits};
use symcrete_explore::bursts::search::{Effort, search};
use symcrete_program::{Cell, CellKind, Edge, Image, Write};
use symcrete_term::Seed;

const INT: CellKind = CellKind::Int { bits: 32, signed: true };
const FUEL: u32 = 100_000;

fn main() {
    let tiny = std::env::args().any(|arg| arg == "--test");
    let n_runs = if tiny { 2_000 } else { 2_000_000 };
    println!("function                          batch runs/s   search runs/s");
    measure("20 branches on 3 ints", (0, &branches()), &ints(3), n_runs);
    measure("sorts 16 ints in memory", (0, SORT), &array(16), n_runs / 4);
    measure("loop with sin and pow", (2, MATH), &doubles(2), n_runs / 10);
    measure("traps on one input in two", (0, TRAPS), &ints(1), n_runs / 10);
    println!("asked: at least 500000 per second for the first");
}

fn measure(name: &str, (function, wat): (u32, &str), image: &Image, n_runs: u64) {
    let wasm = wat::parse_str(wat).expect("the text is a module");
    let mut machine =
        FastMachine::prepare(&wasm, &Config::standard(), &Limits::STANDARD, function, &[])
            .expect("the module can be run");
    let plan = machine.plan(image, &BTreeMap::new()).expect("the image fits");
    machine.load(&plan).expect("the cells are in memory");
    let mut rng = Seed(1).rng();
    let mut values = Vec::new();
    for _ in 0..1000 {
        values.extend(plan.variables().iter().map(|variable| {
            let bits = match variable.kind {
                CellKind::F64 => (rng.between(-1000, 1000) as f64 / 16.0).to_bits(),
                CellKind::F32 | CellKind::Int { .. } | CellKind::Bool => rng.below(200),
            };
            variable.normal(bits)
        }));
    }
    let start = cpu_seconds();
    let mut news = Vec::new();
    for _ in 0..n_runs.div_ceil(1000) {
        machine.run_batch(&plan, &values, FUEL, &mut news).expect("runs end as outcomes");
        news.clear();
    }
    let batch = n_runs.div_ceil(1000) as f64 * 1000.0 / (cpu_seconds() - start);
    // Goals that nobody can reach keep the search going.
    let goals: BTreeSet<Edge> = machine.edges().map(|(_, edge)| edge).collect();
    let effort = Effort { fuel: FUEL, runs_max: n_runs, seed: Seed(1), is_stopped: &|| false };
    let before = machine.n_runs();
    let start = cpu_seconds();
    let found =
        search(&mut machine, &plan, &[], &goals, &[], effort).expect("runs end as outcomes");
    let searched = (machine.n_runs() - before) as f64 / (cpu_seconds() - start);
    println!(
        "{name:<32} {batch:>13.0} {searched:>15.0}   ({} finds in {} runs)",
        found.len(),
        machine.n_runs() - before
    );
}

fn ints(n: usize) -> Image {
    let args = (0..n).map(|i| Cell::variable(INT, 0, format!("arg{i}"))).collect();
    Image { args, ..Image::default() }
}

fn doubles(n: usize) -> Image {
    let args = (0..n).map(|i| Cell::variable(CellKind::F64, 0, format!("arg{i}"))).collect();
    Image { args, ..Image::default() }
}

fn array(n: u32) -> Image {
    let write =
        |i| Write { address: 1024 + 4 * i, cell: Cell::variable(INT, 0, format!("a[{i}]")) };
    let args = vec![Cell::concrete(INT, 1024), Cell::concrete(INT, u64::from(n))];
    Image { args, writes: (0..n).map(write).collect(), ..Image::default() }
}

/// The function of the engine's benchmark, and a branch that is never taken.
fn branches() -> String {
    let branch = |i: u32| {
        let variable = ["$x", "$y", "$z"][i as usize % 3];
        format!(
            "(if (i32.gt_s (i32.add (local.get {variable}) (local.get $s)) (i32.const {}))
               (then (local.set $s (i32.add (local.get $s) (i32.const {})))))",
            i * 7,
            i + 1
        )
    };
    let branches: String = (0..19).map(branch).collect();
    format!(
        r#"(module (func (export "f") (param $x i32) (param $y i32) (param $z i32) (result i32)
            (local $s i32) {branches}
            (if (i32.eq (i32.mul (local.get $x) (local.get $x)) (i32.const 3)) (then (local.set $s (i32.const 0))))
            (local.get $s)))"#
    )
}

/// Insertion sort, then a test that sorted numbers fail.
const SORT: &str = r#"(module (memory 1) (func (param $a i32) (param $n i32) (result i32)
  (local $i i32) (local $j i32) (local $x i32) (local $p i32)
  (local.set $i (i32.const 1))
  (block $done (loop $outer
    (br_if $done (i32.ge_u (local.get $i) (local.get $n)))
    (local.set $x (i32.load (i32.add (local.get $a) (i32.shl (local.get $i) (i32.const 2)))))
    (local.set $j (local.get $i))
    (block $placed (loop $inner
      (br_if $placed (i32.eqz (local.get $j)))
      (local.set $p (i32.add (local.get $a) (i32.shl (local.get $j) (i32.const 2))))
      (br_if $placed (i32.le_s (i32.load (i32.sub (local.get $p) (i32.const 4))) (local.get $x)))
      (i32.store (local.get $p) (i32.load (i32.sub (local.get $p) (i32.const 4))))
      (local.set $j (i32.sub (local.get $j) (i32.const 1)))
      (br $inner)))
    (i32.store (i32.add (local.get $a) (i32.shl (local.get $j) (i32.const 2))) (local.get $x))
    (local.set $i (i32.add (local.get $i) (i32.const 1)))
    (br $outer)))
  (i32.gt_s (i32.load (local.get $a)) (i32.load offset=4 (local.get $a)))
  (if (result i32) (then (i32.const 1)) (else (i32.const 0)))))"#;

/// Ten passes, each with two calls of the math library.
const MATH: &str = r#"(module
  (import "env" "sin" (func $sin (param f64) (result f64)))
  (import "env" "pow" (func $pow (param f64 f64) (result f64)))
  (func (export "f") (param $x f64) (param $y f64) (result i32) (local $i i32) (local $s f64)
  (loop $next
    (local.set $s (f64.add (local.get $s)
      (call $pow (call $sin (local.get $x)) (f64.const 2))))
    (local.set $x (f64.add (local.get $x) (local.get $y)))
    (if (f64.gt (local.get $s) (f64.const 11)) (then (return (i32.const 1))))
    (br_if $next (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (i32.const 10))))
  (i32.const 0)))"#;

const TRAPS: &str = r#"(module (func (param i32) (result i32)
  (if (i32.and (local.get 0) (i32.const 1)) (then unreachable))
  (if (i32.eq (i32.mul (local.get 0) (local.get 0)) (i32.const 3)) (then unreachable))
  (i32.const 1)))"#;

/// Processor time of this thread so far.
#[expect(clippy::disallowed_methods, reason = "a benchmark reads the clock")]
fn cpu_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = text.split(' ').next().and_then(|first| first.parse::<f64>().ok());
    nanoseconds.unwrap_or(0.0) / 1e9
}
