//! Long runs end as short ones do, wherever they touch memory.
//!
//! A run that takes long is made in the concrete form, which leaves whatever is out of the ordinary to the shadowed form. Each function
//! here touches an address; behind a long loop it must come to the same end.

use crate::differential::ENGINE;
use libtest_mimic::{Failed, Trial};
use std::collections::BTreeSet;
use std::ops::Range;
use symcrete_exec::{Config, Entry, Executor};
use symcrete_program::{Image, Outcome, Scalar};
use symcrete_term::Terms;

/// A run that passes so many branches first is made in the concrete form if it may take long.
pub(crate) const LONG: u32 = 1_100_000;
const OBJECTS: [Range<u32>; 2] = [4100..4105, 4112..4128];
const ADDRESSES: Range<u32> = 4090..4132;
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
    ["i32", "i64"]
        .map(|address| {
            Trial::test(format!("long::accesses_at_addresses_of_type_{address}"), move || {
                ACCESSES.iter().for_each(|access| check(address, access));
                Ok::<(), Failed>(())
            })
        })
        .into()
}

fn check(address: &str, access: &str) {
    let code = access.replace("P", "(local.get $p)").replace("ADDRESS", address);
    let memory = if address == "i64" { "i64 1" } else { "1" };
    let wat = format!(
        r#"(module (memory {memory}) (data ({address}.const 4090) "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrst")
        (func (export "short") (param $p {address}) (result i32) {code})
        (func (export "long") (param $p {address}) (result i32) (local $n i32)
          (loop (br_if 0 (i32.lt_u (local.tee $n (i32.add (local.get $n) (i32.const 1))) (i32.const {LONG}))))
          {code}))"#
    );
    let executable = ENGINE.prepare(&wat::parse_str(&wat).unwrap(), &Config::standard()).unwrap();
    let mut ends = BTreeSet::new();
    for place in ADDRESSES {
        let argument = match address {
            "i64" => Scalar::I64(place.into()),
            _ => Scalar::I32(place),
        };
        let image = Image {
            arena: 4096..8192,
            objects: OBJECTS.to_vec(),
            watched: vec![ADDRESSES],
            ..Image::of_args([argument])
        };
        let run = |function: &str, fuel: u64| {
            let mut executor = executable.executor(Entry::new(function)).unwrap();
            let trace = executor.run(&mut Terms::new(), &image, fuel).unwrap();
            let end = match &trace.outcome {
                Outcome::Trapped(trap) => format!("{:?}", trap.kind),
                other => format!("{other:?}"),
            };
            (end, trace.watched)
        };
        let short = run("short", 10_000);
        assert_eq!(run("long", 100 * u64::from(LONG)), short, "{access} at {place}");
        ends.insert(short.0);
    }
    assert!(ends.len() > 1, "{access} always ends the same");
}
