//! Which pointer ends the array of another one: `(const char *begin, const char *end)`.
//!
//! C does not say, so it is read from names: the second is called `end` or the like, alone or with the first's name
//! (`src`, `src_end`), and both point to the same type. The first may also be what a pointer points to, as in
//! `(const char **cursor, const char *end)`.

use super::ties::words;
use super::{End, Leaf, Pointer};
use crate::image::{Cell, CellKind, Symbol};
use crate::input::Input;
use crate::program::Param;
use crate::types::{Field, TypeId, TypeKind, Types};
use symcrete_term::Value;

/// Where the array is that a pointer ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum BeginAt {
    /// A parameter or member points to it.
    Param(usize),
    /// What a parameter or member points to does.
    Behind(usize),
}

/// Words for the end of something.
const ENDS: &[&str] = &["end", "endp", "endptr", "limit", "lim", "stop", "finish", "eof", "last"];

/// For each parameter or member the one whose array it ends, if it does.
pub(super) fn ends(types: &Types, params: &[Param]) -> Vec<Option<BeginAt>> {
    let mut found: Vec<Option<BeginAt>> = vec![None; params.len()];
    for i in 1..params.len() {
        let Some(element) = element(types, params[i].ty) else { continue };
        let names = params[..i].iter().map(|param| param.name.as_str());
        let Some(stem) = stem(&params[i].name, names) else { continue };
        let is_taken = |j: usize| {
            let is_begin =
                |at: &BeginAt| matches!(*at, BeginAt::Param(k) | BeginAt::Behind(k) if k == j);
            found[j].is_some() || found.iter().flatten().any(is_begin)
        };
        let begin = |j: usize| {
            let behind = types.get(params[j].ty).kind.pointee().map(|(to, _)| to);
            let is_array =
                |ty| self::element(types, ty).is_some_and(|to| is_same(types, to, element));
            match (is_array(params[j].ty), behind.is_some_and(is_array)) {
                (true, _) => Some(BeginAt::Param(j)),
                (false, true) => Some(BeginAt::Behind(j)),
                (false, false) => None,
            }
        };
        let is_about = |j: &usize| stem.is_empty() || words(&params[*j].name).join("_") == stem;
        let free = (0..i).rev().filter(|&j| !is_taken(j)).filter(is_about);
        let at = free.filter_map(begin).next();
        found[i] = at;
    }
    found
}

/// What an array may consist of whose end is a pointer. Structures that point to their like are lists.
fn element(types: &Types, ty: TypeId) -> Option<TypeId> {
    let (to, _) = types.get(ty).kind.pointee()?;
    let points_to_its_like = |field: &Field| {
        let to_field = types.get(field.ty).kind.pointee();
        to_field.is_some_and(|(other, _)| is_same(types, other, to))
    };
    let is_element = match &types.get(to).kind {
        TypeKind::Bool | TypeKind::Int { .. } | TypeKind::Float | TypeKind::Enum { .. } => true,
        TypeKind::Struct { fields } | TypeKind::Union { fields } => {
            !fields.iter().any(points_to_its_like)
        }
        TypeKind::Void
        | TypeKind::Array { .. }
        | TypeKind::Pointer { .. }
        | TypeKind::Function
        | TypeKind::Unsupported { .. } => false,
    };
    (is_element && types.get(to).size > 0).then_some(to)
}

fn is_same(types: &Types, a: TypeId, b: TypeId) -> bool {
    let bare = |id: TypeId| types.get(id).name.trim_start_matches("const ").to_string();
    bare(a) == bare(b)
}

/// Of what a name says that it is the end, which is nothing for `end` alone; `None` if it does not say so. `srcend` says so
/// beside a `src`.
fn stem<'a>(name: &str, mut others: impl Iterator<Item = &'a str>) -> Option<String> {
    let words = words(name);
    let is_end = |word: &&String| ENDS.contains(&word.as_str());
    // `last_error` is no end, `end_of_line` is one of something else.
    let rest = match (words.split_last(), words.split_first()) {
        (Some((last, rest)), _) if is_end(&last) => rest,
        (_, Some((first, rest))) if is_end(&first) && first != "last" => rest,
        _ => {
            let stem = name.to_lowercase().strip_suffix("end").map(str::to_string)?;
            return others.any(|other| other.to_lowercase() == stem).then_some(stem);
        }
    };
    Some(rest.join("_"))
}

