//! What one run starts from: arguments, and memory laid out before the call.
//!
//! A shape turns an [`crate::Input`] into an image; the engine knows only images.

use crate::fill::Fill;
use crate::frontend::StubResult;
use crate::input::Input;
use crate::noted::NotedParam;
use crate::scalar::Scalar;
use std::ops::Range;
use symcrete_term::{Op, Sort, TermId, Terms};

/// Arguments and memory of one run.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Image {
    /// One per parameter of the WebAssembly function.
    pub args: Vec<Cell>,
    /// Cells written to memory in this order.
    pub writes: Vec<Write>,
    /// Assumptions about variables before the call; each holds on this image.
    pub ranges: Vec<CellRange>,
    /// Where objects may be; bytes of it that belong to none of `objects` must not be accessed. Objects that
    /// the program asks for while it runs are put at its end, growing down.
    pub arena: Range<u32>,
    /// The objects that the program may access in the arena.
    pub objects: Vec<Range<u32>>,
    /// Those of them that the caller may have allocated: the program may free each once.
    pub heap: Vec<Range<u32>>,
    /// The start addresses of those that are strings: a zero ends them, not a length.
    pub texts: Vec<u32>,
    /// Objects whose size depends on a variable.
    pub ties: Vec<Tie>,
    /// Arguments of a variadic function beyond those that it declares.
    pub arguments: Arguments,
    /// Variables that outlive a call: earlier calls may have set them.
    pub state: Vec<Range<u32>>,
    /// Memory whose bytes after the run are recorded in the trace.
    pub watched: Vec<Range<u32>>,
    /// Values of cells that the program asks for while it runs; zero where it has none.
    pub drawn: Input,
    /// Whether several pointers share an object.
    pub is_shared: bool,
}

/// An array whose number of elements is a variable; none if that is negative. One of the bounds is their
/// maximum number.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tie {
    /// Where the array starts.
    pub start: u32,
    /// Where it ends with all the elements that its bound allows, and its terminator if it has one.
    pub end_max: u32,
    /// Bytes of an element.
    pub stride: u32,
    /// The variable's name.
    pub name: String,
    /// The kind of its cell.
    pub kind: CellKind,
    /// Whether an element of zeros comes after the last.
    pub is_terminated: bool,
}

/// The arguments of a variadic function beyond those that it declares.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Arguments {
    /// Where they are, and where more of them would be.
    pub room: Range<u32>,
    /// In order.
    pub list: Vec<Argument>,
}

/// An argument of a variadic function. No caller can pass one that is missing or read as another type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Argument {
    /// Where it starts.
    pub address: u32,
    /// What it is.
    pub kind: CellKind,
}

/// A cell at an address.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Write {
    /// Where its first byte goes.
    pub address: u32,
    /// What is written.
    pub cell: Cell,
}

/// One value, and how path conditions refer to it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cell {
    /// The kind of cell for the machine.
    pub kind: CellKind,
    /// The raw bits of its value in this run; for a pointer the address or 0.
    pub bits: u64,
    /// `None`: concrete.
    pub symbol: Option<Symbol>,
}

/// How wide a cell is and how it is read.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum CellKind {
    /// An integer of 8, 16, 32 or 64 bits. As an argument it is extended to its WebAssembly type.
    Int {
        /// Its width.
        bits: u8,
        /// Whether it is extended with its sign.
        signed: bool,
    },
    /// One byte, 0 or 1; its variable has the sort `Bool`.
    Bool,
    /// `f32`
    F32,
    /// `f64`
    F64,
}

/// How path conditions refer to a cell.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Symbol {
    /// A variable of the cell's kind.
    Variable(String),
    /// A pointer: `address` if the Boolean variable `present` holds, else null.
    Pointer {
        /// The variable's name.
        present: String,
        /// Where the object is, whether or not it is there in this run.
        address: u32,
        /// Objects that it has instead; the first whose condition holds.
        others: Vec<Other>,
    },
    /// A pointer behind the last element of an array: `address` and `stride` times as many bytes as a variable says if
    /// the Boolean variable `present` holds, else null.
    End {
        /// The Boolean variable's name.
        present: String,
        /// Where the array is, whether or not it is there in this run.
        address: u32,
        /// Bytes of an element.
        stride: u32,
        /// The variable that says how many elements there are, of 32 bits.
        length: String,
        /// Its value in this run.
        n: u32,
    },
    /// A pointer to one of some places: that of the first whose condition holds, or the last; null if the Boolean
    /// variable `present` is there and does not hold.
    OneOf {
        /// The variable's name; `None` if it is never null.
        present: Option<String>,
        /// All places but the last.
        others: Vec<Other>,
        /// The last.
        last: u32,
    },
    /// A pointer to a function of ours: its place in the table of functions if the Boolean variable `present` holds, else
    /// null.
    Callback {
        /// The variable's name.
        present: String,
        /// Its place, whether or not the pointer is null in this run.
        index: u32,
        /// What a call does; `None` if the pointer is always null.
        callee: Option<Callee>,
    },
    /// Some bits of a storage unit, as bit-fields are: variables by first bit, width and signedness. The
    /// rest of the cell is concrete.
    Fields(Vec<BitsOf>),
}

/// What the function behind a pointer of the input does: it only returns and writes fresh inputs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Callee {
    /// Its number among the program's [`callbacks`](crate::Program::callbacks).
    pub number: u32,
    /// The name of what it returns: `(*compare)()`.
    pub name: String,
    /// How it returns that.
    pub result: StubResult,
    /// What it writes through its arguments.
    pub fills: Vec<Fill>,
    /// What is noted of its arguments, if its calls are.
    pub noted: Option<Vec<NotedParam>>,
}

