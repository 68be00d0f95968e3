//! Edits one function of a program in which somebody jumps.

use super::super::calls::{Call, Callee, type_behind_attributes};
use super::super::ir;
use super::super::ir_text::{Block, Function, read_phi, with_incoming};
use super::super::locals::definition;
use super::plan::Plan;
use super::{SETTING, memory, place_of};
use std::collections::BTreeMap;

/// The number of this call of the function.
const FRAME: &str = "%symcrete.jumps";
/// Where a function goes that is being left.
const LEFT: &str = "symcrete.left";
/// Where a jump into the function arrives, and what `setjmp` returns then.
const ARRIVED: &str = "symcrete.arrived";
const VALUE: &str = "%symcrete.jump.value";
/// Where a function goes that is entered while others are being left, and where all others go.
const REFUSED: &str = "symcrete.refused";
const ENTERED: &str = "symcrete.entered";

/// What is known of a function before it is edited.
#[derive(Clone, Copy)]
pub(super) struct Context<'a> {
    pub(super) plan: &'a Plan,
    pub(super) file: usize,
    pub(super) header: &'a str,
}

/// What happens at a call.
enum Event {
    /// It may return because the caller is being left.
    MayLeave,
    /// It returns twice: what its state is, with the type.
    Sets(String),
}

impl Context<'_> {
    pub(super) fn edit(&self, function: Function) -> Function {
        let name = ir::name_of(self.header).unwrap_or_default();
        let Some(ty) = self.result_type() else { return function };
        if name.starts_with("@__symcrete_") {
            return function;
        }
        // A call that must be the last one has no frame to come back to.
        let has_last_call = || {
            let mut lines = function.blocks.iter().flat_map(|block| &block.lines);
            lines.any(|line| Call::read(line).is_some_and(|call| call.is_last))
        };
        let sets = function.blocks.iter().flat_map(|block| &block.lines);
        let sets = sets.filter(|line| matches!(self.event(line, true), Some(Event::Sets(_))));
        let can_land = sets.count() > 0 && !has_last_call();
        let edited = can_land.then(|| self.with_landings(&function, &ty)).flatten();
        edited.unwrap_or_else(|| {
            let mut split = Split::of(&function, |line| self.event(line, false));
            if split.n_checks > 0 {
                split.add(LEFT, vec![format!("  ret {ty}")]);
            }
            if self.plan.may_be_entered(self.file, name) {
                split.refuse(&ty);
            }
            split.function
        })
    }

    /// The function with its second ways in; `None` if it has a value that cannot be kept.
    fn with_landings(&self, function: &Function, ty: &str) -> Option<Function> {
        let mut split = Split::of(function, |line| self.event(line, true));
        split.add(
            LEFT,
            vec![
                "  %symcrete.jump.frame = load i32, ptr @__symcrete_jump_frame".to_owned(),
                format!("  %symcrete.jump.here = icmp eq i32 %symcrete.jump.frame, {FRAME}"),
                format!("  br i1 %symcrete.jump.here, label %{ARRIVED}, label %symcrete.passed"),
            ],
        );
        let mut arrived = vec![
            format!("  {VALUE} = load i32, ptr @__symcrete_jump_value"),
            "  store i32 0, ptr @__symcrete_unwinding".to_owned(),
        ];
        if split.n_sets > 1 {
            arrived.push("  %symcrete.jump.site = load i32, ptr @__symcrete_jump_site".to_owned());
            arrived.push(format!("  switch i32 %symcrete.jump.site, label %{} [", again(0)));
            let others = (1..split.n_sets).map(|i| format!("    i32 {i}, label %{}", again(i)));
            arrived.extend(others);
            arrived.push("  ]".to_owned());
        } else {
            arrived.push(format!("  br label %{}", again(0)));
        }
        split.add(ARRIVED, arrived);
        split.add("symcrete.passed", vec![format!("  ret {ty}")]);
        let name = ir::name_of(self.header).unwrap_or_default();
        match self.plan.may_be_entered(self.file, name) {
            true => split.refuse(ty),
            false => split.enter(),
        }
        for block in &mut split.function.blocks {
            let returns: Vec<usize> = (0..block.lines.len())
                .filter(|&i| block.lines[i].trim_start().starts_with("ret "))
                .collect();
            for i in returns.into_iter().rev().filter(|_| block.label != REFUSED) {
                let leave = format!("  call void @__symcrete_leave_jumps(i32 {FRAME})");
                block.lines.insert(i, leave);
            }
        }
        let enter = format!("  {FRAME} = call i32 @__symcrete_enter_jumps()");
        split.function.blocks[1].lines.insert(0, enter);
        let rooms = memory::keep_values(&mut split.function)?;
        let allocated = behind_allocas(&split.function.blocks[0]);
        split.function.blocks[0].lines.splice(allocated..allocated, rooms);
        Some(split.function)
    }

    /// The function's type and a value of it, which are not looked at.
    fn result_type(&self) -> Option<String> {
        let words = self.header.strip_prefix("define ")?;
        let (ty, _) = type_behind_attributes(words)?;
        Some(if ty == "void" { ty.to_owned() } else { format!("{ty} zeroinitializer") })
    }

    /// What happens at a line, in a function that can be jumped to or not.
    fn event(&self, line: &str, can_land: bool) -> Option<Event> {
        let call = Call::read(line)?;
        let is_setting =
            |name: &str| SETTING.contains(&name) && self.plan.is_library(self.file, name);
        match call.callee {
            Callee::Function(name) if can_land && is_setting(name) => {
                Some(Event::Sets(state(call.arguments)?))
            }
            callee if !call.is_last && self.plan.may_leave(self.file, callee) => {
                Some(Event::MayLeave)
            }
            Callee::Function(_) | Callee::Pointer | Callee::Assembly => None,
        }
    }
}

