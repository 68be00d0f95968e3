//! Pointers that share an object.
//!
//! Besides null and an object of its own, a pointer may have the object of another one of the same type: of one that it
//! was reached through, so that there are cycles, or of a parameter before it or what that points to. A Boolean variable says so. Objects are
//! shared with pointers that have one of their own, so any number of pointers can have the same.
//!
//! A pointer may also point inside the object of another one (`middle.rs`).

use super::{Count, Leaf, Pointer};
use crate::image::{CellRange, Inside, Other};
use crate::input::Input;
use crate::types::{TypeId, TypeKind, Types};
use symcrete_term::{TermId, Terms, Value};

/// That a pointer has the object of another one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Alias {
    /// The variable that says so: `b == a`.
    pub name: String,
    /// The other pointer.
    pub of: String,
    /// The member of that object that it points to or into; empty if it is the object itself.
    pub member: String,
    /// Where the object or member is.
    pub address: u32,
    /// What must hold besides: that the other pointer has an object, and its own.
    pub needs: Vec<Need>,
    /// Which element it points to, if that is an array.
    pub middle: Option<Middle>,
}

/// A place inside an array.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Middle {
    /// How many elements come before it: `b - a`.
    pub offset: Leaf,
    /// The bits of that number that count.
    pub mask: u32,
    /// Bytes of an element.
    pub stride: u32,
    /// Whether the array has as many elements as a length says if nothing points into it.
    pub resizes: bool,
}

/// That a Boolean variable of an input has this value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Need {
    /// The variable's name.
    pub name: String,
    /// The value.
    pub expected: bool,
    /// Its value where an input does not say.
    pub default: bool,
}

impl Alias {
    /// Whether the objects are the same in the run of an input, if there are both pointers.
    pub fn holds(&self, input: &Input) -> bool {
        let is_met = |need: &Need| {
            let value = input.get(&need.name);
            value.map_or(need.default, |value| value == Value::Bool(true)) == need.expected
        };
        self.is_chosen(input) && self.needs.iter().all(is_met)
    }

    /// The same as a term.
    pub fn condition(&self, terms: &mut Terms) -> TermId {
        self.other(&Input::default()).condition(terms)
    }

    /// What the variable says.
    pub(super) fn is_chosen(&self, input: &Input) -> bool {
        input.get(&self.name) == Some(Value::Bool(true))
    }

    /// How many elements of the other's array come before what it points to.
    pub fn offset(&self, input: &Input) -> u64 {
        let middle = self.middle.as_ref();
        middle.map_or(0, |middle| middle.offset.bits(input) & u64::from(middle.mask))
    }

    /// Whether it points to a part of the object.
    pub fn is_inside(&self) -> bool {
        self.middle.is_some() || !self.member.is_empty()
    }

    /// The pointer in C, given one to the object.
    pub fn expression(&self, object: &str, input: &Input) -> String {
        let n = self.offset(input);
        if self.member.is_empty() {
            return if n == 0 { object.to_owned() } else { format!("{object} + {n}") };
        }
        let member = match object.strip_prefix('&') {
            Some(variable) => format!("{variable}.{}", self.member),
            None => format!("{object}->{}", self.member),
        };
        if self.middle.is_some() { format!("&{member}[{n}]") } else { format!("&{member}") }
    }

    /// For the engine.
    pub(super) fn other(&self, input: &Input) -> Other {
        let inside = self.middle.as_ref().map(|middle| Inside {
            name: middle.offset.name.clone(),
            n: middle.offset.bits(input) as u32,
            mask: middle.mask,
            stride: middle.stride,
            resizes: middle.resizes,
        });
        Other {
            name: self.name.clone(),
            is_chosen: self.is_chosen(input),
            needs: self.needs.iter().map(|need| (need.name.clone(), need.expected)).collect(),
            holds: self.holds(input),
            address: self.address,
            inside,
        }
    }
}

impl Middle {
    /// What lengths of arrays that start there are at most, of which there are so many elements.
    pub(super) fn range(&self, length: &Leaf, n_elements: usize) -> CellRange {
        let n_before = i64::from(self.mask);
        let high = (n_elements as i64 - n_before).max(0);
        CellRange { name: length.name.clone(), kind: length.kind, low: length.default as i64, high }
    }
}

