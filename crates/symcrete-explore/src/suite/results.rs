//! Reads what a returned pointer points to, and what a function does to objects that calls have made, so that tests can
//! compare it member by member.
//!
//! Where that lies only a run tells. Runs of one input are alike, so the same input is run once more and those bytes
//! are watched, and again for what its pointers point to. Unions are left out, because nobody knows which member
//! counts, and so are uninitialised bytes. Of an address only is compared whether it is null, or an object of the input.

mod objects;

use symcrete_exec::{ExecError, Executor, Trace};
use symcrete_program::shape::{ResultSlot, scalar_kind};
use symcrete_program::types::{Field, TypeId, TypeKind};
use symcrete_program::{CellKind, Change, Image, Outcome, Program, Shape, TestCase};
use symcrete_term::Terms;

/// The result's name in what was seen; tests give it the name of their variable.
const RESULT: &str = "result";
/// How many pointers are followed one after another.
const DEPTH_MAX: usize = 3;
/// Cells that one test compares.
const CELLS_MAX: usize = 48;
/// Longer strings are not compared.
const TEXT_MAX: u32 = 128;

/// Looks behind the results of tests.
pub(super) struct Results<'a> {
    pub(super) program: &'a Program,
    pub(super) shape: &'a Shape,
    pub(super) fuel: u64,
}

/// Something that a pointer points to.
#[derive(Clone)]
struct Place {
    /// How it is reached.
    name: String,
    address: u32,
    ty: TypeId,
}

/// What is found where a pointer points.
struct Found {
    /// Cells, those of a text together.
    cells: Vec<Vec<Change>>,
    /// What pointers point to.
    next: Vec<Place>,
    /// Longer arrays of numbers are not looked at.
    elements_max: u32,
}

/// Bytes of memory after a run, and which of them are uninitialised.
struct Bytes<'b> {
    bytes: &'b [u8],
    unknown: &'b [bool],
}

