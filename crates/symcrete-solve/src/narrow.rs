//! Bit-width reduction: the same query with as few bits as its ranges need.
//!
//! Intervals bound every bit-vector of a query (`hulls`). One whose values fit into `k` bits as signed numbers becomes one of
//! `k` bits, and operators are computed at the least width at which they give the same numbers. Products and quotients
//! of small numbers in wide words are where SMT solvers spend their time, and circuits grow with the square of the width.
//!
//! **Soundness.** In a model of the query every term is within its range, so the narrow terms have the same values as numbers and
//! the narrow query has a model too: `unsat` carries over. The other way round it need not hold, because a narrow term may wrap
//! where the wide one does not; models are therefore evaluated on the query itself.

use crate::interval::{Hulls, hulls};
use crate::{Budget, Query, Solver, Verdict, Why};
use std::collections::BTreeMap;
use symcrete_term::{Literal, Node, Op, Sort, TermId, Terms, Valuation, Value, VarId, reachable};

/// Larger queries are left alone: ranges of so many terms say little for what they cost.
const TERMS_MAX: usize = 20_000;
/// A query is asked anew only if at least this part of its bits, in percent, is gone.
const SAVED_PERCENT_MIN: u64 = 20;

/// Asks a solver about the narrow form of a query. See the module.
pub(crate) struct Narrow {
    inner: Box<dyn Solver>,
}

impl Narrow {
    /// The name in the registry.
    pub(crate) const NAME: &'static str = "narrow";

    /// Has narrow queries decided by this solver.
    pub(crate) fn new(inner: Box<dyn Solver>) -> Narrow {
        Narrow { inner }
    }
}

impl Solver for Narrow {
    fn name(&self) -> &'static str {
        Narrow::NAME
    }

    fn solve(&mut self, query: &Query<'_>, budget: &mut Budget) -> Verdict {
        let narrowed = match Narrowed::of(query) {
            Ok(Some(narrowed)) => narrowed,
            Ok(None) => return Verdict::Unknown(Why::GaveUp),
            Err(NoModel) => return Verdict::Unsat,
        };
        match self.inner.solve(&narrowed.query(), budget) {
            Verdict::Sat(model) => {
                let model = narrowed.restore(query, &model);
                match query.accepts(&model) {
                    true => Verdict::Sat(model),
                    false => Verdict::Unknown(Why::GaveUp),
                }
            }
            verdict @ (Verdict::Unsat | Verdict::Unknown(_)) => verdict,
        }
    }
}

/// Intervals alone show that the query has no model.
struct NoModel;

/// A query with narrower bit-vectors.
struct Narrowed {
    terms: Terms,
    literals: Vec<Literal>,
    hint: Valuation,
    /// The variables: here and there.
    variables: Vec<(VarId, VarId)>,
}

impl Narrowed {
    /// `None` if there is little to be saved, or calls that no SMT solver takes.
    fn of(query: &Query<'_>) -> Result<Option<Narrowed>, NoModel> {
        let order = reachable(query.terms, &query.roots());
        let is_call = |&term: &TermId| matches!(query.terms.node(term), Node::Call { .. });
        if order.len() > TERMS_MAX || order.iter().any(is_call) {
            return Ok(None);
        }
        let Some(hulls) = hulls(query) else { return Err(NoModel) };
        if !is_worth_it(query.terms, &order, &hulls) {
            return Ok(None);
        }
        let mut narrower = Narrower {
            from: query.terms,
            to: Terms::new(),
            hulls,
            done: BTreeMap::new(),
            variables: Vec::new(),
        };
        for term in order {
            let narrow = narrower.term(term);
            narrower.done.insert(term, narrow);
        }
        let literal = |l: &Literal| Literal { term: narrower.done[&l.term], expected: l.expected };
        let literals = query.literals.iter().map(literal).collect();
        let Narrower { to: terms, variables, .. } = narrower;
        let hinted = |&(new, old): &(VarId, VarId)| {
            let value = query.hint.get(old)?;
            Some((new, Value::from_bits(terms.var_sort(new), value.bits())))
        };
        let hint = variables.iter().filter_map(hinted).collect();
        Ok(Some(Narrowed { terms, literals, hint, variables }))
    }

