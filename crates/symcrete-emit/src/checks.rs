//! What a test asserts: the observed result and what changed in memory.

mod behind;

use crate::literal::{self, is_plain_char};
use crate::objects::{Object, Objects};
use crate::stubs::has_word;
use behind::with_results;
use symcrete_program::declaration::unqualified;
use symcrete_program::image::CellKind;
use symcrete_program::nan::is_nan;
use symcrete_program::shape::{ResultSlot, number, scalar_kind};
use symcrete_program::types::{TypeId, TypeKind, Types};
use symcrete_program::{Change, Outcome, Shape, TestCase};

/// One assertion.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Check {
    /// An expression that is true.
    Holds(String),
    /// Two `double`s of the same bits.
    Double(String, String),
    /// Two `float`s of the same bits.
    Float(String, String),
    /// A floating-point number that is none.
    Nan(String),
}

/// The assertions of a test, in the order in which people look at them.
pub(crate) fn checks(
    types: &Types,
    shape: &Shape,
    objects: &Objects,
    test: &TestCase,
) -> Vec<Check> {
    let mut checks = Vec::new();
    if let (Outcome::Returned(results), ResultSlot::Direct(ty)) = (&test.outcome, &shape.result)
        && let Some(result) = results.first()
    {
        checks.push(direct(types, *ty, &objects.result, result.bits(), objects));
    }
    let objects = &with_results(types, shape, objects, &test.changes);
    let mut changes = &test.changes[..];
    while let Some((first, rest)) = changes.split_first() {
        let bytes = text_change(types, objects, changes);
        if bytes.len() >= TEXT_MIN || is_string(objects, first, &bytes) {
            checks.extend(text_check(objects, first, &bytes));
            changes = &changes[bytes.len()..];
        } else {
            checks.extend(changed(types, objects, first));
            changes = rest;
        }
    }
    checks
}

/// So many characters that changed side by side are compared as a text.
const TEXT_MIN: usize = 3;

/// Whether characters are a whole string behind the result, or in an object that calls have made.
fn is_string(objects: &Objects, first: &Change, bytes: &[u8]) -> bool {
    let is_whole = bytes.iter().position(|&byte| byte == 0) == bytes.len().checked_sub(1);
    let is_behind = objects.behind.contains(&first.name);
    is_behind && first.name.ends_with("[0]") && is_whole && !bytes.is_empty()
}

/// The characters that changed side by side, from the first change on.
fn text_change(types: &Types, objects: &Objects, changes: &[Change]) -> Vec<u8> {
    let element = |change: &Change| {
        let place = objects.places.get(&change.name)?;
        let is_text = is_plain_char(&types.get(place.ty).name) && place.bits.is_none();
        let (array, index) = place.expression.strip_suffix(']')?.rsplit_once('[')?;
        is_text.then_some((array, index.parse::<usize>().ok()?))
    };
    let Some((array, start)) = changes.first().and_then(element) else { return Vec::new() };
    let side_by_side = changes
        .iter()
        .enumerate()
        .take_while(|(i, change)| element(change) == Some((array, start + i)));
    side_by_side.map(|(_, change)| change.bits as u8).collect()
}

fn text_check(objects: &Objects, first: &Change, bytes: &[u8]) -> Option<Check> {
    let place = &objects.places.get(&first.name)?.expression;
    let start = match place.strip_suffix("[0]") {
        Some(array) => array.to_string(),
        None => format!("&{place}"),
    };
    if is_string(objects, first, bytes) {
        let text = literal::string(&bytes[..bytes.len() - 1]);
        return Some(Check::Holds(format!("strcmp({start}, {text}) == 0")));
    }
    let text = literal::string(bytes);
    Some(Check::Holds(format!("memcmp({start}, {text}, {}) == 0", bytes.len())))
}

/// Whether anything asserts what is returned.
pub(crate) fn uses_result(checks: &[Check], result: &str) -> bool {
    checks.iter().any(|check| match check {
        Check::Holds(text) | Check::Double(text, _) | Check::Float(text, _) | Check::Nan(text) => {
            has_word(text, result)
        }
    })
}