impl Results<'_> {
    /// Adds what a test's result points to.
    pub(super) fn look(
        &self,
        test: &mut TestCase,
        executor: &mut dyn Executor,
    ) -> Result<(), ExecError> {
        let Some(first) = self.first(test) else { return Ok(()) };
        let (mut places, mut known, mut seen) = (vec![first], Vec::new(), Vec::new());
        for _ in 0..DEPTH_MAX {
            places.retain(|place| !known.contains(&place.address));
            if places.is_empty() {
                break;
            }
            known.extend(places.iter().map(|place| place.address));
            let mut image = self.image(test);
            let n_before = image.watched.len();
            image.watched.extend(places.iter().map(|place| self.range(place)));
            let trace = executor.run(&mut Terms::new(), &image, self.fuel)?;
            if trace.outcome != test.outcome || trace.coverage != test.coverage {
                return Ok(());
            }
            let mut found = Found { cells: Vec::new(), next: Vec::new(), elements_max: 8 };
            for (i, place) in places.iter().enumerate() {
                if let Some(bytes) = Bytes::watched(&trace, n_before + i) {
                    self.read(place, &bytes, &mut found);
                }
            }
            seen.extend(found.cells.into_iter().flatten());
            places = found.next;
        }
        seen.truncate(CELLS_MAX);
        test.changes.extend(seen);
        Ok(())
    }

    /// What the result itself points to, if that is no object of the input.
    fn first(&self, test: &TestCase) -> Option<Place> {
        let (Outcome::Returned(results), ResultSlot::Direct(ty)) =
            (&test.outcome, &self.shape.result)
        else {
            return None;
        };
        let address = results.first()?.bits() as u32;
        self.place(RESULT, *ty, address)
    }

    /// What a pointer points to, if it can be read.
    fn place(&self, name: &str, pointer: TypeId, address: u32) -> Option<Place> {
        let types = &self.program.types;
        let (ty, _) = types.get(pointer).kind.pointee()?;
        let is_text = types.get(ty).name.trim_start_matches("const ") == "char";
        let is_record = matches!(types.get(ty).kind, TypeKind::Struct { .. });
        let can_look = address != 0 && !self.shape.arena.contains(&address);
        (can_look && (is_text || is_record)).then(|| Place { name: name.to_owned(), address, ty })
    }

    fn image(&self, test: &TestCase) -> Image {
        let mut input = self.shape.complete(&test.input);
        for drawn in &test.drawn {
            input.set(drawn.name.clone(), drawn.value);
        }
        self.shape.image(&self.program.types, &input)
    }

    fn range(&self, place: &Place) -> std::ops::Range<u32> {
        let found = self.program.types.get(place.ty);
        let size = match found.kind {
            TypeKind::Struct { .. } => found.size,
            TypeKind::Void
            | TypeKind::Bool
            | TypeKind::Int { .. }
            | TypeKind::Float
            | TypeKind::Enum { .. }
            | TypeKind::Union { .. }
            | TypeKind::Array { .. }
            | TypeKind::Pointer { .. }
            | TypeKind::Function
            | TypeKind::Unsupported { .. } => TEXT_MAX,
        };
        place.address..place.address.saturating_add(size)
    }

    fn read(&self, place: &Place, bytes: &Bytes<'_>, found: &mut Found) {
        match &self.program.types.get(place.ty).kind {
            TypeKind::Struct { fields } => {
                let name = format!("{}->", place.name);
                self.members(&name, fields, 0, bytes, found);
            }
            TypeKind::Int { .. } => {
                found.cells.push(text(&place.name, bytes, 0, bytes.bytes.len()))
            }
            TypeKind::Void
            | TypeKind::Bool
            | TypeKind::Float
            | TypeKind::Enum { .. }
            | TypeKind::Union { .. }
            | TypeKind::Array { .. }
            | TypeKind::Pointer { .. }
            | TypeKind::Function
            | TypeKind::Unsupported { .. } => {}
        }
    }

    /// The members of a structure, whose names come behind what leads there.
    fn members(
        &self,
        before: &str,
        fields: &[Field],
        start: u32,
        bytes: &Bytes<'_>,
        found: &mut Found,
    ) {
        for field in fields.iter().filter(|field| field.bits.is_none()) {
            let (name, at) = (format!("{before}{}", field.name), start + field.offset);
            let ty = self.program.types.get(field.ty);
            match &ty.kind {
                TypeKind::Struct { fields } if field.name.is_empty() => {
                    self.members(before, fields, at, bytes, found);
                }
                TypeKind::Struct { fields } => {
                    self.members(&format!("{name}."), fields, at, bytes, found);
                }
                TypeKind::Array { element, length }
                    if self.program.types.get(*element).name == "char" =>
                {
                    found.cells.push(text(&name, bytes, at as usize, *length as usize));
                }
                TypeKind::Array { element, length } if *length <= found.elements_max => {
                    let size = self.program.types.get(*element).size;
                    let kind = scalar_kind(&self.program.types, *element);
                    let is_number = self.program.types.get(*element).kind.pointee().is_none();
                    let Some(kind) = kind.filter(|_| is_number) else { continue };
                    let cells = (0..*length).filter_map(|i| {
                        let bits = bytes.bits(at + i * size, kind)?;
                        Some(vec![Change { name: format!("{name}[{i}]"), kind, bits }])
                    });
                    found.cells.extend(cells);
                }
                TypeKind::Bool
                | TypeKind::Int { .. }
                | TypeKind::Float
                | TypeKind::Enum { .. }
                | TypeKind::Pointer { .. } => {
                    let Some(kind) = scalar_kind(&self.program.types, field.ty) else { continue };
                    let Some(bits) = bytes.bits(at, kind) else { continue };
                    let is_pointer = ty.kind.pointee().is_some();
                    let target =
                        is_pointer.then(|| self.place(&name, field.ty, bits as u32)).flatten();
                    match target {
                        Some(place) => found.next.push(place),
                        None => found.cells.push(vec![Change { name, kind, bits }]),
                    }
                }
                TypeKind::Void
                | TypeKind::Union { .. }
                | TypeKind::Array { .. }
                | TypeKind::Function
                | TypeKind::Unsupported { .. } => {}
            }
        }
    }
}

impl<'b> Bytes<'b> {
    /// What a run left in the memory that was watched as number `i`.
    fn watched(trace: &'b Trace, i: usize) -> Option<Bytes<'b>> {
        let unknown = trace.unknown.watched.get(i).map_or(&[][..], Vec::as_slice);
        Some(Bytes { bytes: trace.watched.get(i)?, unknown })
    }

    /// The bits of a cell, if all of them were written.
    fn bits(&self, at: u32, kind: CellKind) -> Option<u64> {
        let range = at as usize..at as usize + kind.size() as usize;
        let bytes = self.bytes.get(range.clone())?;
        let is_known = self.unknown.get(range).is_none_or(|unknown| unknown.iter().all(|&is| !is));
        let bits = bytes.iter().rev().fold(0, |bits, &byte| bits << 8 | u64::from(byte));
        is_known.then_some(bits)
    }
}

/// The characters of a string with the zero at its end; nothing if it has none.
fn text(name: &str, bytes: &Bytes<'_>, start: usize, length: usize) -> Vec<Change> {
    let kind = CellKind::Int { bits: 8, signed: true };
    let character = |i: usize| {
        let bits = bytes.bits((start + i) as u32, kind)?;
        Some(Change { name: format!("{name}[{i}]"), kind, bits })
    };
    let mut found = Vec::new();
    for i in 0..length {
        let Some(change) = character(i) else { return Vec::new() };
        let is_end = change.bits == 0;
        found.push(change);
        if is_end {
            return found;
        }
    }
    Vec::new()
}
