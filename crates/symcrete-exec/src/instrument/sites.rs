//! What is known of a module before it is rewritten: its sites, what loops and calls cost, and which functions can call
//! themselves.

use crate::instrument::returning::returning;
use crate::module::Module;
use std::collections::{BTreeMap, BTreeSet};
use symcrete_program::module::{Kind, Nesting, Operator, Sites};

/// What is known of one function.
#[derive(Clone, Default, Debug)]
pub(crate) struct FunctionFacts {
    /// Sites outside loops, plus one: charged at entry.
    pub(crate) entry_cost: u32,
    /// By the loop's offset.
    pub(crate) loops: BTreeMap<u32, LoopFacts>,
    calls: Vec<u32>,
    calls_indirect: bool,
    /// Whether it can call itself.
    pub(crate) recursive: bool,
}

/// What is known of a loop.
#[derive(Clone, Default, Debug)]
pub(crate) struct LoopFacts {
    /// Its sites outside inner loops, plus one: charged in each iteration.
    pub(crate) cost: u32,
    /// The locals that its passes write.
    pub(crate) locals: BTreeSet<u32>,
    /// Whether functions, or the host, run in its passes.
    pub(crate) passes_run_others: bool,
    /// The same of all code between its start and its end (`returning.rs`).
    pub(crate) runs_others: bool,
}

/// What is known of a module.
#[derive(Clone, Default, Debug)]
pub(crate) struct Facts {
    pub(crate) sites: Sites,
    /// One per function, imported ones first.
    pub(crate) functions: Vec<FunctionFacts>,
}

impl Facts {
    /// Looks at every function.
    pub(crate) fn of(module: &Module<'_>) -> Facts {
        let imported = module.imported().map(|_| FunctionFacts::default());
        let defined = module.defined().map(|(function, _)| FunctionFacts::of(module, function));
        let functions = imported.chain(defined).collect();
        let mut facts = Facts { sites: Sites::of(module), functions };
        facts.find_recursion();
        facts
    }

    /// A function is recursive if it is on a cycle of the call graph. Functions are peeled off from
    /// the leaves; what remains calls a cycle or is on one. An indirect call may call anything.
    fn find_recursion(&mut self) {
        let n = self.functions.len();
        let mut callers: Vec<Vec<usize>> = vec![Vec::new(); n];
        let mut open: Vec<usize> = vec![0; n];
        for (i, function) in self.functions.iter().enumerate() {
            open[i] = function.calls.len() + usize::from(function.calls_indirect);
            for &callee in &function.calls {
                callers[callee as usize].push(i);
            }
        }
        let mut leaves: Vec<usize> = (0..n).filter(|&i| open[i] == 0).collect();
        while let Some(leaf) = leaves.pop() {
            for &caller in &callers[leaf] {
                open[caller] -= 1;
                if open[caller] == 0 {
                    leaves.push(caller);
                }
            }
        }
        for (function, open) in self.functions.iter_mut().zip(open) {
            function.recursive = open > 0;
        }
    }
}

impl FunctionFacts {
    fn of(module: &Module<'_>, function: u32) -> FunctionFacts {
        let mut facts = FunctionFacts { entry_cost: 1, ..FunctionFacts::default() };
        // Of each open block whether it is a loop; where the open loops are, the innermost last.
        let (mut is_loop, mut loops) = (vec![false], Vec::new());
        let mut starts = Vec::new();
        let steps: Vec<_> = module.operators(function).collect();
        for (at, step) in steps.iter().enumerate() {
            let n_sites = u32::from(step.operator.is_site());
            match loops.last() {
                Some(&header) => facts.loop_at(header).cost += n_sites,
                None => facts.entry_cost += n_sites,
            }
            match step.operator.nesting() {
                Nesting::Opens => {
                    is_loop.push(matches!(step.operator, Operator::Loop(_)));
                    if is_loop.last() == Some(&true) {
                        facts.loop_at(step.range.start);
                        loops.push(step.range.start);
                        starts.push(at);
                    }
                }
                Nesting::Closes => {
                    if is_loop.pop() == Some(true)
                        && let (Some(header), Some(start)) = (loops.pop(), starts.pop())
                    {
                        let operators = steps[start..=at].iter().map(|step| &step.operator);
                        facts.loop_at(header).add(&operators.collect::<Vec<_>>());
                    }
                }
                Nesting::Otherwise | Nesting::Stays => {}
            }
            if let Some(Kind::Call(callee)) = step.operator.plain() {
                facts.calls.push(*callee);
            }
            facts.calls_indirect |=
                matches!(step.operator.plain(), Some(Kind::CallIndirect { .. }));
        }
        facts
    }

    fn loop_at(&mut self, header: u32) -> &mut LoopFacts {
        self.loops.entry(header).or_insert_with(|| LoopFacts { cost: 1, ..LoopFacts::default() })
    }
}

impl LoopFacts {
    /// Adds what its operators do.
    fn add(&mut self, operators: &[&Operator]) {
        for (operator, returns) in operators.iter().zip(returning(operators)) {
            self.locals.extend(operator.assigned_local().filter(|_| returns));
            let runs_others = matches!(
                operator.plain(),
                Some(
                    Kind::Call(_)
                        | Kind::CallIndirect { .. }
                        | Kind::MemoryCopy
                        | Kind::MemoryFill
                        | Kind::MemoryInit(_)
                )
            );
            self.runs_others |= runs_others;
            self.passes_run_others |= runs_others && returns;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(wat: &str) -> Facts {
        let wasm = wat::parse_str(wat).unwrap();
        Facts::of(&Module::parse(&wasm).unwrap())
    }

    #[test]
    fn recursion_is_a_cycle_or_an_indirect_call() {
        let facts = facts(
            "(module (func $a call $b) (func $b call $a) (func $c call $d) (func $d)
               (table 1 funcref) (func $e i32.const 0 call_indirect))",
        );
        let recursive: Vec<bool> = facts.functions.iter().map(|f| f.recursive).collect();
        assert_eq!(recursive, [true, true, false, false, true]);
    }

    #[test]
    fn sites_are_charged_to_the_innermost_loop() {
        let facts = facts(
            "(module (func (param i32)
               loop local.get 0 br_if 0 loop local.get 0 br_if 0 local.get 0 br_if 1 end end
               local.get 0 if end))",
        );
        let function = &facts.functions[0];
        assert_eq!(function.entry_cost, 2);
        assert_eq!(function.loops.values().map(|facts| facts.cost).collect::<Vec<_>>(), [2, 3]);
    }
}
