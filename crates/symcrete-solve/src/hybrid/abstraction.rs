//! Library calls as unknown functions, for SMT solvers.
//!
//! Every call becomes a variable. What is true of it whatever the function does, or of this function, is added: equal arguments
//! give equal results (W. Ackermann, 1954), the range of values that contraction leaves, and values that were sampled. All these
//! facts hold in every model of the query, so if they contradict each other it has none: `unsat` is sound.
//!
//! A model of the abstraction is tried on the query, and is where a short Concolic Walk starts. If both fail, the functions
//! are sampled at the model's arguments, which excludes that model, and so on (in the manner of P. Godefroid, *Higher-Order Test
//! Generation*, PLDI 2011).

use crate::concolic_walk::ConcolicWalk;
use crate::interval::{Hull, hull_of_terms};
use crate::{Budget, Query, Solver, Verdict, Why};
use std::collections::BTreeMap;
use symcrete_term::{
    Function, FunctionId, Literal, Node, Op, Seed, TermId, Terms, Valuation, Value, VarId,
    reachable,
};

/// Rounds of sampling.
const ROUNDS_MAX: u32 = 24;
/// Steps of the walk from each model.
const WALK_STEPS: u64 = 3_000;
/// Pairs of calls that are stated to agree.
const PAIRS_MAX: usize = 400;
/// Larger queries are left alone.
const CALLS_MAX: usize = 200;

/// The solver. See the module.
pub(crate) struct Abstraction {
    symbolic: Box<dyn Solver>,
    walk: ConcolicWalk,
}

impl Abstraction {
    /// An abstraction for a symbolic solver.
    pub(crate) fn new(symbolic: Box<dyn Solver>, seed: Seed) -> Abstraction {
        Abstraction { symbolic, walk: ConcolicWalk::improved(seed.derive("solver/abstraction")) }
    }
}

impl Solver for Abstraction {
    fn name(&self) -> &'static str {
        "abstraction"
    }

    fn solve(&mut self, query: &Query<'_>, budget: &mut Budget) -> Verdict {
        let mut abstracted = match Abstract::new(query) {
            Ok(abstracted) => abstracted,
            Err(verdict) => return verdict,
        };
        for _ in 0..ROUNDS_MAX {
            let part = abstracted.query();
            let model = match self.symbolic.solve(&part, budget) {
                Verdict::Sat(model) => abstracted.restore(query, &model),
                verdict @ (Verdict::Unsat | Verdict::Unknown(_)) => return verdict,
            };
            if abstracted.calls.is_empty() || query.accepts(&model) {
                return Verdict::Sat(model);
            }
            let mut share = budget.fork(budget.cancel().clone()).at_most(WALK_STEPS);
            let near = Query { hint: &model, ..*query };
            let walked = self.walk.solve(&near, &mut share);
            if walked.is_decided() {
                return walked;
            }
            if let Err(why) = budget.charge(share.steps_used().min(WALK_STEPS)) {
                return Verdict::Unknown(why);
            }
            abstracted.sample(query, &model);
        }
        Verdict::Unknown(Why::GaveUp)
    }
}

/// A call: the function, its arguments here, its arguments in the query, and the variable it became.
struct Call {
    id: FunctionId,
    function: Function,
    args: Vec<TermId>,
    original: Vec<TermId>,
    result: TermId,
}

/// A query in which calls are variables, with what is known of them.
struct Abstract {
    terms: Terms,
    literals: Vec<Literal>,
    hint: Valuation,
    /// The query's variables: here and there.
    variables: Vec<(VarId, VarId)>,
    calls: Vec<Call>,
}

impl Abstract {
    fn new(query: &Query<'_>) -> Result<Abstract, Verdict> {
        let order = reachable(query.terms, &query.roots());
        let is_call = |&&term: &&TermId| matches!(query.terms.node(term), Node::Call { .. });
        let calls: Vec<TermId> = order.iter().filter(is_call).copied().collect();
        if calls.len() > CALLS_MAX {
            return Err(Verdict::Unknown(Why::Unsupported(format!("{} calls", calls.len()))));
        }
        let Some(hulls) = hull_of_terms(query, &calls) else { return Err(Verdict::Unsat) };
        let mut abstracted = Abstract {
            terms: Terms::new(),
            literals: Vec::new(),
            hint: Valuation::new(),
            variables: Vec::new(),
            calls: Vec::new(),
        };
        let mut copied: BTreeMap<TermId, TermId> = BTreeMap::new();
        for term in order {
            let copy = abstracted.copy(query.terms, term, &copied);
            copied.insert(term, copy);
        }
        for literal in query.literals {
            abstracted.add(Literal { term: copied[&literal.term], expected: literal.expected });
        }
        for (term, hull) in calls.iter().zip(hulls) {
            abstracted.add_range(copied[term], hull);
        }
        abstracted.add_agreement();
        let hinted = |&(new, old): &(VarId, VarId)| Some((new, query.hint.get(old)?));
        abstracted.hint = abstracted.variables.iter().filter_map(hinted).collect();
        Ok(abstracted)
    }

