//! Initialisers from bytes as they lay in WebAssembly's memory.

use crate::layout::{braces, is_zero};
use crate::literal;
use symcrete_program::image::CellKind;
use symcrete_program::shape::{number, scalar_kind};
use symcrete_program::types::{Field, TypeId, TypeKind, Types};

/// The initialiser of an object of this type whose bytes were these. Its pointers are null: what they pointed
/// to is not known.
pub(crate) fn initial(types: &Types, ty: TypeId, bytes: &[u8]) -> String {
    let found = types.get(ty);
    match &found.kind {
        TypeKind::Struct { fields } => record(types, ty, fields, bytes),
        TypeKind::Union { fields } => {
            let largest = fields.iter().rev().max_by_key(|field| types.get(field.ty).size);
            record(types, ty, &Vec::from_iter(largest.cloned()), bytes)
        }
        TypeKind::Array { element, length } => {
            let stride = types.get(*element).size as usize;
            let part = |i: usize| bytes.get(i * stride..).unwrap_or_default();
            let items = (0..*length as usize).map(|i| initial(types, *element, part(i)));
            let items: Vec<String> = items.collect();
            match items.iter().all(|item| is_zero(item)) {
                true => zero(types, ty).into(),
                false => braces(&items),
            }
        }
        TypeKind::Pointer { .. } | TypeKind::Function => "NULL".into(),
        TypeKind::Void
        | TypeKind::Bool
        | TypeKind::Int { .. }
        | TypeKind::Float
        | TypeKind::Enum { .. }
        | TypeKind::Unsupported { .. } => {
            let kind = scalar_kind(types, ty).unwrap_or(CellKind::BYTE);
            literal::cell(types, ty, kind, little_endian(bytes, kind.size()))
        }
    }
}

/// The initialiser of an array or structure of zeros. Where there is nothing in what comes first, a zero would be too much.
pub(crate) fn zero(types: &Types, ty: TypeId) -> &'static str {
    if starts_empty(types, ty) { "{}" } else { "{0}" }
}

fn starts_empty(types: &Types, ty: TypeId) -> bool {
    let found = types.get(ty);
    match &found.kind {
        _ if found.size == 0 => true,
        TypeKind::Struct { fields } | TypeKind::Union { fields } => {
            fields.first().is_none_or(|first| starts_empty(types, first.ty))
        }
        TypeKind::Array { element, .. } => starts_empty(types, *element),
        TypeKind::Void
        | TypeKind::Bool
        | TypeKind::Int { .. }
        | TypeKind::Float
        | TypeKind::Enum { .. }
        | TypeKind::Pointer { .. }
        | TypeKind::Function
        | TypeKind::Unsupported { .. } => false,
    }
}

fn record(types: &Types, ty: TypeId, fields: &[Field], bytes: &[u8]) -> String {
    let mut items = Vec::new();
    for field in fields.iter().filter(|field| !field.name.is_empty()) {
        let part = bytes.get(field.offset as usize..).unwrap_or_default();
        let value = match field.bits {
            None if types.get(field.ty).size == 0 => continue,
            None => initial(types, field.ty, part),
            Some((_, 0)) => continue,
            Some((low, width)) => {
                let signed = match types.get(field.ty).kind {
                    TypeKind::Int { signed, .. } | TypeKind::Enum { signed, .. } => signed,
                    TypeKind::Void
                    | TypeKind::Bool
                    | TypeKind::Float
                    | TypeKind::Struct { .. }
                    | TypeKind::Union { .. }
                    | TypeKind::Array { .. }
                    | TypeKind::Pointer { .. }
                    | TypeKind::Function
                    | TypeKind::Unsupported { .. } => false,
                };
                let bits = little_endian(part, 8) >> low & (u64::MAX >> (64 - width));
                let value = number(CellKind::Int { bits: width as u8, signed }, bits);
                literal::of_type(types, field.ty, i128::from(value))
            }
        };
        if !is_zero(&value) {
            items.push(format!(".{} = {value}", field.name));
        }
    }
    if items.is_empty() { zero(types, ty).into() } else { braces(&items) }
}

fn little_endian(bytes: &[u8], size: u32) -> u64 {
    let bytes = &bytes[..bytes.len().min(size as usize)];
    bytes.iter().rev().fold(0, |bits, &byte| bits << 8 | u64::from(byte))
}
