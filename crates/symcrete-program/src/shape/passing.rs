//! How C values travel in WebAssembly calls.
//!
//! Scalars travel as they are. A structure with one scalar in it travels as that scalar, an empty one not
//! at all, and any other as the address of a copy (the C calling convention of clang's `wasm32`).

use crate::types::{Type, TypeId, TypeKind, Types};

/// How a value reaches a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Passing {
    /// As one WebAssembly value.
    Direct,
    /// Its address is passed; for a global variable, it lies there.
    Memory(u32),
    /// Not at all: an empty structure.
    Nothing,
}

/// The class of a type: what a call does with a value of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Class {
    Direct,
    Memory,
    Nothing,
}

/// How values of a type travel.
pub(super) fn class(types: &Types, id: TypeId) -> Class {
    let ty = types.get(id);
    match &ty.kind {
        TypeKind::Struct { .. } | TypeKind::Union { .. } if ty.size == 0 => Class::Nothing,
        TypeKind::Struct { .. } | TypeKind::Union { .. } => match only_scalar(types, ty) {
            Some(_) => Class::Direct,
            None => Class::Memory,
        },
        TypeKind::Array { .. } => Class::Memory,
        TypeKind::Void
        | TypeKind::Bool
        | TypeKind::Int { .. }
        | TypeKind::Float
        | TypeKind::Enum { .. }
        | TypeKind::Pointer { .. }
        | TypeKind::Function
        | TypeKind::Unsupported { .. } => Class::Direct,
    }
}

/// The one scalar that a structure consists of.
fn only_scalar(types: &Types, ty: &Type) -> Option<TypeId> {
    let (TypeKind::Struct { fields } | TypeKind::Union { fields }) = &ty.kind else { return None };
    let mut found = None;
    for field in fields {
        let mut id = field.ty;
        while let TypeKind::Array { element, length: 1 } = types.get(id).kind {
            id = element;
        }
        let inner = types.get(id);
        let scalar = match &inner.kind {
            TypeKind::Struct { .. } | TypeKind::Union { .. } if inner.size == 0 => continue,
            TypeKind::Struct { .. } | TypeKind::Union { .. } => only_scalar(types, inner)?,
            TypeKind::Array { .. } => return None,
            TypeKind::Void
            | TypeKind::Bool
            | TypeKind::Int { .. }
            | TypeKind::Float
            | TypeKind::Enum { .. }
            | TypeKind::Pointer { .. }
            | TypeKind::Function
            | TypeKind::Unsupported { .. } => id,
        };
        if found.is_some() {
            return None;
        }
        found = Some(scalar);
    }
    // Padding makes it an aggregate again.
    found.filter(|&id| types.get(id).size == ty.size)
}
