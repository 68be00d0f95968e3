//! How each operator is written, with the guards that fix what SMT-LIB leaves open.

#![expect(clippy::wildcard_enum_match_arm, reason = "most operators are written plainly")]

use super::{Printer, Written, term_name};
use crate::arena::{TableId, TermId, Terms, entry_at};
use crate::op::{Indices, Op, Rounding, SortRule};
use crate::value::{NAN_BITS_F32, NAN_BITS_F64, Sort, Value};
use std::fmt::Write;

/// An argument as text, and how deep it nests.
#[derive(Clone)]
pub(super) struct Operand {
    pub(super) text: String,
    pub(super) depth: u32,
}

/// An application to be written.
pub(super) struct Application {
    pub(super) term: TermId,
    pub(super) op: Op,
    pub(super) indices: Indices,
    pub(super) sorts: Vec<Sort>,
    pub(super) operands: Vec<Operand>,
}

/// Whether the written form mentions an argument more than once, so that it must be an atom.
pub(super) fn repeats_arguments(op: Op) -> bool {
    matches!(
        op,
        Op::BvRotl | Op::BvRotr | Op::FpMin | Op::FpMax | Op::FpToSbv | Op::FpToUbv | Op::FpBits
    )
}

impl Application {
    /// The expression; helper definitions it needs go to `out`.
    pub(super) fn write(&self, printer: &mut Printer, out: &mut String) -> String {
        match self.op {
            Op::BvClz | Op::BvCtz | Op::BvPopcnt => self.count(printer, out),
            Op::BvRotl => self.rotation("bvshl", "bvlshr"),
            Op::BvRotr => self.rotation("bvlshr", "bvshl"),
            Op::FpMin | Op::FpMax => self.min_max(),
            Op::FpToSbv | Op::FpToUbv => self.to_bv(),
            Op::FpBits => self.bits(printer, out),
            Op::FpOfBits => format!("({} {})", to_fp("to_fp", self.sorts[0].bits()), self.arg(0)),
            Op::FpOfFp | Op::FpOfSbv => self.conversion("to_fp"),
            Op::FpOfUbv => self.conversion("to_fp_unsigned"),
            _ => self.plain(),
        }
    }

    fn arg(&self, i: usize) -> &str {
        &self.operands[i].text
    }

    fn rounding(&self) -> &'static str {
        Rounding::from_code(self.indices[0]).smtlib()
    }

    fn plain(&self) -> String {
        let name = self.op.info().name;
        let head = match self.op.info().sort_rule {
            SortRule::Extract => format!("(_ {name} {} {})", self.indices[0], self.indices[1]),
            SortRule::Extend => format!("(_ {name} {})", self.indices[0]),
            SortRule::FpRounded => format!("{name} {}", self.rounding()),
            _ => name.to_string(),
        };
        let args: Vec<&str> = self.operands.iter().map(|operand| operand.text.as_str()).collect();
        format!("({head} {})", args.join(" "))
    }

    fn conversion(&self, name: &str) -> String {
        let head = to_fp(name, u32::from(self.indices[1]));
        format!("({head} {} {})", self.rounding(), self.arg(0))
    }

    /// With the amount reduced first, a shift by the whole width gives zero, which is right.
    fn rotation(&self, towards: &str, back: &str) -> String {
        let bits = self.sorts[0].bits() as u8;
        let width = Value::bv(bits, u64::from(bits));
        let (x, n) = (self.arg(0), format!("(bvurem {} {width})", self.arg(1)));
        format!("(bvor ({towards} {x} {n}) ({back} {x} (bvsub {width} {n})))")
    }

    fn min_max(&self) -> String {
        let (a, b) = (self.arg(0), self.arg(1));
        let (negative, positive) = if self.op == Op::FpMin { (a, b) } else { (b, a) };
        format!(
            "(ite (and (fp.isZero {a}) (fp.isZero {b})) \
             (ite (fp.isNegative {a}) {negative} {positive}) {})",
            self.plain()
        )
    }

    /// Saturation: the limits are compared after rounding to an integral float, where they are exact.
    fn to_bv(&self) -> String {
        let (x, width) = (self.arg(0), self.indices[1]);
        let float = |x: f64| match self.sorts[0] {
            Sort::F32 => Value::f32(x as f32),
            Sort::Bool | Sort::Bv(_) | Sort::F64 => Value::f64(x),
        };
        let ones = Sort::Bv(width).mask();
        let power = |n: u8| 2f64.powi(i32::from(n));
        let (below, above, least, greatest) = if self.op == Op::FpToSbv {
            let limit = power(width - 1);
            (float(-limit), float(limit), ones ^ (ones >> 1), ones >> 1)
        } else {
            (float(0.0), float(power(width)), 0, ones)
        };
        let bv = |bits| Value::bv(width, bits);
        let rounding = self.rounding();
        let rounded = format!("(fp.roundToIntegral {rounding} {x})");
        format!(
            "(ite (fp.isNaN {x}) {} (ite (fp.lt {rounded} {below}) {} \
             (ite (fp.geq {rounded} {above}) {} ((_ {} {width}) {rounding} {x}))))",
            bv(0),
            bv(least),
            bv(greatest),
            self.op.info().name
        )
    }

    /// A fresh bit-vector with this float as its value; of a NaN, the canonical representation.
    fn bits(&self, printer: &mut Printer, out: &mut String) -> String {
        let name = format!("bits!{}", term_name(self.term));
        if printer.remember(Written::Helper(name.clone())) {
            let (sort, x) = (self.sorts[0], self.arg(0));
            let nan = match sort {
                Sort::F32 => Value::bv(32, u64::from(NAN_BITS_F32)),
                Sort::Bool | Sort::Bv(_) | Sort::F64 => Value::bv(64, NAN_BITS_F64),
            };
            let back = to_fp("to_fp", sort.bits());
            writeln!(
                out,
                "(declare-const {name} (_ BitVec {}))\n(assert (= ({back} {name}) {x}))\n\
                 (assert (=> (fp.isNaN {x}) (= {name} {nan})))",
                sort.bits()
            )
            .expect("writing to memory");
        }
        name
    }

    fn count(&self, printer: &mut Printer, out: &mut String) -> String {
        let width = self.sorts[0].bits() as u8;
        let name = format!("{}{width}", self.op.info().name.replace("symcrete.", "symcrete!"));
        if printer.remember(Written::Helper(name.clone())) {
            let body = match self.op {
                Op::BvClz => first_one(width, (0..width).rev()),
                Op::BvCtz => first_one(width, 0..width),
                _ => sum_of_bits(width),
            };
            let sort = Sort::Bv(width);
            writeln!(out, "(define-fun {name} ((x {sort})) {sort} {body})")
                .expect("writing to memory");
        }
        format!("({name} {})", self.arg(0))
    }
}

