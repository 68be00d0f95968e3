//! Long runs end as short ones do, wherever they touch memory.
//!
//! A run that takes long is made in the concrete form, which leaves whatever is out of the ordinary to the shadowed form. Each function
//! here touches an address; behind a long loop it must come to the same end.

use crate::differential::ENGINE;
use libtest_mimic::{Failed, Trial};
use std::collections::BTreeSet;
use std::ops::Range;
use symcrete_exec::{Config, Entry, Executable, Executor};
use symcrete_program::{Gap, Image, Outcome, Scalar};
use symcrete_term::{Rng, Seed, Terms};

/// A run that passes so many branches first is made in the concrete form if it may take long.
pub(crate) const LONG: u32 = 1_100_000;
const OBJECTS: [Range<u32>; 2] = [4100..4105, 4112..4128];
const ADDRESSES: Range<u32> = 4090..4132;
const N_PROGRAMS: u64 = 120;
/// What is done with an address, `P`; what of it is left on the stack is an `i32`.
const ACCESSES: [&str; 11] = [
    "(i32.load8_u P)",
    "(i32.load16_s offset=1 P)",
    "(i32.load P)",
    "(i32.wrap_i64 (i64.load P))",
    "(i32.store8 P (i32.const 3)) (i32.load8_u P)",
    "(i32.store16 P (i32.const 4)) (i32.const 1)",
    "(i32.store P (i32.const 5)) (i32.const 1)",
    "(f64.store offset=2 P (f64.const 6)) (i32.const 1)",
    "(memory.fill P (i32.const 7) (ADDRESS.const 5)) (i32.load8_u offset=4 P)",
    "(memory.copy P (ADDRESS.const 4112) (ADDRESS.const 9)) (i32.const 1)",
    "(memory.copy (ADDRESS.const 4112) P (ADDRESS.const 4)) (i32.load8_u (ADDRESS.const 4114))",
];

pub(crate) fn trials() -> Vec<Trial> {
    let single = ["i32", "i64"].map(|address| {
        Trial::test(format!("long::accesses_at_addresses_of_type_{address}"), move || {
            ACCESSES.iter().for_each(|access| check(address, access));
            Ok::<(), Failed>(())
        })
    });
    let random = ["i32", "i64"].map(|address| {
        Trial::test(format!("long::programs_with_addresses_of_type_{address}"), move || {
            let ends: BTreeSet<String> =
                (0..N_PROGRAMS).map(|seed| check_program(address, seed)).collect();
            assert!(ends.len() > 2, "programs end in {ends:?}");
            Ok::<(), Failed>(())
        })
    });
    single.into_iter().chain(random).collect()
}

/// How a run ends, what it leaves in memory, and whether it has looked at an address.
type End = (String, Vec<Vec<u8>>, bool);

/// Code to be run at once, and behind a long loop.
fn program(address: &str, code: &str) -> Executable {
    let memory = if address == "i64" { "i64 1" } else { "1" };
    let params = format!("(param $p {address}) (param $q {address}) (param $r {address})");
    let wat = format!(
        r#"(module (import "symcrete" "pointer" (func $pointer (param {address})))
        (memory {memory}) (data ({address}.const 4090) "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrst")
        (func (export "short") {params} (result i32) (local $n i32) (local $m i32) (local $k i32) (local $s {address}) {code})
        (func (export "long") {params} (result i32) (local $n i32) (local $m i32) (local $k i32) (local $s {address})
          (loop (br_if 0 (i32.lt_u (local.tee $n (i32.add (local.get $n) (i32.const 1))) (i32.const {LONG}))))
          (local.set $n (i32.const 0)) {code})
        (func $read (param $p {address}) (if (i32.load8_u (local.get $p)) (then (i32.store (local.get $p) (i32.const 1))))))"#
    );
    let wasm = wat::parse_str(&wat).unwrap_or_else(|error| panic!("{error}\n{wat}"));
    ENGINE.prepare(&wasm, &Config::standard()).unwrap()
}

/// How both of a program's functions end.
fn end_of(executable: &Executable, (address, code): (&str, &str), args: &[u64]) -> End {
    let argument = |&value: &u64| match address {
        "i64" => Scalar::I64(value),
        _ => Scalar::I32(value as u32),
    };
    let image = Image {
        arena: 4096..8192,
        objects: OBJECTS.to_vec(),
        watched: vec![ADDRESSES],
        ..Image::of_args(args.iter().map(argument).collect::<Vec<_>>())
    };
    let run = |function: &str, fuel: u64| {
        let mut executor = executable.executor(Entry::new(function)).unwrap();
        let trace = executor.run(&mut Terms::new(), &image, fuel).unwrap();
        let end = match &trace.outcome {
            Outcome::Trapped(trap) => format!("{:?}", trap.kind),
            other @ (Outcome::Returned(_)
            | Outcome::Rejected(_)
            | Outcome::Exhausted(_)
            | Outcome::Exited(_)) => format!("{other:?}"),
        };
        (end, trace.watched, trace.gaps.iter().any(|met| met.gap == Gap::Addresses))
    };
    let short = run("short", 10_000);
    assert_eq!(run("long", 100 * u64::from(LONG)), short, "{args:?}: {code}");
    short
}

fn check(address: &str, access: &str) {
    let code = access.replace("P", "(local.get $p)").replace("ADDRESS", address);
    let executable = program(address, &code);
    let end = |place: u32| end_of(&executable, (address, &code), &[place.into(), 0, 0]).0;
    let ends: BTreeSet<String> = ADDRESSES.map(end).collect();
    assert!(ends.len() > 1, "{access} always ends the same");
}

