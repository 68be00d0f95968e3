//! Literals as boolean connectives over comparisons, with an error for every gate.
//!
//! Each gate has two errors: how far it is from true and from false. `and` sums and `or` takes the
//! minimum, so negation swaps the two and costs nothing. A comparison of an `ite` is a choice between
//! comparisons, each with the error of its guards added. Dinges and Agha 2014 have neither: they take
//! a disjunction for several paths.
//!
//! Each error also names the comparison that leads it: the one to repair for the cheapest way to zero.
//!
//! **Invariant:** an error is zero exactly when the gate has the wanted truth value, and it is finite.

use crate::error::{Comparison, Errors, Metric};
use std::collections::BTreeMap;
use symcrete_term::{Literal, Node, Op, Sort, TermId, Terms};

/// At most this many cases are made of the `ite`s directly below a comparison.
const CASES_MAX: usize = 8;

/// A comparison of two operands, or a single boolean operand. Operands are positions in
/// [`Skeleton::operands`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Atom {
    /// `None` for a boolean that is no comparison.
    pub comparison: Option<Comparison>,
    left: u32,
    right: u32,
}

#[derive(Clone, Debug)]
enum Gate {
    Atom(u32),
    Not(u32),
    And(u32, u32),
    Or(u32, u32),
    Xor(u32, u32),
    Ite(u32, u32, u32),
    /// Exactly one case has all its guards satisfied.
    Cases(Vec<Case>),
}

#[derive(Clone, Debug)]
struct Case {
    guards: Vec<(u32, bool)>,
    atom: u32,
}

/// One side of a gate: the error of a truth value and the atom that leads it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SideError {
    /// Zero exactly when the truth value is taken.
    pub error: f64,
    /// Whose change would bring it nearer.
    pub atom: u32,
    /// What that atom must become.
    pub wanted: bool,
}

/// Both sides of a gate: of being true and of being false.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sides {
    holds: SideError,
    fails: SideError,
}

/// The connectives and comparisons of some literals.
#[derive(Clone, Debug)]
pub(crate) struct Skeleton {
    /// The terms that are compared: what has to be evaluated.
    pub operands: Vec<TermId>,
    /// The comparisons.
    pub atoms: Vec<Atom>,
    gates: Vec<Gate>,
    literals: Vec<(u32, bool)>,
}

impl Skeleton {
    /// The skeleton of literals.
    pub(crate) fn new(terms: &Terms, literals: &[Literal]) -> Skeleton {
        let mut build = Build::new(terms);
        for term in boolean_terms(terms, literals) {
            build.gate(term);
        }
        let gate_of = |literal: &Literal| (build.gate_of[&literal.term], literal.expected);
        Skeleton {
            literals: literals.iter().map(gate_of).collect(),
            operands: build.operands,
            atoms: build.atoms,
            gates: build.gates,
        }
    }

    /// The errors of all literals, given the operands' bits. `sides` is memory to be reused.
    pub(crate) fn score(
        &self,
        metric: Metric,
        values: &[u64],
        sides: &mut Vec<Sides>,
        mut report: impl FnMut(usize, SideError),
    ) {
        sides.clear();
        for gate in &self.gates {
            let side = match *gate {
                Gate::Atom(atom) => self.atom_sides(metric, values, atom),
                Gate::Not(a) => sides[a as usize].negated(),
                Gate::And(a, b) => sides[a as usize].and(sides[b as usize]),
                Gate::Or(a, b) => sides[a as usize].or(sides[b as usize]),
                Gate::Xor(a, b) => {
                    let (a, b) = (sides[a as usize], sides[b as usize]);
                    a.and(b.negated()).or(a.negated().and(b))
                }
                Gate::Ite(condition, a, b) => choose(&[
                    (sides[condition as usize].holds, sides[a as usize]),
                    (sides[condition as usize].fails, sides[b as usize]),
                ]),
                Gate::Cases(ref cases) => self.case_sides(metric, values, cases, sides),
            };
            sides.push(side);
        }
        for (i, &(gate, expected)) in self.literals.iter().enumerate() {
            report(i, sides[gate as usize].side(expected));
        }
    }