impl Pointer {
    /// The pointer whose object it has, if not its own.
    pub fn alias(&self, input: &Input) -> Option<&Alias> {
        self.aliases.iter().find(|alias| self.is_present(input) && alias.holds(input))
    }

    /// Whether there is an object that is its own.
    pub fn has_object(&self, input: &Input) -> bool {
        self.is_present(input) && self.alias(input).is_none()
    }
}

/// Of the pointers that one was reached through, the nearest may have the same object.
const ANCESTORS_MAX: usize = 3;
/// And the last of those before it.
const EARLIER_MAX: usize = 3;
/// Pointers that are reached through more than one other are not shared with later ones.
const EARLIER_DEPTH_MAX: usize = 1;

/// A pointer whose object others may have.
#[derive(Clone)]
pub(super) struct Sharer {
    pub(super) name: String,
    pub(super) element: TypeId,
    pub(super) count: Count,
    pub(super) address: u32,
    /// What must hold for the object to be there, given those that it is reached through.
    pub(super) needs: Vec<Need>,
}

/// The pointers so far whose objects a new one may have.
#[derive(Default)]
pub(super) struct Sharers {
    /// Those that the new one is reached through, the last the nearest. Where there is the new one, they have objects.
    ancestors: Vec<Sharer>,
    /// Parameters before it and what they point to, with all that must hold for their objects to be there.
    earlier: Vec<Sharer>,
}

impl Sharers {
    /// Goes on to a pointer; returns the objects that it may have.
    pub(super) fn begin(&mut self, types: &Types, mut new: Sharer) -> Vec<Alias> {
        let aliases = self.aliases(types, &new);
        let is_own =
            |alias: &Alias| Need { name: alias.name.clone(), expected: false, default: false };
        new.needs.extend(aliases.iter().map(is_own));
        self.ancestors.push(new);
        aliases
    }

    /// Goes back to what the last pointer was reached through.
    pub(super) fn end(&mut self) {
        let Some(mut done) = self.ancestors.pop() else { return };
        if self.ancestors.len() <= EARLIER_DEPTH_MAX {
            let through = self.ancestors.iter().flat_map(|sharer| sharer.needs.clone());
            done.needs = through.chain(done.needs).collect();
            self.earlier.push(done);
        }
    }

    fn aliases(&self, types: &Types, new: &Sharer) -> Vec<Alias> {
        let is_candidate = |known: &&Sharer| {
            known.count == new.count && is_same(types, known.element, new.element)
        };
        let ancestors = self.ancestors.iter().rev().filter(is_candidate).take(ANCESTORS_MAX);
        let earlier = self.earlier.iter().rev().filter(is_candidate).take(EARLIER_MAX);
        let through = ancestors.map(|known| Sharer { needs: Vec::new(), ..known.clone() });
        let alias = |known: Sharer| Alias {
            name: format!("{} == {}", new.name, known.name),
            of: known.name,
            member: String::new(),
            address: known.address,
            needs: known.needs,
            middle: None,
        };
        through.chain(earlier.cloned()).map(alias).collect()
    }
}

/// Whether pointers to these types can be the same in C: names of a structure may differ (`struct node`, `node_t`) if
/// one of its members points to such a structure.
pub(super) fn is_same(types: &Types, a: TypeId, b: TypeId) -> bool {
    let (one, other) = (types.get(a), types.get(b));
    let fields = match &one.kind {
        TypeKind::Struct { fields } | TypeKind::Union { fields } => fields.as_slice(),
        TypeKind::Bool | TypeKind::Int { .. } | TypeKind::Float | TypeKind::Enum { .. } => &[],
        TypeKind::Void
        | TypeKind::Array { .. }
        | TypeKind::Pointer { .. }
        | TypeKind::Function
        | TypeKind::Unsupported { .. } => return false,
    };
    let bare = |name: &str| name.trim_start_matches("const ").to_string();
    let is_own =
        |ty: TypeId| types.get(ty).kind.pointee().is_some_and(|(to, _)| to == a || to == b);
    let is_named_alike = bare(&one.name) == bare(&other.name);
    one.size > 0
        && one.kind == other.kind
        && (is_named_alike || fields.iter().any(|field| is_own(field.ty)))
}
