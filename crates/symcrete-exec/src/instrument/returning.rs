//! Which operators of a loop can lead to its next pass.
//!
//! Between the start and the end of a loop there is code that only runs when it is left: what comes after it in the program, often the
//! rest of a loop around it. What such code writes is not changed by passes.

use std::collections::BTreeMap;
use symcrete_program::module::Operator;

/// A block that the walk from the end is in.
struct Block {
    /// Where it starts.
    start: usize,
    /// Whether what follows it can lead to the next pass.
    after: bool,
    /// Whether its `else` can, if it has one.
    otherwise: Option<bool>,
}

/// Of the operators between the start of a loop and its end, which both count, those that can lead to its next pass. No other block
/// is open at its end.
pub(crate) fn returning(operators: &[&Operator]) -> Vec<bool> {
    let starts = starts(operators);
    // Of loops within, whether their starts can; found by going on until nothing changes.
    let mut headers: BTreeMap<usize, bool> = BTreeMap::new();
    loop {
        let mut found = headers.clone();
        let all = walk(operators, &starts, &mut found);
        if found == headers {
            return all;
        }
        headers = found;
    }
}

/// Where the block starts that an `end` closes.
fn starts(operators: &[&Operator]) -> BTreeMap<usize, usize> {
    let (mut open, mut starts) = (Vec::new(), BTreeMap::new());
    for (at, operator) in operators.iter().enumerate() {
        if is_start(operator) {
            open.push(at);
        } else if **operator == Operator::End {
            starts.insert(at, open.pop().expect("blocks are balanced"));
        }
    }
    starts
}

fn is_start(operator: &Operator) -> bool {
    matches!(operator, Operator::Block(_) | Operator::Loop(_) | Operator::If(_))
}

fn is_loop(operator: &Operator) -> bool {
    matches!(operator, Operator::Loop(_))
}

fn walk(
    operators: &[&Operator],
    starts: &BTreeMap<usize, usize>,
    headers: &mut BTreeMap<usize, bool>,
) -> Vec<bool> {
    let mut all = vec![false; operators.len()];
    let (mut open, mut leads): (Vec<Block>, bool) = (Vec::new(), false);
    for (at, operator) in operators.iter().enumerate().rev() {
        let label = |depth: u32| {
            let outwards = open.len().checked_sub(1 + depth as usize);
            outwards.is_some_and(|outwards| {
                let block = &open[outwards];
                match is_loop(operators[block.start]) {
                    true if block.start == 0 => true,
                    true => headers.get(&block.start) == Some(&true),
                    false => block.after,
                }
            })
        };
        if let Operator::Br(depth) = operator {
            leads = label(*depth);
        } else if let Operator::BrIf(depth) = operator {
            leads |= label(*depth);
        } else if let Operator::BrTable(cases) = operator {
            leads = cases.depths.iter().any(|&depth| label(depth));
        } else if matches!(operator, Operator::Return | Operator::Unreachable) {
            leads = false;
        } else if **operator == Operator::End {
            open.push(Block { start: starts[&at], after: leads, otherwise: None });
        } else if **operator == Operator::Else {
            let block = open.last_mut().expect("an `if` is open");
            block.otherwise = Some(leads);
            leads = block.after;
        } else if is_start(operator) {
            let block = open.pop().expect("blocks are balanced");
            if matches!(operator, Operator::If(_)) {
                leads |= block.otherwise.unwrap_or(block.after);
            } else if is_loop(operator) {
                headers.insert(at, leads);
            }
        }
        all[at] = leads;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::module::Module;

    /// The locals that operators assign that can lead to the next pass of the first loop.
    fn assigned(code: &str) -> Vec<u32> {
        let wat = format!("(module (func (local i32 i32 i32 i32 i32) (loop $l {code})))");
        let wasm = wat::parse_str(wat).unwrap();
        let module = Module::parse(&wasm).unwrap();
        let mut operators: Vec<Operator> = module.operators(0).map(|step| step.operator).collect();
        operators.pop();
        let all = returning(&operators.iter().collect::<Vec<_>>());
        let locals = operators.iter().zip(all).filter(|(_, leads)| *leads);
        locals.filter_map(|(operator, _)| operator.assigned_local()).collect()
    }

    #[test]
    fn code_that_leaves_a_loop_is_not_in_it() {
        let set = |local: u32| format!("(local.set {local} (i32.const 1))");
        let [a, b, c, d] = [0, 1, 2, 3].map(set);
        assert_eq!(assigned(&a), [0; 0], "there is one pass");
        assert_eq!(assigned(&format!("{a} (br_if $l (local.get 0)) {b}")), [0]);
        let exit = format!("(block (br_if 0 (local.get 0)) {a} return) {b} (br $l)");
        assert_eq!(assigned(&exit), [1]);
        let sides = format!("(if (local.get 0) (then {a} (br $l)) (else {b} return)) {c}");
        assert_eq!(assigned(&sides), [0]);
        let neither = format!("(if (local.get 0) (then {a} return)) {b} (br $l)");
        assert_eq!(assigned(&neither), [1]);
        let within =
            format!("(loop $m {a} (br_if $m (local.get 0)) (br_if $l (local.get 1)) {b}) {c}");
        assert_eq!(assigned(&within), [0]);
        let around = format!("(loop $m (br_if $l (local.get 1)) {b} (br $m)) {c}");
        assert_eq!(assigned(&around), [1], "the loop within comes round to its branch");
        let table = format!("(block $x (block $y {a} (br_table $x $l (local.get 0))) {b}) {c} {d}");
        assert_eq!(assigned(&table), [0]);
    }
}
