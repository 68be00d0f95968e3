//! Inputs as people write them.

#![expect(clippy::wildcard_enum_match_arm, reason = "most data does not fit")]

use super::{BitLeaf, Pointer, Shape, ShapeNode, Slot, Text, TextChoice};
use crate::image::CellKind;
use crate::input::Input;
use crate::types::{TypeId, TypeKind, Types};
use std::collections::BTreeMap;
use symcrete_term::Value;
use thiserror::Error;

/// A value as people write it, without its type.
#[derive(Clone, PartialEq, Debug)]
pub enum Datum {
    /// A null pointer.
    Null,
    /// A truth value.
    Bool(bool),
    /// An integer.
    Int(i128),
    /// A `float` or `double`; floats are given as the double of the same value.
    Float(f64),
    /// A string, its bytes up to the closing zero.
    Text(Vec<u8>),
    /// A value of an enumeration.
    Name(String),
    /// An array.
    List(Vec<Datum>),
    /// A structure.
    Record(Vec<(String, Datum)>),
}

/// Data that does not fit a unit.
#[derive(Clone, PartialEq, Debug, Error)]
pub enum WrongDatum {
    /// There is no such parameter, member or global.
    #[error("there is no `{name}`")]
    Unknown {
        /// The name that was given.
        name: String,
        /// Names that are there.
        known: Vec<String>,
    },
    /// The value is of another kind, or out of range.
    #[error("`{name}` is {expected}, not {found}")]
    Mismatch {
        /// The cell.
        name: String,
        /// What it takes.
        expected: String,
        /// What was given.
        found: String,
    },
    /// An array has less room than was given.
    #[error("`{name}` has room for {room} element{}, {given} were given", if *room == 1 { "" } else { "s" })]
    TooLong {
        /// The array.
        name: String,
        /// Its room.
        room: usize,
        /// How many were given.
        given: usize,
        /// Whether the room follows from the types and not from the options.
        is_fixed: bool,
    },
}

impl Shape {
    /// Reads what people wrote. Cells that are not mentioned keep their defaults.
    pub fn read(&self, types: &Types, given: &[(String, Datum)]) -> Result<Input, WrongDatum> {
        let mut reader = Reader { types, input: Input::default(), lengths: BTreeMap::new() };
        let lists = self.variadic.iter().flat_map(|variadic| &variadic.lists);
        let slots: Vec<&Slot> = self.slots().chain(lists.flat_map(|list| &list.slots)).collect();
        for (name, datum) in given {
            let Some(slot) = slots.iter().find(|slot| slot.name == *name) else {
                let known = slots.iter().map(|slot| slot.name.clone()).collect();
                return Err(WrongDatum::Unknown { name: name.clone(), known });
            };
            reader.read(&slot.node, datum)?;
        }
        // A length that was not given is that of its array.
        let Reader { mut input, lengths, .. } = reader;
        for (name, value) in lengths {
            input.values.entry(name).or_insert(value);
        }
        self.check_lengths(&input)?;
        Ok(input)
    }

    fn check_lengths(&self, input: &Input) -> Result<(), WrongDatum> {
        for slot in self.slots() {
            if let ShapeNode::Pointer(pointer) = &slot.node
                && let super::Count::Tied(length) = &pointer.count
            {
                let (given, room) = (length.number(input), pointer.items.len());
                if given > room as i64 {
                    let (name, given) = (pointer.name.clone(), given as usize);
                    return Err(WrongDatum::TooLong { name, room, given, is_fixed: false });
                }
            }
        }
        Ok(())
    }
}

/// The longest array or string in what was given: shapes must have room for it.
pub fn longest(datum: &Datum) -> usize {
    match datum {
        Datum::Null | Datum::Bool(_) | Datum::Int(_) | Datum::Float(_) | Datum::Name(_) => 0,
        Datum::Text(bytes) => bytes.len(),
        Datum::List(items) => items.iter().map(longest).max().unwrap_or(0).max(items.len()),
        Datum::Record(members) => {
            members.iter().map(|(_, member)| longest(member)).max().unwrap_or(0)
        }
    }
}

