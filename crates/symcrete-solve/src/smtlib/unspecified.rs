//! Cases that SMT-LIB leaves open, as free variables.
//!
//! In SMT-LIB `fp.to_sbv` of NaN, of an infinity or out of range, and `fp.min` of zeros of different
//! sign, are *some* value: any, but always the same for the same arguments. Our operators are total
//! with one meaning each. To answer by the standard, `sat` as well as `unsat`, the open case becomes a
//! variable of its own, and [`Unspecified::facts`] says that equal arguments give equal values
//! (W. Ackermann, *Solvable Cases of the Decision Problem*, 1954).

use std::collections::BTreeMap;
use symcrete_term::{Node, Op, Rounding, Sort, TermId, Terms, Valuation, Value, reachable};

/// A function that is open in places: operator, mode, width of the result, sort of the argument.
type Key = (Op, Rounding, u8, Sort);

/// One argument that an open function was applied to, and the variable for the open result.
#[derive(Clone, Copy)]
struct Point {
    argument: TermId,
    result: TermId,
}

/// The open cases met so far.
#[derive(Clone, Default)]
pub(crate) struct Unspecified {
    points: BTreeMap<Key, Vec<Point>>,
    n_points: usize,
    n_variables: usize,
    /// Per min or max, sort and whether the first zero is the negative one: true chooses the first.
    zeros: BTreeMap<(Op, Sort, bool), TermId>,
    /// Codes of rounding modes that are variables.
    modes: Vec<TermId>,
}

impl Unspecified {
    /// Equal arguments are stated pair by pair, so their number is limited.
    const POINTS_MAX: usize = 200;

    /// `fp.to_sbv` or `fp.to_ubv` as the standard has it; `None` when there are too many.
    pub(crate) fn conversion(
        &mut self,
        terms: &mut Terms,
        op: Op,
        rounding: Rounding,
        width: u8,
        argument: TermId,
    ) -> Option<TermId> {
        let total = terms.app_indexed(op, [rounding as u8, width], &[argument]);
        let in_range = in_range(terms, op, rounding, width, argument);
        if terms.as_const(in_range) == Some(Value::Bool(true)) {
            return Some(total);
        }
        let points = self.points.entry((op, rounding, width, terms.sort(argument))).or_default();
        let known = points.iter().find(|point| point.argument == argument);
        let result = match known {
            Some(point) => point.result,
            None => {
                if self.n_points == Unspecified::POINTS_MAX {
                    return None;
                }
                let result = fresh(terms, &mut self.n_variables, Sort::Bv(width));
                points.push(Point { argument, result });
                self.n_points += 1;
                result
            }
        };
        Some(terms.ite(in_range, total, result))
    }

    /// `fp.min` or `fp.max` as the standard has it.
    pub(crate) fn min_max(&mut self, terms: &mut Terms, op: Op, x: TermId, y: TermId) -> TermId {
        let total = terms.app(op, &[x, y]);
        let zeros = [x, y].map(|term| terms.app(Op::FpIsZero, &[term]));
        let both_zero = terms.app(Op::And, &zeros);
        let same = terms.eq(x, y);
        let different = terms.not(same);
        let open = terms.app(Op::And, &[both_zero, different]);
        if terms.as_const(open) == Some(Value::Bool(false)) {
            return total;
        }
        let sort = terms.sort(x);
        let [negative_first, positive_first] = [true, false].map(|negative| {
            let n_variables = &mut self.n_variables;
            *self
                .zeros
                .entry((op, sort, negative))
                .or_insert_with(|| fresh(terms, n_variables, Sort::Bool))
        });
        let is_negative = terms.app(Op::FpIsNegative, &[x]);
        let first = terms.ite(is_negative, negative_first, positive_first);
        let chosen = terms.ite(first, x, y);
        terms.ite(open, chosen, total)
    }

    /// A rounding mode that is a variable: its code must be one of five.
    pub(crate) fn add_mode(&mut self, code: TermId) {
        self.modes.push(code);
    }

