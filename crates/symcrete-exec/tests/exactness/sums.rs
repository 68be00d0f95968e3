//! Addresses that are sums, and values that nobody has written, in the concrete form.
//!
//! Of addresses of 64 bits the concrete form looks at few (`instrument/bounds.rs`, `doubts.rs`): at parts of them before a loop, and at
//! one of several that differ by what is known. So parts here are beyond 4 GiB, negative, and in sum in memory all the same.

use crate::differential::ENGINE;
use crate::long::LONG;
use libtest_mimic::{Failed, Trial};
use symcrete_exec::{Config, Entry, Executable, Executor, Unknown};
use symcrete_program::{Cell, Edge, Gap, Image, Outcome, Scalar};
use symcrete_term::{Rng, Seed, Terms};

const N_PROGRAMS: u64 = 150;
const N_CALLS: u64 = 24;
/// Where another unknown value is read each time.
const SOURCE: std::ops::Range<u32> = 2048..2064;

pub(crate) fn trials() -> Vec<Trial> {
    let sums = || {
        let believed: u64 = (0..N_PROGRAMS).map(check_sums).sum();
        assert!(believed > N_PROGRAMS * N_CALLS / 8, "only {believed} runs are believed");
        Ok::<(), Failed>(())
    };
    let unknown = || {
        let believed: u64 = (0..N_PROGRAMS).map(check_unknown).sum();
        assert!(believed > N_PROGRAMS / 3, "only {believed} runs return");
        Ok::<(), Failed>(())
    };
    vec![
        Trial::test("sums::addresses_far_and_near", sums),
        Trial::test("sums::values_that_nobody_has_written", unknown),
    ]
}

fn pick(rng: &mut Rng, all: &[&str]) -> String {
    all[rng.below(all.len() as u64) as usize].to_string()
}

/// A sum of 64 bits.
fn sum(rng: &mut Rng, depth: u32) -> String {
    const PARTS: &[&str] = &[
        "(local.get $p)",
        "(local.get $p)",
        "(local.get $q)",
        "(i64.const 1024)",
        "(i64.const -40)",
        "(i64.extend_i32_s (local.get $i))",
        "(i64.extend_i32_u (local.get $i))",
        "(i64.extend_i32_s (local.get $c))",
        "(i64.extend_i32_u (i32.and (local.get $c) (i32.const 255)))",
        "(i64.extend_i32_u (i32.load8_u offset=1024 (i64.const 0)))",
        "(i64.extend_i32_s (i32.rem_s (local.get $c) (i32.const 50)))",
        "(i64.shr_u (local.get $q) (i64.const 60))",
        "(select (local.get $p) (i64.const 1060) (local.get $i))",
        "(select (i64.const 1030) (i64.const 1060) (local.get $i))",
        "(local.get $s)",
    ];
    if depth == 0 {
        return pick(rng, PARTS);
    }
    let a = sum(rng, depth - 1);
    match rng.below(8) {
        0 => format!("(i64.shl {a} (i64.const {}))", [1, 3, 33][rng.below(3) as usize]),
        1 => format!("(i64.mul {a} (i64.const {}))", [3, 2592, -1][rng.below(3) as usize]),
        2 => format!("(i64.sub {a} {})", sum(rng, depth - 1)),
        _ => format!("(i64.add {a} {})", sum(rng, depth - 1)),
    }
}

fn access(rng: &mut Rng) -> String {
    let depth = rng.below(3) as u32;
    let (place, again) = (sum(rng, depth), sum(rng, 0));
    let statements = [
        "(local.set $n (i32.add (local.get $n) (i32.load8_u PLACE)))",
        "(local.set $n (i32.xor (local.get $n) (i32.load offset=4 PLACE)))",
        "(i32.store8 PLACE (local.get $n))",
        "(i64.store offset=8 PLACE (i64.extend_i32_u (local.get $n)))",
        "(i32.store8 PLACE (local.get $n)) (local.set $n (i32.load8_s (i64.add PLACE AGAIN)))",
        "(local.set $s PLACE) (i32.store8 (local.get $s) (local.get $i))",
        "(if (i32.and (local.get $n) (i32.const 1)) (then (i32.store8 PLACE (local.get $i))))",
    ];
    pick(rng, &statements).replace("PLACE", &place).replace("AGAIN", &again)
}

