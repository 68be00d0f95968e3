//! A module as backward execution reads it: graphs with predecessors, loops, and what each call means.

use std::collections::{BTreeMap, BTreeSet};
use symcrete_program::cfg::{
    BlockId, CallGraph, CallSite, Cfg, CfgError, Constant, Dominators, Function, Kind, Loops,
    MemoryUse, ModuleView, Terminator, ValueId,
};
use symcrete_program::{CellKind, Gap};
use symcrete_term::Function as Opaque;

/// What a call of a function means.
#[derive(Clone, Debug)]
pub enum Callee {
    /// Its body is walked.
    Entered,
    /// It can be executed and not looked into.
    Opaque(Opaque),
    /// It gives a fresh input of that name.
    Draw {
        /// The cell's name.
        name: String,
        /// The kind of its value.
        kind: CellKind,
        /// What the model leaves out of it.
        gap: Option<Gap>,
    },
    /// It gives a fresh input; its name is a string in memory, whose address is the argument.
    DrawNamed(CellKind),
    /// Its argument is not zero, or the run does not count.
    Assume,
    /// It never comes back.
    Ends,
    /// It gives zero and does nothing else.
    Ignored(Option<Gap>),
    /// It gives a new object of which nobody has written anything yet, or only zeros.
    Allocated {
        /// Whether its bytes are zero.
        is_zeroed: bool,
    },
    /// It reports where local variables are, by a frame and a table, and gives back the frame.
    Frame,
    /// It gives back its first argument and does nothing else.
    Same,
    /// It gives back its argument of this number, which depends on where objects are.
    Observed(usize),
    /// The word that its argument points at is an address.
    Pointer,
    /// Nobody has written the bytes from its first argument on, as many as the second says.
    Uninitialized,
    /// `memcpy` or `memmove`.
    Copy,
    /// `memset`.
    Fill,
    /// What it gives and changes is not known.
    Unknown(Gap),
}

/// One way into a block: the block that jumps, and which of its jumps it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Way {
    pub(crate) from: BlockId,
    pub(crate) jump: usize,
}

/// A function with what is derived from it.
pub(crate) struct Body<'v> {
    pub(crate) function: &'v Function,
    pub(crate) ways: Vec<Vec<Way>>,
    pub(crate) loops: Loops,
    pub(crate) dominators: Dominators,
    /// Blocks from the entry to each block, at least.
    pub(crate) distance: Vec<u32>,
    /// The instruction that gives each value.
    pub(crate) definitions: Vec<Option<(BlockId, usize)>>,
}

/// What running a function may do, itself or through calls.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Effects {
    pub(crate) writes_memory: bool,
    /// Globals that may be different afterwards.
    pub(crate) globals: BTreeSet<u32>,
    /// Whether it asks for inputs.
    pub(crate) draws: bool,
}

/// A module, read for backward execution.
pub struct View<'a> {
    /// The module.
    pub module: ModuleView<'a>,
    /// Its graphs.
    pub cfg: Cfg,
    /// Its calls.
    pub calls: CallGraph,
    /// What a call of each function means, by index.
    pub callees: Vec<Callee>,
    effects: BTreeMap<u32, Effects>,
    /// The functions in tables, by table and position.
    pub(crate) tables: Vec<BTreeMap<u32, u32>>,
    /// Whether tables may hold something else.
    pub(crate) has_unknown_tables: bool,
}

impl<'a> View<'a> {
    /// Reads a module; `meaning` says what calls mean.
    pub fn of(
        wasm: &'a [u8],
        meaning: impl Fn(&ModuleView<'_>, u32) -> Callee,
    ) -> Result<View<'a>, CfgError> {
        let module = ModuleView::parse(wasm)?;
        let cfg = Cfg::of_module(&module)?;
        let calls = CallGraph::of(&module, &cfg);
        let callees = (0..module.functions.len() as u32).map(|f| meaning(&module, f)).collect();
        let (tables, is_all) = tables(&module);
        let has_unknown_tables = !is_all || cfg.functions().any(writes_tables);
        let effects = BTreeMap::new();
        let mut view = View { module, cfg, calls, callees, effects, tables, has_unknown_tables };
        view.find_effects();
        Ok(view)
    }

