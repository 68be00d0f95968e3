//! The linear normal form of literals: `Σ aᵢxᵢ ~ b` (Dinges and Agha 2014, section 3.2).
//!
//! Integers are read as signed numbers and sums as unbounded ones; a float sum is read as a sum of
//! reals. Where a machine wraps or rounds, the evaluator, not the row, has the last word.

use crate::Query;
use crate::error::{Comparison, Reading, Test};
use std::collections::{BTreeMap, BTreeSet};
use symcrete_term::{Node, Op, Sort, TermId, Terms, Value, VarId, reachable};

/// Longer sums are not worth a linear program.
const TERMS_MAX: usize = 64;
/// Larger numbers are outside what a linear program in doubles can handle.
const NUMBER_MAX: f64 = 1e12;

/// How a row's sum relates to its bound.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Relation {
    /// `Σ aᵢxᵢ ≤ b`
    AtMost,
    /// `Σ aᵢxᵢ < b`
    Less,
    /// `Σ aᵢxᵢ = b`
    Equal,
}

/// A linear constraint; variables are numbered as in the query.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Row {
    /// Coefficients by variable, none zero.
    pub terms: Vec<(usize, f64)>,
    /// What the sum is.
    pub relation: Relation,
    /// Compared with what.
    pub bound: f64,
}

/// The linear part of a query.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rows {
    /// The constraints.
    pub rows: Vec<Row>,
    /// By literal: whether its rows are above.
    pub is_linear: Vec<bool>,
}

/// `Σ aᵢxᵢ + b`.
#[derive(Clone, PartialEq, Debug, Default)]
struct Form {
    terms: BTreeMap<VarId, f64>,
    constant: f64,
}

impl Rows {
    /// The rows of a query's linear literals. `variables` numbers the variables, in order of id.
    pub(crate) fn of(query: &Query<'_>, variables: &[(VarId, Sort)]) -> Rows {
        let comparisons: Vec<Option<Compared>> =
            query.literals.iter().map(|l| compared(query.terms, l.term, l.expected)).collect();
        let operands: Vec<TermId> =
            comparisons.iter().flatten().flat_map(|c| [c.left, c.right]).collect();
        let forms = forms(query.terms, &operands);
        let mut linear = Rows::default();
        for comparison in &comparisons {
            let rows = comparison.as_ref().and_then(|c| rows_of(c, &forms, variables));
            linear.is_linear.push(rows.is_some());
            linear.rows.extend(rows.into_iter().flatten());
        }
        linear
    }
}

/// The terms below some roots that have a normal form.
pub(crate) fn linear_terms(terms: &Terms, roots: &[TermId]) -> BTreeSet<TermId> {
    forms(terms, roots).into_keys().collect()
}

/// A literal that is one comparison.
struct Compared {
    comparison: Comparison,
    left: TermId,
    right: TermId,
    expected: bool,
}

fn compared(terms: &Terms, mut term: TermId, mut expected: bool) -> Option<Compared> {
    while let Node::App { op: Op::Not, args, .. } = terms.node(term) {
        (term, expected) = (args[0], !expected);
    }
    let Node::App { op, args, .. } = terms.node(term) else { return None };
    let comparison = Comparison::of(op, terms.sort(args[args.len() - 1]))?;
    Some(Compared { comparison, left: args[0], right: args[1], expected })
}

/// The forms of all terms below the operands that have one.
fn forms(terms: &Terms, operands: &[TermId]) -> BTreeMap<TermId, Form> {
    let mut forms: BTreeMap<TermId, Form> = BTreeMap::new();
    for term in reachable(terms, operands) {
        let form = match terms.node(term) {
            Node::Const(value) => number(value).map(Form::constant),
            Node::Var(var) if terms.sort(term) != Sort::Bool => Some(Form::variable(var)),
            Node::App { op, args, .. } => {
                let args: Option<Vec<&Form>> = args.iter().map(|arg| forms.get(arg)).collect();
                args.and_then(|args| apply(op, terms.sort(term), &args))
            }
            Node::Var(_) | Node::Call { .. } | Node::Lookup { .. } => None,
        };
        if let Some(form) = form.filter(Form::is_manageable) {
            forms.insert(term, form);
        }
    }
    forms
}

