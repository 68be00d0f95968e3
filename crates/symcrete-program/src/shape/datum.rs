//! Inputs as people write them.

#![expect(clippy::wildcard_enum_match_arm, reason = "most data does not fit")]

use super::image::number;
use super::{BitLeaf, Leaf, Node, Pointer, Shape};
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
    #[error("`{name}` has room for {room} elements, {given} were given")]
    TooLong {
        /// The array.
        name: String,
        /// Its room.
        room: usize,
        /// How many were given.
        given: usize,
    },
}

impl Shape {
    /// Reads what people wrote. Cells that are not mentioned keep their defaults.
    pub fn read(&self, types: &Types, given: &[(String, Datum)]) -> Result<Input, WrongDatum> {
        let mut reader = Reader { types, input: Input::default(), lengths: BTreeMap::new() };
        for (name, datum) in given {
            let Some(slot) = self.slots().find(|slot| slot.name == *name) else {
                let known = self.slots().map(|slot| slot.name.clone()).collect();
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

    /// An input as people read it: parameters, then globals.
    pub fn show(&self, types: &Types, input: &Input) -> Vec<(String, Datum)> {
        self.slots().map(|slot| (slot.name.clone(), show(types, &slot.node, input))).collect()
    }

    fn check_lengths(&self, input: &Input) -> Result<(), WrongDatum> {
        for slot in self.slots() {
            if let Node::Pointer(pointer) = &slot.node
                && let super::Count::Tied(length) = &pointer.count
            {
                let (given, room) = (length.number(input), pointer.items.len());
                if given > room as i64 {
                    let (name, given) = (pointer.name.clone(), given as usize);
                    return Err(WrongDatum::TooLong { name, room, given });
                }
            }
        }
        Ok(())
    }
}

/// The longest array or string in what was given: shapes must have room for it.
pub fn longest(datum: &Datum) -> usize {
    match datum {
        Datum::Null | Datum::Bool(_) | Datum::Int(_) | Datum::Float(_) => 0,
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
    fn read(&mut self, node: &Node, datum: &Datum) -> Result<(), WrongDatum> {
        match node {
            Node::Leaf(leaf) => {
                let value = scalar(self.types, leaf, datum)?;
                self.input.set(leaf.name.clone(), value);
                Ok(())
            }
            Node::Fixed { bits, .. } => match datum {
                Datum::Null if *bits == 0 => Ok(()),
                Datum::Int(value) if *value == i128::from(*bits) => Ok(()),
                _ => Err(mismatch("a cell that never changes", &bits.to_string(), datum)),
            },
            Node::Bits { .. } => Err(mismatch("a bit-field", "a member of its structure", datum)),
            Node::Record { members, .. } => self.record(members, datum),
            Node::List { items, .. } => self.items("the array", items, datum),
            Node::Pointer(pointer) => self.pointer(pointer, datum),
        }
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
                Node::Bits { fields, .. } => {
                    if let Some(field) = fields.iter().find(|field| field.member == name) {
                        let value = bit_field(field, datum)?;
                        self.input.set(field.name.clone(), value);
                        return Ok(());
                    }
                }
                Node::Record { members, .. } if member_names(members).iter().any(|n| n == name) => {
                    return self.member(members, name, datum);
                }
                Node::Record { .. }
                | Node::Leaf(_)
                | Node::List { .. }
                | Node::Pointer(_)
                | Node::Fixed { .. } => {}
            }
        }
        Err(WrongDatum::Unknown { name: name.to_string(), known: member_names(members) })
    }

    fn items(&mut self, name: &str, items: &[Node], datum: &Datum) -> Result<(), WrongDatum> {
        let data: Vec<Datum> = match datum {
            Datum::List(data) => data.clone(),
            Datum::Text(bytes) => bytes.iter().map(|&byte| Datum::Int(i128::from(byte))).collect(),
            Datum::Null | Datum::Bool(_) | Datum::Int(_) | Datum::Float(_) | Datum::Record(_) => {
                return Err(mismatch(name, "a list", datum));
            }
        };
        if data.len() > items.len() {
            let (name, room, given) = (name.to_string(), items.len(), data.len());
            return Err(WrongDatum::TooLong { name, room, given });
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
            Datum::Bool(_) | Datum::Int(_) | Datum::Float(_) | Datum::Record(_) => {
                Datum::List(vec![datum.clone()])
            }
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
        self.items(&pointer.name, &pointer.items, &list)
    }
}

fn member_names(members: &[super::Member]) -> Vec<String> {
    members
        .iter()
        .flat_map(|member| match &member.node {
            Node::Bits { fields, .. } => fields.iter().map(|field| field.member.clone()).collect(),
            Node::Record { members, .. } if member.name.is_empty() => member_names(members),
            Node::Record { .. }
            | Node::Leaf(_)
            | Node::List { .. }
            | Node::Pointer(_)
            | Node::Fixed { .. } => vec![member.name.clone()],
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
        Datum::List(_) => "a list".to_string(),
        Datum::Record(_) => "an object".to_string(),
    };
    WrongDatum::Mismatch { name: name.to_string(), expected: expected.to_string(), found }
}

fn scalar(types: &Types, leaf: &Leaf, datum: &Datum) -> Result<Value, WrongDatum> {
    let wrong = |expected: &str| mismatch(&leaf.name, expected, datum);
    match leaf.kind {
        CellKind::Bool => match datum {
            Datum::Bool(value) => Ok(Value::Bool(*value)),
            Datum::Int(value @ 0..=1) => Ok(Value::Bool(*value == 1)),
            _ => Err(wrong("true or false")),
        },
        CellKind::Int { bits, signed } => {
            let value = integer(types, leaf.ty, datum);
            in_range(value, bits, signed)
                .map(|value| Value::bv(bits, value))
                .ok_or_else(|| wrong(&range_text(bits, signed)))
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

fn bit_field(field: &BitLeaf, datum: &Datum) -> Result<Value, WrongDatum> {
    let value = match datum {
        Datum::Int(value) => Some(*value),
        Datum::Bool(value) => Some(i128::from(*value)),
        Datum::Null | Datum::Float(_) | Datum::Text(_) | Datum::List(_) | Datum::Record(_) => None,
    };
    in_range(value, field.width, field.signed)
        .map(|value| Value::bv(field.width, value))
        .ok_or_else(|| mismatch(&field.name, &range_text(field.width, field.signed), datum))
}

/// An integer, a character, or the name of an enumeration's value.
fn integer(types: &Types, ty: TypeId, datum: &Datum) -> Option<i128> {
    match (datum, &types.get(ty).kind) {
        (Datum::Int(value), _) => Some(*value),
        (Datum::Bool(value), _) => Some(i128::from(*value)),
        (Datum::Text(text), TypeKind::Enum { values, .. }) => {
            let name = std::str::from_utf8(text).ok()?;
            values.iter().find(|value| value.0 == name).map(|value| i128::from(value.1))
        }
        (Datum::Text(text), TypeKind::Int { is_char: true, .. }) => match text[..] {
            [byte] => Some(i128::from(byte)),
            _ => None,
        },
        _ => None,
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
        Datum::Null | Datum::Bool(_) | Datum::List(_) | Datum::Record(_) => None,
    }
}

/// A cell as people read it.
pub fn show_bits(types: &Types, ty: TypeId, kind: CellKind, bits: u64) -> Datum {
    match kind {
        CellKind::Bool => Datum::Bool(bits & 1 != 0),
        CellKind::F32 => Datum::Float(f64::from(f32::from_bits(bits as u32))),
        CellKind::F64 => Datum::Float(f64::from_bits(bits)),
        CellKind::Int { signed: false, .. } => Datum::Int(i128::from(bits)),
        CellKind::Int { signed: true, .. } => {
            let value = number(kind, bits);
            match &types.get(ty).kind {
                TypeKind::Enum { values, .. } => values
                    .iter()
                    .find(|known| known.1 == value)
                    .map_or(Datum::Int(i128::from(value)), |known| {
                        Datum::Text(known.0.clone().into_bytes())
                    }),
                _ => Datum::Int(i128::from(value)),
            }
        }
    }
}

fn show(types: &Types, node: &Node, input: &Input) -> Datum {
    match node {
        Node::Leaf(leaf) => show_bits(types, leaf.ty, leaf.kind, leaf.bits(input)),
        Node::Fixed { bits: 0, ty, .. }
            if matches!(types.get(*ty).kind, TypeKind::Pointer { .. }) =>
        {
            Datum::Null
        }
        Node::Fixed { ty, kind, bits } => show_bits(types, *ty, *kind, *bits),
        Node::Bits { fields, .. } => Datum::Record(show_bit_fields(fields, input)),
        Node::Record { members, .. } => {
            let shown = members.iter().flat_map(|member| match &member.node {
                Node::Bits { fields, .. } => show_bit_fields(fields, input),
                other => match (show(types, other, input), member.name.is_empty()) {
                    (Datum::Record(inner), true) => inner,
                    (datum, _) => vec![(member.name.clone(), datum)],
                },
            });
            Datum::Record(shown.collect())
        }
        Node::List { element, items, .. } => list(types, *element, items, input),
        Node::Pointer(pointer) if !pointer.is_present(input) => Datum::Null,
        Node::Pointer(pointer) => match (pointer.elements(input), types.get(pointer.element)) {
            ([one], ty) if matches!(ty.kind, TypeKind::Struct { .. } | TypeKind::Union { .. }) => {
                show(types, one, input)
            }
            (items, _) => list(types, pointer.element, items, input),
        },
    }
}

fn show_bit_fields(fields: &[BitLeaf], input: &Input) -> Vec<(String, Datum)> {
    let shown = fields.iter().map(|field| {
        let kind = CellKind::Int { bits: field.width, signed: field.signed };
        (field.member.clone(), Datum::Int(i128::from(number(kind, field.bits(input)))))
    });
    shown.collect()
}

/// A list, or a string if its elements are characters of which none but the last ones are zero.
fn list(types: &Types, element: TypeId, items: &[Node], input: &Input) -> Datum {
    let data: Vec<Datum> = items.iter().map(|item| show(types, item, input)).collect();
    if !matches!(types.get(element).kind, TypeKind::Int { is_char: true, .. }) {
        return Datum::List(data);
    }
    let byte = |datum: &Datum| match datum {
        Datum::Int(value) => *value as u8,
        _ => 0,
    };
    let mut bytes: Vec<u8> = data.iter().map(byte).collect();
    while bytes.last() == Some(&0) {
        bytes.pop();
    }
    Datum::Text(bytes)
}
