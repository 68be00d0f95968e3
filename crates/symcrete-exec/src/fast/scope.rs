//! What of a module a burst can run: the functions that calls can reach, their sites, and the constants
//! in their code.

use crate::error::ExecError;
use crate::module::Module;
use std::collections::{BTreeMap, BTreeSet};
use symcrete_program::module::{Constant, ConstantOp, Kind, Operator, Sites, Switch};
use symcrete_program::{Scalar, SiteId};

/// So many constants of the code are kept, those of the entry first.
const CONSTANTS_MAX: usize = 512;

/// The part of a module that can run.
pub(crate) struct Scope {
    /// Whether a function can run at all, imported ones first.
    pub(crate) runs: Vec<bool>,
    /// Sites of functions that can run, in order; assumptions follow as sites without a name.
    pub(crate) sites: Vec<SiteId>,
    /// Number of the (first) site of an operator, among those above.
    pub(crate) number: BTreeMap<u32, u32>,
    /// Calls of imports that assume something, by offset: their numbers.
    pub(crate) assumptions: BTreeMap<u32, u32>,
    /// Switches by offset, in order.
    pub(crate) switches: BTreeMap<u32, Switch>,
    /// Globals that can change.
    pub(crate) globals: BTreeSet<u32>,
    /// Numbers in the code.
    pub(crate) constants: Vec<Scalar>,
    pub(crate) n_loops: u32,
}

/// What is of interest in one body.
#[derive(Default)]
struct Scan {
    calls: Vec<u32>,
    refers: Vec<u32>,
    calls_indirect: bool,
    sets: Vec<u32>,
    constants: Vec<Scalar>,
    n_loops: u32,
    /// The first operator whose effect outlives a run.
    lasting: Option<u32>,
    /// Calls with their offsets.
    call_sites: Vec<(u32, u32)>,
    range: std::ops::Range<u32>,
}

impl Scope {
    /// Finds what `entry` and what comes before it can reach. `assumes` says which imports assume.
    pub(crate) fn of(
        module: &Module<'_>,
        sites: &Sites,
        entry: u32,
        before: &[u32],
        assumes: impl Fn(u32) -> bool,
    ) -> Result<Scope, ExecError> {
        let first = module.n_imported();
        let scans: BTreeMap<u32, Scan> =
            module.defined().map(|(function, _)| (function, scan(module, function))).collect();
        let listed = listed_functions(module, &scans);
        let order = reach(&scans, &listed, &[entry]);
        for &function in &order {
            if let Some(offset) = scans.get(&function).and_then(|scan| scan.lasting) {
                return Err(ExecError::Unsupported {
                    feature: "tables or segments that change, in a burst".to_string(),
                    place: module.function_label(function),
                    offset: offset as usize,
                });
            }
        }
        let earlier: Vec<u32> = module.start.iter().chain(before).copied().collect();
        let mut reached: BTreeSet<u32> = order.iter().copied().collect();
        reached.extend(reach(&scans, &listed, &earlier));
        let mut scope = Scope {
            runs: (0..module.functions.len() as u32).map(|f| reached.contains(&f)).collect(),
            sites: Vec::new(),
            number: BTreeMap::new(),
            assumptions: BTreeMap::new(),
            switches: BTreeMap::new(),
            globals: BTreeSet::new(),
            constants: constants(&scans, &order),
            n_loops: 0,
        };
        for function in reached.iter().filter(|&&function| function >= first) {
            scope.add(&scans[function], sites);
        }
        for function in reached.iter().filter(|&&function| function >= first) {
            for &(callee, offset) in &scans[function].call_sites {
                if assumes(callee) {
                    let number = (scope.sites.len() + scope.assumptions.len()) as u32;
                    scope.assumptions.insert(offset, number);
                }
            }
        }
        Ok(scope)
    }

    /// Sites and assumptions.
    pub(crate) fn n_sites(&self) -> u32 {
        (self.sites.len() + self.assumptions.len()) as u32
    }

