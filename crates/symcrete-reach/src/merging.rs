//! Branches that only choose between values, as choices within terms.
//!
//! The two ways from a branch to a merge are one if each of them does nothing but compute: what the merge gets is then
//! `condition ? this : that`, and the state goes on before the branch. That is exact, and it keeps the number of
//! paths from doubling at each such branch.

use crate::reachability::Condition;
use crate::state::State;
use crate::step::Stepper;
use crate::substitute::Substitution;
use crate::view::{Body, Way};
use symcrete_program::cfg::{BlockId, Kind, Terminator, ValueId};
use symcrete_program::lower::{self, nonzero};
use symcrete_term::TermId;

/// Instructions of a side, at most.
const INSTRUCTIONS_MAX: usize = 12;

impl Stepper<'_, '_> {
    /// Takes a state from a merge to the end of the branch before it, if the two sides only compute.
    pub(crate) fn merge_sides(
        &mut self,
        state: &mut State,
        body: &Body<'_>,
        ways: &[Way],
        from: BlockId,
    ) -> bool {
        let &[one, other] = ways else { return false };
        let Terminator::BrIf { condition, .. } = &body.function.block(from).terminator else {
            return false;
        };
        let sides = (side(body, from, one), side(body, from, other));
        let (then, otherwise) = match sides {
            (Some(0), Some(1)) => (one, other),
            (Some(1), Some(0)) => (other, one),
            _ => return false,
        };
        let merge = state.frame().block;
        let decided = self.value(state, body, *condition);
        let decided = nonzero(&mut self.pool.terms, decided);
        let mut by = Substitution::new();
        for (i, &param) in body.function.block(merge).params.iter().enumerate() {
            let ty = body.function.values[param.index()];
            let variable = self.pool.value(state.level(), body.function.index, param, ty);
            if !state.mentions(self.pool, variable) {
                continue;
            }
            let (Some(a), Some(b)) = (
                self.given(state, body, (from, then), i),
                self.given(state, body, (from, otherwise), i),
            ) else {
                return false;
            };
            by.insert(self.pool.var_of(variable), self.pool.terms.ite(decided, a, b));
        }
        state.apply(self.pool, &by);
        let sides = body.function.block(from).terminator.edges();
        let merged = sides.first().copied().flatten();
        state.conditions.extend(merged.map(|edge| Condition { edge, is_merged: true }));
        let frame = state.frame_mut();
        frame.block = from;
        frame.position = body.function.block(from).instructions.len();
        frame.outside_of = None;
        true
    }

    /// What a way gives to a parameter of the merge, in terms of values before the branch.
    fn given(
        &mut self,
        state: &State,
        body: &Body<'_>,
        (from, way): (BlockId, Way),
        param: usize,
    ) -> Option<TermId> {
        let jumps = body.function.block(way.from).terminator.jumps();
        self.computed(state, body, (from, way.from), jumps[way.jump].args[param])
    }

    /// A value in terms of those that are known before a block.
    #[expect(clippy::wildcard_enum_match_arm, reason = "`side` lets nothing else through")]
    fn computed(
        &mut self,
        state: &State,
        body: &Body<'_>,
        (from, inside): (BlockId, BlockId),
        value: ValueId,
    ) -> Option<TermId> {
        let defined =
            body.definitions[value.index()].filter(|(block, _)| *block == inside && inside != from);
        let Some((block, position)) = defined else { return Some(self.value(state, body, value)) };
        let instruction = &body.function.block(block).instructions[position];
        let args = instruction.args.iter();
        let args: Vec<TermId> = args
            .map(|&arg| self.computed(state, body, (from, inside), arg))
            .collect::<Option<_>>()?;
        let terms = &mut self.pool.terms;
        match instruction.kind {
            Kind::Numeric(op) => Some(lower::lower(terms, op, &args)),
            Kind::Select => {
                let condition = nonzero(terms, args[2]);
                Some(terms.ite(condition, args[0], args[1]))
            }
            _ => Some(self.value(state, body, value)),
        }
    }
}

/// Which jump of a branch a way to the merge comes from: it is that jump, or a block that only computes is between.
#[expect(clippy::wildcard_enum_match_arm, reason = "nothing else only computes")]
fn side(body: &Body<'_>, from: BlockId, way: Way) -> Option<usize> {
    if way.from == from {
        return Some(way.jump);
    }
    let block = body.function.block(way.from);
    let only_computes = block.params.is_empty()
        && block.instructions.len() <= INSTRUCTIONS_MAX
        && block.instructions.iter().all(|instruction| match instruction.kind {
            Kind::Const(_) | Kind::Select => true,
            Kind::Numeric(op) => !op.traps(),
            _ => false,
        })
        && matches!(block.terminator, Terminator::Br(_));
    match &body.ways[way.from.index()][..] {
        [only] if only.from == from && only_computes => Some(only.jump),
        _ => None,
    }
}
