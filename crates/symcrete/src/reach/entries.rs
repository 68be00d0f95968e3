//! Where the program can be entered, and what its functions find there.

use super::target::Wanted;
use crate::args::ReachArgs;
use crate::failure::Failure;
use crate::r#gen::default_units;
use crate::load;
use crate::run::{shape_options, unsupported_text};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;
use symcrete_exec::{Entry as EngineEntry, Executable, ModuleExecutor};
use symcrete_program::api::Driver;
use symcrete_program::cfg::module::{ConstantOp, Placement, address_const};
use symcrete_program::cfg::{Constant, ModuleView};
use symcrete_program::shape::{Count, ShapeNode, value_of};
use symcrete_program::{Gap, Global, Input, Program, Shape};
use symcrete_reach::{Entry, Initial, Target, View};
use symcrete_term::{Sort, Value};

/// Branches that may be passed before an entry is called.
const FUEL: u64 = 100_000_000;

/// The functions that may be called.
pub(crate) struct Entries {
    pub(crate) all: Vec<Entry>,
    pub(crate) initial: Arc<Initial>,
    /// For each entry its unit, by index in the program, and the shape of its input.
    pub(super) units: Vec<(usize, Shape)>,
    executable: Executable,
    /// Functions that cannot be entered, and why.
    pub(super) skipped: Vec<String>,
}

impl Entries {
    /// The functions that were named, or all that can lead to one of the targets.
    pub(super) fn choose(
        args: &ReachArgs,
        program: &Program,
        view: &View<'_>,
        executable: &Executable,
        wanted: &[Wanted],
    ) -> Result<Entries, Failure> {
        let chosen = match args.function.is_empty() {
            true => leading(program, view, wanted),
            false => {
                let find = |name: &String| {
                    let unit = program.units.iter().position(|unit| unit.name == *name);
                    unit.ok_or_else(|| Failure::no_function(program, name))
                };
                args.function.iter().map(find).collect::<Result<_, _>>()?
            }
        };
        let mut entries = Entries {
            all: Vec::new(),
            initial: Arc::new(initial(program, view, executable)?),
            units: Vec::new(),
            executable: executable.clone(),
            skipped: Vec::new(),
        };
        for unit in chosen {
            match Shape::of(program, &program.units[unit], &shape_options(&args.shape)) {
                Ok(shape) => {
                    entries.all.push(entry(program, &shape));
                    entries.units.push((unit, shape));
                }
                Err(reason) => entries.skipped.push(format!(
                    "`{}` is not entered: {}",
                    program.units[unit].name,
                    unsupported_text(&reason)
                )),
            }
        }
        match entries.all.is_empty() {
            true => Err(Failure::NothingToTest { reasons: entries.skipped }),
            false => Ok(entries),
        }
    }

    /// One unit, with the shape of its input.
    pub(crate) fn of_unit(
        program: &Program,
        executable: &Executable,
        initial: Arc<Initial>,
        (unit, shape): (usize, &Shape),
    ) -> Entries {
        Entries {
            all: vec![entry(program, shape)],
            initial,
            units: vec![(unit, shape.clone())],
            executable: executable.clone(),
            skipped: Vec::new(),
        }
    }

    /// The same entries in groups that can share the terms of a search: two with a parameter `x` of different types
    /// cannot.
    pub(super) fn groups(&self) -> Vec<Entries> {
        let mut groups: Vec<(BTreeMap<&str, Sort>, Entries)> = Vec::new();
        for (entry, unit) in self.all.iter().zip(&self.units) {
            let own = entry.variables();
            let fits = |known: &BTreeMap<&str, Sort>| {
                own.iter().all(|(name, sort)| known.get(name).is_none_or(|known| known == sort))
            };
            let at = groups.iter().position(|(known, _)| fits(known)).unwrap_or_else(|| {
                let entries = Entries {
                    all: Vec::new(),
                    initial: Arc::clone(&self.initial),
                    units: Vec::new(),
                    executable: self.executable.clone(),
                    skipped: Vec::new(),
                };
                groups.push((BTreeMap::new(), entries));
                groups.len() - 1
            });
            let (known, entries) = &mut groups[at];
            known.extend(own);
            entries.all.push(entry.clone());
            entries.units.push(unit.clone());
        }
        groups.into_iter().map(|(_, entries)| entries).collect()
    }

