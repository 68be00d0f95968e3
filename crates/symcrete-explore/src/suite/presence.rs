//! Which pointers of a test are null.
//!
//! A test reads best without objects that are not looked at. But a program may compute with a pointer that it does
//! not follow: `&s->b` is undefined if `s` is null, and so is `memcpy(to, from, 0)`, although nothing is read. So a
//! pointer is null only where the path needs that, or where the run does not even read it. Whether a run touches some
//! bytes is tried: with these bytes in no object, it goes the same way only if it does not. If it is about to write
//! them where it comes upon them first, it does not need them either.

use std::ops::Range;
use symcrete_program::{Cell, Image, Symbol};

/// Where a pointer is that a Boolean variable says of whether it is null.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum PointerAt {
    /// It is passed to the function, which may do with it what it likes.
    Argument,
    /// In objects of the input, with what of it ends arrays: these bytes.
    Objects(Vec<Range<u32>>),
    /// In a global variable.
    Global,
}

impl PointerAt {
    /// Looks for the pointers that a variable is about.
    pub(super) fn find(image: &Image, variable: &str) -> Option<PointerAt> {
        let is_meant = |cell: &Cell| present(cell) == Some(variable);
        if image.args.iter().any(is_meant) {
            return Some(PointerAt::Argument);
        }
        let writes = image.writes.iter().filter(|write| is_meant(&write.cell));
        let cells: Vec<Range<u32>> =
            writes.map(|write| write.address..write.address + write.cell.kind.size()).collect();
        let is_in_arena = |cell: &Range<u32>| image.arena.contains(&cell.start);
        match cells.iter().all(is_in_arena) {
            _ if cells.is_empty() => None,
            true => Some(PointerAt::Objects(cells)),
            false => Some(PointerAt::Global),
        }
    }
}

/// The variable that says whether a pointer to data is null.
fn present(cell: &Cell) -> Option<&str> {
    match cell.symbol.as_ref()? {
        Symbol::Pointer { present, .. } | Symbol::End { present, .. } => Some(present),
        Symbol::OneOf { present, .. } => present.as_deref(),
        // A null pointer to a function can only be called, and that is seen.
        Symbol::Callback { .. } | Symbol::Variable(_) | Symbol::Fields(_) => None,
    }
}

/// The bytes of the object that a pointer points to.
pub(super) fn object(image: &Image, variable: &str) -> Vec<Range<u32>> {
    let cells = image.args.iter().chain(image.writes.iter().map(|write| &write.cell));
    let meant = cells.filter(|cell| present(cell) == Some(variable));
    let starts: Vec<u64> = meant.map(|cell| cell.bits).collect();
    let objects = image.objects.iter().filter(|object| starts.contains(&object.start.into()));
    objects.cloned().collect()
}

/// The same image with these bytes in no object: a run that touches them fails.
pub(super) fn without(image: &Image, bytes: &[Range<u32>]) -> Image {
    let mut image = image.clone();
    for hole in bytes {
        let cut = |object: &Range<u32>| {
            let before = object.start..object.end.min(hole.start);
            let after = object.start.max(hole.end)..object.end;
            [before, after].into_iter().filter(|part| !part.is_empty())
        };
        image.objects = image.objects.iter().flat_map(cut).collect();
    }
    image
}

#[cfg(test)]
mod tests {
    use super::*;
    use symcrete_program::CellKind;
    use symcrete_program::image::Write;

    fn pointer(present: &str) -> Cell {
        let kind = CellKind::Int { bits: 32, signed: false };
        let (present, others) = (present.to_string(), Vec::new());
        let symbol = Some(Symbol::Pointer { present, address: 64, others });
        Cell { kind, bits: 64, symbol }
    }

    #[test]
    fn pointers_are_found_where_they_are() {
        let writes = [(16, "s->next"), (200, "head")];
        let writes = writes.map(|(address, name)| Write { address, cell: pointer(name) });
        let image = Image {
            args: vec![pointer("s")],
            writes: writes.to_vec(),
            arena: 0..128,
            ..Image::default()
        };
        assert_eq!(PointerAt::find(&image, "s"), Some(PointerAt::Argument));
        let next = PointerAt::find(&image, "s->next");
        assert!(
            matches!(next, Some(PointerAt::Objects(bytes)) if matches!(&bytes[..], [one] if *one == (16..20)))
        );
        assert_eq!(PointerAt::find(&image, "head"), Some(PointerAt::Global));
        assert_eq!(PointerAt::find(&image, "x"), None);
    }

    #[test]
    fn a_hole_splits_the_object_that_it_is_in() {
        let image = Image { objects: vec![16..32, 48..52, 64..68], ..Image::default() };
        assert_eq!(without(&image, &[20..24, 48..52]).objects, [16..20, 24..32, 64..68]);
    }
}
