//! Where functions have loops.

use std::ops::Range;
use std::sync::Arc;
use symcrete_program::module::{Module, Nesting, Operator};

/// The outermost loops of these functions, in order.
pub(super) fn outermost_loops(
    module: &Module<'_>,
    functions: impl Iterator<Item = u32>,
) -> Arc<[Range<u32>]> {
    let mut loops: Vec<Range<u32>> = functions.flat_map(|one| loops_of(module, one)).collect();
    loops.sort_by_key(|code| code.start);
    loops.into()
}

fn loops_of(module: &Module<'_>, function: u32) -> Vec<Range<u32>> {
    let mut loops = Vec::new();
    let mut depth = 0_u32;
    // Where the outermost open loop starts, and how deep it is nested.
    let mut open: Option<(u32, u32)> = None;
    for read in module.operators(function) {
        match read.operator.nesting() {
            Nesting::Opens => {
                if open.is_none() && matches!(read.operator, Operator::Loop(_)) {
                    open = Some((read.range.start, depth));
                }
                depth += 1;
            }
            Nesting::Closes => {
                depth = depth.saturating_sub(1);
                if let Some((start, _)) = open.take_if(|(_, outer)| *outer == depth) {
                    loops.push(start..read.range.end);
                }
            }
            Nesting::Otherwise | Nesting::Stays => {}
        }
    }
    loops
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outermost_loops_are_found_in_order() {
        let text = "(module
            (func $a (loop (block (loop (nop)))) (nop) (if (i32.const 1) (then (loop (nop)))))
            (func $b (block (nop))))";
        let wasm = wat::parse_str(text).expect("the text is right");
        let module = Module::parse(&wasm).expect("it is valid");
        let found = outermost_loops(&module, [1, 0].into_iter());
        let starts_with_loop = |code: &Range<u32>| wasm[code.start as usize] == 0x03;
        assert!(found.len() == 2 && found.iter().all(starts_with_loop), "{found:?}");
        let inside = |operator: u32| found.iter().any(|code| code.contains(&operator));
        let n_inside = module.operators(0).filter(|read| inside(read.range.start)).count();
        // loop, block, loop, nop and three ends; loop, nop and an end.
        assert_eq!((n_inside, found[0].end <= found[1].start), (10, true));
        assert_eq!(outermost_loops(&module, [1].into_iter()).len(), 0);
    }
}