    /// The errors of one comparison, given the operands' bits.
    pub(crate) fn atom_errors(&self, metric: Metric, values: &[u64], atom: u32) -> Errors {
        let Atom { comparison, left, right } = self.atoms[atom as usize];
        let (left, right) = (values[left as usize], values[right as usize]);
        match comparison {
            Some(comparison) => comparison.errors(metric, left, right),
            None => Errors::of_truth(left == 1),
        }
    }

    fn atom_sides(&self, metric: Metric, values: &[u64], atom: u32) -> Sides {
        let errors = self.atom_errors(metric, values, atom);
        Sides {
            holds: SideError { error: errors.holds, atom, wanted: true },
            fails: SideError { error: errors.fails, atom, wanted: false },
        }
    }

    fn case_sides(&self, metric: Metric, values: &[u64], cases: &[Case], sides: &[Sides]) -> Sides {
        let arms: Vec<(SideError, Sides)> = cases
            .iter()
            .map(|case| {
                let guards = case.guards.iter();
                let mut guards = guards.map(|&(gate, wanted)| sides[gate as usize].side(wanted));
                let first = guards.next().expect("a case has at least one guard");
                (guards.fold(first, sum), self.atom_sides(metric, values, case.atom))
            })
            .collect();
        choose(&arms)
    }
}

impl Sides {
    fn side(self, wanted: bool) -> SideError {
        if wanted { self.holds } else { self.fails }
    }

    fn negated(self) -> Sides {
        Sides { holds: self.fails, fails: self.holds }
    }

    fn and(self, other: Sides) -> Sides {
        Sides { holds: sum(self.holds, other.holds), fails: least(self.fails, other.fails) }
    }

    fn or(self, other: Sides) -> Sides {
        self.negated().and(other.negated()).negated()
    }
}

/// Both must become zero; the larger one leads.
fn sum(a: SideError, b: SideError) -> SideError {
    let lead = if a.error >= b.error { a } else { b };
    SideError { error: (a.error + b.error).min(f64::MAX), ..lead }
}

/// One must become zero: the nearer one.
fn least(a: SideError, b: SideError) -> SideError {
    if a.error <= b.error { a } else { b }
}

/// The cheapest of guarded arms.
fn choose(arms: &[(SideError, Sides)]) -> Sides {
    let cheapest = |wanted: bool| {
        let arms = arms.iter().map(|&(guard, arm)| sum(guard, arm.side(wanted)));
        arms.reduce(least).expect("there is at least one arm")
    };
    Sides { holds: cheapest(true), fails: cheapest(false) }
}

/// What a boolean term is made of, as far as errors are concerned.
enum BooleanForm<'a> {
    Connective(Op, &'a [TermId]),
    Comparison(Comparison, TermId, TermId),
    Leaf,
}

fn boolean_form(terms: &Terms, term: TermId) -> BooleanForm<'_> {
    let Node::App { op, args, .. } = terms.node(term) else { return BooleanForm::Leaf };
    let sort = terms.sort(args[args.len() - 1]);
    match (op, sort) {
        (Op::Not | Op::And | Op::Or | Op::Xor | Op::Ite | Op::Eq, Sort::Bool) => {
            BooleanForm::Connective(op, args)
        }
        _ => match Comparison::of(op, sort) {
            Some(comparison) => BooleanForm::Comparison(comparison, args[0], args[1]),
            None => BooleanForm::Leaf,
        },
    }
}

/// The boolean terms that become gates, children first.
fn boolean_terms(terms: &Terms, literals: &[Literal]) -> Vec<TermId> {
    let mut seen = std::collections::BTreeSet::new();
    let mut stack: Vec<TermId> = literals.iter().map(|literal| literal.term).collect();
    while let Some(term) = stack.pop() {
        if !seen.insert(term) {
            continue;
        }
        match boolean_form(terms, term) {
            BooleanForm::Connective(_, args) => stack.extend_from_slice(args),
            BooleanForm::Comparison(_, left, right) => {
                for (guards, _, _) in cases(terms, left, right) {
                    stack.extend(guards.iter().map(|&(guard, _)| guard));
                }
            }
            BooleanForm::Leaf => {}
        }
    }
    seen.into_iter().collect()
}

type GuardedOperands = (Vec<(TermId, bool)>, TermId, TermId);

