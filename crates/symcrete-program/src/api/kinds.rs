//! Which types are those of objects, and when two are the same.

use crate::types::{Type, TypeId, TypeKind, Types};
use std::collections::{BTreeMap, BTreeSet};

/// Names a type of objects: the tag of a structure, or a typedef.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Kind(String);

/// The types of objects by how they are passed.
pub(super) struct Kinds<'a> {
    types: &'a Types,
    known: BTreeMap<TypeId, Option<Kind>>,
}

impl<'a> Kinds<'a> {
    pub(super) fn new(types: &'a Types) -> Kinds<'a> {
        Kinds { types, known: BTreeMap::new() }
    }

    /// The kind of object that a type is a pointer to.
    pub(super) fn of(&mut self, ty: TypeId) -> Option<Kind> {
        if let Some(known) = self.known.get(&ty) {
            return known.clone();
        }
        let kind = self.read(ty);
        self.known.insert(ty, kind.clone());
        kind
    }

    fn read(&self, ty: TypeId) -> Option<Kind> {
        let found = self.types.get(ty);
        let target = self.types.get(found.kind.pointee()?.0);
        match &target.kind {
            TypeKind::Struct { .. } | TypeKind::Union { .. } => self.record(target),
            TypeKind::Unsupported { .. } => declared_only(target),
            TypeKind::Void
            | TypeKind::Bool
            | TypeKind::Int { .. }
            | TypeKind::Float
            | TypeKind::Enum { .. } => typedef(&found.name).map(|name| Kind(name.to_owned())),
            TypeKind::Array { .. } | TypeKind::Pointer { .. } | TypeKind::Function => None,
        }
    }

    /// A structure has the name of its tag, or that of the first typedef if it has none.
    fn record(&self, target: &Type) -> Option<Kind> {
        let same =
            || self.types.all().filter(|ty| ty.kind == target.kind && ty.size == target.size);
        let is_tag = |name: &str| ["struct ", "union "].iter().any(|word| name.starts_with(word));
        let tag = same().find(|ty| is_tag(&ty.name));
        let named = same().find(|ty| {
            !["struct", "union"].contains(&ty.name.as_str()) && !ty.name.starts_with("const ")
        });
        tag.or(named).map(|ty| Kind(ty.name.clone()))
    }

    /// Whether a type is `FILE *`, whose objects the C library makes.
    pub(super) fn is_file(&self, pointer: TypeId) -> bool {
        let found = self.types.get(pointer).kind.pointee().map(|(to, _)| self.types.get(to));
        found.is_some_and(|to| to.name == "FILE" && matches!(to.kind, TypeKind::Unsupported { .. }))
    }

    /// Whether functions of the user can look into objects of a type.
    pub(super) fn storage(&self, pointer: TypeId) -> Option<TypeId> {
        let (to, _) = self.types.get(pointer).kind.pointee()?;
        let is_record =
            matches!(self.types.get(to).kind, TypeKind::Struct { .. } | TypeKind::Union { .. });
        is_record.then_some(to)
    }

    /// Whether objects of a kind are found behind a pointer of this type.
    pub(super) fn leads_to(&mut self, pointer: TypeId, kind: &Kind) -> bool {
        let (mut seen, mut open) = (BTreeSet::from([pointer]), vec![pointer]);
        while let Some(ty) = open.pop() {
            let types = self.types;
            let parts: Vec<TypeId> = match &types.get(ty).kind {
                TypeKind::Struct { fields } | TypeKind::Union { fields } => {
                    fields.iter().map(|field| field.ty).collect()
                }
                TypeKind::Array { element, .. } => vec![*element],
                TypeKind::Pointer { to, .. } => vec![*to],
                TypeKind::Void
                | TypeKind::Bool
                | TypeKind::Int { .. }
                | TypeKind::Float
                | TypeKind::Enum { .. }
                | TypeKind::Function
                | TypeKind::Unsupported { .. } => Vec::new(),
            };
            for part in parts {
                if self.of(part).as_ref() == Some(kind) {
                    return true;
                }
                if seen.insert(part) {
                    open.push(part);
                }
            }
        }
        false
    }

    /// Whether whoever takes this may change the object.
    pub(super) fn may_change(&self, ty: TypeId) -> bool {
        let found = self.types.get(ty);
        let is_const_object = found.kind.pointee().is_some_and(|(_, is_const)| is_const);
        // A `const sds` is a constant pointer; that its string is not changed either is what people mean by it.
        let is_const_name = typedef(&found.name).is_some() && found.name.starts_with("const ");
        !is_const_object && !is_const_name
    }
}

/// A structure that is declared and not defined has the name of its tag.
fn declared_only(target: &Type) -> Option<Kind> {
    let TypeKind::Unsupported { why, .. } = &target.kind else { return None };
    let tag = why.strip_suffix(crate::types::NOT_DEFINED)?;
    Some(Kind(tag.trim_end().to_owned()))
}

/// The name of a pointer type, if it is a typedef.
fn typedef(name: &str) -> Option<&str> {
    let name = name.trim_start_matches("const ");
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    (!name.is_empty() && name.chars().all(is_word)).then_some(name)
}