/// Runs a random program. Its first address is in an object; its second, and its third if it can be, nobody may touch.
fn check_program(address: &str, seed: u64) -> String {
    let mut rng = Seed(seed).derive(address).rng();
    let mut code = String::new();
    for _ in 0..4 + rng.below(5) {
        code += &statement(&mut rng, address, 2);
    }
    let third = if address == "i64" { 0x1_0000_1010 } else { 4112 };
    let code = format!("{code} (i32.load8_u (local.get $p))");
    let executable = program(address, &code);
    let (end, _, is_met) = end_of(&executable, (address, &code), &[4112, 4106, third]);
    let returned = if is_met { "returned, with an address" } else { "returned" };
    if end.starts_with("Returned") { returned.to_string() } else { end }
}

/// A statement. What goes wrong is rare where code is run, and common where it is not.
fn statement(rng: &mut Rng, address: &str, depth: u32) -> String {
    let nested = |rng: &mut Rng| statement(rng, address, depth.saturating_sub(1));
    match rng.below(13) {
        0 if depth > 0 => {
            let (a, b) = (nested(rng), nested(rng));
            format!("(if (i32.eqz (local.get $n)) (then {a}) (else {b} {}))", wrong(rng, address))
        }
        1 if depth > 0 => {
            let (a, b) = (nested(rng), wrong(rng, address));
            format!("(block {a} (br_if 0 (i32.eqz (local.get $n))) {b})")
        }
        2 if depth > 0 => {
            let (a, b) = (nested(rng), nested(rng));
            format!(
                "(local.set $n (i32.const 0)) (loop {a} (local.set $n (i32.add (local.get $n) (i32.const 1)))
                (br_if 0 (i32.lt_u (local.get $n) (i32.const 2))) (local.set $n (i32.const 0)) {b})"
            )
        }
        3 => "(call $pointer (local.get $p))".to_string(),
        5 if depth > 0 => {
            // What is known of an address holds where it was found out, and for that address.
            let place = ["$p", "$p", "$p", "$q", "$r"][rng.below(5) as usize];
            let (a, b) = (nested(rng), access(rng, "(local.get $s)"));
            format!(
                "(local.set $s (local.get $p)) (block {b} (block (br_if 0 (i32.eqz (local.get $n))) (br 1)) {a}
                (local.set $s (local.get {place}))) {}",
                access(rng, "(local.get $s)")
            )
        }
        6 if depth > 0 => {
            let (a, b) = (access(rng, "(local.get $s)"), statement(rng, address, 0));
            format!(
                "(local.set $s (local.get $p)) (local.set $m (i32.const 0)) (loop {a} {b}
                (local.set $s (select (local.get $p) (local.get $q) (i32.eqz (local.get $m))))
                (local.set $m (i32.add (local.get $m) (i32.const 1)))
                (br_if 0 (i32.lt_u (local.get $m) (i32.const {}))))",
                1 + rng.below(3)
            )
        }
        8 if depth > 0 => counted(rng, address),
        7 => format!("(call $read (local.get {}))", ["$p", "$p", "$s"][rng.below(3) as usize]),
        4 if rng.below(3) == 0 => wrong(rng, address),
        _ => access(rng, "(local.get $p)"),
    }
}

/// A loop that ends by a counter, about where an object does. Of such there are fast copies.
fn counted(rng: &mut Rng, address: &str) -> String {
    let place = ["$p", "$p", "$p", "$q", "$r"][rng.below(5) as usize];
    let access = [
        "(i32.store8 S (i32.const 3))",
        "(drop (i32.load8_u S))",
        "(drop (i32.load8_u offset=1 S))",
    ][rng.below(3) as usize]
        .replace('S', "(local.get $s)");
    let (passes, rounds) = (14 + rng.below(5), 1 + rng.below(2));
    let (start, step) = [(0, 1), (passes - 1, -1_i64 as u64)][rng.below(2) as usize];
    format!(
        "(local.set $k (i32.const 0)) (loop (local.set $s ({address}.add (local.get {place}) ({address}.const {start})))
        (local.set $m (i32.const 0)) (block (loop (br_if 1 (i32.ge_s (local.get $m) (i32.const {passes}))) {access}
          (local.set $s ({address}.add (local.get $s) ({address}.const {})))
          (local.set $m (i32.add (local.get $m) (i32.const 1))) (br 0)))
        (br_if 0 (i32.lt_u (local.tee $k (i32.add (local.get $k) (i32.const 1))) (i32.const {rounds}))))",
        step as i64
    )
}

fn wrong(rng: &mut Rng, address: &str) -> String {
    let place = ["(local.get $q)", "(local.get $r)", "(ADDRESS.const 4106)"][rng.below(3) as usize];
    access(rng, &place.replace("ADDRESS", address))
}

fn access(rng: &mut Rng, place: &str) -> String {
    let all = [
        "(drop (i32.load8_u P))",
        "(drop (i32.load P))",
        "(drop (i64.load P))",
        "(i64.store P (i64.const 4112))",
        "(i32.store P (i32.const 4112))",
        "(drop (f64.load offset=8 P))",
        "(i32.store16 offset=8 P (i32.const 9))",
    ];
    all[rng.below(7) as usize].replace('P', place)
}
