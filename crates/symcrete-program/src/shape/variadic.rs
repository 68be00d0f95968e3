//! Arguments that a variadic function does not declare (ADR 20).
//!
//! A function whose last parameter goes to `printf`'s kind as a format gets one of a few formats, with arguments that
//! belong to it. Any other gets a list of arguments of one of the types that its text reads. Which list it is, Boolean
//! variables say, so exploration turns it like a branch: the first whose variable holds, or the last.

use super::build::Builder;
use super::{Count, Leaf, Passing, ShapeNode, Slot, Unsupported};
use crate::gap::Gap;
use crate::image::{Argument, Cell, CellKind, Other, Symbol};
use crate::input::Input;
use crate::program::Unit;
use crate::types::{TypeId, TypeKind};
use symcrete_term::Value;

/// What is passed for `...`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variadic {
    /// One of these.
    pub lists: Vec<ArgumentList>,
}

/// Arguments of a variadic function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ArgumentList {
    /// The variable that says that it is this one; the last list has none.
    pub chosen: Option<String>,
    /// Where the machine finds its arguments.
    pub address: u32,
    /// The arguments, which lie where they are read.
    pub slots: Vec<Slot>,
}

/// A pointer to one of a few constant strings.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Text {
    /// The pointer's expression in the source.
    pub name: String,
    /// Its type.
    pub ty: TypeId,
    /// The variable that says whether it is not null.
    pub present: String,
    /// The strings: the first whose variable holds, or the last.
    pub choices: Vec<TextChoice>,
}

/// A constant string.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TextChoice {
    /// The variable that says that it is this one; the last has none.
    pub chosen: Option<String>,
    /// Where it is.
    pub address: u32,
    /// Its characters.
    pub text: &'static str,
}

/// An argument of a list that belongs to a format.
#[derive(Clone, Copy)]
enum Printed {
    Number,
    Text,
}

/// The formats, the most useful last: how long the output of that one is, an input says.
const FORMATS: &[(&str, &[Printed])] =
    &[("text", &[]), ("%d", &[Printed::Number]), ("%s", &[Printed::Text])];
/// What the variable is called that says that a list has arguments of some type.
const LIST: &str = "... is ";
/// Arguments in a list of numbers.
const NUMBERS: u32 = 4;
/// Arguments in a list of pointers; a null pointer follows.
const POINTERS: u32 = 3;

impl Builder<'_> {
    /// What is passed for `...`.
    pub(super) fn variadic(&mut self, unit: &Unit) -> Result<Option<Variadic>, Unsupported> {
        if !unit.is_variadic {
            return Ok(None);
        }
        let uses = unit.uses.variadic.clone().unwrap_or_default();
        let mut lists = match uses.format {
            Some(format) => self.formatted(&unit.params[format].name, unit.params[format].ty)?,
            None => uses.types.iter().map(|&ty| self.list(ty)).collect::<Result<Vec<_>, _>>()?,
        };
        if lists.is_empty() {
            lists.push(ArgumentList {
                chosen: None,
                address: self.room("...", 0)?,
                slots: Vec::new(),
            });
        }
        if let Some(last) = lists.last_mut() {
            last.chosen = None;
        }
        Ok(Some(Variadic { lists }))
    }

    /// The parameter that is a format.
    pub(super) fn format(&mut self, name: &str, ty: TypeId) -> Result<ShapeNode, Unsupported> {
        let mut choices = Vec::new();
        for (i, (text, _)) in FORMATS.iter().enumerate() {
            let address = self.room(name, text.len() as u32 + 1)?;
            let chosen = (i + 1 < FORMATS.len()).then(|| choice(name, text));
            choices.push(TextChoice { chosen, address, text });
        }
        let (name, present) = (name.to_string(), format!("{name} != NULL"));
        Ok(ShapeNode::Text(Box::new(Text { name, ty, present, choices })))
    }

    /// The arguments for each format.
    fn formatted(&mut self, name: &str, string: TypeId) -> Result<Vec<ArgumentList>, Unsupported> {
        let mut lists = Vec::new();
        for (text, printed) in FORMATS {
            // None has more than one, of at most the size of a pointer.
            let address = self.room("...", self.types().address.bytes() * printed.len() as u32)?;
            let mut slots = Vec::new();
            for (i, printed) in (0..).zip(*printed) {
                let argument = format!("...[{i}]{}", text.replace('%', " "));
                let node = match (printed, self.types().get(string).kind.pointee()) {
                    (Printed::Text, Some((to, _))) => {
                        self.argument_pointer(&argument, string, to)?
                    }
                    (Printed::Number | Printed::Text, _) => {
                        let kind = CellKind::Int { bits: 32, signed: true };
                        let ty = self.int().unwrap_or(string);
                        ShapeNode::Leaf(Leaf { name: argument.clone(), ty, kind, default: 0 })
                    }
                };
                let ty = match printed {
                    Printed::Text => string,
                    Printed::Number => self.int().unwrap_or(string),
                };
                let passing = Passing::Memory(address + 4 * i);
                slots.push(Slot { name: argument, ty, node, passing });
            }
            lists.push(ArgumentList { chosen: Some(choice(name, text)), address, slots });
        }
        Ok(lists)
    }

    /// A list of arguments of one type.
    fn list(&mut self, ty: TypeId) -> Result<ArgumentList, Unsupported> {
        let (name, size, kind) = {
            let ty = self.types().get(ty);
            (ty.name.clone(), ty.size.max(4), ty.kind.clone())
        };
        let to = kind.pointee().map(|(to, _)| to);
        let n = if to.is_some() { POINTERS + 1 } else { NUMBERS };
        let address = self.room("...", size * n)?;
        let mut slots = Vec::new();
        for i in 0..n {
            let argument = format!("...[{i}] {name}");
            let node = match to {
                Some(to) if i < POINTERS => self.argument_pointer(&argument, ty, to)?,
                Some(_) => self.null(&argument, ty, Gap::Arguments),
                None => ShapeNode::Leaf(self.leaf(&argument, ty)),
            };
            let passing = Passing::Memory(address + i * size);
            slots.push(Slot { name: argument, ty, node, passing });
        }
        Ok(ArgumentList { chosen: Some(format!("{LIST}{name}")), address, slots })
    }

    fn argument_pointer(
        &mut self,
        name: &str,
        ty: TypeId,
        to: TypeId,
    ) -> Result<ShapeNode, Unsupported> {
        if self.types().get(to).kind == TypeKind::Function {
            return Ok(self.null(name, ty, Gap::Arguments));
        }
        self.pointer(name, ty, to, 0, Count::All)
    }
}