    fn query(&self) -> Query<'_> {
        Query { terms: &self.terms, literals: &self.literals, hint: &self.hint }
    }

    /// A model of the narrow query over the variables of the wide one.
    fn restore(&self, query: &Query<'_>, model: &Valuation) -> Valuation {
        let mut whole = query.hint.clone();
        for &(new, old) in &self.variables {
            let (narrow, wide) = (self.terms.var_sort(new), query.terms.var_sort(old));
            let value = model.get(new).unwrap_or_else(|| Value::zero(narrow));
            let bits = match (narrow, wide) {
                (Sort::Bv(k), Sort::Bv(w)) => extended(value.bits(), k, w),
                (Sort::Bool | Sort::F32 | Sort::F64 | Sort::Bv(_), _) => value.bits(),
            };
            whole.set(old, Value::from_bits(wide, bits));
        }
        whole
    }
}

/// The lowest `k` bits as a signed number of `w` bits.
fn extended(bits: u64, k: u8, w: u8) -> u64 {
    let signed = ((bits << (64 - k)) as i64) >> (64 - k);
    signed as u64 & (u64::MAX >> (64 - w))
}

/// The least width that has all numbers of a range as signed ones.
fn width_of((low, high): (i128, i128)) -> u8 {
    let bits = |x: i128| 129 - (if x < 0 { !x } else { x }).leading_zeros();
    bits(low).max(bits(high)) as u8
}

fn is_worth_it(terms: &Terms, order: &[TermId], hulls: &Hulls) -> bool {
    let (mut wide, mut narrow) = (0u64, 0u64);
    for &term in order {
        if let Sort::Bv(w) = terms.sort(term)
            && terms.as_const(term).is_none()
        {
            wide += u64::from(w);
            narrow += u64::from(width_of(hulls.signed(term)).min(w));
        }
    }
    100 * wide.saturating_sub(narrow) >= SAVED_PERCENT_MIN * wide && wide > narrow
}

/// Builds narrow terms. A bit-vector becomes one of the width of its range, and stands for that as a signed number.
struct Narrower<'a> {
    from: &'a Terms,
    to: Terms,
    hulls: Hulls,
    done: BTreeMap<TermId, TermId>,
    variables: Vec<(VarId, VarId)>,
}