/// Two loops, the inner one often with the rest of the outer one in the place of its exit.
fn program(rng: &mut Rng) -> String {
    let mut some = |most: u64| (0..rng.below(most + 1)).map(|_| access(rng)).collect::<String>();
    let (before, first, second, rest) = (some(1), some(3), some(2), some(2));
    let next = "(local.set $i (i32.add (local.get $i) (i32.const 1)))";
    let up = "(local.set $p (i64.add (local.get $p) (i64.const 8)))";
    let outer =
        "(br_if 1 (i32.ge_u (local.tee $k (i32.add (local.get $k) (i32.const 1))) (i32.const 3)))";
    let inner = match rng.below(3) {
        0 => format!(
            "(loop $in (block (br_if 0 (i32.lt_u (local.get $i) (local.get $b))) {rest} {up} (br_if 3 (i32.ge_u (local.tee $k (i32.add (local.get $k) (i32.const 1))) (i32.const 3))) (br $out)) {first} {next} {second} (br $in))"
        ),
        1 => format!(
            "(block (loop $in (br_if 1 (i32.ge_s (local.get $i) (local.get $b))) {first} {next} (br $in))) {rest} {up} {outer} (br $out)"
        ),
        _ => format!(
            "(block (loop $in {first} (br_if 1 (i32.eq (local.get $n) (i32.const 3))) {second} {next} {up} (br_if $in (i32.lt_s (local.get $i) (local.get $b))))) {rest} {outer} (br $out)"
        ),
    };
    format!(
        r#"(module (memory i64 1) (data (i64.const 1020) "abcdefghijklmnopqrstuvwxyzabcdefghijklmnop")
        (func (export "f") (param $p i64) (param $q i64) (param $b i32) (param $c i32) (result i32)
          (local $i i32) (local $k i32) (local $n i32) (local $s i64)
          {before} (block (loop $out (local.set $i (i32.const 0)) {inner})) (local.get $n)))"#
    )
}

/// Compares both forms; gives how many runs of the concrete one are believed.
fn check_sums(seed: u64) -> u64 {
    let mut rng = Seed(seed).derive("sums").rng();
    let wat = program(&mut rng);
    let wasm = wat::parse_str(&wat).unwrap_or_else(|error| panic!("{error}\n{wat}"));
    let executable = ENGINE.prepare(&wasm, &Config::standard()).unwrap();
    let concrete = executable.concrete().unwrap();
    let mut believed = 0;
    for _ in 0..N_CALLS {
        const FAR: [u64; 12] = [
            0,
            8,
            1024,
            0xfff0,
            0xffff_fff8,
            1 << 31,
            1 << 32,
            (1 << 32) + 1024,
            u64::MAX - 7,
            0_u64.wrapping_sub(1 << 32),
            0_u64.wrapping_sub((1 << 32) - 1024),
            1 << 63,
        ];
        let mut address = || match rng.below(3) {
            0 => FAR[rng.below(12) as usize],
            _ => 1024 + rng.below(200),
        };
        let (p, q) = (address(), address());
        let small = [0, 1, 3, 40, -1, i32::MIN, i32::MAX];
        let args = [
            Scalar::I64(p),
            Scalar::I64(q),
            Scalar::I32(rng.below(20) as u32),
            Scalar::I32(small[rng.below(7) as usize] as u32),
        ];
        let fuel = if rng.below(3) == 0 { 1 + rng.below(60) } else { 5_000 };
        let [shadowed, fast] = [&executable, &concrete].map(|form| run(form, args, fuel));
        let what = format!("{args:?} with {fuel}: {wat}");
        let Some(fast) = fast else { continue };
        assert!(shadowed.as_ref() == Some(&fast), "{:?}: {what}", fast.0);
        believed += 1;
    }
    believed
}

/// How a run ended, what it covered and what it left in memory; `None` if it must be made in the other form.
type Run = (Outcome, Vec<Edge>, Vec<u8>);

fn run(form: &Executable, args: [Scalar; 4], fuel: u64) -> Option<Run> {
    let mut process = form.start(fuel);
    let outcome = process.call("f", &args.map(Cell::of_scalar)).unwrap().outcome;
    let coverage = process.coverage().edges().to_vec();
    (!process.is_form_left()).then(|| (outcome, coverage, process.memory().to_vec()))
}