impl End {
    /// The pointer behind the last element of an array.
    pub(super) fn of(name: &str, ty: TypeId, begin: &Pointer, length: &Leaf) -> Option<End> {
        Some(End {
            name: name.to_string(),
            ty,
            of: begin.name.clone(),
            present: begin.present.clone()?,
            present_default: begin.present_default,
            address: begin.address,
            stride: begin.stride,
            length: length.clone(),
        })
    }

    /// The variable that says how many elements are between two pointers.
    pub(super) fn length_between(begin: &str, end: &str, ty: TypeId) -> Leaf {
        let kind = CellKind::Int { bits: 32, signed: false };
        Leaf { name: format!("{end} - {begin}"), ty, kind, default: 0 }
    }

    /// Whether it is not null.
    pub fn is_present(&self, input: &Input) -> bool {
        input.get(&self.present).map_or(self.present_default, |value| value == Value::Bool(true))
    }

    /// The pointer in memory or as an argument.
    pub(super) fn cell(&self, input: &Input, kind: CellKind) -> Cell {
        let bits = match self.is_present(input) {
            true => u64::from(self.address) + u64::from(self.stride) * self.length.bits(input),
            false => 0,
        };
        let symbol = Symbol::End {
            present: self.present.clone(),
            address: self.address,
            stride: self.stride,
            length: self.length.name.clone(),
            n: self.length.bits(input) as u32,
        };
        Cell { kind, bits, symbol: Some(symbol) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Type;

    #[test]
    fn ends_are_known_by_their_names() {
        let mut types = Types::default();
        let mut add = |name: &str, size, kind| types.add(Type { name: name.into(), size, kind });
        let char = add("char", 1, TypeKind::Int { signed: true, is_char: true });
        let constant = add("const char", 1, TypeKind::Int { signed: true, is_char: true });
        let int = add("int", 4, TypeKind::Int { signed: true, is_char: false });
        let node = add("struct node", 4, TypeKind::Struct { fields: Vec::new() });
        let mut pointer = |name: &str, to| {
            types.add(Type {
                name: name.into(),
                size: 4,
                kind: TypeKind::Pointer { to, is_const: false },
            })
        };
        let text = pointer("char*", char);
        let ids = [
            ("char*", text),
            ("const char*", pointer("const char *", constant)),
            ("int*", pointer("int *", int)),
            ("char**", pointer("char **", text)),
            ("node*", pointer("struct node *", node)),
            ("int", int),
        ];
        let next = Field { name: "next".into(), ty: ids[4].1, offset: 0, bits: None };
        let list = TypeKind::Struct { fields: vec![next] };
        types.set(node, Type { name: "struct node".into(), size: 4, kind: list });
        let found = |signature: &str| -> Vec<Option<BeginAt>> {
            let param = |text: &str| {
                let (ty, name) = text.trim().rsplit_once(' ').expect("a type and a name");
                let ty = ids.iter().find(|(known, _)| *known == ty).expect("a known type").1;
                Param { name: name.to_string(), ty }
            };
            ends(&types, &signature.split(',').map(param).collect::<Vec<_>>())
        };
        let first = Some(BeginAt::Param(0));
        assert_eq!(found("char* begin, char* end"), [None, first]);
        assert_eq!(found("int x, const char* p, const char* end")[2], Some(BeginAt::Param(1)));
        assert_eq!(found("char* src, int* out, const char* srcEnd")[2], first);
        assert_eq!(found("char* buf, char* bufend"), [None, first]);
        let both = found("char* dst, char* dst_end, char* src, char* src_end");
        assert_eq!(both, [None, first, None, Some(BeginAt::Param(2))]);
        assert_eq!(found("char** cursor, char* end"), [None, Some(BeginAt::Behind(0))]);
        assert_eq!(found("int* first, int* last"), [None, first]);
        for signature in [
            "char* begin, int* end",
            "char* s, char** end",
            "node* first, node* last",
            "char* a, char* last_error",
            "char* a, char* send",
            "char* a, char* b",
        ] {
            assert_eq!(found(signature), [None, None], "{signature}");
        }
    }
}
