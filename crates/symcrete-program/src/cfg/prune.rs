//! Makes a freshly built function small: superfluous parameters, forwarding blocks and chains of blocks go,
//! and what remains is numbered in reverse postorder.
//!
//! No operator goes but the zeros of locals that nobody reads, so every site stays.

use super::{Block, BlockId, Function, Jump, Terminator, ValueId};

/// The first `n_zeros` instructions of the entry are the zeros of locals.
pub(super) fn prune(mut function: Function, n_zeros: usize) -> Function {
    keep(&mut function);
    skip_empty_blocks(&mut function);
    keep(&mut function);
    merge_trivial_params(&mut function);
    drop_unused(&mut function, n_zeros);
    join_chains(&mut function);
    keep(&mut function);
    number_values(&mut function);
    function
}

/// Keeps what the entry reaches, in reverse postorder with the first way out of a block first.
fn keep(function: &mut Function) {
    let mut order = postorder(function);
    order.reverse();
    let mut new_id = vec![None; function.blocks.len()];
    for (position, block) in order.iter().enumerate() {
        new_id[block.index()] = Some(BlockId(position as u32));
    }
    let mut old: Vec<Option<Block>> = function.blocks.drain(..).map(Some).collect();
    for block in order {
        let mut block = old[block.index()].take().expect("a postorder has each block once");
        for jump in block.terminator.jumps_mut() {
            jump.block = new_id[jump.block.index()].expect("a target of a kept block is kept");
        }
        function.blocks.push(block);
    }
}

fn postorder(function: &Function) -> Vec<BlockId> {
    // The last way out is visited first, so that the first one's blocks come first when reversed.
    let ways = |block: BlockId| -> Vec<BlockId> {
        function.block(block).terminator.jumps().iter().map(|jump| jump.block).collect()
    };
    let mut seen = vec![false; function.blocks.len()];
    seen[BlockId::ENTRY.index()] = true;
    let mut open = vec![(BlockId::ENTRY, ways(BlockId::ENTRY))];
    let mut order = Vec::new();
    while let Some((block, rest)) = open.last_mut() {
        match rest.pop() {
            Some(next) if !seen[next.index()] => {
                seen[next.index()] = true;
                open.push((next, ways(next)));
            }
            Some(_) => {}
            None => {
                order.push(*block);
                open.pop();
            }
        }
    }
    order
}

/// Jumps to a block that only jumps on go there at once. Headers of loops stay, so that loops keep their
/// nesting; every cycle has one, so following jumps comes to an end.
fn skip_empty_blocks(function: &mut Function) {
    let mut is_header = vec![false; function.blocks.len()];
    for (source, block) in function.block_ids().zip(&function.blocks) {
        for jump in block.terminator.jumps() {
            // In reverse postorder only jumps back do not go forward.
            is_header[jump.block.index()] |= jump.block <= source;
        }
    }
    let forwards = |(block, is_header): (&Block, bool)| match &block.terminator {
        Terminator::Br(jump)
            if block.params.is_empty() && block.instructions.is_empty() && !is_header =>
        {
            Some(jump.clone())
        }
        Terminator::Br(_)
        | Terminator::BrIf { .. }
        | Terminator::Switch { .. }
        | Terminator::Return(_)
        | Terminator::Unreachable { .. } => None,
    };
    let mut next: Vec<Option<Jump>> = function.blocks.iter().zip(is_header).map(forwards).collect();
    // A block that forwards jumps forward, or to a header, which does not: from the last block on, where each one
    // leads in the end is known before it is asked for.
    for i in (0..next.len()).rev() {
        let further = next[i].as_ref().and_then(|jump| next[jump.block.index()].clone());
        next[i] = further.or_else(|| next[i].take());
    }
    for block in &mut function.blocks {
        for jump in block.terminator.jumps_mut() {
            if let Some(further) = &next[jump.block.index()] {
                *jump = further.clone();
            }
        }
    }
}