fn number(value: Value) -> Option<f64> {
    value.as_f64().or_else(|| value.as_signed().map(|n| n as f64))
}

fn apply(op: Op, sort: Sort, args: &[&Form]) -> Option<Form> {
    match (op, args) {
        (Op::BvAdd | Op::FpAdd, [a, b]) => Some(a.plus(b, 1.0)),
        (Op::BvSub | Op::FpSub, [a, b]) => Some(a.plus(b, -1.0)),
        (Op::BvNeg | Op::FpNeg, [a]) => Some(a.times(-1.0)),
        (Op::BvMul | Op::FpMul, [a, b]) => match (a.as_constant(), b.as_constant()) {
            (_, Some(k)) => Some(a.times(k)),
            (Some(k), None) => Some(b.times(k)),
            (None, None) => None,
        },
        (Op::FpDiv, [a, b]) => b.as_constant().filter(|&k| k != 0.0).map(|k| a.times(1.0 / k)),
        (Op::BvShl, [a, b]) => {
            let shift = b.as_constant().filter(|&n| (0.0..f64::from(sort.bits())).contains(&n))?;
            Some(a.times((1u64 << shift as u32) as f64))
        }
        (Op::SignExtend | Op::FpOfFp | Op::FpOfSbv, [a]) => Some((*a).clone()),
        _ => None,
    }
}

impl Form {
    fn constant(constant: f64) -> Form {
        Form { terms: BTreeMap::new(), constant }
    }

    fn variable(var: VarId) -> Form {
        Form { terms: BTreeMap::from([(var, 1.0)]), constant: 0.0 }
    }

    fn as_constant(&self) -> Option<f64> {
        self.terms.is_empty().then_some(self.constant)
    }

    fn times(&self, factor: f64) -> Form {
        let terms = self.terms.iter().map(|(&var, &a)| (var, a * factor));
        Form { terms: terms.filter(|&(_, a)| a != 0.0).collect(), constant: self.constant * factor }
    }

    fn plus(&self, other: &Form, factor: f64) -> Form {
        let mut sum = self.clone();
        for (&var, &a) in &other.terms {
            *sum.terms.entry(var).or_insert(0.0) += a * factor;
        }
        sum.terms.retain(|_, a| *a != 0.0);
        sum.constant += other.constant * factor;
        sum
    }

    fn is_manageable(&self) -> bool {
        self.terms.len() <= TERMS_MAX
            && self.terms.values().all(|a| a.abs() <= NUMBER_MAX && a.abs() >= 1.0 / NUMBER_MAX)
            && self.constant.abs() <= NUMBER_MAX
    }
}

/// The rows of one literal, or `None` if it is not linear.
fn rows_of(
    compared: &Compared,
    forms: &BTreeMap<TermId, Form>,
    variables: &[(VarId, Sort)],
) -> Option<Vec<Row>> {
    let Compared { comparison, expected, .. } = *compared;
    let (left, right) = (forms.get(&compared.left)?, forms.get(&compared.right)?);
    let less = left.plus(right, -1.0);
    if less.terms.is_empty() || !less.is_manageable() {
        return None;
    }
    let integral = matches!(comparison.reading, Reading::Signed(_) | Reading::Unsigned);
    let greater = less.times(-1.0);
    let (form, relation) = match (comparison.test, expected) {
        (Test::Equal, true) => (less, Relation::Equal),
        // A slice cut out of the space: left to the search, as in the paper.
        (Test::Equal, false) => return None,
        (Test::Less, true) => (less, Relation::Less),
        (Test::AtMost, true) => (less, Relation::AtMost),
        (Test::Less, false) => (greater, Relation::AtMost),
        (Test::AtMost, false) => (greater, Relation::Less),
    };
    let mut rows = vec![row(&form, relation, integral, variables)];
    if comparison.reading == Reading::Unsigned {
        rows.push(row(&unsigned_side(left, right, expected)?, Relation::AtMost, true, variables));
    }
    Some(rows)
}

