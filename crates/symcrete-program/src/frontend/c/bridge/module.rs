//! The parts of a linked module that calls have to do with, and how it is written with more functions and tables.

use crate::module::{
    AddressType, Constant, ConstantOp, ElementSegment, Kind, Module, Operator, Placement,
    address_const,
};
use std::collections::BTreeMap;
use std::ops::Range;

/// Numbers of sections.
const FUNCTIONS: u8 = 3;
const TABLES: u8 = 4;
const ELEMENTS: u8 = 9;
const CODE: u8 = 10;

/// A linked module and its calls.
pub(super) struct Linked<'a> {
    pub(super) module: Module<'a>,
    /// The table's functions by their place in it; empty unless there is one table, and one segment fills it.
    pub(super) elements: BTreeMap<u32, u32>,
    pub(super) calls: Vec<Call>,
}

/// A call in the code.
pub(super) struct Call {
    pub(super) target: CallTarget,
    /// Where the number of the function, or that of the table, is written.
    pub(super) number: Range<usize>,
}

/// What is called.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum CallTarget {
    Function(u32),
    /// Through the table, as a function of this type.
    Table(u32),
}

/// What a module gets.
#[derive(Default)]
pub(super) struct Additions {
    /// Functions: their types and bodies.
    pub(super) functions: Vec<(u32, Vec<u8>)>,
    /// Tables like the one that there is, with other functions in the places that are named.
    pub(super) tables: Vec<BTreeMap<u32, u32>>,
    /// Places in the code where another number goes.
    pub(super) numbers: Vec<(Range<usize>, u32)>,
    /// Functions in the place of others in the table.
    pub(super) replaced: BTreeMap<u32, u32>,
}

