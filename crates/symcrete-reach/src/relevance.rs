//! What of a program can make a difference to a state.

use crate::state::{Pool, State};
use crate::substitute::variables;
use crate::view::{Body, View};
use std::collections::BTreeSet;
use symcrete_program::cfg::{BlockId, Instruction, Kind, MemoryUse};
use symcrete_term::{TermId, VarId};

/// What some literals of a state depend on.
pub(crate) struct Interest {
    variables: BTreeSet<VarId>,
    has_reads: bool,
}

impl Interest {
    /// Of all literals.
    pub(crate) fn of(state: &State) -> Interest {
        Interest { variables: (*state.free).clone(), has_reads: !state.reads.is_empty() }
    }

    /// Of some literals, by index.
    pub(crate) fn of_literals(state: &State, pool: &Pool, chosen: &BTreeSet<usize>) -> Interest {
        let term = |&i: &usize| state.literals.get(i).map(|held| held.literal.term);
        let roots: Vec<TermId> = chosen.iter().filter_map(term).collect();
        let mut of = variables(&pool.terms, &roots);
        let mut has_reads = false;
        loop {
            let before = of.len();
            for read in &state.reads {
                if of.contains(&read.var) {
                    has_reads = true;
                    of.extend(variables(&pool.terms, &[read.address]));
                }
            }
            if of.len() == before {
                return Interest { variables: of, has_reads };
            }
        }
    }

    /// Whether one of these functions' values, globals or bytes may be other ones after a call.
    pub(crate) fn is_changed_by_call(
        &self,
        view: &View<'_>,
        pool: &mut Pool,
        callees: &[u32],
    ) -> bool {
        callees.iter().any(|&callee| {
            let effects = view.effects(callee);
            let mut is_used = |global: &u32| {
                let ty = view.module.globals[*global as usize].ty;
                let variable = pool.global(*global, ty);
                self.variables.contains(&pool.var_of(variable))
            };
            effects.draws
                || effects.writes_memory && self.has_reads
                || effects.globals.iter().any(&mut is_used)
        })
    }

    /// Whether what happens between a block and a merge behind it can make a difference at the merge.
    pub(crate) fn is_changed_between(
        &self,
        (view, body): (&View<'_>, &Body<'_>),
        pool: &mut Pool,
        level: usize,
        (region, merge): (&BTreeSet<BlockId>, BlockId),
    ) -> bool {
        let function = body.function;
        let is_chosen = function.block(merge).params.iter().any(|&param| {
            let ty = function.values[param.index()];
            let variable = pool.value(level, function.index, param, ty);
            self.variables.contains(&pool.var_of(variable))
        });
        is_chosen
            || region.iter().any(|&block| {
                let instructions = &function.block(block).instructions;
                instructions
                    .iter()
                    .any(|i| self.is_changed_by(view, pool, (function.index, block), i))
            })
    }

    fn is_changed_by(
        &self,
        view: &View<'_>,
        pool: &mut Pool,
        (function, block): (u32, BlockId),
        instruction: &Instruction,
    ) -> bool {
        let is_memory_changed = match instruction.kind.memory() {
            MemoryUse::Untouched | MemoryUse::Loaded => false,
            MemoryUse::Stored | MemoryUse::Bulk | MemoryUse::Grown => self.has_reads,
        };
        if let Kind::GlobalSet(global) = instruction.kind {
            let variable = pool.global(global, view.module.globals[global as usize].ty);
            return self.variables.contains(&pool.var_of(variable));
        }
        let is_called = instruction.kind.is_call() && {
            let mut sites = view.calls.calls(function);
            let site = sites.find(|site| site.block == block && site.offset == instruction.offset);
            site.is_none_or(|site| self.is_changed_by_call(view, pool, &site.callees))
        };
        is_memory_changed || is_called
    }
}

/// The blocks on ways from a block to a merge that it dominates, without the block itself.
pub(crate) fn region(body: &Body<'_>, from: BlockId, merge: BlockId) -> BTreeSet<BlockId> {
    let mut blocks = BTreeSet::new();
    let mut open: Vec<BlockId> = body.ways[merge.index()].iter().map(|way| way.from).collect();
    while let Some(block) = open.pop() {
        if block != from && blocks.insert(block) {
            open.extend(body.ways[block.index()].iter().map(|way| way.from));
        }
    }
    blocks
}