struct Reader<'a> {
    types: &'a Types,
    input: Input,
    /// Lengths that follow from arrays.
    lengths: BTreeMap<String, Value>,
}

impl Reader<'_> {
    fn read(&mut self, node: &ShapeNode, datum: &Datum) -> Result<(), WrongDatum> {
        match node {
            ShapeNode::Leaf(leaf) => {
                let value = read_cell(self.types, &leaf.name, Some(leaf.ty), leaf.kind, datum)?;
                self.input.set(leaf.name.clone(), value);
                Ok(())
            }
            ShapeNode::Fixed { bits, .. } => match datum {
                Datum::Null if *bits == 0 => Ok(()),
                Datum::Int(value) if *value == i128::from(*bits) => Ok(()),
                _ => Err(mismatch("a cell that never changes", &bits.to_string(), datum)),
            },
            ShapeNode::Bits { .. } => {
                Err(mismatch("a bit-field", "a member of its structure", datum))
            }
            ShapeNode::Record { members, .. } => self.record(members, datum),
            ShapeNode::List { items, .. } => self.items("the array", items, true, datum),
            ShapeNode::Pointer(pointer) => self.pointer(pointer, datum),
            ShapeNode::End(end) => {
                let expected = format!("what follows from `{}`; leave it out", end.of);
                Err(mismatch(&end.name, &expected, datum))
            }
            ShapeNode::Text(text) => self.text(text, datum),
            ShapeNode::Callback(callback) => {
                let is_present = match datum {
                    Datum::Null => false,
                    Datum::Bool(is_present) => *is_present,
                    _ => return Err(mismatch(&callback.name, "null or true", datum)),
                };
                self.input.set(callback.present.clone(), Value::Bool(is_present));
                Ok(())
            }
        }
    }

    /// One of a few strings.
    fn text(&mut self, text: &Text, datum: &Datum) -> Result<(), WrongDatum> {
        self.input.set(text.present.clone(), Value::Bool(*datum != Datum::Null));
        if *datum == Datum::Null {
            return Ok(());
        }
        let is_given = |choice: &&TextChoice| *datum == Datum::Text(choice.text.into());
        let Some(given) = text.choices.iter().find(is_given) else {
            let known: Vec<String> =
                text.choices.iter().map(|choice| format!("{:?}", choice.text)).collect();
            return Err(mismatch(&text.name, &format!("one of {}", known.join(", ")), datum));
        };
        if let Some(chosen) = &given.chosen {
            self.input.set(chosen.clone(), Value::Bool(true));
        }
        Ok(())
    }

    fn record(&mut self, members: &[super::Member], datum: &Datum) -> Result<(), WrongDatum> {
        let Datum::Record(given) = datum else {
            return Err(mismatch("a structure", "an object with its members", datum));
        };
        for (name, datum) in given {
            self.member(members, name, datum)?;
        }
        Ok(())
    }

    fn member(
        &mut self,
        members: &[super::Member],
        name: &str,
        datum: &Datum,
    ) -> Result<(), WrongDatum> {
        if let Some(member) = members.iter().find(|member| member.name == name) {
            return self.read(&member.node, datum);
        }
        for member in members.iter().filter(|member| member.name.is_empty()) {
            match &member.node {
                ShapeNode::Bits { fields, .. } => {
                    if let Some(field) = fields.iter().find(|field| field.member == name) {
                        let value = bit_field(self.types, field, datum)?;
                        self.input.set(field.name.clone(), value);
                        return Ok(());
                    }
                }
                ShapeNode::Record { members, .. }
                    if member_names(members).iter().any(|n| n == name) =>
                {
                    return self.member(members, name, datum);
                }
                ShapeNode::Record { .. }
                | ShapeNode::Leaf(_)
                | ShapeNode::List { .. }
                | ShapeNode::Pointer(_)
                | ShapeNode::End(_)
                | ShapeNode::Text(_)
                | ShapeNode::Callback(_)
                | ShapeNode::Fixed { .. } => {}
            }
        }
        Err(WrongDatum::Unknown { name: name.to_string(), known: member_names(members) })
    }

    fn items(
        &mut self,
        name: &str,
        items: &[ShapeNode],
        is_fixed: bool,
        datum: &Datum,
    ) -> Result<(), WrongDatum> {
        let data: Vec<Datum> = match datum {
            Datum::List(data) => data.clone(),
            Datum::Text(bytes) => bytes.iter().map(|&byte| Datum::Int(i128::from(byte))).collect(),
            _ => {
                return Err(mismatch(name, "a list", datum));
            }
        };
        if data.len() > items.len() {
            let (name, room, given) = (name.to_string(), items.len(), data.len());
            return Err(WrongDatum::TooLong { name, room, given, is_fixed });
        }
        for (item, datum) in items.iter().zip(&data) {
            self.read(item, datum)?;
        }
        Ok(())
    }

    fn pointer(&mut self, pointer: &Pointer, datum: &Datum) -> Result<(), WrongDatum> {
        let is_present = *datum != Datum::Null;
        match &pointer.present {
            Some(present) => self.input.set(present.clone(), Value::Bool(is_present)),
            None if !is_present => {
                return Err(mismatch(&pointer.name, "never null", datum));
            }
            None => {}
        }
        let list = match datum {
            Datum::Null => return Ok(()),
            Datum::List(_) | Datum::Text(_) => datum.clone(),
            // One object need not be written as a list.
            Datum::Bool(_)
            | Datum::Int(_)
            | Datum::Float(_)
            | Datum::Name(_)
            | Datum::Record(_) => Datum::List(vec![datum.clone()]),
        };
        if let super::Count::Tied(length) = &pointer.count {
            let n = match &list {
                Datum::List(items) => items.len(),
                Datum::Text(bytes) => bytes.len(),
                _ => 0,
            };
            let value = super::image::value_of(length.kind, n as u64);
            self.lengths.insert(length.name.clone(), value);
        }
        // One structure stays one, however long arrays may be.
        let is_fixed = pointer.count == super::Count::All && pointer.items.len() == 1;
        self.items(&pointer.name, &pointer.items, is_fixed, &list)
    }
}