/// `x <ᵤ k` with a small constant on the side that bounds above means `0 ≤ x < k`. Others bound
/// the signed number on neither side.
fn unsigned_side(left: &Form, right: &Form, expected: bool) -> Option<Form> {
    let (below, above) = if expected { (left, right) } else { (right, left) };
    above.as_constant().filter(|&k| k >= 0.0)?;
    Some(below.times(-1.0))
}

fn row(form: &Form, relation: Relation, integral: bool, variables: &[(VarId, Sort)]) -> Row {
    let position = |var: VarId| {
        let at = variables.binary_search_by_key(&var, |&(var, _)| var);
        at.expect("a row's variable is the query's")
    };
    let terms = form.terms.iter().map(|(&var, &a)| (position(var), a)).collect();
    let bound = -form.constant;
    match relation {
        Relation::Less if integral => Row { terms, relation: Relation::AtMost, bound: bound - 1.0 },
        Relation::Less | Relation::AtMost | Relation::Equal => Row { terms, relation, bound },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use symcrete_term::{Literal, Valuation};

    fn rows(terms: &Terms, literals: &[Literal]) -> Rows {
        let query = Query { terms, literals, hint: &Valuation::new() };
        let variables: Vec<_> =
            query.variables().into_iter().map(|var| (var, terms.var_sort(var))).collect();
        Rows::of(&query, &variables)
    }

    #[test]
    fn integers_become_rows_with_the_relation_turned() {
        let mut terms = Terms::new();
        let (x, y) = (terms.var("x", Sort::Bv(32)), terms.var("y", Sort::Bv(32)));
        let three = terms.bv(32, 3);
        let (triple, product) = (terms.app(Op::BvMul, &[x, three]), terms.app(Op::BvMul, &[x, y]));
        let sum = terms.app(Op::BvSub, &[triple, y]);
        let (linear, other) =
            (terms.app(Op::BvSlt, &[sum, three]), terms.app(Op::BvSlt, &[product, three]));
        let found = rows(&terms, &[Literal::holds(linear), Literal::holds(other)]);
        assert_eq!(found.is_linear, [true, false]);
        let terms_of_row = vec![(0, 3.0), (1, -1.0)];
        assert_eq!(
            found.rows,
            [Row { terms: terms_of_row, relation: Relation::AtMost, bound: 2.0 }]
        );
        let negated = rows(&terms, &[Literal::holds(linear).negated()]);
        let terms_of_row = vec![(0, -3.0), (1, 1.0)];
        assert_eq!(
            negated.rows,
            [Row { terms: terms_of_row, relation: Relation::AtMost, bound: -3.0 }]
        );
    }

    #[test]
    fn an_unsigned_bound_is_two_rows() {
        let mut terms = Terms::new();
        let x = terms.var("x", Sort::Bv(8));
        let (ten, high) = (terms.bv(8, 10), terms.bv(8, 200));
        let (small, large) = (terms.app(Op::BvUlt, &[x, ten]), terms.app(Op::BvUlt, &[x, high]));
        let found = rows(&terms, &[Literal::holds(small), Literal::holds(large)]);
        assert_eq!(found.is_linear, [true, false]);
        assert_eq!(found.rows.len(), 2);
    }

    #[test]
    fn opaque_and_constant_comparisons_are_not_linear() {
        let mut terms = Terms::new();
        let x = terms.var("x", Sort::F64);
        let sin = terms.function_named("sin").unwrap();
        let call = terms.call(sin, &[x]);
        let zero = terms.constant(Value::f64(0.0));
        let (opaque, same) = (terms.app(Op::FpLt, &[call, zero]), terms.app(Op::FpLe, &[x, x]));
        assert_eq!(rows(&terms, &[Literal::holds(opaque), Literal::holds(same)]).rows, []);
    }
}
