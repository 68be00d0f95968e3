//! What a returned pointer points to, and objects that calls have made, as expressions of a test.

use crate::objects::{Objects, Place};
use symcrete_program::shape::ResultSlot;
use symcrete_program::types::{TypeId, TypeKind, Types};
use symcrete_program::{Change, Shape};

/// The result's name in what was seen.
const RESULT: &str = "result";

/// The same objects, with what is behind the result, and behind objects that calls have made, among the places that a test can name.
pub(super) fn with_results(
    types: &Types,
    shape: &Shape,
    objects: &Objects,
    changes: &[Change],
) -> Objects {
    let mut objects = objects.clone();
    let mut roots = objects.made.clone();
    if let ResultSlot::Direct(ty) = shape.result {
        roots.insert(RESULT.to_owned(), (objects.result.clone(), ty));
    }
    for change in changes {
        if objects.places.contains_key(&change.name) {
            continue;
        }
        let found = roots.iter().find_map(|(root, (pointer, ty))| {
            let path = change.name.strip_prefix(root.as_str())?;
            let is_behind = path.starts_with("->") || path.starts_with('[');
            let ty = type_at(types, *ty, path).filter(|_| is_behind)?;
            Some((expression(pointer, path), ty))
        });
        if let Some((expression, ty)) = found {
            objects.places.insert(change.name.clone(), Place { expression, ty, bits: None });
            objects.behind.insert(change.name.clone());
        }
    }
    objects
}

/// What a path such as `->next` leads to from a pointer, which may be the address of a variable.
fn expression(pointer: &str, path: &str) -> String {
    match (pointer.strip_prefix('&'), path.strip_prefix("->")) {
        (Some(variable), Some(member)) => format!("{variable}.{member}"),
        (Some(_), None) => format!("({pointer}){path}"),
        (None, _) => format!("{pointer}{path}"),
    }
}

/// The type of what a path such as `->next->values[2]` leads to.
fn type_at(types: &Types, start: TypeId, path: &str) -> Option<TypeId> {
    let mut ty = start;
    let mut path = path;
    while !path.is_empty() {
        let end = |text: &str| text.find(['-', '.', '[']).unwrap_or(text.len());
        if let Some(rest) = path.strip_prefix("->") {
            let (name, rest) = rest.split_at(end(rest));
            ty = member(types, types.get(ty).kind.pointee()?.0, name)?;
            path = rest;
        } else if let Some(rest) = path.strip_prefix('.') {
            let (name, rest) = rest.split_at(end(rest));
            ty = member(types, ty, name)?;
            path = rest;
        } else {
            let (_, rest) = path.strip_prefix('[')?.split_once(']')?;
            ty = match types.get(ty).kind {
                TypeKind::Array { element, .. } => element,
                TypeKind::Pointer { to, .. } => to,
                TypeKind::Void
                | TypeKind::Bool
                | TypeKind::Int { .. }
                | TypeKind::Float
                | TypeKind::Enum { .. }
                | TypeKind::Struct { .. }
                | TypeKind::Union { .. }
                | TypeKind::Function
                | TypeKind::Unsupported { .. } => return None,
            };
            path = rest;
        }
    }
    Some(ty)
}

/// The type of a member, those of unnamed structures among them.
fn member(types: &Types, ty: TypeId, name: &str) -> Option<TypeId> {
    let TypeKind::Struct { fields } = &types.get(ty).kind else { return None };
    let inner = |ty: TypeId| member(types, ty, name);
    let named = fields.iter().find(|field| field.name == name).map(|field| field.ty);
    named.or_else(|| {
        fields.iter().filter(|field| field.name.is_empty()).find_map(|field| inner(field.ty))
    })
}