fn changed(types: &Types, objects: &Objects, change: &Change) -> Option<Check> {
    let place = objects.places.get(&change.name)?;
    let is_of_input = |object: &Object| object.contains(change.bits as u32);
    let is_behind = objects.behind.contains(&change.name);
    if is_behind
        && types.get(place.ty).kind.pointee().is_some()
        && !objects.objects.iter().any(is_of_input)
    {
        // Where something lies is another matter on every machine.
        let is = if change.bits == 0 { "==" } else { "!=" };
        return Some(Check::Holds(format!("{} {is} NULL", place.expression)));
    }
    if let TypeKind::Pointer { to, .. } = types.get(place.ty).kind {
        return Some(Check::Holds(pointer(
            types,
            to,
            &place.expression,
            change.bits as u32,
            objects,
        )));
    }
    let Some((width, signed)) = place.bits else {
        return Some(scalar(types, place.ty, change.kind, &place.expression, change.bits));
    };
    let value = number(CellKind::Int { bits: width, signed }, change.bits);
    let expected = literal::of_type(types, place.ty, i128::from(value));
    Some(Check::Holds(format!("{} == {expected}", place.expression)))
}

fn scalar(types: &Types, ty: TypeId, kind: CellKind, place: &str, bits: u64) -> Check {
    let expected = literal::cell(types, ty, kind, bits);
    let place = place.to_string();
    match kind {
        CellKind::F32 | CellKind::F64 if is_nan(kind, bits) => Check::Nan(place),
        CellKind::F32 => Check::Float(place, expected),
        CellKind::F64 => Check::Double(place, expected),
        CellKind::Bool | CellKind::Int { .. } => Check::Holds(format!("{place} == {expected}")),
    }
}

/// A result that is one WebAssembly value.
fn direct(types: &Types, ty: TypeId, place: &str, bits: u64, objects: &Objects) -> Check {
    match &types.get(ty).kind {
        TypeKind::Pointer { to, .. } => {
            Check::Holds(pointer(types, *to, place, bits as u32, objects))
        }
        // The structure is that of its one scalar.
        TypeKind::Struct { fields } | TypeKind::Union { fields } => {
            let field = fields.iter().find(|field| types.get(field.ty).size > 0);
            match field {
                Some(field) if field.name.is_empty() => {
                    direct(types, field.ty, place, bits, objects)
                }
                Some(field) => {
                    direct(types, field.ty, &format!("{place}.{}", field.name), bits, objects)
                }
                None => Check::Holds("1".into()),
            }
        }
        TypeKind::Array { element, .. } => {
            direct(types, *element, &format!("{place}[0]"), bits, objects)
        }
        TypeKind::Void
        | TypeKind::Bool
        | TypeKind::Int { .. }
        | TypeKind::Float
        | TypeKind::Enum { .. }
        | TypeKind::Function
        | TypeKind::Unsupported { .. } => {
            let kind = scalar_kind(types, ty).unwrap_or(CellKind::Int { bits: 32, signed: true });
            // WebAssembly returns narrow integers in 32 bits.
            let mask = u64::MAX >> (64 - 8 * kind.size());
            scalar(types, ty, kind, place, bits & mask)
        }
    }
}

/// A pointer is compared with null or with the object that it points into; otherwise only that it is there.
fn pointer(types: &Types, to: TypeId, place: &str, address: u32, objects: &Objects) -> String {
    if address == 0 {
        return format!("{place} == NULL");
    }
    // One past the end still belongs to an object, unless another one begins there.
    let inside = objects.objects.iter().find(|object| object.contains(address));
    let past = || objects.objects.iter().find(|object| object.address + object.size == address);
    match inside.or_else(past) {
        Some(object) if (address - object.address).is_multiple_of(object.stride) => {
            let expected = match (address - object.address) / object.stride {
                0 => object.pointer.clone(),
                n => format!("{} + {n}", object.pointer),
            };
            let name = |ty| unqualified(&types.get(ty).name);
            match name(to) == name(object.element) {
                true => format!("{place} == {expected}"),
                false => format!("{place} == (void *)({expected})"),
            }
        }
        Some(_) | None => format!("{place} != NULL"),
    }
}
