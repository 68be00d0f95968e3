//! A query of bit-vectors as linear forms over whole numbers; see [`super::proof`] for what makes it exact.

use super::ratio::{Ratio, gcd};
use super::simplex::{self, Simplex};
use crate::Query;
use crate::error::{Comparison, Reading, Test};
use crate::interval::{Hulls, hulls};
use std::collections::BTreeMap;
use symcrete_term::{Literal, Node, Op, Sort, TermId, Terms, VarId, reachable};

/// Larger queries are left alone.
const TERMS_MAX: usize = 2_000;
const LITERALS_MAX: usize = 200;
/// Longer sums become variables of their own.
const FORM_MAX: usize = 40;

/// What became of a query.
pub(super) enum Encoded {
    /// The encoding itself found that there is no model.
    Empty,
    /// Forms within bounds.
    System(System),
}

/// The linear part of a query.
pub(super) struct System {
    pub(super) simplex: Simplex<Ratio>,
    /// Which must be whole.
    pub(super) variables: Vec<usize>,
    /// Which must not be zero.
    pub(super) differences: Vec<usize>,
    /// The query's variables that occur.
    pub(super) inputs: Vec<(VarId, usize)>,
}

type Bounds = simplex::Bounds<i128>;

/// `Σ aᵢxᵢ + b` over numbered variables.
#[derive(Clone, Default)]
struct Form {
    terms: BTreeMap<usize, i128>,
    constant: i128,
}

/// The encoding contradicts itself.
struct Empty;

/// The linear part of a query; `None` if there is none, or too much.
pub(super) fn encode(query: &Query<'_>) -> Option<Encoded> {
    let comparisons = comparisons(query);
    if comparisons.is_empty() || comparisons.len() > LITERALS_MAX {
        return None;
    }
    let order = reachable(query.terms, &query.roots());
    if order.len() > TERMS_MAX {
        return None;
    }
    let Some(hulls) = hulls(query) else { return Some(Encoded::Empty) };
    let mut build = Build {
        terms: query.terms,
        hulls,
        variables: Vec::new(),
        inputs: Vec::new(),
        rows: Vec::new(),
        signed: BTreeMap::new(),
        unsigned: BTreeMap::new(),
    };
    build.all_terms(&comparisons)?;
    let mut differences = Vec::new();
    for compared in &comparisons {
        if build.compare(compared, &mut differences)?.is_err() {
            return Some(Encoded::Empty);
        }
    }
    build.finish(differences)
}

/// A comparison of bit-vectors that must hold or fail.
struct Compared {
    comparison: Comparison,
    args: [TermId; 2],
    expected: bool,
}

/// The comparisons of bit-vectors among the conjuncts.
fn comparisons(query: &Query<'_>) -> Vec<Compared> {
    let terms = query.terms;
    let mut found = Vec::new();
    let mut stack: Vec<Literal> = query.literals.to_vec();
    while let Some(Literal { term, expected }) = stack.pop() {
        let Node::App { op, args, .. } = terms.node(term) else { continue };
        match (op, expected) {
            (Op::Not, _) => stack.push(Literal { term: args[0], expected: !expected }),
            (Op::And, true) | (Op::Or, false) => {
                stack.extend(args.iter().map(|&term| Literal { term, expected }));
            }
            _ => {
                let sort = terms.sort(args[args.len() - 1]);
                let comparison = Comparison::of(op, sort);
                if let (Some(comparison), Sort::Bv(_)) = (comparison, sort) {
                    found.push(Compared { comparison, args: [args[0], args[1]], expected });
                }
            }
        }
        if found.len() > LITERALS_MAX {
            break;
        }
    }
    found
}

struct Build<'a> {
    terms: &'a Terms,
    hulls: Hulls,
    variables: Vec<Bounds>,
    inputs: Vec<(VarId, usize)>,
    rows: Vec<(Form, Bounds)>,
    signed: BTreeMap<TermId, Form>,
    unsigned: BTreeMap<TermId, Form>,
}

/// Two to a width, at most 64.
fn power(width: u8) -> i128 {
    1 << width
}

