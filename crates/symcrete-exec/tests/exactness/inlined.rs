//! Functions that are put in the place of calls pass and pay what calls do.
//!
//! The concrete form puts small functions into others, and some levels of a function into itself (`instrument/inline.rs`). With every
//! amount of fuel, and at every depth, it must come to the end that the shadowed form comes to, or leave it to that form.

use crate::differential::ENGINE;
use libtest_mimic::{Failed, Trial};
use std::collections::BTreeSet;
use symcrete_exec::{Config, Executable, Limits, Process};
use symcrete_program::{Cell, Edge, Outcome, Scalar};

/// Functions that call themselves once, twice and behind a loop; one that is put into all, with an early return; one of two results.
const MODULE: &str = r#"(module (memory 1) (table 2 funcref) (elem (i32.const 0) $halved $down)
  (func $halved (param i32) (result i32) (local i32)
    (if (i32.gt_u (local.get 0) (i32.const 40)) (then (return (i32.const 3))))
    (local.set 1 (i32.add (local.get 1) (i32.shr_u (local.get 0) (i32.const 1))))
    (i32.store (i32.const 16) (local.get 1))
    (local.get 1))
  (func $pair (param i32) (result i32 i32)
    (select (local.get 0) (i32.const 9) (i32.and (local.get 0) (i32.const 1))) (local.get 0))
  (func $fibonacci (export "fibonacci") (param i32) (result i32)
    (if (result i32) (i32.lt_u (local.get 0) (i32.const 2))
      (then (call $halved (local.get 0)))
      (else (i32.add (call $fibonacci (i32.sub (local.get 0) (i32.const 1)))
                     (call $fibonacci (i32.sub (local.get 0) (i32.const 2)))))))
  (func $down (export "down") (param i32) (result i32)
    (if (i32.eqz (local.get 0)) (then (return (i32.const 7))))
    (i32.add (i32.const 1) (call $down (i32.sub (local.get 0) (i32.const 1)))))
  (func (export "loop") (param i32) (result i32) (local i32)
    (loop
      (call $pair (local.get 0)) (i32.add) (i32.add (local.get 1)) (local.set 1)
      (local.set 1 (i32.add (local.get 1) (call $halved (local.get 0))))
      (local.set 1 (i32.add (local.get 1) (call $fibonacci (i32.and (local.get 0) (i32.const 3)))))
      (br_if 0 (local.tee 0 (i32.sub (local.get 0) (i32.const 1)))))
    (local.get 1))
  (func $even (export "even") (param i32) (result i32)
    (if (result i32) (i32.eqz (local.get 0)) (then (i32.const 1))
      (else (i32.eqz (call $even (call_indirect (param i32) (result i32) (local.get 0) (i32.const 0)))))))
  (func $through (export "through") (param i32) (result i32)
    (if (result i32) (i32.eqz (local.get 0)) (then (call_indirect (param i32) (result i32) (i32.const 5) (i32.const 1)))
      (else (i32.add (call $through (i32.sub (local.get 0) (i32.const 1)))
                     (call_indirect (param i32) (result i32) (local.get 0) (i32.const 1)))))))"#;

pub(crate) fn trials() -> Vec<Trial> {
    let with_fuel = || {
        for (function, argument) in
            [("fibonacci", 9), ("down", 12), ("loop", 45), ("even", 33), ("through", 6)]
        {
            let ends: BTreeSet<bool> =
                (1..1500).filter_map(|fuel| agrees(function, argument, fuel)).collect();
            assert_eq!(ends.len(), 2, "{function} returns with some fuel, and with some not");
        }
        Ok::<(), Failed>(())
    };
    let in_depth = || {
        let limit = Limits::STANDARD.call_depth;
        for function in ["down", "fibonacci", "through"] {
            let (fuel, least) = (4_000_000, if function == "fibonacci" { 5 } else { limit - 12 });
            let ends: Vec<Option<bool>> =
                (least..least + 24).map(|n| agrees(function, n, fuel)).collect();
            assert_eq!(ends[0], Some(true), "{function}: the concrete form goes as deep");
            assert!(function == "fibonacci" || ends.contains(&None), "{function} goes too deep");
        }
        Ok::<(), Failed>(())
    };
    vec![
        Trial::test("inlined::with_every_amount_of_fuel", with_fuel),
        Trial::test("inlined::at_every_depth", in_depth),
    ]
}

fn program() -> Executable {
    let wasm = wat::parse_str(MODULE).unwrap();
    ENGINE.prepare(&wasm, &Config::standard()).unwrap()
}

/// Whether a call returns; `None` if the concrete form does not tell.
fn agrees(function: &str, argument: u32, fuel: u64) -> Option<bool> {
    thread_local!(static PROGRAM: Executable = program());
    let [shadowed, concrete] = PROGRAM.with(|program| {
        [program.start(fuel), program.concrete().unwrap().start(fuel)]
            .map(|process| run(process, function, argument))
    });
    let what = format!("{function}({argument}) with {fuel}");
    match concrete.is_left {
        true => assert!(matches!(shadowed.outcome, Outcome::Trapped(_)), "{what}: {shadowed:?}"),
        false => assert_eq!(concrete, shadowed, "{what}"),
    }
    (!concrete.is_left).then_some(matches!(concrete.outcome, Outcome::Returned(_)))
}

#[derive(PartialEq, Debug)]
struct Run {
    outcome: Outcome,
    coverage: Vec<Edge>,
    fuel_used: u64,
    is_left: bool,
}

fn run(mut process: Process, function: &str, argument: u32) -> Run {
    let outcome =
        process.call(function, &[Cell::of_scalar(Scalar::I32(argument))]).unwrap().outcome;
    Run {
        outcome,
        coverage: process.coverage().edges().to_vec(),
        fuel_used: process.fuel_used(),
        is_left: process.is_form_left(),
    }
}