fn member_names(members: &[super::Member]) -> Vec<String> {
    members
        .iter()
        .flat_map(|member| match &member.node {
            ShapeNode::Bits { fields, .. } => {
                fields.iter().map(|field| field.member.clone()).collect()
            }
            ShapeNode::Record { members, .. } if member.name.is_empty() => member_names(members),
            ShapeNode::Record { .. }
            | ShapeNode::Leaf(_)
            | ShapeNode::List { .. }
            | ShapeNode::Pointer(_)
            | ShapeNode::End(_)
            | ShapeNode::Text(_)
            | ShapeNode::Callback(_)
            | ShapeNode::Fixed { .. } => vec![member.name.clone()],
        })
        .collect()
}

fn mismatch(name: &str, expected: &str, found: &Datum) -> WrongDatum {
    let found = match found {
        Datum::Null => "null".to_string(),
        Datum::Bool(value) => value.to_string(),
        Datum::Int(value) => value.to_string(),
        Datum::Float(value) => format!("{value:?}"),
        Datum::Text(_) => "a string".to_string(),
        Datum::Name(name) => name.clone(),
        Datum::List(_) => "a list".to_string(),
        Datum::Record(_) => "an object".to_string(),
    };
    WrongDatum::Mismatch { name: name.to_string(), expected: expected.to_string(), found }
}

