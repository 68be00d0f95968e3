//! The parts of a linked module that calls have to do with, and how it is written with more functions and tables.

use std::collections::BTreeMap;
use std::ops::Range;
use wasmparser::{
    BinaryReaderError, ConstExpr, Element, ElementItems, ElementKind, ExternalKind, FuncType,
    KnownCustom, Name, Operator, Parser, Payload, TypeRef,
};

/// Numbers of sections.
const FUNCTIONS: u8 = 3;
const TABLES: u8 = 4;
const ELEMENTS: u8 = 9;
const CODE: u8 = 10;

/// A module, as far as it matters here.
#[derive(Default)]
pub(super) struct Module {
    pub(super) types: Vec<FuncType>,
    /// Type of every function, imported ones first.
    pub(super) functions: Vec<u32>,
    pub(super) names: BTreeMap<u32, String>,
    pub(super) exported_functions: BTreeMap<String, u32>,
    exported_globals: BTreeMap<String, u32>,
    globals: Vec<Option<u32>>,
    n_tables: u32,
    /// The table's functions by their place in it; there is one table, and one segment fills it.
    pub(super) elements: BTreeMap<u32, u32>,
    n_segments: u32,
    pub(super) calls: Vec<Call>,
    sections: Vec<(u8, Range<usize>)>,
}

/// A call in the code.
pub(super) struct Call {
    pub(super) target: Target,
    /// Where the number of the function, or that of the table, is written.
    pub(super) number: Range<usize>,
}

/// What is called.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Target {
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

impl Module {
    pub(super) fn read(wasm: &[u8]) -> Result<Module, BinaryReaderError> {
        let mut module = Module::default();
        for payload in Parser::new(0).parse_all(wasm) {
            let payload = payload?;
            if let Some((id, range)) = payload.as_section() {
                module.sections.push((id, range.start as usize..range.end as usize));
            }
            module.add(wasm, payload)?;
        }
        Ok(module)
    }

    /// The type of a function.
    pub(super) fn type_of(&self, function: u32) -> &FuncType {
        &self.types[self.functions[function as usize] as usize]
    }

    /// The value of an exported constant.
    pub(super) fn constant(&self, name: &str) -> Option<u32> {
        *self.globals.get(*self.exported_globals.get(name)? as usize)?
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "the other sections stay as they are")]
    fn add(&mut self, wasm: &[u8], payload: Payload<'_>) -> Result<(), BinaryReaderError> {
        match payload {
            Payload::TypeSection(types) => {
                self.types = types.into_iter_err_on_gc_types().collect::<Result<_, _>>()?;
            }
            Payload::ImportSection(imports) => {
                for import in imports.into_imports() {
                    match import?.ty {
                        TypeRef::Func(ty) | TypeRef::FuncExact(ty) => self.functions.push(ty),
                        TypeRef::Global(_) => self.globals.push(None),
                        TypeRef::Table(_) => self.n_tables += 1,
                        TypeRef::Memory(_) | TypeRef::Tag(_) => {}
                    }
                }
            }
            Payload::FunctionSection(functions) => {
                let types: Vec<u32> = functions.into_iter().collect::<Result<_, _>>()?;
                self.functions.extend(types);
            }
            Payload::TableSection(tables) => self.n_tables += tables.count(),
            Payload::GlobalSection(globals) => {
                for global in globals {
                    self.globals.push(number_of(&global?.init_expr));
                }
            }
            Payload::ExportSection(exports) => {
                for export in exports {
                    let export = export?;
                    let name = export.name.to_owned();
                    match export.kind {
                        ExternalKind::Func => self.exported_functions.insert(name, export.index),
                        ExternalKind::Global => self.exported_globals.insert(name, export.index),
                        _ => None,
                    };
                }
            }
            Payload::ElementSection(elements) => {
                self.n_segments = elements.count();
                for element in elements {
                    self.add_element(element?)?;
                }
            }
            Payload::CodeSectionEntry(body) => {
                for operator in body.get_operators_reader()?.into_iter_with_offsets() {
                    let (operator, offset) = operator?;
                    self.calls.extend(call(wasm, &operator, offset as usize));
                }
            }
            Payload::CustomSection(section) => {
                if let KnownCustom::Name(names) = section.as_known() {
                    for name in names.into_iter().flatten() {
                        if let Name::Function(names) = name {
                            let names = names.into_iter().flatten();
                            self.names.extend(names.map(|n| (n.index, n.name.to_owned())));
                        }
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn add_element(&mut self, element: Element<'_>) -> Result<(), BinaryReaderError> {
        let (ElementKind::Active { offset_expr, .. }, ElementItems::Functions(functions)) =
            (&element.kind, element.items)
        else {
            return Ok(());
        };
        let start = number_of(offset_expr).unwrap_or(0);
        for (i, function) in functions.into_iter().enumerate() {
            self.elements.insert(start + i as u32, function?);
        }
        Ok(())
    }

    /// Whether there is one table, filled by one segment.
    pub(super) fn has_plain_table(&self) -> bool {
        self.n_tables == 1 && self.n_segments == 1 && !self.elements.is_empty()
    }

    /// Writes the module with additions; `None` if they do not fit in.
    pub(super) fn write(&self, wasm: &[u8], additions: &Additions) -> Option<Vec<u8>> {
        let mut wasm = wasm.to_vec();
        for (place, number) in &additions.numbers {
            let padded = padded(*number, place.len())?;
            wasm[place.clone()].copy_from_slice(&padded);
        }
        let mut out = wasm[..8].to_vec();
        for (id, range) in &self.sections {
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
                ELEMENTS if self.has_plain_table() => self.segments(additions),
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
        // `i32.const first`, whose number is signed.
        let start = [&[0x41][..], &signed_leb(first), &[0x0b]].concat();
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

/// The call that an operator is.
#[expect(clippy::wildcard_enum_match_arm, reason = "only calls are of interest")]
fn call(wasm: &[u8], operator: &Operator<'_>, offset: usize) -> Option<Call> {
    let number_at = |start: usize| {
        let (_, length) = read_leb(wasm.get(start..)?)?;
        Some(start..start + length)
    };
    let (target, number) = match *operator {
        Operator::Call { function_index } => {
            (Target::Function(function_index), number_at(offset + 1)?)
        }
        Operator::CallIndirect { type_index, table_index: 0 } => {
            (Target::Table(type_index), number_at(number_at(offset + 1)?.end)?)
        }
        _ => return None,
    };
    Some(Call { target, number })
}

/// The value of an initializer that is one `i32.const`.
fn number_of(init: &ConstExpr<'_>) -> Option<u32> {
    let mut operators = init.get_operators_reader();
    match (operators.read().ok()?, operators.read().ok()?) {
        (Operator::I32Const { value }, Operator::End) => Some(value as u32),
        _ => None,
    }
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
