//! The call graph.

use super::module::{ConstantOp, Expression};
use super::{BlockId, Cfg, Constant, Kind, ModuleView};
use std::collections::{BTreeMap, BTreeSet};

/// A call in a function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CallSite {
    /// The function it is in.
    pub caller: u32,
    /// The block it is in.
    pub block: BlockId,
    /// The instruction's position in the block.
    pub position: usize,
    /// The operator.
    pub offset: u32,
    /// What may be called, in order of indices: for an indirect call every function of its type that the
    /// module refers to.
    pub callees: Vec<u32>,
}

/// The calls of a module.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct CallGraph {
    /// In order of caller, block and position.
    pub sites: Vec<CallSite>,
    callers: BTreeMap<u32, Vec<usize>>,
    calls: BTreeMap<u32, Vec<usize>>,
}

impl CallGraph {
    /// Finds the calls.
    pub fn of(module: &ModuleView<'_>, cfg: &Cfg) -> CallGraph {
        let referred = referred_functions(module, cfg);
        let mut graph =
            CallGraph { sites: vec![], callers: BTreeMap::new(), calls: BTreeMap::new() };
        for function in cfg.functions() {
            for block in function.block_ids() {
                for (position, instruction) in function.block(block).instructions.iter().enumerate()
                {
                    let Some(callees) = callees(module, &referred, &instruction.kind) else {
                        continue;
                    };
                    graph.add(CallSite {
                        caller: function.index,
                        block,
                        position,
                        offset: instruction.offset,
                        callees,
                    });
                }
            }
        }
        graph
    }

    fn add(&mut self, site: CallSite) {
        let index = self.sites.len();
        self.calls.entry(site.caller).or_default().push(index);
        for &callee in &site.callees {
            self.callers.entry(callee).or_default().push(index);
        }
        self.sites.push(site);
    }

    /// The calls that may call a function.
    pub fn callers(&self, function: u32) -> impl Iterator<Item = &CallSite> {
        self.callers.get(&function).into_iter().flatten().map(|&index| &self.sites[index])
    }

    /// The calls in a function.
    pub fn calls(&self, function: u32) -> impl Iterator<Item = &CallSite> {
        self.calls.get(&function).into_iter().flatten().map(|&index| &self.sites[index])
    }
}

fn callees(module: &ModuleView<'_>, referred: &BTreeSet<u32>, kind: &Kind) -> Option<Vec<u32>> {
    if let Kind::Call(function) = *kind {
        return Some(vec![function]);
    }
    let Kind::CallIndirect { ty, .. } = *kind else { return None };
    let ty = &module.types[ty as usize];
    let fits = |&&function: &&u32| module.function_type(function) == ty;
    Some(referred.iter().filter(fits).copied().collect())
}

/// Functions that can be in a table: those that segments, globals or instructions refer to.
fn referred_functions(module: &ModuleView<'_>, cfg: &Cfg) -> BTreeSet<u32> {
    let of_expression = |expression: &Expression| {
        expression.iter().find_map(|op| match op {
            ConstantOp::Const(Constant::Function(function)) => Some(*function),
            ConstantOp::Const(_) | ConstantOp::GlobalGet(_) | ConstantOp::Numeric(_) => None,
        })
    };
    let elements = module.elements.iter().flat_map(|segment| &segment.items);
    let globals = module.globals.iter().map(|global| &global.initial);
    let mut referred: BTreeSet<u32> = elements.chain(globals).filter_map(of_expression).collect();
    for block in cfg.functions().flat_map(|function| &function.blocks) {
        for instruction in &block.instructions {
            if let Kind::Const(Constant::Function(function)) = instruction.kind {
                referred.insert(function);
            }
        }
    }
    referred
}