/// The first argument, without attributes: `ptr %4` of `ptr noundef %4, i32 1`.
fn state(arguments: &str) -> Option<String> {
    let (_, mut value) = type_behind_attributes(ir::split(arguments)[0])?;
    for word in ["noundef ", "nonnull "] {
        value = value.strip_prefix(word).unwrap_or(value);
    }
    Some(format!("ptr {value}"))
}

/// The block that is entered when a `setjmp` returns, for the first time or again.
fn again(site: usize) -> String {
    format!("symcrete.again.{site}")
}

/// A function whose blocks end where something may happen.
struct Split {
    function: Function,
    n_checks: usize,
    n_sets: usize,
}

impl Split {
    fn of(function: &Function, event: impl Fn(&str) -> Option<Event>) -> Split {
        let empty = Function { blocks: Vec::new(), by_label: BTreeMap::new() };
        let mut split = Split { function: empty, n_checks: 0, n_sets: 0 };
        // Where blocks end that were split: the ways to others start there.
        let mut ends: BTreeMap<String, String> = BTreeMap::new();
        for block in &function.blocks {
            let Block { label, head, .. } = block;
            let (label, head) = (label.clone(), head.clone());
            split.function.blocks.push(Block { label, head, lines: Vec::new() });
            for line in &block.lines {
                match event(line) {
                    None => split.last().lines.push(line.clone()),
                    Some(Event::MayLeave) => split.check_behind(line),
                    Some(Event::Sets(state)) => split.set(line, &state),
                }
            }
            ends.insert(block.label.clone(), split.last().label.clone());
        }
        let is_ours = |block: &Block| block.label.starts_with("symcrete.again.");
        for block in split.function.blocks.iter_mut().filter(|block| !is_ours(block)) {
            for line in &mut block.lines {
                let Some((_, _, mut incoming)) = read_phi(line) else { continue };
                for incoming in &mut incoming {
                    if let Some(end) = ends.get(&incoming.from) {
                        incoming.from.clone_from(end);
                    }
                }
                *line = with_incoming(line, &incoming);
            }
        }
        split.index();
        split
    }

    fn last(&mut self) -> &mut Block {
        self.function.blocks.last_mut().expect("a function has blocks")
    }