/// Reads one cell. Where its type is known, values of enumerations may be given by name.
pub fn read_cell(
    types: &Types,
    name: &str,
    ty: Option<TypeId>,
    kind: CellKind,
    datum: &Datum,
) -> Result<Value, WrongDatum> {
    let wrong = |expected: &str| mismatch(name, expected, datum);
    match kind {
        CellKind::Bool => match datum {
            Datum::Bool(value) => Ok(Value::Bool(*value)),
            Datum::Int(value @ 0..=1) => Ok(Value::Bool(*value == 1)),
            _ => Err(wrong("true or false")),
        },
        CellKind::Int { bits, signed } => {
            let kind = ty.map(|ty| &types.get(ty).kind);
            in_range(integer(kind, datum), bits, signed)
                .map(|value| Value::bv(bits, value))
                .ok_or_else(|| wrong_integer(name, kind, (bits, signed), datum))
        }
        CellKind::F32 => real(datum)
            .map(|value| {
                Value::from_bits(symcrete_term::Sort::F32, u64::from((value as f32).to_bits()))
            })
            .ok_or_else(|| wrong("a number")),
        CellKind::F64 => real(datum)
            .map(|value| Value::from_bits(symcrete_term::Sort::F64, value.to_bits()))
            .ok_or_else(|| wrong("a number")),
    }
}

fn bit_field(types: &Types, field: &BitLeaf, datum: &Datum) -> Result<Value, WrongDatum> {
    let kind = Some(&types.get(field.ty).kind);
    in_range(integer(kind, datum), field.width, field.signed)
        .map(|value| Value::bv(field.width, value))
        .ok_or_else(|| wrong_integer(&field.name, kind, (field.width, field.signed), datum))
}

/// An integer, a character, or the name of an enumeration's value.
fn integer(kind: Option<&TypeKind>, datum: &Datum) -> Option<i128> {
    match (datum, kind) {
        (Datum::Int(value), _) => Some(*value),
        (Datum::Bool(value), _) => Some(i128::from(*value)),
        (Datum::Text(text), Some(TypeKind::Enum { values, .. })) => {
            let name = std::str::from_utf8(text).ok()?;
            values.iter().find(|value| value.0 == name).map(|value| i128::from(value.1))
        }
        (Datum::Text(text), Some(TypeKind::Int { is_char: true, .. })) => match text[..] {
            [byte] => Some(i128::from(byte)),
            _ => None,
        },
        _ => None,
    }
}

fn wrong_integer(
    name: &str,
    kind: Option<&TypeKind>,
    (bits, signed): (u8, bool),
    datum: &Datum,
) -> WrongDatum {
    /// More names than this are no help.
    const NAMES_MAX: usize = 20;
    let range = range_text(bits, signed);
    let (Some(TypeKind::Enum { values, .. }), Datum::Text(text)) = (kind, datum) else {
        return mismatch(name, &range, datum);
    };
    let mut names: Vec<&str> =
        values.iter().take(NAMES_MAX).map(|value| value.0.as_str()).collect();
    if values.len() > NAMES_MAX {
        names.push("…");
    }
    WrongDatum::Mismatch {
        name: name.to_string(),
        expected: format!("one of {} or {range}", names.join(", ")),
        found: format!("{:?}", String::from_utf8_lossy(text)),
    }
}

/// The bits of a number, if its type has it. Characters may be given with or without their sign.
fn in_range(value: Option<i128>, bits: u8, signed: bool) -> Option<u64> {
    let value = value?;
    let low = if signed { -(1i128 << (bits - 1)) } else { 0 };
    let high = if signed && bits != 8 { (1i128 << (bits - 1)) - 1 } else { (1i128 << bits) - 1 };
    (low..=high).contains(&value).then(|| value as u64 & (u64::MAX >> (64 - bits)))
}

fn range_text(bits: u8, signed: bool) -> String {
    match signed {
        true => {
            format!("an integer from {} to {}", -(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1)
        }
        false => format!("an integer from 0 to {}", (1i128 << bits) - 1),
    }
}

/// A number, or the name of one that numbers cannot be written as.
fn real(datum: &Datum) -> Option<f64> {
    match datum {
        Datum::Int(value) => Some(*value as f64),
        Datum::Float(value) => Some(*value),
        Datum::Text(text) => match std::str::from_utf8(text).ok()? {
            "nan" | "NaN" => Some(f64::NAN),
            "inf" | "Infinity" => Some(f64::INFINITY),
            "-inf" | "-Infinity" => Some(f64::NEG_INFINITY),
            _ => None,
        },
        Datum::Null | Datum::Bool(_) | Datum::Name(_) | Datum::List(_) | Datum::Record(_) => None,
    }
}
