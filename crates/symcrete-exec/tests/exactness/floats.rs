//! Random programs that compute with NaNs of all kinds and move them about, at addresses that may be too wide.
//!
//! The concrete form lets operators give any NaN, and looks at addresses late (`instrument/nans.rs`, `instrument/doubts.rs`). Where it
//! comes to an end that counts, results, memory, globals and sides must be those of the shadowed form, bit for bit.

use crate::differential::{ENGINE, Pair, config};
use libtest_mimic::{Failed, Trial};
use symcrete_program::Scalar;
use symcrete_term::{Rng, Seed};

const N_PROGRAMS: u64 = 150;
/// Runs of each program.
const N_CALLS: u64 = 6;
const N_STATEMENTS: u64 = 7;
const FUEL: u64 = 10_000;

/// Bits of floats: numbers, infinities, and NaNs with both signs and other payloads, signalling ones among them.
const DOUBLES: [u64; 9] = [
    0,
    1 << 63,
    0x3ff8_0000_0000_0000,
    0x7ff0_0000_0000_0000,
    0xfff0_0000_0000_0000,
    0x7ff8_0000_0000_0000,
    0xfff8_0000_0000_0000,
    0x7ff8_0000_0000_1234,
    0xfff4_0000_0000_0000,
];

/// So many of them are numbers.
const N_NUMBERS: usize = 3;

pub(crate) fn trials() -> Vec<Trial> {
    ["i32", "i64"]
        .map(|address| {
            Trial::test(format!("floats::addresses_of_type_{address}"), move || {
                let n_believed: u64 = (0..N_PROGRAMS).map(|seed| check(address, seed)).sum();
                let some = N_PROGRAMS * N_CALLS / 10..N_PROGRAMS * N_CALLS * 9 / 10;
                assert!(some.contains(&n_believed), "the concrete form ran {n_believed} calls");
                Ok::<(), Failed>(())
            })
        })
        .into()
}

/// Runs a program; how many of its calls the concrete form has made to the end.
fn check(address: &'static str, seed: u64) -> u64 {
    let mut rng = Seed(seed).derive(address).rng();
    let wat = Writer { rng: &mut rng, address, may_call: false }.module();
    let wasm = wat::parse_str(&wat).unwrap_or_else(|error| panic!("{error}\n{wat}"));
    let executable = ENGINE.prepare(&wasm, &config()).unwrap();
    let mut n_believed = 0;
    for _ in 0..N_CALLS {
        let mut pair = Pair::start(&wasm, &executable, false, FUEL).unwrap();
        let [a, b, c] = [(); 3].map(|()| double(&mut rng));
        let args = [
            Scalar::F64(a),
            Scalar::F64(b),
            Scalar::F32((c >> 32) as u32),
            Scalar::I32(rng.below(4) as u32),
        ];
        let done =
            pair.call("f", &args).and_then(|()| pair.global("d")).and_then(|()| pair.global("s"));
        done.unwrap_or_else(|error| panic!("{error}\n{wat}"));
        n_believed += u64::from(pair.is_concrete());
    }
    n_believed
}

/// Bits of a float: mostly of a number, so that runs get somewhere.
fn double(rng: &mut Rng) -> u64 {
    let among = if rng.below(5) == 0 { DOUBLES.len() } else { N_NUMBERS };
    DOUBLES[rng.below(among as u64) as usize]
}

/// Writes a program as text.
struct Writer<'a> {
    rng: &'a mut Rng,
    /// The type of addresses.
    address: &'static str,
    /// Whether there is a function that can be called.
    may_call: bool,
}

