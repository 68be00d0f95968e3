//! Pointers of an input: what they point to, and how much of it.

#![expect(clippy::wildcard_enum_match_arm, reason = "most types are treated alike")]

use super::alias::{Need, Sharer};
use super::build::Builder;
use super::room::room_of;
use super::together::tail_of;
use super::{Alias, Count, Leaf, Limit, Obstacle, Pointer, ShapeNode, Unsupported};
use crate::declaration::unqualified;
use crate::gap::Gap;
use crate::image::CellKind;
use crate::types::{Type, TypeId, TypeKind};

/// Pointers in an array of pointers: each brings an object of its own.
const POINTERS_MAX: u32 = 3;
/// Structures in a table of structures: many have pointers to objects of their own.
const TABLE_LENGTH: u32 = 4;

/// How much a pointer points to.
struct Extent {
    /// Elements at most.
    length: u32,
    /// Bytes of one.
    stride: u32,
    is_record: bool,
    /// Whether one more element follows that never changes.
    is_terminated: bool,
}

impl Builder<'_> {
    pub(super) fn pointer(
        &mut self,
        name: &str,
        ty: TypeId,
        to: TypeId,
        depth: u32,
        count: Count,
    ) -> Result<ShapeNode, Unsupported> {
        let pointee = self.types.get(to).clone();
        if pointee.kind == TypeKind::Function {
            return self.callback(name, (ty, to), depth);
        }
        if let TypeKind::Unsupported { why, .. } = pointee.kind {
            return self.always_null(name, ty, Some(&why), depth);
        }
        if depth >= self.options.sizes.depth {
            return Ok(self.null(name, ty, Gap::PointerDepth));
        }
        let Extent { length, stride, is_record, is_terminated } =
            self.extent(name, &pointee, &count);
        let (element, is_single) = (to, is_record && count == Count::All && length == 1);
        let tail = if is_single { self.tail_bytes(to) } else { 0 };
        let address = self.allocate(name, stride * (length + u32::from(is_terminated)) + tail)?;
        if let Count::Tied(leaf) = &count {
            self.bound_length(leaf, length);
        }
        let present = format!("{name} != NULL");
        // A list ends soon unless the program asks for more of it.
        let present_default = depth == 0 || !is_record;
        let sharer = Sharer {
            name: name.to_string(),
            element,
            count: count.clone(),
            address,
            needs: vec![Need { name: present.clone(), expected: true, default: present_default }],
        };
        let aliases = self.begin_sharing(sharer);
        self.tail_room = tail > 0;
        let items = match is_single {
            true => vec![self.node(&format!("{name}->"), to, depth + 1)?],
            false => self.elements(name, to, length, depth)?,
        };
        self.tail_room = false;
        if let Some(sharers) = &mut self.sharers {
            sharers.end();
        }
        // Other bytes end where a length says.
        let is_text = is_terminated && unqualified(&pointee.name) == "char";
        let room = is_text.then(|| room_of(name));
        let terminator = is_terminated.then(|| self.terminator(name, length, &pointee));
        let tail = items.first().filter(|_| tail > 0).and_then(tail_of);
        Ok(ShapeNode::Pointer(Box::new(Pointer {
            name: name.to_string(),
            ty,
            present: Some(present),
            present_default,
            address,
            element,
            stride,
            items,
            count,
            is_terminated,
            terminator,
            room,
            aliases,
            inside: Vec::new(),
            tail,
        })))
    }

    /// How much a pointer points to.
    fn extent(&self, name: &str, pointee: &Type, count: &Count) -> Extent {
        let (is_string, is_record, is_pointer) = match pointee.kind {
            TypeKind::Int { is_char, .. } => (is_char, false, false),
            TypeKind::Struct { .. } | TypeKind::Union { .. } => (false, true, false),
            TypeKind::Pointer { .. } => (false, false, true),
            _ => (false, false, false),
        };
        let length = match (count, is_record, is_pointer) {
            (Count::All, true, _) if self.options.learnt.tables.contains(name) => TABLE_LENGTH,
            (Count::All, true, _) => 1,
            (_, _, true) => self.options.sizes.length.min(POINTERS_MAX),
            (_, _, _) => self.options.sizes.length,
        };
        // Behind `void *` there are bytes.
        let stride = if pointee.kind == TypeKind::Void { 1 } else { pointee.size };
        // An array of pointers ends with a null pointer, unless its length is known.
        let is_terminated = (is_string || is_pointer) && *count == Count::All;
        Extent { length, stride, is_record, is_terminated }
    }

    /// What ends a string or an array of pointers, and would be elsewhere if there were more.
    fn terminator(&mut self, name: &str, length: u32, pointee: &Type) -> Limit {
        if pointee.kind.pointee().is_some() {
            let present = format!("{name}[{length}] != NULL");
            return self.limit(present, CellKind::Bool, Gap::Pointers);
        }
        let kind = CellKind::Int { bits: 8 * pointee.size as u8, signed: false };
        self.limit(format!("{name}[{length}]"), kind, Gap::Length)
    }

    /// A pointer to a function.
    fn callback(
        &mut self,
        name: &str,
        (ty, to): (TypeId, TypeId),
        depth: u32,
    ) -> Result<ShapeNode, Unsupported> {
        match self.functions.pointer((self.language, self.types), name, (ty, to)) {
            Ok(callback) => Ok(ShapeNode::Callback(Box::new(callback))),
            Err(lacking) => self.always_null(name, ty, lacking.why(), depth),
        }
    }

    /// A pointer to what cannot be made. A parameter must point to something.
    fn always_null(
        &mut self,
        name: &str,
        ty: TypeId,
        why: Option<&str>,
        depth: u32,
    ) -> Result<ShapeNode, Unsupported> {
        if depth == 0 {
            let why = Obstacle::Type(why.unwrap_or("there are too many like it").to_string());
            return Err(Unsupported { what: name.to_string(), why });
        }
        let why = why.filter(|_| !self.streams.iter().any(|stream| stream == name));
        self.notes.extend(why.map(|why| format!("`{name}` is always null: {why}")));
        Ok(self.null(name, ty, Gap::Callback))
    }

    /// The elements of an array.
    fn elements(
        &mut self,
        name: &str,
        to: TypeId,
        length: u32,
        depth: u32,
    ) -> Result<Vec<ShapeNode>, Unsupported> {
        let element = |i: u32| {
            let (name, ty) = (format!("{name}[{i}]"), to);
            match self.types.get(to).kind {
                TypeKind::Void => {
                    Ok(ShapeNode::Leaf(Leaf { name, ty, kind: CellKind::BYTE, default: 0 }))
                }
                _ => self.node(&name, to, depth + 1),
            }
        };
        (0..length).map(element).collect()
    }

    /// The objects that a pointer may have besides its own. What it is reached through comes before what it points to.
    fn begin_sharing(&mut self, sharer: Sharer) -> Vec<Alias> {
        let Some(sharers) = &mut self.sharers else { return Vec::new() };
        let aliases = sharers.begin(self.types, sharer);
        self.aliases.extend(aliases.iter().cloned());
        aliases
    }
}