    pub(crate) fn body(&self, index: u32) -> Option<Body<'_>> {
        let function = self.cfg.function(index)?;
        let mut ways = vec![Vec::new(); function.blocks.len()];
        for from in function.block_ids() {
            for (jump, to) in function.block(from).terminator.jumps().iter().enumerate() {
                let ways: &mut Vec<Way> = &mut ways[to.block.index()];
                // Both sides of a mark lead to one block: that is one way.
                if !is_mark(function, from) || ways.iter().all(|way| way.from != from) {
                    ways.push(Way { from, jump });
                }
            }
        }
        Some(Body {
            function,
            ways,
            loops: Loops::of(function),
            dominators: Dominators::of(function),
            distance: distances(function),
            definitions: function.definitions(),
        })
    }

    pub(crate) fn effects(&self, function: u32) -> Effects {
        self.effects.get(&function).cloned().unwrap_or_default()
    }

    /// The calls that may call a function.
    pub(crate) fn callers(&self, function: u32) -> Vec<CallSite> {
        self.calls.callers(function).cloned().collect()
    }

    /// What a function of the module does itself, then what those do that it calls, until nothing changes.
    fn find_effects(&mut self) {
        for index in 0..self.callees.len() as u32 {
            let mut effects = Effects::default();
            match &self.callees[index as usize] {
                Callee::Draw { .. } | Callee::DrawNamed(_) => effects.draws = true,
                Callee::Copy | Callee::Fill | Callee::Uninitialized => effects.writes_memory = true,
                Callee::Unknown(_) | Callee::Entered => {
                    if let Some(function) = self.cfg.function(index) {
                        effects = own_effects(function);
                    }
                    effects.writes_memory |=
                        matches!(self.callees[index as usize], Callee::Unknown(_));
                }
                // That it changes nothing is an assumption, which is noted where a call is walked over.
                Callee::Ignored(gap) => effects.writes_memory = gap.is_some(),
                Callee::Opaque(_)
                | Callee::Assume
                | Callee::Ends
                | Callee::Frame
                | Callee::Same
                | Callee::Observed(_)
                | Callee::Pointer
                | Callee::Allocated { .. } => {}
            }
            self.effects.insert(index, effects);
        }
        loop {
            let mut changed = false;
            for site in &self.calls.sites {
                let caller = &self.callees[site.caller as usize];
                if !matches!(caller, Callee::Entered | Callee::Unknown(_)) {
                    continue;
                }
                for callee in &site.callees {
                    let of_callee = self.effects[callee].clone();
                    let own = self.effects.get_mut(&site.caller).expect("all were inserted");
                    let before = own.clone();
                    own.writes_memory |= of_callee.writes_memory;
                    own.draws |= of_callee.draws;
                    own.globals.extend(of_callee.globals);
                    changed |= *own != before;
                }
            }
            if !changed {
                return;
            }
        }
    }
}

/// Whether a block ends with a mark: a branch whose two sides are one.
pub(crate) fn is_mark(function: &Function, block: BlockId) -> bool {
    match &function.block(block).terminator {
        Terminator::BrIf { then, otherwise, .. } => then == otherwise,
        Terminator::Br(_)
        | Terminator::Switch { .. }
        | Terminator::Return(_)
        | Terminator::Unreachable { .. } => false,
    }
}

fn own_effects(function: &Function) -> Effects {
    let mut effects = Effects::default();
    for instruction in function.blocks.iter().flat_map(|block| &block.instructions) {
        if let Kind::GlobalSet(global) = instruction.kind
            && !restores(function, global)
        {
            effects.globals.insert(global);
        }
        effects.writes_memory |= match instruction.kind.memory() {
            MemoryUse::Untouched | MemoryUse::Loaded => false,
            MemoryUse::Stored | MemoryUse::Bulk | MemoryUse::Grown => true,
        };
    }
    effects
}

/// Whether a function gives a global back as it got it. Followed forward: at the end of each block the global either has the
/// value of the function's start, or may have another.
fn restores(function: &Function, global: u32) -> bool {
    let Some(exit) = function.exit() else { return true };
    let definitions = function.definitions();
    let mut entry_values: BTreeSet<ValueId> = BTreeSet::new();
    let mut is_kept_before = vec![true; function.blocks.len()];
    let successors = function.successors();
    loop {
        let mut changed = false;
        for (block, next) in function.block_ids().zip(&successors) {
            let mut is_kept = is_kept_before[block.index()];
            for instruction in &function.block(block).instructions {
                if instruction.kind == Kind::GlobalGet(global) && is_kept {
                    entry_values.insert(instruction.results[0]);
                } else if instruction.kind == Kind::GlobalSet(global) {
                    let moved = offset_from(function, &definitions, instruction.args[0]);
                    is_kept =
                        moved.is_some_and(|(base, by)| by == 0 && entry_values.contains(&base));
                }
            }
            if block == exit && !is_kept {
                return false;
            }
            for target in next {
                changed |= !is_kept && is_kept_before[target.index()];
                is_kept_before[target.index()] &= is_kept;
            }
        }
        if !changed {
            return true;
        }
        // A read counts as one of the start only if that still holds everywhere it was seen.
        entry_values.clear();
    }
}

