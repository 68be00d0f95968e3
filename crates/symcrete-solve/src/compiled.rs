//! A query compiled for many evaluations: what search solvers run.

use crate::Query;
use symcrete_term::{Sort, Tape, TapeState, Valuation, Value, VarId};

/// The tape of a query's literals and what each must be.
pub struct CompiledQuery {
    tape: Tape,
    expected: Vec<bool>,
}

impl CompiledQuery {
    /// Compiles a query.
    pub fn new(query: &Query<'_>) -> CompiledQuery {
        CompiledQuery {
            tape: Tape::compile(query.terms, &query.roots()),
            expected: query.literals.iter().map(|literal| literal.expected).collect(),
        }
    }

    /// The variables in the order of their positions in a state.
    pub fn variables(&self) -> &[(VarId, Sort)] {
        self.tape.variables()
    }

    /// A state with the variables set as in a valuation.
    pub fn state(&self, valuation: &Valuation) -> TapeState {
        let mut state = self.tape.state();
        self.tape.load(&mut state, valuation);
        state
    }

    /// Runs the tape and says whether every literal holds.
    pub fn holds(&self, state: &mut TapeState) -> bool {
        self.tape.run(state);
        let mut expected = self.expected.iter().enumerate();
        expected.all(|(i, &expected)| (self.tape.root(state, i) == 1) == expected)
    }

    /// The values of the variables in a state.
    pub fn model(&self, state: &TapeState) -> Valuation {
        let variables = self.variables().iter().enumerate();
        variables.map(|(i, &(var, sort))| (var, Value::from_bits(sort, state.get(i)))).collect()
    }
}