/// A parameter that always gets the same value, or itself, is that value. In a reducible graph repeating
/// this gives the least number of parameters (Braun et al., "Simple and Efficient Construction of Static
/// Single Assignment Form", CC 2013).
fn merge_trivial_params(function: &mut Function) {
    let mut same_as: Vec<ValueId> = (0..function.values.len() as u32).map(ValueId).collect();
    loop {
        let mut trivial = find_trivial(function, &mut same_as);
        if !trivial.iter().flatten().any(|&is_trivial| is_trivial) {
            break;
        }
        // Nothing jumps to the entry, whose parameters are the function's.
        trivial[BlockId::ENTRY.index()].fill(false);
        let keep: Vec<Vec<bool>> = trivial
            .iter()
            .map(|block| block.iter().map(|is_trivial| !is_trivial).collect())
            .collect();
        retain_params(function, &keep);
    }
    for value in values_mut(function) {
        *value = resolve(&mut same_as, *value);
    }
}

fn find_trivial(function: &Function, same_as: &mut [ValueId]) -> Vec<Vec<bool>> {
    // For each parameter the one other value it gets, or that there are several.
    let mut only: Vec<Vec<Incoming>> =
        function.blocks.iter().map(|block| vec![Incoming::None; block.params.len()]).collect();
    for jump in function.blocks.iter().flat_map(|block| block.terminator.jumps()) {
        let target = function.block(jump.block);
        for (position, (&arg, &param)) in jump.args.iter().zip(&target.params).enumerate() {
            let arg = resolve(same_as, arg);
            let incoming = &mut only[jump.block.index()][position];
            *incoming = match *incoming {
                _ if arg == param => *incoming,
                Incoming::None => Incoming::One(arg),
                Incoming::One(known) if known == arg => *incoming,
                Incoming::One(_) | Incoming::Several => Incoming::Several,
            };
        }
    }
    let mut trivial: Vec<Vec<bool>> = Vec::new();
    for (block, incoming) in function.blocks.iter().zip(only) {
        let mut flags = Vec::new();
        for (&param, incoming) in block.params.iter().zip(incoming) {
            // Two parameters may each be the other's only value: then one of them stays.
            flags.push(match incoming {
                Incoming::One(value) if resolve(same_as, value) != param => {
                    same_as[param.index()] = value;
                    true
                }
                Incoming::One(_) | Incoming::None | Incoming::Several => false,
            });
        }
        trivial.push(flags);
    }
    trivial
}

#[derive(Clone, Copy)]
enum Incoming {
    None,
    One(ValueId),
    Several,
}

fn resolve(same_as: &mut [ValueId], mut value: ValueId) -> ValueId {
    while same_as[value.index()] != value {
        let next = same_as[value.index()];
        same_as[value.index()] = same_as[next.index()];
        value = next;
    }
    value
}

/// Drops parameters and the arguments for them.
fn retain_params(function: &mut Function, keep: &[Vec<bool>]) {
    fn retain(values: &mut Vec<ValueId>, keep: &[bool]) {
        let mut flags = keep.iter();
        values.retain(|_| *flags.next().expect("one flag per parameter"));
    }
    for (block, flags) in function.blocks.iter_mut().zip(keep) {
        retain(&mut block.params, flags);
        for jump in block.terminator.jumps_mut() {
            retain(&mut jump.args, &keep[jump.block.index()]);
        }
    }
}