    /// An executor for an entry, by the function's index in the module.
    pub(super) fn executor(
        &self,
        program: &Program,
        function: u32,
    ) -> Result<ModuleExecutor, Failure> {
        let unit = self.unit(function).map_or(0, |(unit, _)| *unit);
        let driver = program.driver(function).map(|driver| &driver.entry);
        let before = load::before(&self.executable);
        let function = load::entry_name(driver.unwrap_or(&program.units[unit]));
        Ok(self.executable.executor(EngineEntry { function, before })?)
    }

    /// The unit and shape of an entry.
    pub(super) fn unit(&self, function: u32) -> Option<&(usize, Shape)> {
        let at = self.all.iter().position(|entry| entry.function == function)?;
        self.units.get(at)
    }

    /// All functions that the entries can call.
    pub(super) fn functions(&self, view: &View<'_>) -> BTreeSet<u32> {
        reachable(view, self.all.iter().map(|entry| entry.function))
    }

    /// All functions that can be called from entries that lead to a target.
    pub(super) fn functions_before(&self, view: &View<'_>, target: &Target) -> BTreeSet<u32> {
        let holding = functions_of(view, target);
        let called = self.all.iter().map(|entry| reachable(view, std::iter::once(entry.function)));
        called.filter(|called| !called.is_disjoint(&holding)).flatten().collect()
    }
}

fn reachable(view: &View<'_>, from: impl Iterator<Item = u32>) -> BTreeSet<u32> {
    let mut functions: BTreeSet<u32> = from.collect();
    let mut open: Vec<u32> = functions.iter().copied().collect();
    while let Some(function) = open.pop() {
        for callee in view.calls.calls(function).flat_map(|site| site.callees.iter().copied()) {
            if functions.insert(callee) {
                open.push(callee);
            }
        }
    }
    functions
}

/// Units that can lead to one of the targets: those that others can see, or else any.
fn leading(program: &Program, view: &View<'_>, wanted: &[Wanted]) -> Vec<usize> {
    let targets = wanted.iter().flat_map(|wanted| &wanted.targets);
    let functions: BTreeSet<u32> = targets.flat_map(|target| functions_of(view, target)).collect();
    let leads = |unit: &usize| {
        let called = reachable(view, std::iter::once(program.units[*unit].function));
        functions.iter().any(|function| called.contains(function))
    };
    let visible: Vec<usize> = default_units(program).into_iter().filter(leads).collect();
    match visible.is_empty() {
        true => (0..program.units.len()).filter(leads).collect(),
        false => visible,
    }
}

/// The functions that a target is in, or that are called there.
fn functions_of(view: &View<'_>, target: &Target) -> BTreeSet<u32> {
    let offset = match target {
        Target::Side(edge) => edge.site.offset,
        Target::Trap { offset, .. } => *offset,
        Target::Called(function) => return BTreeSet::from([*function]),
    };
    let holding = view.cfg.functions().filter(|function| function.body.contains(&offset));
    holding.map(|function| function.index).collect()
}