    /// Gives values to open cases that a model does not know because they came up after it was found:
    /// the value of an equal argument, or else zero.
    pub(crate) fn complete(&self, terms: &Terms, valuation: &mut Valuation) {
        let mut points: Vec<(Key, Point)> = Vec::new();
        for (&key, of_key) in &self.points {
            points.extend(of_key.iter().map(|&point| (key, point)));
        }
        // An argument can contain open cases, which are then older.
        points.sort_by_key(|(_, point)| point.result);
        let mut results: BTreeMap<(Key, Value), Value> = BTreeMap::new();
        for known in [true, false] {
            for &(key, point) in &points {
                let Node::Var(var) = terms.node(point.result) else {
                    panic!("an open case is a variable")
                };
                let value = valuation.get(var);
                if value.is_some() == known {
                    let argument = terms.evaluate(point.argument, valuation);
                    let zero = Value::zero(terms.sort(point.result));
                    let result = *results.entry((key, argument)).or_insert(value.unwrap_or(zero));
                    valuation.set(var, value.unwrap_or(result));
                }
            }
        }
    }

    /// What must hold besides `roots` for the open cases in them to mean what the standard says.
    pub(crate) fn facts(&self, terms: &mut Terms, roots: &[TermId]) -> Vec<TermId> {
        let mut facts = Vec::new();
        if self.modes.is_empty() && self.points.is_empty() {
            return facts;
        }
        // A fact can mention an argument that contains an open case of its own, so repeat until no
        // further case comes into sight.
        loop {
            let n_before = facts.len();
            let all: Vec<TermId> = roots.iter().chain(&facts).copied().collect();
            let in_sight = reachable(terms, &all);
            facts = self.facts_about(terms, |term| in_sight.binary_search(&term).is_ok());
            if facts.len() == n_before {
                return facts;
            }
        }
    }

    fn facts_about(&self, terms: &mut Terms, is_seen: impl Fn(TermId) -> bool) -> Vec<TermId> {
        let mut facts = Vec::new();
        for &mode in self.modes.iter().filter(|&&mode| is_seen(mode)) {
            let limit = terms.bv(3, Rounding::ALL.len() as u64);
            facts.push(terms.app(Op::BvUlt, &[mode, limit]));
        }
        for points in self.points.values() {
            let seen: Vec<Point> =
                points.iter().filter(|point| is_seen(point.result)).copied().collect();
            for (i, a) in seen.iter().enumerate() {
                for b in &seen[i + 1..] {
                    let same_argument = terms.eq(a.argument, b.argument);
                    let other_argument = terms.not(same_argument);
                    let same_result = terms.eq(a.result, b.result);
                    facts.push(terms.app(Op::Or, &[other_argument, same_result]));
                }
            }
        }
        facts
    }
}

/// A variable that no script can name.
fn fresh(terms: &mut Terms, n_variables: &mut usize, sort: Sort) -> TermId {
    loop {
        *n_variables += 1;
        let name = format!("symcrete.open.{n_variables}");
        if terms.find_var(&name).is_none() {
            return terms.var(&name, sort);
        }
    }
}

/// Whether a float, rounded to an integer, fits `width` bits. False for NaN and the infinities.
fn in_range(terms: &mut Terms, op: Op, rounding: Rounding, width: u8, argument: TermId) -> TermId {
    let (least, limit) = if op == Op::FpToSbv {
        (-power_of_two(width - 1), power_of_two(width - 1))
    } else {
        (0.0, power_of_two(width))
    };
    // Powers of two up to 2^64 are exact in both float sorts.
    let [least, limit] = [least, limit].map(|bound| {
        let single = terms.sort(argument) == Sort::F32;
        terms.constant(if single { Value::f32(bound as f32) } else { Value::f64(bound) })
    });
    let rounded = terms.rounded(Op::FpRoundToIntegral, rounding, &[argument]);
    let above = terms.app(Op::FpLe, &[least, rounded]);
    let below = terms.app(Op::FpLt, &[rounded, limit]);
    terms.app(Op::And, &[above, below])
}

fn power_of_two(exponent: u8) -> f64 {
    (1u128 << exponent) as f64
}
