//! Loops that have fast copies do and pay what they do without (`instrument/versions.rs`).

use crate::differential::ENGINE;
use libtest_mimic::{Failed, Trial};
use symcrete_exec::{Config, Executable, Process};
use symcrete_program::{Cell, Edge, Outcome, Scalar};
use symcrete_term::{Rng, Seed};

const N_PROGRAMS: u64 = 60;
/// Calls of each, with other arguments and amounts of fuel.
const N_CALLS: u64 = 24;

pub(crate) fn trials() -> Vec<Trial> {
    let trial = |address: &'static str| {
        Trial::test(format!("versions::of_loops_with_addresses_of_type_{address}"), move || {
            let returned = (0..N_PROGRAMS).map(|seed| check(address, seed)).sum::<u64>();
            assert!(returned > N_PROGRAMS * N_CALLS / 8, "only {returned} calls return");
            Ok::<(), Failed>(())
        })
    };
    ["i32", "i64"].map(trial).into_iter().collect()
}

/// Compares both forms; gives how many calls of the concrete one came to their end.
fn check(address: &str, seed: u64) -> u64 {
    let mut rng = Seed(seed).derive(address).rng();
    let wat = program(&mut rng, address);
    let wasm = wat::parse_str(&wat).unwrap_or_else(|error| panic!("{error}\n{wat}"));
    let executable = ENGINE.prepare(&wasm, &Config::standard()).unwrap();
    let concrete = executable.concrete().unwrap();
    let mut returned = 0;
    for _ in 0..N_CALLS {
        let corners = [0, 1, 15, 16, 17, 40, 100, 0x7fff_ffff, 0x8000_0000, 0xffff_fff0];
        let args = [0; 3].map(|_| match rng.below(3) {
            0 => corners[rng.below(10) as usize],
            _ => rng.below(90) as u32,
        });
        let fuel = if rng.below(2) == 0 { 1 + rng.below(3_000) } else { 20_000 };
        let [shadowed, fast] = [&executable, &concrete].map(|form| run(form, args, fuel));
        let what = format!("{args:?} with {fuel}: {wat}");
        match fast.is_left {
            true => assert!(!matches!(shadowed.outcome, Outcome::Returned(_)), "{what}"),
            false => {
                assert!(shadowed == fast, "{:?} and {:?}: {what}", shadowed.outcome, fast.outcome)
            }
        }
        returned += u64::from(matches!(fast.outcome, Outcome::Returned(_)) && !fast.is_left);
    }
    returned
}

fn pick(rng: &mut Rng, all: &[&str]) -> String {
    all[rng.below(all.len() as u64) as usize].to_string()
}

/// What a pass does with the bytes at a place.
fn body(rng: &mut Rng, place: &str) -> String {
    const STATEMENTS: &[&str] = &[
        "(i32.store8 PLACE (i32.add (local.get $sum) (i32.const 7)))",
        "(local.set $sum (i32.add (local.get $sum) (i32.load8_u offset=2 PLACE)))",
        "(local.set $sum (i32.mul (local.get $sum) (i32.load offset=8 PLACE)))",
        "(f64.store offset=16 PLACE (f64.convert_i32_s (local.get $sum)))",
        "(if (i32.and (local.get $sum) (i32.const 1)) (then (local.set $sum (i32.load16_u PLACE))))",
        "(br_if 1 (i32.eq (local.get $sum) (i32.const 77)))",
        "(local.set $sum (select (local.get $sum) (i32.const 5) (local.get $c)))",
    ];
    (0..1 + rng.below(3)).map(|_| pick(rng, STATEMENTS).replace("PLACE", place)).collect()
}

/// Two loops, one within the other, over bytes that start at 1024.
fn program(rng: &mut Rng, address: &str) -> String {
    let memory = if address == "i64" { "i64 1" } else { "1" };
    let counter = ["i32", "i32", address][rng.below(3) as usize];
    let wide = |value: &str| match counter {
        "i64" => format!("(i64.extend_i32_s {value})"),
        _ => value.to_string(),
    };
    let limit = [wide("(local.get $a)"), format!("({counter}.const {})", rng.below(60))]
        [rng.below(2) as usize]
        .clone();
    let start = [wide("(local.get $b)"), format!("({counter}.const {})", rng.below(40))]
        [rng.below(2) as usize]
        .clone();
    let (step, order) = [
        ("1", "lt_s"),
        ("1", "lt_u"),
        ("3", "le_s"),
        ("1", "ne"),
        ("-1", "gt_s"),
        ("-2", "ge_s"),
        ("4", "ne"),
        ("-1", "ne"),
    ][rng.below(8) as usize];
    let step = match rng.below(4) {
        0 => wide("(local.get $c)"),
        _ => format!("({counter}.const {step})"),
    };
    let index = match (counter, address) {
        ("i32", "i64") => {
            pick(rng, &["(i64.extend_i32_s (local.get $i))", "(i64.extend_i32_u (local.get $i))"])
        }
        _ => "(local.get $i)".to_string(),
    };
    let scaled = [
        index.clone(),
        format!("({address}.shl {index} ({address}.const 3))"),
        format!("({address}.add {index} (local.get $row))"),
    ][rng.below(3) as usize]
        .clone();
    let place =
        [format!("({address}.add {scaled} ({address}.const 1024))"), "(local.get $p)".to_string()]
            [rng.below(2) as usize]
            .clone();
    let body = body(rng, &place);
    let next = format!(
        "(local.set $i ({counter}.add (local.get $i) {step})) (local.set $p ({address}.add (local.get $p) ({address}.const {})))",
        [1, 8, -4][rng.below(3) as usize]
    );
    let inner = match rng.below(2) {
        0 => format!(
            "(loop (br_if 1 (i32.eqz ({counter}.{order} (local.get $i) {limit}))) {body} {next} (br 0))"
        ),
        _ => format!(
            "(loop (block (br_if 0 ({counter}.{order} (local.get $i) {limit})) (local.set $sum (i32.add (local.get $sum) (i32.const 3))) (br 2)) {} {next} (br 0))",
            body
        ),
    };
    format!(
        r#"(module (memory {memory}) (data ({address}.const 1020) "abcdefghijklmnopqrstuvwxyz")
        (func (export "f") (param $a i32) (param $b i32) (param $c i32) (result i32)
          (local $i {counter}) (local $p {address}) (local $row {address}) (local $sum i32) (local $n i32)
          (loop
            (local.set $i {start}) (local.set $p ({address}.const 1100))
            (block {inner})
            (local.set $row ({address}.add (local.get $row) ({address}.const 48)))
            (br_if 0 (i32.lt_u (local.tee $n (i32.add (local.get $n) (i32.const 1))) (i32.const 5))))
          (local.get $sum)))"#
    )
}

#[derive(PartialEq)]
struct Run {
    outcome: Outcome,
    coverage: Vec<Edge>,
    fuel_used: u64,
    memory: Vec<u8>,
    is_left: bool,
}

fn run(form: &Executable, args: [u32; 3], fuel: u64) -> Run {
    let mut process: Process = form.start(fuel);
    let args = args.map(|arg| Cell::of_scalar(Scalar::I32(arg)));
    let outcome = process.call("f", &args).unwrap().outcome;
    let has_ended = matches!(outcome, Outcome::Returned(_) | Outcome::Exhausted(_));
    Run {
        coverage: process.coverage().edges().to_vec(),
        // What a loop had not yet written back is not known after a trap.
        fuel_used: if has_ended { process.fuel_used() } else { 0 },
        memory: process.memory().to_vec(),
        is_left: process.is_form_left(),
        outcome,
    }
}