/// An object of another pointer that a pointer may have.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Other {
    /// The Boolean variable that says so.
    pub name: String,
    /// Its value in this run.
    pub is_chosen: bool,
    /// Variables of other pointers that must have these values besides.
    pub needs: Vec<(String, bool)>,
    /// Whether all of that holds in this run.
    pub holds: bool,
    /// Where the object is.
    pub address: u32,
    /// The offset of the pointer inside it, if that depends on a variable.
    pub inside: Option<Inside>,
}

/// A place inside an array.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Inside {
    /// The variable that says how many elements come before it, of 32 bits.
    pub name: String,
    /// Its value in this run.
    pub n: u32,
    /// The bits of it that count.
    pub mask: u32,
    /// Bytes of an element.
    pub stride: u32,
    /// Whether the array has another size if the pointer points into it.
    pub resizes: bool,
}

impl Other {
    /// Where it points in this run.
    pub fn place(&self) -> u32 {
        let inside =
            self.inside.as_ref().map_or(0, |inside| inside.stride * (inside.n & inside.mask));
        self.address.wrapping_add(inside)
    }

    /// The condition as a term.
    pub fn condition(&self, terms: &mut Terms) -> TermId {
        let mut all = terms.var(&self.name, Sort::Bool);
        for (name, expected) in &self.needs {
            let variable = terms.var(name, Sort::Bool);
            let need = if *expected { variable } else { terms.not(variable) };
            all = terms.app(Op::And, &[all, need]);
        }
        all
    }
}

/// A variable that fills some bits of a cell.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BitsOf {
    /// The variable's name; its sort is a bit-vector of `width`.
    pub name: String,
    /// The lowest bit.
    pub low: u8,
    /// How many bits.
    pub width: u8,
}

/// `low <= variable <= high`, assumed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CellRange {
    /// The variable's name.
    pub name: String,
    /// The kind of its cell.
    pub kind: CellKind,
    /// The least value, as a signed number if the kind is signed.
    pub low: i64,
    /// The greatest value.
    pub high: i64,
}

impl Image {
    /// Arguments alone, all concrete.
    pub fn of_args(args: impl IntoIterator<Item = Scalar>) -> Image {
        Image { args: args.into_iter().map(Cell::of_scalar).collect(), ..Image::default() }
    }

    /// Arguments alone, all symbolic: `arg0`, `arg1`, ….
    pub fn of_symbolic_args(args: impl IntoIterator<Item = Scalar>) -> Image {
        let symbolic = |(i, scalar): (usize, Scalar)| match scalar.sort() {
            Some(_) => Cell::of_scalar(scalar).named(format!("arg{i}")),
            None => Cell::of_scalar(scalar),
        };
        Image { args: args.into_iter().enumerate().map(symbolic).collect(), ..Image::default() }
    }

    /// With bytes in memory, symbolic ones (`name[0]`, `name[1]`, …) if a name is given.
    #[must_use]
    pub fn with_bytes(mut self, address: u32, bytes: &[u8], name: Option<&str>) -> Image {
        let kind = CellKind::BYTE;
        self.writes.extend(bytes.iter().enumerate().map(|(i, &byte)| {
            let cell = Cell::concrete(kind, u64::from(byte));
            let cell = match name {
                Some(name) => cell.named(format!("{name}[{i}]")),
                None => cell,
            };
            Write { address: address.wrapping_add(i as u32), cell }
        }));
        self
    }
}

impl CellKind {
    /// An unsigned byte.
    pub const BYTE: CellKind = CellKind::Int { bits: 8, signed: false };

    /// The sort of a variable that stands for such a cell.
    pub fn sort(self) -> Sort {
        match self {
            CellKind::Bool => Sort::Bool,
            CellKind::Int { bits, .. } => Sort::Bv(bits),
            CellKind::F32 => Sort::F32,
            CellKind::F64 => Sort::F64,
        }
    }

    /// Bytes in memory.
    pub fn size(self) -> u32 {
        match self {
            CellKind::Bool => 1,
            CellKind::Int { bits, .. } => u32::from(bits) / 8,
            CellKind::F32 => 4,
            CellKind::F64 => 8,
        }
    }
}

impl Cell {
    /// A concrete cell.
    pub fn concrete(kind: CellKind, bits: u64) -> Cell {
        Cell { kind, bits, symbol: None }
    }

    /// A symbolic cell.
    pub fn variable(kind: CellKind, bits: u64, name: impl Into<String>) -> Cell {
        Cell { kind, bits, symbol: Some(Symbol::Variable(name.into())) }
    }

    /// The same cell, made symbolic.
    #[must_use]
    pub fn named(self, name: impl Into<String>) -> Cell {
        Cell { symbol: Some(Symbol::Variable(name.into())), ..self }
    }

    /// The cell of a WebAssembly value, concrete.
    pub fn of_scalar(scalar: Scalar) -> Cell {
        let kind = match scalar {
            Scalar::I32(_) | Scalar::FuncRef { .. } => CellKind::Int { bits: 32, signed: true },
            Scalar::I64(_) => CellKind::Int { bits: 64, signed: true },
            Scalar::F32(_) => CellKind::F32,
            Scalar::F64(_) => CellKind::F64,
        };
        Cell::concrete(kind, scalar.bits())
    }
}