/// The operands of a comparison by cases of the `ite`s at their roots.
fn cases(terms: &Terms, left: TermId, right: TermId) -> Vec<GuardedOperands> {
    let ite = |term| match terms.node(term) {
        Node::App { op: Op::Ite, args, .. } => Some((args[0], args[1], args[2])),
        Node::App { .. }
        | Node::Const(_)
        | Node::Var(_)
        | Node::Call { .. }
        | Node::Lookup { .. } => None,
    };
    let mut open = vec![(Vec::new(), left, right)];
    let mut done = Vec::new();
    while let Some((guards, left, right)) = open.pop() {
        let split = if open.len() + done.len() + 1 < CASES_MAX {
            let in_left = ite(left).map(|(c, a, b)| (c, (a, right), (b, right)));
            in_left.or_else(|| ite(right).map(|(c, a, b)| (c, (left, a), (left, b))))
        } else {
            None
        };
        let Some((condition, then, otherwise)) = split else {
            done.push((guards, left, right));
            continue;
        };
        for ((left, right), truth) in [(then, true), (otherwise, false)] {
            let mut guards = guards.clone();
            guards.push((condition, truth));
            open.push((guards, left, right));
        }
    }
    done
}

struct Build<'a> {
    terms: &'a Terms,
    operands: Vec<TermId>,
    operand_of: BTreeMap<TermId, u32>,
    atoms: Vec<Atom>,
    gates: Vec<Gate>,
    gate_of: BTreeMap<TermId, u32>,
}

impl<'a> Build<'a> {
    fn new(terms: &'a Terms) -> Build<'a> {
        Build {
            terms,
            operands: Vec::new(),
            operand_of: BTreeMap::new(),
            atoms: Vec::new(),
            gates: Vec::new(),
            gate_of: BTreeMap::new(),
        }
    }

    fn gate(&mut self, term: TermId) {
        let gate = match boolean_form(self.terms, term) {
            BooleanForm::Connective(op, args) => self.connective(op, args),
            BooleanForm::Comparison(comparison, left, right) => {
                self.comparison(comparison, left, right)
            }
            BooleanForm::Leaf => {
                let operand = self.operand(term);
                Gate::Atom(self.atom(Atom { comparison: None, left: operand, right: operand }))
            }
        };
        self.gates.push(gate);
        self.gate_of.insert(term, (self.gates.len() - 1) as u32);
    }

    fn connective(&mut self, op: Op, args: &[TermId]) -> Gate {
        let gates: Vec<u32> = args.iter().map(|arg| self.gate_of[arg]).collect();
        match (op, &gates[..]) {
            (Op::Not, &[a]) => Gate::Not(a),
            (Op::And, &[a, b]) => Gate::And(a, b),
            (Op::Or, &[a, b]) => Gate::Or(a, b),
            (Op::Xor, &[a, b]) => Gate::Xor(a, b),
            (Op::Eq, &[a, b]) => {
                self.gates.push(Gate::Xor(a, b));
                Gate::Not((self.gates.len() - 1) as u32)
            }
            (Op::Ite, &[condition, a, b]) => Gate::Ite(condition, a, b),
            (other, _) => unreachable!("{other:?} is no connective"),
        }
    }

    fn comparison(&mut self, comparison: Comparison, left: TermId, right: TermId) -> Gate {
        let mut arms = Vec::new();
        for (guards, left, right) in cases(self.terms, left, right) {
            let (left, right) = (self.operand(left), self.operand(right));
            let atom = self.atom(Atom { comparison: Some(comparison), left, right });
            let guards = guards.iter().map(|&(guard, truth)| (self.gate_of[&guard], truth));
            arms.push(Case { guards: guards.collect(), atom });
        }
        match &arms[..] {
            [only] => Gate::Atom(only.atom),
            _ => Gate::Cases(arms),
        }
    }

    fn operand(&mut self, term: TermId) -> u32 {
        let next = self.operands.len() as u32;
        let operand = *self.operand_of.entry(term).or_insert(next);
        if operand == next {
            self.operands.push(term);
        }
        operand
    }

    fn atom(&mut self, atom: Atom) -> u32 {
        self.atoms.push(atom);
        (self.atoms.len() - 1) as u32
    }
}
