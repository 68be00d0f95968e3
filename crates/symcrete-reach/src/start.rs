//! The state at a target: where backward execution starts.

use crate::search::Search;
use crate::state::{Pool, State};
use crate::view::{Fault, Place, Target};
use symcrete_program::cfg::Kind;
use symcrete_program::lower::{self, nonzero};
use symcrete_term::{Literal, Op, TermId};

/// Accesses below this address are through null pointers.
const NULL_PAGE: u64 = 1024;

impl Search<'_, '_> {
    /// The state at a target.
    pub(crate) fn start(&mut self, target: &Target, place: Place) -> State {
        let mut state = State::at(place);
        let Some(body) = self.body(place.function) else { return state };
        let block = body.function.block(place.block);
        let mut stepper = self.stepper();
        match (target, place.jump) {
            (Target::Side(_), Some(jump)) => {
                stepper.decide(&mut state, &body, &block.terminator, jump)
            }
            (Target::Side(edge), None) => {
                let condition = block.instructions[place.position].args[2];
                let condition = stepper.value(&state, &body, condition);
                let term = nonzero(&mut stepper.pool.terms, condition);
                state.hold(&stepper.pool.terms, Literal { term, expected: edge.taken });
            }
            (Target::Trap { fault, .. }, _) => {
                let instruction = &block.instructions[place.position];
                let args: Vec<TermId> =
                    instruction.args.iter().map(|&arg| stepper.value(&state, &body, arg)).collect();
                for literal in faulty(stepper.pool, &instruction.kind, *fault, &args) {
                    state.hold(&stepper.pool.terms, literal);
                }
            }
            (Target::Called(_), _) => {}
        }
        state
    }
}

/// What must hold for an operator to trap like this.
fn faulty(pool: &mut Pool, kind: &Kind, fault: Fault, args: &[TermId]) -> Vec<Literal> {
    let terms = &mut pool.terms;
    match (kind, fault) {
        (Kind::Numeric(op), Fault::DivisionByZero) => lower::guards(terms, *op, args)
            .first()
            .map(|&guard| Literal::holds(guard).negated())
            .into_iter()
            .collect(),
        (Kind::Numeric(op), Fault::Overflow) => {
            let guards = lower::guards(terms, *op, args);
            let (last, first) =
                guards.split_last().map_or((None, &[][..]), |(last, first)| (Some(*last), first));
            let holds = first.iter().map(|&guard| Literal::holds(guard));
            holds.chain(last.map(|guard| Literal::holds(guard).negated())).collect()
        }
        (Kind::Load(access) | Kind::Store(access), Fault::NullPointer) => {
            let limit = terms.bv(32, NULL_PAGE.saturating_sub(u64::from(access.offset)));
            vec![Literal::holds(terms.app(Op::BvUlt, &[args[0], limit]))]
        }
        (_, _) => vec![Literal::holds(terms.bool(false))],
    }
}
