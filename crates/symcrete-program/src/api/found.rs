//! Objects that are inside others: `list_remove(list, node)` wants a node of that list.

use super::kinds::Kind;
use super::planner::Planner;
use super::{Argument, Call, Found, Maker, Object, PlanParam, Way};
use crate::types::{TypeId, TypeKind};

/// Calls that are tried to find one object.
const CALLS_MAX: usize = 2;

/// An object that was made for a parameter before.
pub(super) struct Earlier {
    name: String,
    pointer: TypeId,
}

/// The objects among the arguments so far.
pub(super) fn earlier(arguments: &[Argument]) -> Vec<Earlier> {
    let object = |argument: &Argument| match argument {
        Argument::Object(object) => {
            Some(Earlier { name: object.name.clone(), pointer: object.pointer })
        }
        Argument::Parameter(_) | Argument::Itself | Argument::Earlier(_) => None,
    };
    arguments.iter().filter_map(object).collect()
}

impl Planner<'_, '_> {
    /// Adds ways to find an object inside those that were made before.
    pub(super) fn add_found(
        &mut self,
        object: &mut Object,
        (unit, param): (usize, usize),
        kind: &Kind,
        earlier: &[Earlier],
    ) {
        let pointer = self.library.unit(unit).params[param].ty;
        let types = &self.library.program.types;
        // What is given a value that is a pointer by another name takes it away and returns the next one.
        let has_insides = |of: &&Earlier| types.get(of.pointer).name.contains('*');
        for of in earlier.iter().filter(has_insides) {
            let of_kind = self.library.kinds.of(of.pointer);
            let of_kind =
                of_kind.filter(|of_kind| self.library.may_be_inside(unit, param, of_kind));
            let Some(of_kind) = of_kind else { continue };
            let mut n_calls = 0;
            for finder in self.library.finders(kind, &of_kind, self.file) {
                if n_calls >= CALLS_MAX || finder == unit {
                    continue;
                }
                let name = &self.library.unit(finder).name;
                let prefix = format!("{}_{name}", object.name);
                let n_before = self.params.len();
                let Some(call) = self.call_about(finder, &prefix, of) else {
                    self.params.truncate(n_before);
                    continue;
                };
                n_calls += 1;
                let (of, shown) = (of.name.clone(), name.clone());
                object.makers.push(Maker::Found(Found { of, way: Way::Call(call), shown }));
            }
            for members in self.members(of.pointer, pointer, kind) {
                let shown = format!("{}->{}", of.name, members.join("->"));
                let (of, way) = (of.name.clone(), Way::Members(members));
                object.makers.push(Maker::Found(Found { of, way, shown }));
            }
        }
    }

    /// An object that is in no other: one more input.
    pub(super) fn add_given(&mut self, object: &mut Object, ty: TypeId) {
        let name = format!("{}_other", object.name);
        self.params.push(PlanParam::Argument { name: name.clone(), ty });
        object.makers.push(Maker::Given(name));
    }

    /// The call of a function that is given an object which was made before.
    fn call_about(&mut self, finder: usize, prefix: &str, of: &Earlier) -> Option<Call> {
        let of_kind = self.library.kinds.of(of.pointer);
        let at = self.library.unit(finder).params.iter();
        let at =
            at.map(|param| self.library.kinds.of(param.ty)).position(|kind| kind == of_kind)?;
        self.call_with(finder, prefix, Some((at, Argument::Earlier(of.name.clone()))), 1)
    }

    /// The members through which objects of a kind are found: the first one, and one behind it (`head`, `head->next`).
    fn members(&mut self, of: TypeId, pointer: TypeId, kind: &Kind) -> Vec<Vec<String>> {
        let Some(first) = self.pointer_in(of, kind) else { return Vec::new() };
        let next = self.pointer_in(pointer, kind);
        let behind = next.map(|next| vec![first.clone(), next]);
        [vec![first]].into_iter().chain(behind).collect()
    }

    /// The first member of a structure that points to an object of a kind.
    fn pointer_in(&mut self, pointer: TypeId, kind: &Kind) -> Option<String> {
        let types = &self.library.program.types;
        let (to, _) = types.get(pointer).kind.pointee()?;
        let TypeKind::Struct { fields } = &types.get(to).kind else { return None };
        let mut fields = fields.iter().filter(|field| !field.name.is_empty());
        let found = fields.find(|field| self.library.kinds.of(field.ty).as_ref() == Some(kind))?;
        Some(found.name.clone())
    }
}
