//! What an undefined function, or a callback of the input, writes where its arguments point: inputs, as its results
//! are.
//!
//! Cells have the name of the argument, `read()->data[3]`; those of later calls a number besides, `read()->data#1[3]`. The number
//! is that of the call, so a call that is given no buffer does not shift the names of others.

use crate::image::CellKind;

/// The most bytes that a call writes through one argument.
pub const FILL_BYTES_MAX: u32 = 1024;

/// What is written through one argument.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fill {
    /// The parameter of the source, by index.
    pub param: usize,
    /// The argument of the machine that is its address, by index.
    pub argument: usize,
    /// What its cells are called: `read()->data`.
    pub name: String,
    /// Bytes from one element to the next.
    pub stride: u32,
    /// What is written of an element.
    pub cells: Vec<FillCell>,
    /// How many elements there are.
    pub count: FillCount,
}

/// A part of an element.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FillCell {
    /// Where it is in the element, for people: `.x`, empty for all of it.
    pub path: String,
    /// Bytes from the start of the element.
    pub offset: u32,
    /// How it is stored.
    pub kind: CellKind,
}

/// How many elements a call writes; never more than the object behind the pointer has.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FillCount {
    /// So many, or none if the object has no room for them.
    Exactly(u32),
    /// As many as the product of these arguments.
    Product {
        /// The arguments.
        lengths: Vec<FillLength>,
        /// As many at least, whatever they say.
        least: u32,
    },
}

/// An argument that says how many elements there are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FillLength {
    /// The parameter of the source, by index.
    pub param: usize,
    /// The argument of the machine, by index.
    pub argument: usize,
    /// Whether it may be negative, which is none.
    pub is_signed: bool,
}

impl Fill {
    /// The name of a cell of an element in a call, counted from zero.
    pub fn cell_name(&self, call: u32, element: u32, cell: &FillCell) -> String {
        let index = match self.count {
            FillCount::Exactly(1) => String::new(),
            FillCount::Exactly(_) | FillCount::Product { .. } => format!("[{element}]"),
        };
        let whole = format!("{}{index}{}", self.name, cell.path);
        match (call, whole.strip_suffix(']').and_then(|inner| inner.rsplit_once('['))) {
            (0, _) => whole,
            // As the elements of other arrays that are asked for again.
            (call, Some((array, last))) => format!("{array}#{call}[{last}]"),
            (call, None) => format!("{whole}#{call}"),
        }
    }

    /// The most elements that fit into so many bytes.
    pub fn elements_in(&self, bytes: u32) -> u32 {
        bytes.min(FILL_BYTES_MAX) / self.stride.max(1)
    }
}

/// Whether a cell is one that a function writes through its arguments: `read()->data[3]`.
pub fn is_filled_name(name: &str) -> bool {
    name.contains(")->")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_named_by_argument_call_and_place() {
        let length = FillLength { param: 1, argument: 1, is_signed: false };
        let many = FillCount::Product { lengths: vec![length], least: 0 };
        let name = |count: &FillCount, path: &str, call, element| {
            let fill = Fill {
                param: 0,
                argument: 0,
                name: "get()->p".into(),
                stride: 8,
                cells: Vec::new(),
                count: count.clone(),
            };
            let cell = FillCell { path: path.into(), offset: 0, kind: CellKind::BYTE };
            fill.cell_name(call, element, &cell)
        };
        let one = FillCount::Exactly(1);
        assert_eq!(name(&one, "", 0, 0), "get()->p");
        assert_eq!(name(&one, "", 2, 0), "get()->p#2");
        assert_eq!(name(&one, ".x", 1, 0), "get()->p.x#1");
        assert_eq!(name(&one, ".a[3]", 1, 0), "get()->p.a#1[3]");
        assert_eq!(name(&many, "", 0, 7), "get()->p[7]");
        assert_eq!(name(&many, "", 1, 7), "get()->p#1[7]");
        assert_eq!(name(&many, ".x", 1, 7), "get()->p[7].x#1");
    }
}
