//! Stored pointers: random stores, copies and loads around them, against a plain list of words.
//!
//! Most of them are dealt with in rewritten code (`instrument/quick.rs`), the rest by the host. A program has looked at an
//! address exactly if it has read some bytes of a stored pointer and not all. Every program is run once more behind a loop that takes
//! so long that the run is made in the concrete form, which has to see the same (`tags.rs`).

use crate::differential::ENGINE;
use crate::long::LONG;
use libtest_mimic::{Failed, Trial};
use std::collections::BTreeSet;
use std::fmt::Write;
use symcrete_exec::{Config, Entry, Executor};
use symcrete_program::{Gap, Image, Outcome};
use symcrete_term::Terms;

/// Where all of it happens: behind null's page, before the arena.
const START: u32 = 2048;
const LENGTH: u32 = 48;
const N_PROGRAMS: u32 = 120;
const N_STEPS: u32 = 8;

pub(crate) fn trials() -> Vec<Trial> {
    [4, 8]
        .map(|size| {
            Trial::test(format!("stored::pointers_of_{size}_bytes"), move || {
                let n_torn = (0..N_PROGRAMS).filter(|&seed| check(size, seed)).count();
                assert!((20..100).contains(&n_torn), "{n_torn} programs look at an address");
                Ok::<(), Failed>(())
            })
        })
        .into()
}

/// A small generator: what it gives need only be mixed.
struct Random(u32);

impl Random {
    fn below(&mut self, n: u32) -> u32 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (self.0 >> 12) % n
    }

    /// A place with room for some bytes, often an aligned one.
    fn place(&mut self, bytes: u32) -> u32 {
        let at = self.below(LENGTH - bytes + 1);
        START + if self.below(3) > 0 { at / bytes.max(1) * bytes } else { at }
    }
}

/// What is known of memory, kept in the plainest way.
#[derive(Clone)]
struct Model {
    size: u32,
    words: BTreeSet<u32>,
    is_torn: bool,
}

impl Model {
    fn write(&mut self, start: u32, n: u32) {
        let size = self.size;
        self.words.retain(|&word| n == 0 || word >= start + n || word + size <= start);
    }

    fn read(&mut self, start: u32, n: u32) {
        let shares = |word: u32| n > 0 && word < start + n && start < word + self.size;
        let is_whole = |word: u32| start <= word && word + self.size <= start + n;
        self.is_torn |= self.words.iter().any(|&word| shares(word) && !is_whole(word));
    }

    fn copy(&mut self, to: u32, from: u32, n: u32) {
        self.read(from, n);
        let is_moved = |word: &&u32| **word >= from && **word + self.size <= from + n;
        let moved: Vec<u32> = self.words.iter().filter(is_moved).map(|word| word - from).collect();
        self.write(to, n);
        self.words.extend(moved.into_iter().map(|offset| to + offset));
    }
}

/// Writes a program, runs it, and compares; whether it looks at an address.
fn check(size: u32, seed: u32) -> bool {
    let ty = if size == 8 { "i64" } else { "i32" };
    let mut random = Random(seed * 2 + size);
    let mut model = Model { size, words: BTreeSet::new(), is_torn: false };
    let mut code = String::new();
    for _ in 0..N_STEPS {
        steps(&mut random, &mut model, (ty, &mut code));
    }
    let memory = if size == 8 { "i64 1" } else { "1" };
    let wat = format!(
        r#"(module (import "symcrete" "pointer" (func $pointer (param {ty}))) (memory {memory})
        (func (export "f") (local $one i32) (local.set $one (i32.const 1)) {code})
        (func (export "long") (local $n i32) (local $one i32) (local.set $one (i32.const 1))
          (loop (br_if 0 (i32.lt_u (local.tee $n (i32.add (local.get $n) (i32.const 1))) (i32.const {LONG}))))
          {code}))"#
    );
    let executable = ENGINE.prepare(&wat::parse_str(&wat).unwrap(), &Config::standard()).unwrap();
    let image = Image { arena: 4096..8192, ..Image::default() };
    for (function, fuel) in [("f", 10_000), ("long", 100 * u64::from(LONG))] {
        let mut executor = executable.executor(Entry::new(function)).unwrap();
        let trace = executor.run(&mut Terms::new(), &image, fuel).unwrap();
        assert!(matches!(trace.outcome, Outcome::Returned(_)), "{}\n{wat}", trace.outcome);
        let is_met = trace.gaps.iter().any(|met| met.gap == Gap::Addresses);
        assert_eq!(is_met, model.is_torn, "{function} of {wat}");
    }
    model.is_torn
}

/// One thing that a program does, or one of two, or one that it may leave out.
fn steps(random: &mut Random, model: &mut Model, (ty, code): (&str, &mut String)) {
    let (mut taken, mut left_out) = (String::new(), String::new());
    step(random, model, (ty, &mut taken));
    step(random, &mut model.clone(), (ty, &mut left_out));
    *code += &match random.below(6) {
        0 => format!("(if (local.get $one) (then {taken}) (else {left_out}))"),
        1 => format!("(if (i32.eqz (local.get $one)) (then {left_out}) (else {taken}))"),
        2 => format!("(block {taken} (br_if 0 (local.get $one)) {left_out})"),
        _ => taken,
    };
}

/// One thing that a program does.
fn step(random: &mut Random, model: &mut Model, (ty, code): (&str, &mut String)) {
    match random.below(8) {
        0..3 => {
            let place = random.place(model.size);
            write!(
                code,
                "({ty}.store ({ty}.const {place}) ({ty}.const 2050)) (call $pointer ({ty}.const {place}))"
            )
            .unwrap();
            model.write(place, model.size);
            model.words.insert(place);
        }
        3..5 => {
            let (store, value, n) = [
                ("i32.store8", "i32", 1),
                ("i32.store16", "i32", 2),
                ("i64.store32", "i64", 4),
                ("f64.store", "f64", 8),
            ][random.below(4) as usize];
            let place = random.place(n);
            write!(code, "({store} ({ty}.const {place}) ({value}.const 7))").unwrap();
            model.write(place, n);
        }
        5 => {
            let n = random.below(20);
            let (to, from) = (random.place(n), random.place(n));
            write!(code, "(memory.copy ({ty}.const {to}) ({ty}.const {from}) ({ty}.const {n}))")
                .unwrap();
            model.copy(to, from, n);
        }
        // Few: a program that has looked at an address stays one that has.
        _ => {
            let (load, n) =
                [("i64.load", 8), ("f32.load", 4), ("i32.load16_u", 2), ("i32.load8_s", 1)]
                    [random.below(16).saturating_sub(12) as usize];
            let place = random.place(n);
            write!(code, "(drop ({load} ({ty}.const {place})))").unwrap();
            model.read(place, n);
        }
    }
}