/// A program that moves values about which nobody has written.
fn mover(rng: &mut Rng, depth: u32) -> String {
    const ALL: &[&str] = &[
        "(local.set $u (i32.load (i64.const 2048)))",
        "(local.set $u (i32.const 5))",
        "(i32.store (local.get $p) (local.get $u))",
        "(i32.store8 offset=3 (local.get $p) (local.get $u))",
        "(i32.store offset=4 (local.get $p) (local.get $n))",
        "(i64.store (local.get $p) (i64.const 7))",
        "(i64.store offset=8 (local.get $p) (i64.const 1030))",
        "(memory.copy (i64.const 1040) (local.get $p) (i64.const 6))",
        "(drop (i32.load (local.get $p)))",
        "(local.set $p (i64.xor (local.get $p) (i64.const 4)))",
        "(local.set $v (local.get $u))",
        "(i32.store (local.get $p) (select (local.get $v) (local.get $u) (local.get $n)))",
        "(if (i32.eqz (local.get $n)) (then (local.set $u (i32.const 3))))",
    ];
    match rng.below(12) {
        0 if depth > 0 => {
            let (a, b) = (mover(rng, depth - 1), mover(rng, depth - 1));
            format!("(if (i32.and (local.get $n) (i32.const 1)) (then {a}) (else {b}))")
        }
        1 | 2 if depth > 0 => {
            let (a, b) = (mover(rng, depth - 1), mover(rng, depth - 1));
            format!(
                "(local.set $n (i32.const 0)) (loop {a} {b} (br_if 0 (i32.lt_u (local.tee $n (i32.add (local.get $n) (i32.const 1))) (i32.const 40))))"
            )
        }
        5 if depth > 0 => {
            // What is known of tags before a loop, or a store, need not hold behind it.
            let (a, b) = (mover(rng, 0), mover(rng, 0));
            let decide = "(if (i32.load (local.get $p)) (then nop))";
            if rng.below(2) == 0 {
                return format!("(i32.store (local.get $p) (i32.const 6)) {a} {b} {decide}");
            }
            let (first, last) = [(decide, ""), ("", decide)][rng.below(2) as usize];
            format!(
                "(i32.store (local.get $p) (i32.const 6)) (local.set $m (i32.const 0)) (loop {first} {a} {b} (br_if 0 (i32.lt_u (local.tee $m (i32.add (local.get $m) (i32.const 1))) (i32.const 3)))) {last}"
            )
        }
        3 if rng.below(4) == 0 => "(if (local.get $u) (then (local.set $n (i32.const 1))))".into(),
        4 if rng.below(4) == 0 => "(if (i32.load (local.get $p)) (then nop))".into(),
        _ => pick(rng, ALL),
    }
}

/// Whether a program, run at once and behind a long loop, ends the same; 1 if it returns.
fn check_unknown(seed: u64) -> u64 {
    let mut rng = Seed(seed).derive("unknown").rng();
    let code: String = (0..3 + rng.below(5)).map(|_| mover(&mut rng, 2)).collect();
    let locals =
        "(result i32) (local $n i32) (local $m i32) (local $u i32) (local $v i32) (local $p i64)";
    let start = "(local.set $n (i32.const 0)) (local.set $p (i64.const 1024))";
    let wat = format!(
        r#"(module (memory i64 1) (data (i64.const 1020) "abcdefghijklmnopqrstuvwxyzabcdefghijklmnop")
        (func (export "short") {locals} {start} {code} (i32.const 9))
        (func (export "long") {locals}
          (loop (br_if 0 (i32.lt_u (local.tee $n (i32.add (local.get $n) (i32.const 1))) (i32.const {LONG}))))
          {start} {code} (i32.const 9)))"#
    );
    let wasm = wat::parse_str(&wat).unwrap_or_else(|error| panic!("{error}\n{wat}"));
    let config = Config { uninitialized: SOURCE, ..Config::standard() };
    let executable = ENGINE.prepare(&wasm, &config).unwrap();
    let watched = vec![[1020..1060, 1024..1028][rng.below(2) as usize].clone()];
    // Only programs with an arena have such values.
    let image = Image { arena: 4096..8192, watched, ..Image::default() };
    let end = |function: &str, fuel: u64| {
        let mut executor = executable.executor(Entry::new(function)).unwrap();
        let trace = executor.run(&mut Terms::new(), &image, fuel).unwrap();
        let gaps: Vec<Gap> = trace.gaps.iter().map(|met| met.gap).collect();
        let decided = trace.unknown.conditions.len();
        let unknown = Unknown { conditions: vec![], ..trace.unknown };
        (trace.outcome, trace.results, trace.watched, unknown, decided, gaps)
    };
    let short = end("short", 100_000);
    if matches!(short.0, Outcome::Exhausted(_)) {
        // Loops within each other may never end.
        return 0;
    }
    assert_eq!(end("long", 100 * u64::from(LONG)), short, "{wat}");
    u64::from(matches!(short.0, Outcome::Returned(_)))
}