impl<'a> Linked<'a> {
    /// `None` for what is no module that we handle.
    pub(super) fn read(wasm: &'a [u8]) -> Option<Linked<'a>> {
        let module = Module::parse(wasm).ok()?;
        let elements = match (&module.tables[..], &module.elements[..]) {
            ([_], [segment]) => functions(segment).unwrap_or_default(),
            (_, _) => BTreeMap::new(),
        };
        let steps = module.defined().flat_map(|(function, _)| module.operators(function));
        let calls = steps.filter_map(|step| call(wasm, &step.operator, step.range.start)).collect();
        Some(Linked { elements, calls, module })
    }

    /// Writes the module with additions; `None` if they do not fit in.
    pub(super) fn write(&self, additions: &Additions) -> Option<Vec<u8>> {
        let mut wasm = self.module.wasm.to_vec();
        for (place, number) in &additions.numbers {
            let padded = padded(*number, place.len())?;
            wasm[place.clone()].copy_from_slice(&padded);
        }
        let mut out = wasm[..8].to_vec();
        for (id, range) in &self.module.sections {
            let content = &wasm[range.clone()];
            let section = match *id {
                FUNCTIONS => {
                    let types = additions.functions.iter().map(|(ty, _)| leb(*ty));
                    longer(content, types, None)?
                }
                TABLES if !additions.tables.is_empty() => {
                    let (_, length) = read_leb(content)?;
                    let table = content[length..].to_vec();
                    longer(content, additions.tables.iter().map(|_| table.clone()), None)?
                }
                ELEMENTS if !self.elements.is_empty() => self.segments(additions),
                CODE => {
                    let bodies = additions
                        .functions
                        .iter()
                        .map(|(_, body)| [leb(body.len() as u32), body.clone()].concat());
                    // Debug information counts from here, so that nothing may move.
                    let (_, length) = read_leb(content)?;
                    longer(content, bodies, Some(length))?
                }
                _ => content.to_vec(),
            };
            out.push(*id);
            out.extend(leb(section.len() as u32));
            out.extend(section);
        }
        Some(out)
    }

    /// What fills the tables.
    fn segments(&self, additions: &Additions) -> Vec<u8> {
        let first = *self.elements.keys().next().expect("the table is not empty");
        let functions = |other: &BTreeMap<u32, u32>| -> Vec<u8> {
            let list = self.elements.iter().flat_map(|(place, function)| {
                let function = additions.replaced.get(function).unwrap_or(function);
                leb(*other.get(place).unwrap_or(function))
            });
            [leb(self.elements.len() as u32), list.collect()].concat()
        };
        // `i32.const first` or `i64.const first`, whose number is signed.
        let constant = match self.module.tables[0].address {
            AddressType::I32 => 0x41,
            AddressType::I64 => 0x42,
        };
        let start = [&[constant][..], &signed_leb(first), &[0x0b]].concat();
        let mut section = leb(1 + additions.tables.len() as u32);
        section.push(0);
        section.extend(&start);
        section.extend(functions(&BTreeMap::new()));
        for (table, i) in additions.tables.iter().zip(1..) {
            section.push(2);
            section.extend(leb(i));
            section.extend(&start);
            section.push(0);
            section.extend(functions(table));
        }
        section
    }
}

/// The functions that a segment puts into a table, by their place; `None` if it puts anything else there.
fn functions(segment: &ElementSegment) -> Option<BTreeMap<u32, u32>> {
    let Placement::Active { offset, .. } = &segment.placement else { return None };
    let function = |(place, item): (u32, &Vec<ConstantOp>)| match item[..] {
        [ConstantOp::Const(Constant::Function(function))] => Some((place, function)),
        _ => None,
    };
    (address_const(offset)?..).zip(&segment.items).map(function).collect()
}

/// The call that an operator is.
fn call(wasm: &[u8], operator: &Operator, offset: u32) -> Option<Call> {
    let number_at = |start: usize| {
        let (_, length) = read_leb(wasm.get(start..)?)?;
        Some(start..start + length)
    };
    let first = number_at(offset as usize + 1);
    if let Operator::Plain(Kind::Call(function)) = operator {
        return Some(Call { target: CallTarget::Function(*function), number: first? });
    }
    let Operator::Plain(Kind::CallIndirect { ty, table: 0 }) = operator else { return None };
    Some(Call { target: CallTarget::Table(*ty), number: number_at(first?.end)? })
}

/// A section that is a list, with more at its end. Its length may have to take as many bytes as before.
fn longer(
    content: &[u8],
    more: impl ExactSizeIterator<Item = Vec<u8>>,
    length_bytes: Option<usize>,
) -> Option<Vec<u8>> {
    let (count, length) = read_leb(content)?;
    let count = count + more.len() as u32;
    let mut section = match length_bytes {
        Some(length) => padded(count, length)?,
        None => leb(count),
    };
    section.extend(&content[length..]);
    section.extend(more.flatten());
    Some(section)
}

/// A number of variable length, and how many bytes it takes.
fn read_leb(bytes: &[u8]) -> Option<(u32, usize)> {
    let mut number = 0_u64;
    for (i, &byte) in bytes.iter().enumerate().take(5) {
        number |= u64::from(byte & 0x7f) << (7 * i);
        if byte & 0x80 == 0 {
            return Some((number as u32, i + 1));
        }
    }
    None
}

/// A number of variable length.
pub(super) fn leb(mut number: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
    bytes
}

/// The same with a sign, as constants have it.
pub(super) fn signed_leb(number: u32) -> Vec<u8> {
    let mut number = number as i32;
    let mut bytes = Vec::new();
    loop {
        let byte = number as u8 & 0x7f;
        number >>= 7;
        let is_last = number == 0 && byte & 0x40 == 0 || number == -1 && byte & 0x40 != 0;
        bytes.push(if is_last { byte } else { byte | 0x80 });
        if is_last {
            return bytes;
        }
    }
}

/// A number in exactly so many bytes; `None` if it does not fit.
fn padded(number: u32, length: usize) -> Option<Vec<u8>> {
    let mut bytes = leb(number);
    if bytes.len() > length {
        return None;
    }
    while bytes.len() < length {
        *bytes.last_mut()? |= 0x80;
        bytes.push(0);
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_they_are_written() {
        for number in [0, 1, 63, 64, 127, 128, 16383, 16384, u32::MAX] {
            let bytes = leb(number);
            assert_eq!(read_leb(&bytes), Some((number, bytes.len())));
            let wide = padded(number, 5).unwrap();
            assert_eq!(read_leb(&wide), Some((number, 5)));
        }
        assert_eq!(padded(128, 1), None);
        assert_eq!(signed_leb(64), [0xc0, 0x00]);
        assert_eq!(signed_leb(u32::MAX), [0x7f]);
    }
}