impl Narrower<'_> {
    fn term(&mut self, term: TermId) -> TermId {
        let sort = self.from.sort(term);
        let width = match sort {
            Sort::Bv(w) => Some(self.width(term).min(w)),
            Sort::Bool | Sort::F32 | Sort::F64 => None,
        };
        let from = self.from;
        let node = from.node(term);
        let args = node.children();
        match node {
            Node::Const(value) => match width {
                Some(k) => self.to.bv(k, value.bits()),
                None => self.to.constant(value),
            },
            Node::Var(var) => {
                let name = from.var_name(var);
                let copy = self.to.var(name, width.map_or(sort, Sort::Bv));
                let new = self.to.find_var(name).expect("it was declared a line above");
                self.variables.push((new, var));
                copy
            }
            Node::App { op, indices, .. } => {
                if let Some(narrow) = self.app(op, indices, args, width) {
                    return narrow;
                }
                let wide: Vec<TermId> = args.iter().map(|&arg| self.wide(arg)).collect();
                let whole = self.to.app_indexed(op, indices, &wide);
                width.map_or(whole, |k| self.resized(whole, k))
            }
            Node::Lookup { table, .. } => {
                let (sort, entries) = from.table_entries(table);
                let values: Vec<Value> =
                    entries.iter().map(|&bits| Value::from_bits(sort, bits)).collect();
                let table = self.to.table(&values);
                let index = self.wide(args[0]);
                let whole = self.to.lookup(table, index);
                width.map_or(whole, |k| self.resized(whole, k))
            }
            Node::Call { .. } => unreachable!("queries with calls are left alone"),
        }
    }

    /// An operator at a smaller width than it has; `None` if it needs all bits of its operands.
    fn app(
        &mut self,
        op: Op,
        indices: [u8; 2],
        args: &[TermId],
        width: Option<u8>,
    ) -> Option<TermId> {
        let is_number = |arg: &TermId| matches!(self.from.sort(*arg), Sort::Bv(_));
        let is_signless = |arg: &TermId| self.hulls.signed(*arg).0 >= 0;
        let most = args.iter().filter(|arg| is_number(arg)).map(|&arg| self.width(arg)).max();
        let wide = args.iter().map(|&arg| self.from.sort(arg).bits() as u8).max()?;
        match (op, width) {
            // The low bits of the result depend on the low bits of the operands alone.
            (
                Op::BvAdd
                | Op::BvSub
                | Op::BvMul
                | Op::BvNeg
                | Op::BvAnd
                | Op::BvOr
                | Op::BvXor
                | Op::BvNot,
                Some(k),
            ) => Some(self.at(op, args, k)),
            (Op::Ite, Some(k)) => {
                let (condition, args) = (self.done[&args[0]], [args[1], args[2]]);
                let [then, otherwise] = args.map(|arg| self.part(arg, k));
                Some(self.to.ite(condition, then, otherwise))
            }
            (Op::SignExtend, Some(k)) => Some(self.part(args[0], k)),
            (Op::ZeroExtend, Some(k)) if is_signless(&args[0]) => Some(self.part(args[0], k)),
            (Op::Extract, Some(k)) if indices[1] == 0 => Some(self.part(args[0], k)),
            // The result depends on the operands as numbers, and one bit more keeps the least of them by -1 from wrapping.
            (Op::BvSdiv | Op::BvSrem, Some(k)) => {
                let m = most?.max(k) + 1;
                (m < wide).then(|| self.at_then(op, args, m, k))
            }
            (Op::BvUdiv | Op::BvUrem | Op::BvLshr | Op::BvAshr | Op::BvShl, Some(k))
                if args.iter().all(is_signless) =>
            {
                let m = most?.max(k);
                (m < wide).then(|| self.at_then(op, args, m, k))
            }
            (Op::BvSlt | Op::BvSle, None) => Some(self.at(op, args, most?.min(wide))),
            (Op::BvUlt | Op::BvUle, None) if args.iter().all(is_signless) => {
                Some(self.at(op, args, most?.min(wide)))
            }
            (Op::Eq, None) if args.iter().all(is_number) => {
                Some(self.at(op, args, most?.min(wide)))
            }
            _ => None,
        }
    }

    fn at(&mut self, op: Op, args: &[TermId], width: u8) -> TermId {
        let parts: Vec<TermId> = args.iter().map(|&arg| self.part(arg, width)).collect();
        self.to.app(op, &parts)
    }

    fn at_then(&mut self, op: Op, args: &[TermId], width: u8, k: u8) -> TermId {
        let whole = self.at(op, args, width);
        self.resized(whole, k)
    }

    /// The lowest bits of a term of the query, or more than it has.
    fn part(&mut self, term: TermId, width: u8) -> TermId {
        self.resized(self.done[&term], width)
    }

    /// A term of the query with all its bits.
    fn wide(&mut self, term: TermId) -> TermId {
        match self.from.sort(term) {
            Sort::Bv(w) => self.part(term, w),
            Sort::Bool | Sort::F32 | Sort::F64 => self.done[&term],
        }
    }

    fn resized(&mut self, term: TermId, width: u8) -> TermId {
        let now = self.to.sort(term).bits() as u8;
        match now.cmp(&width) {
            std::cmp::Ordering::Less => {
                self.to.app_indexed(Op::SignExtend, [width - now, 0], &[term])
            }
            std::cmp::Ordering::Equal => term,
            std::cmp::Ordering::Greater => {
                self.to.app_indexed(Op::Extract, [width - 1, 0], &[term])
            }
        }
    }

    fn width(&self, term: TermId) -> u8 {
        width_of(self.hulls.signed(term))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::enumerate::Enumerate;
    use symcrete_term::{Rng, Seed};

    const WIDTH: u8 = 7;

    /// `low <= x <= high` as signed numbers.
    fn bounds(terms: &mut Terms, x: TermId, low: i64, high: i64) -> [Literal; 2] {
        let [low, high] = [low, high].map(|k| terms.bv(WIDTH, k as u64));
        [terms.app(Op::BvSle, &[low, x]), terms.app(Op::BvSle, &[x, high])].map(Literal::holds)
    }

    /// A random term over the given ones.
    fn term(terms: &mut Terms, rng: &mut Rng, leaves: &[TermId], depth: u32) -> TermId {
        const OPS: [Op; 16] = [
            Op::BvAdd,
            Op::BvSub,
            Op::BvMul,
            Op::BvAnd,
            Op::BvOr,
            Op::BvXor,
            Op::BvUdiv,
            Op::BvUrem,
            Op::BvSdiv,
            Op::BvSrem,
            Op::BvSmod,
            Op::BvShl,
            Op::BvLshr,
            Op::BvAshr,
            Op::BvNeg,
            Op::BvNot,
        ];
        if depth == 0 || rng.below(5) == 0 {
            return match rng.below(4) {
                0 => terms.bv(WIDTH, rng.below(1 << WIDTH)),
                _ => *rng.choose(leaves),
            };
        }
        let a = term(terms, rng, leaves, depth - 1);
        let b = term(terms, rng, leaves, depth - 1);
        match rng.below(6) {
            0 => {
                let low = terms.app_indexed(Op::Extract, [3, 0], &[a]);
                let op = *rng.choose(&[Op::ZeroExtend, Op::SignExtend]);
                terms.app_indexed(op, [WIDTH - 4, 0], &[low])
            }
            1 => {
                let condition = terms.app(Op::BvUlt, &[a, b]);
                terms.ite(condition, b, a)
            }
            _ => {
                let op = *rng.choose(&OPS);
                let n_args = if matches!(op, Op::BvNeg | Op::BvNot) { 1 } else { 2 };
                terms.app(op, &[a, b][..n_args])
            }
        }
    }

    /// Over small domains every verdict is compared with that of enumeration.
    #[test]
    fn narrow_queries_agree_with_enumeration() {
        let mut rng = Seed(5).derive("narrow").rng();
        let (mut n_sat, mut n_unsat) = (0, 0);
        for _ in 0..600 {
            let mut terms = Terms::new();
            let [x, y] = ["x", "y"].map(|name| terms.var(name, Sort::Bv(WIDTH)));
            let mut literals = Vec::new();
            for variable in [x, y] {
                let low = rng.below(24) as i64 - 12;
                literals.extend(bounds(&mut terms, variable, low, low + rng.below(9) as i64));
            }
            let [a, b] = [(); 2].map(|()| term(&mut terms, &mut rng, &[x, y], 3));
            let op = *rng.choose(&[Op::Eq, Op::BvUlt, Op::BvSlt, Op::BvUle, Op::BvSle]);
            literals.push(Literal { term: terms.app(op, &[a, b]), expected: rng.below(2) == 0 });
            let hint = Valuation::new();
            let query = Query { terms: &terms, literals: &literals, hint: &hint };
            let truth = Enumerate.solve(&query, &mut Budget::of_steps(1 << 15)).word();
            let mut narrow = Narrow::new(Box::new(Enumerate));
            match narrow.solve(&query, &mut Budget::of_steps(1 << 15)) {
                Verdict::Sat(model) => {
                    assert!(query.accepts(&model));
                    n_sat += 1;
                }
                Verdict::Unsat => {
                    assert_eq!(truth, "unsat", "{literals:?}");
                    n_unsat += 1;
                }
                Verdict::Unknown(_) => {}
            }
        }
        assert!(n_sat > 100 && n_unsat > 100, "{n_sat} and {n_unsat}");
    }

    #[test]
    fn widths_are_of_signed_numbers() {
        for (range, width) in
            [((0, 0), 1), ((-1, 0), 1), ((0, 1), 2), ((-20, 20), 6), ((-32, 31), 6)]
        {
            assert_eq!(width_of(range), width, "{range:?}");
        }
    }
}