    fn add(&mut self, scan: &Scan, sites: &Sites) {
        self.globals.extend(&scan.sets);
        self.n_loops += scan.n_loops;
        for (offset, number) in sites.of_body(scan.range.clone()) {
            let first_site = self.sites.len();
            self.number.insert(offset, first_site as u32);
            let switch = sites.switches.get(&offset);
            let n = switch.map_or(1, |switch| switch.cases.depths.len());
            self.sites.extend_from_slice(&sites.ids[number..number + n]);
            if let Some(switch) = switch {
                self.switches.insert(offset, Switch { first_site, ..switch.clone() });
            }
        }
    }
}

/// Functions that an indirect call may find in a table.
fn listed_functions(module: &Module<'_>, scans: &BTreeMap<u32, Scan>) -> Vec<u32> {
    let mut listed: Vec<u32> = scans.values().flat_map(|scan| scan.refers.clone()).collect();
    let elements = module.elements.iter().flat_map(|segment| &segment.items);
    let globals = module.globals.iter().map(|global| &global.initial);
    for op in elements.chain(globals).flatten() {
        if let ConstantOp::Const(Constant::Function(function)) = op {
            listed.push(*function);
        }
    }
    listed
}

/// All that can be called from `roots`, nearest first.
fn reach(scans: &BTreeMap<u32, Scan>, listed: &[u32], roots: &[u32]) -> Vec<u32> {
    let mut order: Vec<u32> = Vec::new();
    let mut known: BTreeSet<u32> = BTreeSet::new();
    let mut queue: std::collections::VecDeque<u32> = roots.iter().copied().collect();
    while let Some(function) = queue.pop_front() {
        if !known.insert(function) {
            continue;
        }
        order.push(function);
        let Some(scan) = scans.get(&function) else { continue };
        queue.extend(&scan.calls);
        if scan.calls_indirect {
            queue.extend(listed);
        }
    }
    order
}

fn constants(scans: &BTreeMap<u32, Scan>, order: &[u32]) -> Vec<Scalar> {
    let mut constants = Vec::new();
    let all = order.iter().filter_map(|function| scans.get(function));
    for constant in all.flat_map(|scan| &scan.constants) {
        if constants.len() < CONSTANTS_MAX && !constants.contains(constant) {
            constants.push(*constant);
        }
    }
    constants
}

fn scan(module: &Module<'_>, function: u32) -> Scan {
    let range = module.body(function).unwrap_or_default();
    let mut scan = Scan { range, ..Scan::default() };
    for step in module.operators(function) {
        scan.n_loops += u32::from(matches!(step.operator, Operator::Loop(_)));
        if let Some(kind) = step.operator.plain() {
            scan.add(kind, step.range.start);
        }
    }
    scan
}

impl Scan {
    fn add(&mut self, kind: &Kind, offset: u32) {
        match *kind {
            Kind::Call(function) => {
                self.calls.push(function);
                self.call_sites.push((function, offset));
            }
            Kind::CallIndirect { .. } => self.calls_indirect = true,
            Kind::GlobalSet(global) => self.sets.push(global),
            Kind::Const(Constant::Function(function)) => self.refers.push(function),
            Kind::Const(Constant::I32(value)) => self.constants.push(Scalar::I32(value)),
            Kind::Const(Constant::I64(value)) => self.constants.push(Scalar::I64(value)),
            Kind::Const(Constant::F32(bits)) => self.constants.push(Scalar::F32(bits)),
            Kind::Const(Constant::F64(bits)) => self.constants.push(Scalar::F64(bits)),
            Kind::Table(op) if !op.effects().writes => {}
            Kind::Table(_) | Kind::DataDrop(_) => {
                self.lasting.get_or_insert(offset);
            }
            Kind::Const(Constant::NullFunction)
            | Kind::Numeric(_)
            | Kind::Select
            | Kind::RefIsNull
            | Kind::GlobalGet(_)
            | Kind::Load(_)
            | Kind::Store(_)
            | Kind::MemorySize
            | Kind::MemoryGrow
            | Kind::MemoryFill
            | Kind::MemoryCopy
            | Kind::MemoryInit(_) => {}
        }
    }
}