    fn query(&self) -> Query<'_> {
        Query { terms: &self.terms, literals: &self.literals, hint: &self.hint }
    }

    fn add(&mut self, literal: Literal) {
        if self.terms.as_const(literal.term) != Some(Value::Bool(literal.expected)) {
            self.literals.push(literal);
        }
    }

    fn copy(&mut self, from: &Terms, term: TermId, copied: &BTreeMap<TermId, TermId>) -> TermId {
        let node = from.node(term);
        let children: Vec<TermId> = node.children().iter().map(|child| copied[child]).collect();
        match node {
            Node::Const(value) => self.terms.constant(value),
            Node::Var(var) => {
                let name = from.var_name(var);
                let copy = self.terms.var(name, from.sort(term));
                let new = self.terms.find_var(name).expect("it was declared a line above");
                self.variables.push((new, var));
                copy
            }
            Node::App { op, indices, .. } => self.terms.app_indexed(op, indices, &children),
            Node::Call { function, args } => {
                // No name of a program has an exclamation mark.
                let name = format!("call!{}", self.calls.len());
                let result = self.terms.var(&name, from.sort(term));
                let (id, function) = (function, from.function(function).clone());
                let original = args.to_vec();
                self.calls.push(Call { id, function, args: children, original, result });
                result
            }
            Node::Lookup { table, .. } => {
                let (sort, entries) = from.table_entries(table);
                let values: Vec<Value> =
                    entries.iter().map(|&bits| Value::from_bits(sort, bits)).collect();
                let table = self.terms.table(&values);
                self.terms.lookup(table, children[0])
            }
        }
    }

    /// A call's value is within its range.
    fn add_range(&mut self, result: TermId, hull: Hull) {
        let Hull { numbers, nan } = hull;
        let sort = self.terms.sort(result);
        if !sort.is_float() {
            return;
        }
        let is_nan = self.terms.app(Op::FpIsNan, &[result]);
        let Some((low, high)) = numbers else {
            self.add(Literal::holds(is_nan));
            return;
        };
        let [low, high] = [low, high].map(|value| self.terms.constant(value));
        let above = self.terms.app(Op::FpLe, &[low, result]);
        let below = self.terms.app(Op::FpLe, &[result, high]);
        let within = self.terms.app(Op::And, &[above, below]);
        let fact = if nan { self.terms.app(Op::Or, &[is_nan, within]) } else { within };
        self.add(Literal::holds(fact));
    }

    /// Equal arguments of one function give equal results.
    fn add_agreement(&mut self) {
        let mut n_pairs = 0;
        for i in 0..self.calls.len() {
            for j in 0..i {
                let (a, b) = (&self.calls[i], &self.calls[j]);
                if a.id != b.id || n_pairs == PAIRS_MAX {
                    continue;
                }
                n_pairs += 1;
                let pairs: Vec<(TermId, TermId)> =
                    a.args.iter().copied().zip(b.args.iter().copied()).collect();
                let results = (a.result, b.result);
                self.add_implication(&pairs, results);
            }
        }
    }

    fn add_implication(&mut self, equal: &[(TermId, TermId)], results: (TermId, TermId)) {
        let mut fact = self.terms.eq(results.0, results.1);
        for &(a, b) in equal {
            let same = self.terms.eq(a, b);
            let differ = self.terms.not(same);
            fact = self.terms.app(Op::Or, &[differ, fact]);
        }
        self.add(Literal::holds(fact));
    }

    /// Adds what each function gives for the arguments that it has under a model.
    fn sample(&mut self, query: &Query<'_>, model: &Valuation) {
        for i in 0..self.calls.len() {
            let call = &self.calls[i];
            let values: Vec<Value> =
                call.original.iter().map(|&arg| query.terms.evaluate(arg, model)).collect();
            let value = call.function.call(&values);
            let (args, result) = (call.args.clone(), call.result);
            let pairs: Vec<(TermId, TermId)> = args
                .into_iter()
                .zip(values)
                .map(|(arg, value)| (arg, self.terms.constant(value)))
                .collect();
            let value = self.terms.constant(value);
            self.add_implication(&pairs, (result, value));
        }
    }

    /// A model of the abstraction over the query's variables.
    fn restore(&self, query: &Query<'_>, model: &Valuation) -> Valuation {
        let mut whole = query.hint.clone();
        for &(new, old) in &self.variables {
            let zero = || Value::zero(query.terms.var_sort(old));
            whole.set(old, model.get(new).unwrap_or_else(zero));
        }
        whole
    }
}
