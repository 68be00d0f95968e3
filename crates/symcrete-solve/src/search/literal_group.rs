//! Literals that are evaluated together: a tape at first, machine code after many runs.
//!
//! Only the compared terms are compiled; errors are computed outside, so one compiled function serves
//! every relation, negated or not.

use crate::error::{Errors, Metric};
use crate::jit::{Compiled, JitCache};
use crate::search::skeleton::{Atom, SideError, Sides, Skeleton};
use symcrete_term::{Literal, Sort, Tape, TapeState, Terms, VarId};

/// Runs on the tape before compilation is tried. `cargo bench --bench solvers -- evaluation` measures it:
/// compiling a coral condition costs as much as this many runs of it save (median).
pub(crate) const RUNS_BEFORE_JIT: u32 = 6_000;

/// Literals with their evaluator.
pub(crate) struct LiteralGroup<'a> {
    terms: &'a Terms,
    skeleton: Skeleton,
    variables: Vec<u32>,
    inputs: Vec<u64>,
    values: Vec<u64>,
    sides: Vec<Sides>,
    n_runs: u32,
    engine: Engine,
}

enum Engine {
    Tape { tape: Box<Tape>, state: TapeState },
    Machine(Compiled),
}

impl<'a> LiteralGroup<'a> {
    /// Prepares literals. `position` numbers the variables of the whole query.
    pub(crate) fn new(
        terms: &'a Terms,
        literals: &[Literal],
        position: impl Fn(VarId, Sort) -> u32,
    ) -> LiteralGroup<'a> {
        let skeleton = Skeleton::new(terms, literals);
        let tape = Tape::compile(terms, &skeleton.operands);
        let variables: Vec<u32> =
            tape.variables().iter().map(|&(var, sort)| position(var, sort)).collect();
        LiteralGroup {
            terms,
            inputs: vec![0; variables.len()],
            values: vec![0; skeleton.operands.len()],
            sides: Vec::new(),
            n_runs: 0,
            engine: Engine::Tape { state: tape.state(), tape: Box::new(tape) },
            variables,
            skeleton,
        }
    }

    /// The variables it depends on, by their number in the query.
    pub(crate) fn variables(&self) -> &[u32] {
        &self.variables
    }

    /// A comparison of this group.
    pub(crate) fn atom(&self, atom: u32) -> Atom {
        self.skeleton.atoms[atom as usize]
    }

    /// Evaluates at a point and reports every literal's side.
    pub(crate) fn run(
        &mut self,
        cache: &JitCache,
        metric: Metric,
        point: &[u64],
        report: impl FnMut(usize, SideError),
    ) {
        self.evaluate(cache, point);
        self.skeleton.score(metric, &self.values, &mut self.sides, report);
    }

    /// Evaluates at a point and gives the errors of one comparison.
    pub(crate) fn run_atom(
        &mut self,
        cache: &JitCache,
        metric: Metric,
        point: &[u64],
        atom: u32,
    ) -> Errors {
        self.evaluate(cache, point);
        self.skeleton.atom_errors(metric, &self.values, atom)
    }

    fn evaluate(&mut self, cache: &JitCache, point: &[u64]) {
        for (input, &variable) in self.inputs.iter_mut().zip(&self.variables) {
            *input = point[variable as usize];
        }
        self.n_runs = self.n_runs.saturating_add(1);
        if self.n_runs == RUNS_BEFORE_JIT {
            self.compile(cache);
        }
        match &mut self.engine {
            Engine::Tape { tape, state } => {
                for (i, &input) in self.inputs.iter().enumerate() {
                    state.set(i, input);
                }
                tape.run(state);
                for (i, value) in self.values.iter_mut().enumerate() {
                    *value = tape.root(state, i);
                }
            }
            Engine::Machine(compiled) => compiled.run(&self.inputs, &mut self.values),
        }
    }

    fn compile(&mut self, cache: &JitCache) {
        if let Some(compiled) = cache.compile(self.terms, &self.skeleton.operands) {
            self.engine = Engine::Machine(compiled);
        }
    }
}
