//! Structures with members that are streams: `struct reader { FILE *in; int line; }`.
//!
//! Where nothing of the program makes such an object, callers fill it in, and open its files.

use super::kinds::Kinds;
use super::null::looks_for_null;
use super::planner::Planner;
use super::{Maker, Object, PlanParam, Stream};
use crate::types::{TypeId, TypeKind, Types};

/// Streams of one object.
const STREAMS_MAX: usize = 4;

impl Planner<'_, '_> {
    /// Makes an object of a parameter, with files for its streams, if it has any.
    pub(super) fn add_streams(&mut self, object: &mut Object, unit: usize) {
        let types = &self.library.program.types;
        let Some(record) = self.library.kinds.storage(object.pointer) else { return };
        let mut members = Vec::new();
        collect(types, &self.library.kinds, record, "", &mut members);
        members.truncate(STREAMS_MAX);
        if members.is_empty() {
            return;
        }
        let (param, ty) = (object.name.clone(), object.pointer);
        self.params.push(PlanParam::Argument { name: param.clone(), ty });
        let mut streams = Vec::new();
        for member in members {
            let name = format!("{param}_{}", member.replace('.', "_"));
            let expression = format!("{}->{member}", object.short_name);
            let can_be_null = looks_for_null(self.library.program, unit, &expression);
            let choice = can_be_null.then(|| name.clone());
            if let Some(name) = choice.clone() {
                let values = ["fopen", "NULL"].map(str::to_owned).to_vec();
                self.params.push(PlanParam::Choice { name, values });
            }
            streams.push(Stream { member, file: format!("{name}.txt"), choice });
        }
        let can_be_null = looks_for_null(self.library.program, unit, &object.short_name);
        object.makers.push(Maker::WithStreams { param, streams, can_be_null });
    }
}

/// The members of a structure, and of structures inside it, that are streams.
fn collect(types: &Types, kinds: &Kinds<'_>, record: TypeId, path: &str, found: &mut Vec<String>) {
    let TypeKind::Struct { fields } = &types.get(record).kind else { return };
    for field in fields {
        let path = match (path.is_empty(), field.name.is_empty()) {
            (_, true) => path.to_owned(),
            (true, false) => field.name.clone(),
            (false, false) => format!("{path}.{}", field.name),
        };
        match kinds.is_file(field.ty) {
            true => found.push(path),
            false => collect(types, kinds, field.ty, &path, found),
        }
    }
}