/// A value as another one plus a constant.
#[expect(clippy::wildcard_enum_match_arm, reason = "nothing else moves by a constant")]
fn offset_from(
    function: &Function,
    definitions: &[Option<(BlockId, usize)>],
    mut value: ValueId,
) -> Option<(ValueId, i64)> {
    use symcrete_program::cfg::WasmOp;
    let instruction = |value: ValueId| {
        let (block, position) = definitions[value.index()]?;
        Some(&function.block(block).instructions[position])
    };
    let constant = |value: ValueId| match instruction(value)?.kind {
        Kind::Const(Constant::I32(bits)) => Some(i64::from(bits as i32)),
        Kind::Const(Constant::I64(bits)) => Some(bits as i64),
        _ => None,
    };
    let mut offset = 0i64;
    for _ in 0..64 {
        let Some(found) = instruction(value) else { return Some((value, offset)) };
        let (next, change) = match found.kind {
            Kind::Numeric(WasmOp::I32Add | WasmOp::I64Add) => {
                match (constant(found.args[0]), constant(found.args[1])) {
                    (_, Some(k)) => (found.args[0], k),
                    (Some(k), None) => (found.args[1], k),
                    (None, None) => return Some((value, offset)),
                }
            }
            Kind::Numeric(WasmOp::I32Sub | WasmOp::I64Sub) => match constant(found.args[1]) {
                Some(k) => (found.args[0], k.wrapping_neg()),
                None => return Some((value, offset)),
            },
            _ => return Some((value, offset)),
        };
        offset = offset.wrapping_add(change);
        value = next;
    }
    None
}

fn distances(function: &Function) -> Vec<u32> {
    let successors = function.successors();
    let mut distance = vec![u32::MAX; function.blocks.len()];
    distance[0] = 0;
    let mut open = std::collections::VecDeque::from([BlockId::ENTRY]);
    while let Some(block) = open.pop_front() {
        for next in &successors[block.index()] {
            if distance[next.index()] == u32::MAX {
                distance[next.index()] = distance[block.index()] + 1;
                open.push_back(*next);
            }
        }
    }
    distance
}

fn writes_tables(function: &Function) -> bool {
    let mut instructions = function.blocks.iter().flat_map(|block| &block.instructions);
    instructions
        .any(|instruction| matches!(instruction.kind, Kind::Table(op) if op.effects().writes))
}

/// What tables hold, as active segments with constant places say, and whether that is all.
fn tables(module: &ModuleView<'_>) -> (Vec<BTreeMap<u32, u32>>, bool) {
    use symcrete_program::cfg::module::{ConstantOp, Placement, address_const};
    let mut tables = vec![BTreeMap::new(); module.tables.len()];
    let mut is_all = module.tables.iter().all(|table| table.import.is_none());
    for segment in &module.elements {
        let Placement::Active { to, offset } = &segment.placement else { continue };
        let Some(start) = address_const(offset) else {
            is_all = false;
            continue;
        };
        for (position, item) in segment.items.iter().enumerate() {
            match item[..] {
                [ConstantOp::Const(Constant::Function(function))] => {
                    tables[*to as usize].insert(start.wrapping_add(position as u32), function);
                }
                [ConstantOp::Const(Constant::NullFunction)] => {}
                _ => is_all = false,
            }
        }
    }
    (tables, is_all)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The globals that a call of the first function may leave changed.
    fn changed(body: &str) -> BTreeSet<u32> {
        let text = format!(
            "(module (memory 1) (global $sp (mut i32) (i32.const 1024)) (func $f (param $c i32) (local $old i32) {body}))"
        );
        let wasm = wat::parse_str(text).unwrap();
        let view = View::of(&wasm, |_, _| Callee::Entered).unwrap();
        view.effects(0).globals
    }

    #[test]
    fn a_stack_pointer_that_is_put_back_is_unchanged() {
        let take = "(global.set $sp (local.tee $old (i32.sub (global.get $sp) (i32.const 16))))";
        let give = "(global.set $sp (i32.add (local.get $old) (i32.const 16)))";
        assert_eq!(changed(&format!("{take} {give}")), BTreeSet::new());
        assert_eq!(changed(take), BTreeSet::from([0]));
        let on_one_way = format!("{take} (if (local.get $c) (then {give}))");
        assert_eq!(changed(&on_one_way), BTreeSet::from([0]));
        let on_both = format!("{take} (if (local.get $c) (then {give}) (else {give}))");
        assert_eq!(changed(&on_both), BTreeSet::new());
    }
}
