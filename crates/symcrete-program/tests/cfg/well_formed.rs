//! What holds for every function in SSA form.

use std::collections::BTreeSet;
use symcrete_program::cfg::{
    BlockId, Dominators, Function, Kind, Loops, ModuleView, Terminator, ValueId,
};
use wasmparser::{BinaryReader, FunctionBody, Operator};

/// Says what is wrong.
pub(crate) fn check(module: &ModuleView<'_>, function: &Function) -> Result<(), String> {
    values_are_defined_before_use(function)?;
    jumps_fit(function)?;
    if !Loops::of(function).is_reducible() {
        return Err("a cycle has two entries".to_string());
    }
    dominators_are_right(function)?;
    sites_are_kept(module, function)
}

/// Each value is assigned once, and the assignment dominates every use.
fn values_are_defined_before_use(function: &Function) -> Result<(), String> {
    let dominators = Dominators::of(function);
    let mut defined: Vec<Option<(BlockId, usize)>> = vec![None; function.values.len()];
    for block in function.block_ids() {
        let params = function.block(block).params.iter().map(|&param| (param, 0));
        let instructions = function.block(block).instructions.iter().enumerate();
        let results = instructions.flat_map(|(i, instruction)| {
            instruction.results.iter().map(move |&value| (value, i + 1))
        });
        for (value, position) in params.chain(results) {
            if defined[value.index()].replace((block, position)).is_some() {
                return Err(format!("{value} is assigned twice"));
            }
        }
    }
    let check = |value: ValueId, block: BlockId, position: usize| match defined[value.index()] {
        Some((at, before)) if at == block && before < position => Ok(()),
        Some((at, _)) if at != block && dominators.dominates(at, block) => Ok(()),
        _ => Err(format!("{value} is not defined where {block} uses it")),
    };
    for block in function.block_ids() {
        let body = function.block(block);
        for (i, instruction) in body.instructions.iter().enumerate() {
            instruction.args.iter().try_for_each(|&arg| check(arg, block, i + 1))?;
        }
        let jumps = body.terminator.jumps();
        let args = jumps.iter().flat_map(|jump| &jump.args);
        let mut used = args.chain(body.terminator.operands());
        used.try_for_each(|&value| check(value, block, usize::MAX))?;
    }
    Ok(())
}

/// Arguments have the number and types of the parameters, and nothing jumps to the entry.
fn jumps_fit(function: &Function) -> Result<(), String> {
    let types = |values: &[ValueId]| -> Vec<_> {
        values.iter().map(|value| function.values[value.index()]).collect()
    };
    for jump in function.blocks.iter().flat_map(|block| block.terminator.jumps()) {
        if jump.block == BlockId::ENTRY {
            return Err("a jump to the entry".to_string());
        }
        if types(&jump.args) != types(&function.block(jump.block).params) {
            return Err(format!("the arguments of {jump} do not fit"));
        }
    }
    if types(&function.block(BlockId::ENTRY).params) != function.ty.params {
        return Err("the entry's parameters are not the function's".to_string());
    }
    for block in &function.blocks {
        if let Terminator::Return(values) = &block.terminator
            && types(values) != function.ty.results
        {
            return Err("what is returned does not fit".to_string());
        }
    }
    Ok(())
}

/// By definition: without a dominator there is no way.
fn dominators_are_right(function: &Function) -> Result<(), String> {
    // The definition costs a walk per block.
    if function.blocks.len() > 60 {
        return Ok(());
    }
    let ends = function.block_ids().filter(|&b| function.block(b).terminator.jumps().is_empty());
    let ends: Vec<BlockId> = ends.collect();
    let directions = [
        ("dominates", Dominators::of(function), function.successors(), vec![BlockId::ENTRY]),
        ("post-dominates", Dominators::post(function), function.predecessors(), ends),
    ];
    for (word, dominators, next, roots) in directions {
        let all = reached(&next, &roots, None);
        for above in function.block_ids() {
            let without = reached(&next, &roots, Some(above));
            for below in all.iter().copied() {
                if dominators.dominates(above, below) == without.contains(&below) {
                    return Err(format!("whether {above} {word} {below} is wrong"));
                }
            }
        }
    }
    Ok(())
}

fn reached(
    next: &[Vec<BlockId>],
    roots: &[BlockId],
    without: Option<BlockId>,
) -> BTreeSet<BlockId> {
    let mut seen = BTreeSet::new();
    let mut open = roots.to_vec();
    while let Some(block) = open.pop() {
        if Some(block) != without && seen.insert(block) {
            open.extend(&next[block.index()]);
        }
    }
    seen
}

/// Every site of the graph is a branching operator of the body, each operator is there at most once, and
/// if nothing is unreachable then all are there.
fn sites_are_kept(module: &ModuleView<'_>, function: &Function) -> Result<(), String> {
    let body = module.functions[function.index as usize].body.clone().expect("it was built");
    let bytes = &module.wasm[body.start as usize..body.end as usize];
    let body = FunctionBody::new(BinaryReader::new(bytes, body.start as usize));
    let (mut expected, mut has_dead_code) = (BTreeSet::new(), false);
    let operators = body.get_operators_reader().map_err(|error| error.to_string())?;
    for operator in operators.into_iter_with_offsets() {
        let (operator, offset) = operator.map_err(|error| error.to_string())?;
        #[expect(clippy::wildcard_enum_match_arm, reason = "the others are no sites")]
        match operator {
            Operator::If { .. }
            | Operator::BrIf { .. }
            | Operator::BrTable { .. }
            | Operator::Select
            | Operator::TypedSelect { .. } => {
                expected.insert(offset as u32);
            }
            Operator::Br { .. } | Operator::Return | Operator::Unreachable => has_dead_code = true,
            _ => {}
        }
        has_dead_code |= matches!(operator, Operator::BrTable { .. });
    }
    let mut found = Vec::new();
    for block in &function.blocks {
        let selects = block.instructions.iter().filter(|i| i.kind == Kind::Select);
        found.extend(selects.map(|select| select.offset));
        match block.terminator {
            Terminator::BrIf { offset, .. } | Terminator::Switch { offset, .. } => {
                found.push(offset)
            }
            Terminator::Br(_) | Terminator::Return(_) | Terminator::Unreachable { .. } => {}
        }
    }
    let set: BTreeSet<u32> = found.iter().copied().collect();
    match set.len() == found.len() && set.is_subset(&expected) && (has_dead_code || set == expected)
    {
        true => Ok(()),
        false => Err(format!("sites {found:x?}, not {expected:x?}")),
    }
}