fn choice(name: &str, text: &str) -> String {
    format!("{name} is \"{text}\"")
}

fn is_chosen(chosen: &Option<String>, input: &Input) -> bool {
    chosen.as_ref().is_none_or(|name| input.get(name) == Some(Value::Bool(true)))
}

/// The places that a pointer may point to but for the last.
fn others<'a>(
    choices: impl Iterator<Item = (&'a Option<String>, u32)>,
    input: &Input,
) -> Vec<Other> {
    let other = |(chosen, address): (&Option<String>, u32)| {
        let (name, is_chosen) = (chosen.clone()?, is_chosen(chosen, input));
        Some(Other { name, is_chosen, needs: Vec::new(), holds: is_chosen, address, inside: None })
    };
    choices.filter_map(other).collect()
}

impl Variadic {
    /// The list that is passed in the run of an input.
    pub fn list(&self, input: &Input) -> &ArgumentList {
        let chosen = self.lists.iter().find(|list| is_chosen(&list.chosen, input));
        chosen.expect("the last list needs no variable")
    }

    /// The variables that say which list it is.
    pub fn choices(&self) -> impl Iterator<Item = &String> {
        self.lists.iter().filter_map(|list| list.chosen.as_ref())
    }

    /// Whether some lists have numbers and others pointers, and no format says which it is.
    pub fn is_mixed(&self) -> bool {
        if !self.choices().any(|choice| choice.starts_with(LIST)) {
            return false;
        }
        let first = |list: &ArgumentList| {
            list.slots.first().map(|slot| matches!(slot.node, ShapeNode::Leaf(_)))
        };
        let kinds: Vec<bool> = self.lists.iter().filter_map(first).collect();
        kinds.contains(&true) && kinds.contains(&false)
    }

    /// The pointer to the list that the machine passes.
    pub(super) fn cell(&self, input: &Input, kind: CellKind) -> Cell {
        let others = others(self.lists.iter().map(|list| (&list.chosen, list.address)), input);
        let last = self.lists.last().map_or(0, |list| list.address);
        let bits = u64::from(self.list(input).address);
        let symbol = (!others.is_empty()).then_some(Symbol::OneOf { present: None, others, last });
        Cell { kind, bits, symbol }
    }
}

impl ArgumentList {
    /// What each argument is, for the engine.
    pub(super) fn arguments(&self, pointer: CellKind) -> Vec<Argument> {
        let argument = |slot: &Slot| {
            let Passing::Memory(address) = slot.passing else { return None };
            let kind = match &slot.node {
                ShapeNode::Leaf(leaf) => leaf.kind,
                ShapeNode::Bits { .. }
                | ShapeNode::Record { .. }
                | ShapeNode::List { .. }
                | ShapeNode::Pointer(_)
                | ShapeNode::End(_)
                | ShapeNode::Text(_)
                | ShapeNode::Callback(_)
                | ShapeNode::Fixed { .. } => pointer,
            };
            Some(Argument { address, kind })
        };
        self.slots.iter().filter_map(argument).collect()
    }
}

impl Text {
    /// Whether it is not null.
    pub fn is_present(&self, input: &Input) -> bool {
        input.get(&self.present).is_none_or(|value| value == Value::Bool(true))
    }

    /// The string in the run of an input.
    pub fn choice(&self, input: &Input) -> &TextChoice {
        let chosen = self.choices.iter().find(|choice| is_chosen(&choice.chosen, input));
        chosen.expect("the last string needs no variable")
    }

    /// The pointer as an argument.
    pub(super) fn cell(&self, input: &Input, kind: CellKind) -> Cell {
        let choices = self.choices.iter().map(|choice| (&choice.chosen, choice.address));
        let last = self.choices.last().map_or(0, |choice| choice.address);
        let bits = if self.is_present(input) { self.choice(input).address } else { 0 };
        let symbol = Symbol::OneOf {
            present: Some(self.present.clone()),
            others: others(choices, input),
            last,
        };
        Cell { kind, bits: u64::from(bits), symbol: Some(symbol) }
    }
}