impl Writer<'_> {
    fn module(&mut self) -> String {
        let memory = if self.address == "i64" { "i64 1" } else { "1" };
        let helper = self.expression("f64", 2);
        self.may_call = true;
        let mut code = String::new();
        for _ in 0..2 + self.rng.below(N_STATEMENTS) {
            code += &self.statement(2);
            code += "\n";
        }
        let results = [self.expression("i64", 2), self.expression("i32", 2)].join(" ");
        format!(
            r#"(module (memory (export "m") {memory})
            (global $d (export "d") (mut f64) (f64.const nan:0x8000000000007))
            (global $s (export "s") (mut f32) (f32.const -nan:0x200001))
            (data ({}.const 64) "\01\00\00\00\00\00\fc\7f\01\00\a0\ff\00\00\00\00")
            (func $h (param $a f64) (param $b f64) (param $c f32) (param $i i32) (result f64)
              (local $n i32) (local $x f64) (local $y f32) {helper})
            (func (export "f") (param $a f64) (param $b f64) (param $c f32) (param $i i32) (result i64 i32)
              (local $n i32) (local $x f64) (local $y f32)
              {code} {results}))"#,
            self.address
        )
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.rng.below(from.len() as u64) as usize]
    }

    /// An address in reach, now and then one of which the lower half alone is.
    fn place(&mut self) -> String {
        let place = 8 * self.rng.below(12);
        let address = self.address;
        let computed =
            format!("(i32.add (i32.const {place}) (i32.shl (local.get $i) (i32.const 3)))");
        match (address, self.rng.below(12)) {
            ("i64", 0) => {
                let high = ["(local.get $i)", "(local.get $n)"][self.rng.below(2) as usize];
                format!(
                    "(i64.or (i64.const {place}) (i64.shl (i64.extend_i32_u (i32.eq {high} (i32.const 3))) (i64.const {})))",
                    32 + self.rng.below(32)
                )
            }
            ("i64", 1..4) => format!("(i64.extend_i32_u {computed})"),
            (_, 0..4) => computed,
            _ => format!("({address}.const {place})"),
        }
    }

    fn number(&mut self, ty: &str) -> String {
        let bits = double(self.rng);
        match ty {
            "f64" => format!("(f64.reinterpret_i64 (i64.const {}))", bits as i64),
            "f32" => format!("(f32.reinterpret_i32 (i32.const {}))", (bits >> 32) as i32),
            _ => format!("({ty}.const {})", self.rng.below(5)),
        }
    }

    /// A constant that is written down as one.
    fn literal(&mut self, ty: &str) -> String {
        let number = match ty {
            "f64" => self.pick(&["nan:0x8000000000001", "nan:0x1", "1.5", "2", "-inf", "0"]),
            "f32" => self.pick(&["nan:0x400001", "-nan", "1.5", "2", "inf", "-0"]),
            _ => "3",
        };
        format!("({ty}.const {number})")
    }

    fn condition(&mut self, depth: u32) -> String {
        match self.rng.below(4) {
            0 => "(i32.and (local.get $i) (i32.const 1))".to_string(),
            1 => "(i32.lt_u (local.get $n) (i32.const 2))".to_string(),
            _ => self.expression("i32", depth),
        }
    }

    fn expression(&mut self, ty: &'static str, depth: u32) -> String {
        if depth == 0 {
            return self.leaf(ty);
        }
        let e = |writer: &mut Self, ty: &'static str| writer.expression(ty, depth - 1);
        match (ty, self.rng.below(10)) {
            (_, 0) => self.leaf(ty),
            (_, 1) => {
                format!("(select {} {} {})", e(self, ty), e(self, ty), self.condition(depth - 1))
            }
            (_, 2) => format!(
                "(if (result {ty}) {} (then {}) (else {}))",
                self.condition(depth - 1),
                e(self, ty),
                e(self, ty)
            ),
            (_, 3) => {
                let (value, condition, other) =
                    (e(self, ty), self.condition(depth - 1), e(self, ty));
                format!("(block (result {ty}) (drop (br_if 0 {value} {condition})) {other})")
            }
            ("f64" | "f32", _) => self.float(ty, depth),
            ("i64", 4..8) => format!("(i64.reinterpret_f64 {})", e(self, "f64")),
            ("i64", _) => format!("(i64.trunc_sat_f64_s {})", e(self, "f64")),
            (_, 4..6) => format!("(i32.reinterpret_f32 {})", e(self, "f32")),
            (_, 6) => format!("(i32.trunc_sat_f32_u {})", e(self, "f32")),
            _ => {
                let float = self.pick(&["f64", "f32"]);
                let op = self.pick(&["lt", "ge", "eq", "ne"]);
                format!("({float}.{op} {} {})", e(self, float), e(self, float))
            }
        }
    }

    fn float(&mut self, ty: &'static str, depth: u32) -> String {
        let (other, convert) = match ty {
            "f64" => ("f32", "f64.promote_f32"),
            _ => ("f64", "f32.demote_f64"),
        };
        match self.rng.below(6) {
            0 => {
                let op = self.pick(&["neg", "abs", "sqrt", "ceil", "floor", "trunc", "nearest"]);
                format!("({ty}.{op} {})", self.expression(ty, depth - 1))
            }
            1 => format!("({convert} {})", self.expression(other, depth - 1)),
            2 if ty == "f64" && self.may_call => {
                let args = [self.leaf("f64"), self.leaf("f64"), self.leaf("f32")].join(" ");
                format!("(call $h {args} (local.get $i))")
            }
            _ => {
                let op = self.pick(&["add", "sub", "mul", "div", "min", "max", "copysign"]);
                let (a, b) = (self.expression(ty, depth - 1), self.expression(ty, depth - 1));
                format!("({ty}.{op} {a} {b})")
            }
        }
    }

    fn leaf(&mut self, ty: &str) -> String {
        match (ty, self.rng.below(6)) {
            (_, 0) => self.number(ty),
            (_, 1) => self.literal(ty),
            (_, 2) => format!("({ty}.load {})", self.place()),
            ("f64", 3) => "(global.get $d)".to_string(),
            ("f32", 3) => "(global.get $s)".to_string(),
            ("f64", _) => format!("(local.get {})", self.pick(&["$a", "$b", "$x"])),
            ("f32", _) => format!("(local.get {})", self.pick(&["$c", "$y"])),
            ("i64", _) => "(i64.extend_i32_s (local.get $n))".to_string(),
            _ => format!("(local.get {})", self.pick(&["$i", "$n"])),
        }
    }

    fn statement(&mut self, depth: u32) -> String {
        let (x, y) = (self.expression("f64", depth), self.expression("f32", depth));
        let (place, other, address) = (self.place(), self.place(), self.address);
        match self.rng.below(11) {
            0 => format!("(f64.store {place} {x})"),
            1 => format!("(f32.store {place} {y})"),
            2 => format!("(f64.store {place} (f64.load {other})) (local.set $x {x})"),
            3 => format!(
                "(local.set $y {y}) (f32.store {place} (local.tee $y {}))",
                self.leaf("f32")
            ),
            4 => format!("(global.set $d {x})"),
            5 => format!("(global.set $s {y})"),
            6 => format!("(memory.copy {place} {other} ({address}.const {}))", self.rng.below(24)),
            7 => {
                let (other, condition) = (self.expression("f64", 1), self.condition(1));
                format!(
                    "(block (result f64 f64) {x} {other} (br_if 0 {condition})) (local.set $x) (local.set $a)"
                )
            }
            // What comes round is not what came first.
            8 => {
                let first = self.literal("f64");
                format!(
                    "{place} {first} (loop (param {address} f64) (f64.store) {other} {x}
                    (local.set $n (i32.add (local.get $n) (i32.const 1)))
                    (br_if 0 (i32.lt_u (local.get $n) (i32.const 3))) (drop) (drop))"
                )
            }
            9 if depth > 0 => {
                let (condition, a, b) =
                    (self.condition(depth), self.statement(depth - 1), self.statement(depth - 1));
                format!("(if {condition} (then {a}) (else {b}))")
            }
            _ => format!("(i64.store {place} {})", self.expression("i64", depth)),
        }
    }
}