    fn add(&mut self, label: &str, lines: Vec<String>) {
        let head = Some(format!("{label}:"));
        self.function.blocks.push(Block { label: label.to_owned(), head, lines });
        self.index();
    }

    fn index(&mut self) {
        let labels = self.function.blocks.iter().enumerate();
        self.function.by_label = labels.map(|(i, block)| (block.label.clone(), i)).collect();
    }

    /// Looks whether a call came back because the caller is being left.
    fn check_behind(&mut self, line: &str) {
        let (n, place) = (self.n_checks, place_of(line));
        self.n_checks += 1;
        let on = format!("symcrete.on.{n}");
        let check = check(&n.to_string(), (LEFT, &on), &place);
        let lines = &mut self.last().lines;
        lines.push(line.to_owned());
        lines.extend(check);
        self.function.blocks.push(Block {
            head: Some(format!("{on}:")),
            label: on,
            lines: Vec::new(),
        });
    }

    /// Makes a second way in behind a call that returns twice.
    fn set(&mut self, line: &str, state: &str) {
        let (site, place) = (self.n_sets, place_of(line));
        self.n_sets += 1;
        let label = again(site);
        let from = self.last().label.clone();
        self.last().lines.extend([
            format!("  call void @__symcrete_setjmp({state}, i32 {FRAME}, i32 {site}){place}"),
            format!("  br label %{label}{place}"),
        ]);
        let phi = definition(line)
            .map(|(name, _)| format!("  {name} = phi i32 [ 0, %{from} ], [ {VALUE}, %{ARRIVED} ]"));
        self.function.blocks.push(Block {
            head: Some(format!("{label}:")),
            label,
            lines: phi.into_iter().collect(),
        });
    }

    /// Ends the first block behind its variables. The rest of it is the second one.
    fn enter(&mut self) {
        let at = behind_allocas(&self.function.blocks[0]);
        let lines = self.function.blocks[0].lines.split_off(at);
        self.function.blocks[0].lines.push(format!("  br label %{ENTERED}"));
        let (label, head) = (ENTERED.to_owned(), Some(format!("{ENTERED}:")));
        self.function.blocks.insert(1, Block { label, head, lines });
        let first = self.function.blocks[0].label.clone();
        for block in &mut self.function.blocks {
            for line in &mut block.lines {
                let Some((_, _, mut incoming)) = read_phi(line) else { continue };
                let from_first = incoming.iter_mut().filter(|incoming| incoming.from == first);
                from_first.for_each(|incoming| ENTERED.clone_into(&mut incoming.from));
                *line = with_incoming(line, &incoming);
            }
        }
        self.index();
    }

    /// Returns at once if functions are being left.
    fn refuse(&mut self, ty: &str) {
        self.enter();
        let lines = &mut self.function.blocks[0].lines;
        lines.pop();
        lines.extend(check("entry", (REFUSED, ENTERED), ""));
        self.add(REFUSED, vec![format!("  ret {ty}")]);
    }
}

/// Code that goes to one block if functions are being left, and to another one otherwise.
fn check(name: &str, (left, on): (&str, &str), place: &str) -> [String; 3] {
    let (flag, leaves) = (format!("%symcrete.flag.{name}"), format!("%symcrete.leaves.{name}"));
    [
        format!("  {flag} = load i32, ptr @__symcrete_unwinding{place}"),
        format!("  {leaves} = icmp ne i32 {flag}, 0{place}"),
        format!("  br i1 {leaves}, label %{left}, label %{on}{place}"),
    ]
}

/// Where the variables end with which a function starts.
fn behind_allocas(first: &Block) -> usize {
    let is_variable = |line: &String| {
        definition(line).and_then(|(_, rest)| rest.strip_prefix("alloca ")).is_some_and(|rest| {
            let count = ir::split(rest).get(1).map_or("", |count| count.trim());
            count.is_empty() || count.starts_with("align ") || count.starts_with('!')
        })
    };
    first.lines.iter().rposition(is_variable).map_or(0, |last| last + 1)
}