fn entry(program: &Program, shape: &Shape) -> Entry {
    let mut largest = Largest::default();
    shape.slots().for_each(|slot| largest.visit(&slot.node));
    let lists = shape.variadic.iter().flat_map(|variadic| &variadic.lists);
    lists.flat_map(|list| &list.slots).for_each(|slot| largest.visit(&slot.node));
    let image = shape.image(&program.types, &largest.input);
    let limits = shape.limits.iter().map(|limit| (limit.name.clone(), limit.kind, limit.gap));
    let mut gaps = BTreeSet::new();
    if largest.has_fixed {
        gaps.insert(Gap::PointerDepth);
    }
    if program.driver(shape.entered).is_some_and(Driver::makes_objects) {
        gaps.insert(Gap::Made);
    }
    if shape.has_ends {
        gaps.insert(Gap::Ends);
    }
    if shape.variadic.is_some() {
        gaps.insert(Gap::Arguments);
    }
    if largest.has_callbacks {
        // None of ours is a function of the program, nor that of another pointer.
        gaps.insert(Gap::Aliasing);
    }
    Entry { function: shape.entered, image, limits: limits.collect(), gaps }
}

/// The input with every pointer there and every array full.
#[derive(Default)]
struct Largest {
    input: Input,
    /// Whether there are cells that never change, for no limit that has a name.
    has_fixed: bool,
    has_callbacks: bool,
}

impl Largest {
    fn visit(&mut self, node: &ShapeNode) {
        match node {
            ShapeNode::Leaf(_) | ShapeNode::Bits { .. } | ShapeNode::End(_) => {}
            ShapeNode::Text(text) => self.input.set(text.present.clone(), Value::Bool(true)),
            ShapeNode::Fixed { limit, .. } => self.has_fixed |= limit.is_none(),
            ShapeNode::Callback(callback) => {
                self.input.set(callback.present.clone(), Value::Bool(true));
                self.has_callbacks = true;
            }
            ShapeNode::Record { members, .. } => members.iter().for_each(|m| self.visit(&m.node)),
            ShapeNode::List { items, count, .. } => {
                self.fill(count, items.len());
                items.iter().for_each(|item| self.visit(item));
            }
            ShapeNode::Pointer(pointer) => {
                if let Some(present) = &pointer.present {
                    self.input.set(present.clone(), Value::Bool(true));
                }
                self.fill(&pointer.count, pointer.items.len());
                pointer.items.iter().for_each(|item| self.visit(item));
            }
        }
    }

    fn fill(&mut self, count: &Count, n: usize) {
        if let Count::Tied(length) = count {
            self.input.set(length.name.clone(), value_of(length.kind, n as u64));
        }
    }
}

/// Memory and globals when an entry is called.
pub(crate) fn initial(
    program: &Program,
    view: &View<'_>,
    executable: &Executable,
) -> Result<Initial, Failure> {
    let mut process = executable.start(FUEL);
    for function in load::before(executable) {
        process.call(&function, &[])?;
    }
    let range =
        |global: &Global| global.address..global.address + program.types.get(global.ty).size;
    let objects: Vec<Range<u32>> =
        program.globals.iter().chain(&program.statics).map(range).collect();
    let mut known = objects.clone();
    known.extend(data(&view.module));
    Ok(Initial {
        memory: process.memory().to_vec(),
        known,
        objects,
        uninitialized: program.uninitialized.clone(),
        globals: globals(&view.module),
        address: view.module.address_type(),
        pointers: program.initial_pointers.iter().copied().collect(),
    })
}

/// Where data segments are.
fn data(module: &ModuleView<'_>) -> Vec<Range<u32>> {
    let segments = module.data.iter().filter_map(|segment| match &segment.placement {
        Placement::Active { offset, .. } => address_const(offset)
            .map(|start| start..start.saturating_add(segment.bytes.len() as u32)),
        Placement::Passive | Placement::Declared => None,
    });
    segments.collect()
}

fn globals(module: &ModuleView<'_>) -> Vec<Option<u64>> {
    let value = |global: &symcrete_program::cfg::module::GlobalInfo| match global.initial[..] {
        [ConstantOp::Const(Constant::I32(bits) | Constant::F32(bits))] => Some(u64::from(bits)),
        [ConstantOp::Const(Constant::I64(bits) | Constant::F64(bits))] => Some(bits),
        _ => None,
    };
    module.globals.iter().map(value).collect()
}