impl Build<'_> {
    /// The forms of all terms below the comparisons, children first. `None` where numbers are too large.
    fn all_terms(&mut self, comparisons: &[Compared]) -> Option<()> {
        let roots: Vec<TermId> = comparisons.iter().flat_map(|c| c.args).collect();
        for term in reachable(self.terms, &roots) {
            if let Sort::Bv(width) = self.terms.sort(term) {
                let form = self.term(term, width)?;
                let form = if form.terms.len() > FORM_MAX { self.opaque(term) } else { form };
                self.add_hull(term, &form)?;
                self.signed.insert(term, form);
            }
        }
        Some(())
    }

    /// What intervals know of a sum and its parts do not show.
    fn add_hull(&mut self, term: TermId, form: &Form) -> Option<()> {
        let (low, high) = self.hulls.signed(term);
        let range = self.range(form)?;
        if form.terms.len() > 1 && (low > range.low || high < range.high) {
            self.rows.push((form.clone(), Bounds { low, high }));
        }
        Some(())
    }

    fn variable(&mut self, bounds: Bounds) -> Form {
        self.variables.push(bounds);
        Form { terms: BTreeMap::from([(self.variables.len() - 1, 1)]), constant: 0 }
    }

    /// A term as a variable within its range.
    fn opaque(&mut self, term: TermId) -> Form {
        let (low, high) = self.hulls.signed(term);
        self.variable(Bounds { low, high })
    }

    fn range(&self, form: &Form) -> Option<Bounds> {
        let mut range = Bounds { low: form.constant, high: form.constant };
        for (&variable, &factor) in &form.terms {
            let Bounds { low, high } = self.variables[variable];
            let (a, b) = (factor.checked_mul(low)?, factor.checked_mul(high)?);
            range.low = range.low.checked_add(a.min(b))?;
            range.high = range.high.checked_add(a.max(b))?;
        }
        Some(range)
    }

    /// The number in the range of a signed width that a form is modulo two to the width.
    fn wrapped(&mut self, form: Form, width: u8) -> Option<Form> {
        let (size, half) = (power(width), power(width) / 2);
        let Bounds { low, high } = self.range(&form)?;
        let wraps = |x: i128| x.checked_add(half).map(|x| x.div_euclid(size));
        let (first, last) = (wraps(low)?, wraps(high)?);
        if first == last {
            return form.plus(&Form::constant(first.checked_mul(-size)?), 1);
        }
        let n_wraps = self.variable(Bounds { low: first, high: last });
        let wrapped = form.plus(&n_wraps, -size)?;
        self.rows.push((wrapped.clone(), Bounds { low: -half, high: half - 1 }));
        Some(wrapped)
    }

    /// The unsigned number of a term whose signed form is known.
    fn as_unsigned(&mut self, term: TermId) -> Option<Form> {
        if let Some(form) = self.unsigned.get(&term) {
            return Some(form.clone());
        }
        let size = power(self.terms.sort(term).bits() as u8);
        let signed = self.signed[&term].clone();
        let range = self.range(&signed)?;
        let (low, high) = self.hulls.signed(term);
        let unsigned = if range.low.max(low) >= 0 {
            signed
        } else if range.high.min(high) < 0 {
            signed.plus(&Form::constant(size), 1)?
        } else {
            let is_negative = self.variable(Bounds { low: 0, high: 1 });
            let unsigned = signed.plus(&is_negative, size)?;
            self.rows.push((unsigned.clone(), Bounds { low: 0, high: size - 1 }));
            unsigned
        };
        self.unsigned.insert(term, unsigned.clone());
        Some(unsigned)
    }

    /// The whole quotient and the remainder of a form that is not negative by a positive constant.
    fn divided(&mut self, form: Form, divisor: i128) -> Option<(Form, Form)> {
        let Bounds { low, high } = self.range(&form)?;
        let bounds = Bounds { low: low.div_euclid(divisor), high: high.div_euclid(divisor) };
        let quotient = self.variable(bounds);
        let remainder = form.plus(&quotient, -divisor)?;
        self.rows.push((remainder.clone(), Bounds { low: 0, high: divisor - 1 }));
        Some((quotient, remainder))
    }

    /// The signed number of a term whose children have forms.
    #[expect(clippy::wildcard_enum_match_arm, reason = "all other operators are not linear")]
    fn term(&mut self, term: TermId, width: u8) -> Option<Form> {
        let (op, indices, args) = match self.terms.node(term) {
            Node::Const(value) => {
                let number = value.as_signed().expect("a bit-vector is a number");
                return Some(Form::constant(number.into()));
            }
            Node::Var(var) => {
                let form = self.opaque(term);
                self.inputs.push((var, self.variables.len() - 1));
                return Some(form);
            }
            Node::Call { .. } | Node::Lookup { .. } => return Some(self.opaque(term)),
            Node::App { op, indices, args } => (op, indices, args),
        };
        let signed = |build: &Self, i: usize| build.signed.get(&args[i]).cloned();
        let constant = |build: &Self, i: usize| build.terms.as_const(args[i]);
        match op {
            Op::BvAdd => self.wrapped(signed(self, 0)?.plus(&signed(self, 1)?, 1)?, width),
            Op::BvSub => self.wrapped(signed(self, 0)?.plus(&signed(self, 1)?, -1)?, width),
            Op::BvNeg => self.wrapped(signed(self, 0)?.times(-1)?, width),
            Op::BvNot => Form::constant(-1).plus(&signed(self, 0)?, -1),
            Op::BvMul => {
                for (factor, other) in [(0, 1), (1, 0)] {
                    if let Some(factor) = constant(self, factor).and_then(|k| k.as_signed()) {
                        let form = signed(self, other)?.times(factor.into())?;
                        return self.wrapped(form, width);
                    }
                }
                Some(self.opaque(term))
            }
            Op::BvShl => match constant(self, 1).map(|k| k.bits()) {
                Some(n) if n < u64::from(width) => {
                    self.wrapped(signed(self, 0)?.times(1 << n)?, width)
                }
                Some(_) | None => Some(self.opaque(term)),
            },
            Op::BvLshr | Op::BvUdiv | Op::BvUrem => self.quotient(term, op, args, width),
            Op::BvAshr => match constant(self, 1).map(|k| k.bits()) {
                Some(n) if n < u64::from(width) => {
                    self.divided(signed(self, 0)?, 1 << n).map(|(quotient, _)| quotient)
                }
                Some(_) | None => Some(self.opaque(term)),
            },
            Op::SignExtend => signed(self, 0),
            Op::ZeroExtend => self.as_unsigned(args[0]),
            Op::Extract => {
                let form = self.as_unsigned(args[0])?;
                let form =
                    if indices[1] == 0 { form } else { self.divided(form, power(indices[1]))?.0 };
                self.wrapped(form, width)
            }
            Op::Concat => {
                let low = self.as_unsigned(args[1])?;
                let shift = power(self.terms.sort(args[1]).bits() as u8);
                signed(self, 0)?.times(shift)?.plus(&low, 1)
            }
            _ => Some(self.opaque(term)),
        }
    }

    /// Unsigned quotients and remainders by a constant that is not zero.
    fn quotient(&mut self, term: TermId, op: Op, args: &[TermId], width: u8) -> Option<Form> {
        let divisor = self.terms.as_const(args[1]).map(|k| k.bits());
        let divisor = match (op, divisor) {
            (_, None) => None,
            (Op::BvLshr, Some(n)) => (n < u64::from(width)).then(|| 1i128 << n),
            (_, Some(n)) => (n > 0).then_some(i128::from(n)),
        };
        let Some(divisor) = divisor else { return Some(self.opaque(term)) };
        let form = self.as_unsigned(args[0])?;
        let (quotient, remainder) = self.divided(form, divisor)?;
        self.wrapped(if op == Op::BvUrem { remainder } else { quotient }, width)
    }

    /// Adds a comparison as a row; differences that must not be zero are rows that are looked at later.
    fn compare(
        &mut self,
        compared: &Compared,
        differences: &mut Vec<usize>,
    ) -> Option<Result<(), Empty>> {
        let Compared { comparison, args, expected } = compared;
        let [left, right] = match comparison.reading {
            Reading::Signed(_) => args.map(|term| Some(self.signed[&term].clone())),
            Reading::Unsigned => args.map(|term| self.as_unsigned(term)),
            Reading::Machine(_) | Reading::Identity(_) => return Some(Ok(())),
        };
        let difference = left?.plus(&right?, -1)?;
        let range = self.range(&difference)?;
        let (low, high) = match (comparison.test, expected) {
            (Test::Equal, true) => (0, 0),
            (Test::Equal, false) => (range.low, range.high),
            (Test::Less, true) => (range.low, -1),
            (Test::AtMost, true) => (range.low, 0),
            (Test::Less, false) => (0, range.high),
            (Test::AtMost, false) => (1, range.high),
        };
        if low > range.high || high < range.low {
            return Some(Err(Empty));
        }
        if (comparison.test, *expected) == (Test::Equal, false) {
            differences.push(self.rows.len());
        }
        let bounds = Bounds { low: low.max(range.low), high: high.min(range.high) };
        self.rows.push((difference, bounds));
        Some(Ok(()))
    }

    /// The system, or the news that a row without variables or with a common divisor cannot hold.
    fn finish(self, difference_rows: Vec<usize>) -> Option<Encoded> {
        let mut simplex = Simplex::new();
        for &bounds in &self.variables {
            if bounds.low > bounds.high {
                return Some(Encoded::Empty);
            }
            simplex.add_variable(whole(bounds)).ok()?;
        }
        let mut differences = Vec::new();
        for (i, (form, bounds)) in self.rows.iter().enumerate() {
            let low = bounds.low.checked_sub(form.constant)?;
            let high = bounds.high.checked_sub(form.constant)?;
            let divisor = form.terms.values().fold(0, |d, a| gcd(d, a.unsigned_abs()));
            let has_multiple =
                form.terms.is_empty() || high.div_euclid(divisor as i128) * divisor as i128 >= low;
            if !has_multiple || (form.terms.is_empty() && (low > 0 || high < 0)) {
                return Some(Encoded::Empty);
            }
            let is_difference = difference_rows.contains(&i);
            if form.terms.is_empty() {
                if is_difference && form.constant == 0 {
                    return Some(Encoded::Empty);
                }
                continue;
            }
            // A difference is compared with zero, so its constant is a variable of one value.
            let mut terms = form.terms.clone();
            let mut bounds = Bounds { low, high };
            if is_difference && form.constant != 0 {
                let one = simplex.add_variable(whole(Bounds { low: 1, high: 1 })).ok()?;
                terms.insert(one, form.constant);
                bounds = Bounds {
                    low: low.checked_add(form.constant)?,
                    high: high.checked_add(form.constant)?,
                };
            }
            let form = terms.into_iter().map(|(variable, a)| (variable, Ratio::whole(a))).collect();
            let row = simplex.add_form(form, whole(bounds)).ok()?;
            if is_difference {
                differences.push(row);
            }
        }
        let variables = (0..self.variables.len()).collect();
        Some(Encoded::System(System { simplex, variables, differences, inputs: self.inputs }))
    }
}

fn whole(bounds: Bounds) -> simplex::Bounds<Ratio> {
    simplex::Bounds::whole(bounds.low, bounds.high)
}

impl Form {
    fn constant(constant: i128) -> Form {
        Form { terms: BTreeMap::new(), constant }
    }

    fn times(&self, factor: i128) -> Option<Form> {
        Form::default().plus(self, factor)
    }

    /// This form plus a multiple of another one.
    fn plus(&self, other: &Form, factor: i128) -> Option<Form> {
        let mut sum = self.clone();
        for (&variable, &a) in &other.terms {
            let entry = sum.terms.entry(variable).or_insert(0);
            *entry = entry.checked_add(a.checked_mul(factor)?)?;
        }
        sum.terms.retain(|_, a| *a != 0);
        sum.constant = sum.constant.checked_add(other.constant.checked_mul(factor)?)?;
        Some(sum)
    }
}
