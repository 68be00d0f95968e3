//! A query compiled for many evaluations: a tape at first, machine code once that pays.

use crate::Query;
use crate::jit::{Compiled, JitCache};
use crate::search::literal_group::RUNS_BEFORE_JIT;
use symcrete_term::{Sort, Tape, TapeState, TermId, Terms, Valuation, Value, VarId};

/// The literals of a query with an evaluator, and what each must be.
pub(crate) struct CompiledQuery<'a> {
    terms: &'a Terms,
    roots: Vec<TermId>,
    expected: Vec<bool>,
    tape: Tape,
    n_runs: u32,
    machine: Option<Machine>,
}

/// Machine code with its arguments and results.
struct Machine {
    code: Compiled,
    inputs: Vec<u64>,
    values: Vec<u64>,
}

impl<'a> CompiledQuery<'a> {
    /// Compiles a query.
    pub(crate) fn new(query: &Query<'a>) -> CompiledQuery<'a> {
        let roots = query.roots();
        CompiledQuery {
            terms: query.terms,
            tape: Tape::compile(query.terms, &roots),
            expected: query.literals.iter().map(|literal| literal.expected).collect(),
            n_runs: 0,
            machine: None,
            roots,
        }
    }

    /// The variables in the order of their positions in a state.
    pub(crate) fn variables(&self) -> &[(VarId, Sort)] {
        self.tape.variables()
    }

    /// A state with the variables set as in a valuation.
    pub(crate) fn state(&self, valuation: &Valuation) -> TapeState {
        let mut state = self.tape.state();
        self.tape.load(&mut state, valuation);
        state
    }

    /// Whether every literal holds in a state.
    pub(crate) fn holds(&mut self, state: &mut TapeState) -> bool {
        self.n_runs = self.n_runs.saturating_add(1);
        if self.n_runs == RUNS_BEFORE_JIT {
            self.machine = self.to_machine_code();
        }
        let Some(machine) = &mut self.machine else {
            self.tape.run(state);
            let mut expected = self.expected.iter().enumerate();
            return expected.all(|(i, &expected)| (self.tape.root(state, i) == 1) == expected);
        };
        for (i, input) in machine.inputs.iter_mut().enumerate() {
            *input = state.get(i);
        }
        machine.code.run(&machine.inputs, &mut machine.values);
        machine
            .values
            .iter()
            .zip(&self.expected)
            .all(|(&value, &expected)| (value == 1) == expected)
    }

    fn to_machine_code(&self) -> Option<Machine> {
        let code = JitCache::default().compile(self.terms, &self.roots)?;
        let (n_inputs, n_roots) = (self.variables().len(), self.roots.len());
        Some(Machine { code, inputs: vec![0; n_inputs], values: vec![0; n_roots] })
    }

    /// The values of the variables in a state.
    pub(crate) fn model(&self, state: &TapeState) -> Valuation {
        let variables = self.variables().iter().enumerate();
        variables.map(|(i, &(var, sort))| (var, Value::from_bits(sort, state.get(i)))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use symcrete_term::{Literal, Op};

    #[test]
    fn machine_code_takes_over_and_says_the_same() {
        let mut terms = Terms::new();
        let (x, y) = (terms.var("x", Sort::Bv(8)), terms.var("y", Sort::Bv(8)));
        let product = terms.app(Op::BvMul, &[x, y]);
        let k = terms.bv(8, 77);
        let (is_k, is_less) = (terms.eq(product, k), terms.app(Op::BvUlt, &[x, y]));
        let literals = [Literal::holds(is_k), Literal { term: is_less, expected: false }];
        let hint = Valuation::new();
        let query = Query { terms: &terms, literals: &literals, hint: &hint };
        let mut compiled = CompiledQuery::new(&query);
        let mut state = compiled.state(&hint);
        let mut n_models = 0;
        for number in 0..1u64 << 16 {
            state.set(0, number & 0xff);
            state.set(1, number >> 8);
            let holds = compiled.holds(&mut state);
            assert_eq!(holds, query.accepts(&compiled.model(&state)), "{number}");
            n_models += u32::from(holds);
        }
        assert!(n_models > 0 && compiled.n_runs > RUNS_BEFORE_JIT);
    }
}