fn values_mut(function: &mut Function) -> impl Iterator<Item = &mut ValueId> {
    function.blocks.iter_mut().flat_map(|block| {
        let args = block.instructions.iter_mut().flat_map(|instruction| &mut instruction.args);
        let mut of_terminator: Vec<&mut ValueId> = Vec::new();
        match &mut block.terminator {
            Terminator::Br(jump) => of_terminator.extend(&mut jump.args),
            Terminator::BrIf { condition, then, otherwise, .. } => {
                of_terminator.push(condition);
                of_terminator.extend(then.args.iter_mut().chain(&mut otherwise.args));
            }
            Terminator::Switch { index, cases, .. } => {
                of_terminator.push(index);
                of_terminator.extend(cases.iter_mut().flat_map(|jump| &mut jump.args));
            }
            Terminator::Return(values) => of_terminator.extend(values),
            Terminator::Unreachable { .. } => {}
        }
        args.chain(of_terminator)
    })
}

/// Drops parameters and zeros of locals that no instruction or terminator uses in the end.
fn drop_unused(function: &mut Function, n_zeros: usize) {
    let mut used = vec![false; function.values.len()];
    let mut open: Vec<ValueId> = Vec::new();
    for block in &function.blocks {
        open.extend(block.instructions.iter().flat_map(|instruction| &instruction.args));
        open.extend(block.terminator.operands());
    }
    let mut args_of_param: Vec<Vec<ValueId>> = vec![Vec::new(); function.values.len()];
    for jump in function.blocks.iter().flat_map(|block| block.terminator.jumps()) {
        for (&arg, param) in jump.args.iter().zip(&function.block(jump.block).params) {
            args_of_param[param.index()].push(arg);
        }
    }
    while let Some(value) = open.pop() {
        if !used[value.index()] {
            used[value.index()] = true;
            open.append(&mut args_of_param[value.index()]);
        }
    }
    let flags = |block: &Block| block.params.iter().map(|param| used[param.index()]).collect();
    let mut keep: Vec<Vec<bool>> = function.blocks.iter().map(flags).collect();
    keep[BlockId::ENTRY.index()].fill(true);
    retain_params(function, &keep);
    let mut position = 0;
    function.blocks[BlockId::ENTRY.index()].instructions.retain(|instruction| {
        position += 1;
        position > n_zeros || used[instruction.results[0].index()]
    });
}

/// A block that only one jump leads to, and that always, becomes part of the block before.
fn join_chains(function: &mut Function) {
    let mut n_jumps = vec![0; function.blocks.len()];
    for jump in function.blocks.iter().flat_map(|block| block.terminator.jumps()) {
        n_jumps[jump.block.index()] += 1;
    }
    for source in 0..function.blocks.len() {
        while let Terminator::Br(Jump { block: next, .. }) = function.blocks[source].terminator
            && n_jumps[next.index()] == 1
            && next.index() != source
        {
            // What is left behind is not reached and goes with the next `keep`.
            let unreached = Terminator::Unreachable { offset: 0 };
            let (mut instructions, mut ranges, terminator) = {
                let block = &mut function.blocks[next.index()];
                let terminator = std::mem::replace(&mut block.terminator, unreached);
                (
                    std::mem::take(&mut block.instructions),
                    std::mem::take(&mut block.ranges),
                    terminator,
                )
            };
            let block = &mut function.blocks[source];
            block.instructions.append(&mut instructions);
            block.terminator = terminator;
            for range in ranges.drain(..) {
                match block.ranges.last_mut() {
                    Some(last) if last.end == range.start => last.end = range.end,
                    Some(_) | None => block.ranges.push(range),
                }
            }
        }
    }
}

/// Numbers the values that are left in the order in which they are defined.
fn number_values(function: &mut Function) {
    let mut new_id = vec![ValueId(0); function.values.len()];
    let mut types = Vec::new();
    for block in &mut function.blocks {
        let results =
            block.instructions.iter_mut().flat_map(|instruction| &mut instruction.results);
        for value in block.params.iter_mut().chain(results) {
            let id = ValueId(types.len() as u32);
            types.push(function.values[value.index()]);
            new_id[value.index()] = id;
            *value = id;
        }
    }
    for value in values_mut(function) {
        *value = new_id[value.index()];
    }
    function.values = types;
}
