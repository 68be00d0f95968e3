//! Which arguments of a C function a run notes.

use super::abi;
use crate::declaration::unqualified;
use crate::fill::Fill;
use crate::noted::{NotedKind, NotedParam};
use crate::program::Param;
use crate::shape::scalar_kind;
use crate::types::{TypeId, TypeKind, Types};

/// What is noted of a function's arguments, if its calls are. A function that is given nothing and only returns something is
/// an input: how often it is asked is the program's affair. A buffer that `fills` write has no text yet.
pub(crate) fn noted(
    types: &Types,
    params: &[Param],
    result: Option<TypeId>,
    fills: &[Fill],
) -> Option<Vec<NotedParam>> {
    let arguments = abi::arguments(types, params, result)?;
    let noted = |param: usize| {
        let argument = arguments[param]?;
        let is_filled = fills.iter().any(|fill| fill.param == param);
        let kind = match types.get(params[param].ty).kind {
            TypeKind::Pointer { .. } if is_filled => {
                NotedKind::Pointer { is_text: false, length: None }
            }
            TypeKind::Pointer { to, .. } => NotedKind::Pointer {
                is_text: is_plain_char(types, to),
                length: length_of(types, params, &arguments, param)
                    .filter(|_| has_bytes(types, to)),
            },
            TypeKind::Bool | TypeKind::Int { .. } | TypeKind::Float | TypeKind::Enum { .. } => {
                NotedKind::Number(scalar_kind(types, params[param].ty)?)
            }
            TypeKind::Void
            | TypeKind::Struct { .. }
            | TypeKind::Union { .. }
            | TypeKind::Array { .. }
            | TypeKind::Function
            | TypeKind::Unsupported { .. } => return None,
        };
        Some(NotedParam { param, argument, kind })
    };
    let noted: Vec<NotedParam> = (0..params.len()).filter_map(noted).collect();
    (!noted.is_empty() || result.is_none()).then_some(noted)
}

/// Whether it is `char`, of which texts are made.
fn is_plain_char(types: &Types, ty: TypeId) -> bool {
    let ty = types.get(ty);
    let is_char = matches!(ty.kind, TypeKind::Int { is_char: true, .. });
    is_char && unqualified(&ty.name) == "char"
}

/// Whether a pointer to it and a number may stand for any bytes.
fn has_bytes(types: &Types, ty: TypeId) -> bool {
    matches!(types.get(ty).kind, TypeKind::Void | TypeKind::Int { is_char: true, .. })
}

/// The number behind a pointer, which says how much it points to.
fn length_of(
    types: &Types,
    params: &[Param],
    arguments: &[Option<usize>],
    pointer: usize,
) -> Option<usize> {
    let ty = types.get(params.get(pointer + 1)?.ty);
    let is_number = matches!(ty.kind, TypeKind::Int { is_char: false, .. });
    arguments[pointer + 1].filter(|_| is_number)
}