/// How many bits come before the first one, in the given order; the width if there is none.
fn first_one(width: u8, order: impl Iterator<Item = u8>) -> String {
    let mut body = String::new();
    for (n, bit) in order.enumerate() {
        let count = Value::bv(width, n as u64);
        write!(body, "(ite (= ((_ extract {bit} {bit}) x) #b1) {count} ")
            .expect("writing to memory");
    }
    write!(body, "{}", Value::bv(width, u64::from(width))).expect("writing to memory");
    body.push_str(&")".repeat(usize::from(width)));
    body
}

fn sum_of_bits(width: u8) -> String {
    let mut body = Value::bv(width, 0).to_string();
    for bit in 0..width {
        let extended = format!("((_ zero_extend {}) ((_ extract {bit} {bit}) x))", width - 1);
        body = format!("(bvadd {body} {extended})");
    }
    body
}

fn to_fp(name: &str, bits: u32) -> String {
    let (e, s) = if bits == 32 { (8, 24) } else { (11, 53) };
    format!("(_ {name} {e} {s})")
}

/// The name of a function that reads a table, defined as a balanced tree of comparisons.
pub(super) fn lookup(
    printer: &mut Printer,
    terms: &Terms,
    table: TableId,
    index: Sort,
    out: &mut String,
) -> String {
    let width = index.bits() as u8;
    let name = format!("table!{}!{width}", table.index());
    if printer.remember(Written::Helper(name.clone())) {
        let (sort, entries) = terms.table_entries(table);
        // One entry beyond the end stands for all the zeros there, unless no index goes that far.
        let last = (entries.len() as u64).min(index.mask());
        let mut body = String::new();
        write_tree(&mut body, 0, last, width, &|i| Value::from_bits(sort, entry_at(entries, i)));
        writeln!(out, "(define-fun {name} ((i {index})) {sort} {body})")
            .expect("writing to memory");
    }
    name
}

/// Chooses among the entries `low..=high`. The recursion is as deep as the logarithm of their number.
fn write_tree(out: &mut String, low: u64, high: u64, width: u8, entry: &dyn Fn(u64) -> Value) {
    if low == high {
        write!(out, "{}", entry(low)).expect("writing to memory");
        return;
    }
    let middle = low + (high - low) / 2;
    write!(out, "(ite (bvule i {}) ", Value::bv(width, middle)).expect("writing to memory");
    write_tree(out, low, middle, width, entry);
    out.push(' ');
    write_tree(out, middle + 1, high, width, entry);
    out.push(')');
}
