//! How C values travel in WebAssembly calls: the calling convention of clang for `wasm32`.
//!
//! Scalars travel as they are. A structure or union with one scalar in it travels as that scalar, an empty one not at all,
//! and any other as the address of a copy. What is wider than 64 bits is two arguments, and is returned in memory.

use crate::program::Param;
use crate::types::{Field, Passed, TypeId, TypeKind, Types};
use std::fmt;

/// What a call does with a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    /// It is one value of the machine, that of this scalar type.
    Direct(TypeId),
    /// It is two arguments of 64 bits, or a result in memory.
    Wide,
    /// Its address is passed.
    Memory,
    /// It does not travel: there is nothing in it.
    Nothing,
}

/// A type of WebAssembly's numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Machine {
    /// `i32`
    I32,
    /// `i64`
    I64,
    /// `f32`
    F32,
    /// `f64`
    F64,
}

/// The type of a WebAssembly function.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Signature {
    /// Its parameters.
    pub params: Vec<Machine>,
    /// Its results.
    pub results: Vec<Machine>,
}

/// What a call does with a value of a type; `None` if that is not known.
pub fn class(types: &Types, id: TypeId) -> Option<Class> {
    let ty = types.get(id);
    Some(match &ty.kind {
        TypeKind::Struct { .. } | TypeKind::Union { .. } if is_empty(types, id) => Class::Nothing,
        TypeKind::Struct { .. } | TypeKind::Union { .. } => match only_scalar(types, id) {
            Some(scalar) => class(types, scalar)?,
            None => Class::Memory,
        },
        TypeKind::Array { .. } => Class::Memory,
        TypeKind::Void => Class::Nothing,
        TypeKind::Bool
        | TypeKind::Int { .. }
        | TypeKind::Float
        | TypeKind::Enum { .. }
        | TypeKind::Pointer { .. }
        | TypeKind::Function => Class::Direct(id),
        TypeKind::Unsupported { passed: Passed::Wide, .. } => Class::Wide,
        TypeKind::Unsupported { passed: Passed::Memory, .. } => Class::Memory,
        TypeKind::Unsupported { passed: Passed::Unknown, .. } => return None,
    })
}

/// The type of a function in WebAssembly; `None` if a type travels in a way that is not known.
pub fn signature(
    types: &Types,
    params: &[Param],
    result: Option<TypeId>,
    is_variadic: bool,
) -> Option<Signature> {
    let mut signature = Signature::default();
    match result.map_or(Some(Class::Nothing), |ty| class(types, ty))? {
        Class::Direct(scalar) => signature.results.push(machine(types, scalar)),
        Class::Wide | Class::Memory => signature.params.push(Machine::I32),
        Class::Nothing => {}
    }
    for param in params {
        match class(types, param.ty)? {
            Class::Direct(scalar) => signature.params.push(machine(types, scalar)),
            Class::Wide => signature.params.extend([Machine::I64; 2]),
            Class::Memory => signature.params.push(Machine::I32),
            Class::Nothing => {}
        }
    }
    // Arguments beyond the declared ones lie in memory.
    signature.params.extend(is_variadic.then_some(Machine::I32));
    Some(signature)
}

/// The machine's type of a scalar.
fn machine(types: &Types, scalar: TypeId) -> Machine {
    let ty = types.get(scalar);
    match (&ty.kind, ty.size) {
        (TypeKind::Float, 8) => Machine::F64,
        (TypeKind::Float, _) => Machine::F32,
        (_, 8) => Machine::I64,
        (_, _) => Machine::I32,
    }
}

/// The one scalar that a structure or union consists of.
fn only_scalar(types: &Types, id: TypeId) -> Option<TypeId> {
    let ty = types.get(id);
    let fields = members(types, id)?;
    let is_flexible = |field: &Field| types.is_flexible(field.ty);
    if fields.iter().any(is_flexible) {
        return None;
    }
    let mut found = None;
    for field in fields.iter().filter(|field| !is_empty(types, field.ty)) {
        let mut id = field.ty;
        while let TypeKind::Array { element, length: 1 } = types.get(id).kind {
            id = element;
        }
        let scalar = match class(types, id)? {
            Class::Direct(_) | Class::Wide if members(types, id).is_none() => id,
            Class::Direct(_) | Class::Wide => only_scalar(types, id)?,
            Class::Memory | Class::Nothing => return None,
        };
        if found.replace(scalar).is_some() {
            return None;
        }
    }
    // Padding makes it an aggregate again.
    found.filter(|&scalar| types.get(scalar).size == ty.size)
}

/// Whether there is nothing in a structure or union, whatever room it takes.
fn is_empty(types: &Types, id: TypeId) -> bool {
    match &types.get(id).kind {
        TypeKind::Struct { fields } | TypeKind::Union { fields } => {
            fields.iter().all(|field| !types.is_flexible(field.ty) && is_empty(types, field.ty))
        }
        TypeKind::Array { element, length } => {
            *length == 0 && !types.is_flexible(id) || is_empty(types, *element)
        }
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

/// The members of a structure or union.
fn members(types: &Types, id: TypeId) -> Option<&[Field]> {
    match &types.get(id).kind {
        TypeKind::Struct { fields } | TypeKind::Union { fields } => Some(fields),
        TypeKind::Void
        | TypeKind::Bool
        | TypeKind::Int { .. }
        | TypeKind::Float
        | TypeKind::Enum { .. }
        | TypeKind::Array { .. }
        | TypeKind::Pointer { .. }
        | TypeKind::Function
        | TypeKind::Unsupported { .. } => None,
    }
}

impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Machine::I32 => "i32",
            Machine::I64 => "i64",
            Machine::F32 => "f32",
            Machine::F64 => "f64",
        })
    }
}

/// As WebAssembly's text has it: `(i32, f64) -> i32`.
impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list =
            |types: &[Machine]| types.iter().map(Machine::to_string).collect::<Vec<_>>().join(", ");
        write!(f, "({})", list(&self.params))?;
        match &self.results[..] {
            [] => Ok(()),
            [result] => write!(f, " -> {result}"),
            several => write!(f, " -> ({})", list(several)),
        }
    }
}
