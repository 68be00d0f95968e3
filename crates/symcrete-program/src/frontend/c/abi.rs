//! How C values travel in WebAssembly calls: the calling convention of clang for `wasm32`.
//!
//! Scalars travel as they are. A structure or union with one scalar in it travels as that scalar, an empty one not at all,
//! and any other as the address of a copy. What is wider than 64 bits is two arguments, and is returned in memory.

use crate::frontend::language::{CallbackType, Class, StubResult};
use crate::module::{FunctionType, ValueType};
use crate::program::{Param, Undefined};
use crate::shape::scalar_kind;
use crate::types::{Field, Passed, Signature, TypeId, TypeKind, Types};

/// How a stub returns a value of a type.
pub fn stub_result(types: &Types, id: TypeId) -> StubResult {
    let value =
        |scalar| scalar_kind(types, scalar).map_or(StubResult::Impossible, StubResult::Value);
    if let TypeKind::Pointer { to, .. } = types.get(id).kind {
        return StubResult::Pointer { size: types.get(to).size.max(1) };
    }
    match class(types, id) {
        Some(Class::Nothing) => StubResult::Nothing,
        Some(Class::Direct(scalar)) => value(scalar),
        // One with pointers in it cannot be made of bytes.
        Some(Class::Memory) if !types.has_pointers(id) => {
            StubResult::Memory { size: types.get(id).size }
        }
        Some(Class::Memory | Class::Wide) | None => StubResult::Impossible,
    }
}

/// A function of a type that stands for a callback; `None` if we cannot make one, or C has no words for its type.
pub fn callback(types: &Types, function: TypeId) -> Option<CallbackType> {
    let Signature { params, result, is_variadic } = types.signature(function)?;
    if !params.iter().chain(result).all(|&ty| is_speakable(types, ty)) {
        return None;
    }
    let to_function = |ty: TypeId| matches!(types.get(ty).kind, TypeKind::Pointer { to, .. } if types.get(to).kind == TypeKind::Function);
    let returned = result.map_or(StubResult::Nothing, |ty| stub_result(types, ty));
    if returned == StubResult::Impossible || result.is_some_and(to_function) {
        return None;
    }
    let named = |&ty: &TypeId| Param { name: String::new(), ty };
    let params: Vec<Param> = params.iter().map(named).collect();
    let machine = signature(types, &params, *result, *is_variadic)?;
    Some(CallbackType { machine, result: returned })
}

/// Whether a declaration can spell a type: one without a name can only be spelled where it is declared.
fn is_speakable(types: &Types, id: TypeId) -> bool {
    let ty = types.get(id);
    let words: Vec<&str> =
        ty.name.split_inclusive([' ', '*', '(', ')', ',', '[']).map(str::trim_end).collect();
    let is_keyword = |word: &str| matches!(word, "struct" | "union" | "enum");
    let is_name = |word: Option<&&str>| {
        word.is_some_and(|word| word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_'))
    };
    let is_unnamed = (0..words.len()).any(|i| is_keyword(words[i]) && !is_name(words.get(i + 1)));
    let is_nested = ty.name.contains("(**") || ty.name.matches("(*").count() > 1;
    let is_known = !matches!(ty.kind, TypeKind::Unsupported { .. });
    is_known && !is_unnamed && !is_nested && !ty.name.is_empty()
}

/// The type that a declaration gives a function, if the module has another.
pub fn contradiction(types: &Types, undefined: &Undefined) -> Option<FunctionType> {
    let Undefined { params, result, is_variadic, has_prototype, machine, .. } = undefined;
    let expected = signature(types, params, *result, *is_variadic)?;
    let is_same = match has_prototype {
        true => expected == *machine,
        // Only modules that were not compiled from C have functions with several results.
        false => machine.results.len() > 1 || expected.results == machine.results,
    };
    (!is_same).then_some(expected)
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
) -> Option<FunctionType> {
    let (mut signature, pointer) = (FunctionType::default(), types.address.ty());
    match result.map_or(Some(Class::Nothing), |ty| class(types, ty))? {
        Class::Direct(scalar) => signature.results.push(machine(types, scalar)),
        Class::Wide | Class::Memory => signature.params.push(pointer),
        Class::Nothing => {}
    }
    for param in params {
        match class(types, param.ty)? {
            Class::Direct(scalar) => signature.params.push(machine(types, scalar)),
            Class::Wide => signature.params.extend([ValueType::I64; 2]),
            Class::Memory => signature.params.push(pointer),
            Class::Nothing => {}
        }
    }
    // Arguments beyond the declared ones lie in memory.
    signature.params.extend(is_variadic.then_some(pointer));
    Some(signature)
}

/// For each parameter the argument of the machine that it travels as, if it is one; `None` if a type travels in a way that
/// is not known.
pub fn arguments(
    types: &Types,
    params: &[Param],
    result: Option<TypeId>,
) -> Option<Vec<Option<usize>>> {
    let mut next = match result.map_or(Some(Class::Nothing), |ty| class(types, ty))? {
        Class::Wide | Class::Memory => 1,
        Class::Direct(_) | Class::Nothing => 0,
    };
    let argument = |param: &Param| {
        let (at, n) = match class(types, param.ty)? {
            Class::Direct(_) => (Some(next), 1),
            Class::Wide => (None, 2),
            Class::Memory => (None, 1),
            Class::Nothing => (None, 0),
        };
        next += n;
        Some(at)
    };
    params.iter().map(argument).collect()
}

/// The machine's type of a scalar.
fn machine(types: &Types, scalar: TypeId) -> ValueType {
    let ty = types.get(scalar);
    match (&ty.kind, ty.size) {
        (TypeKind::Float, 8) => ValueType::F64,
        (TypeKind::Float, _) => ValueType::F32,
        (_, 8) => ValueType::I64,
        (_, _) => ValueType::I32,
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
