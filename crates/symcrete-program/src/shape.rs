//! How the input of a unit is laid out: a tree of cells with fixed addresses.
//!
//! A shape is made once from a unit's types ([`Shape::of`]). It turns an [`crate::Input`] into an image for the
//! engine, into data for people, and data from people into an input. Which cells there are in one run
//! depends on the input: a pointer may be null, an array has as many elements as its length says.
//!
//! **Invariant:** a cell has the same name and the same address in every run, so terms of one run are about
//! the same input as those of another.

mod alias;
mod build;
mod callbacks;
mod datum;
mod ends;
mod image;
mod initial;
mod middle;
mod passing;
mod pointees;
mod pointers;
mod room;
mod show;
mod ties;
mod together;
mod variadic;

pub use alias::{Alias, Middle, Need};
pub use build::scalar_kind;
pub use datum::{Datum, WrongDatum, longest, read_cell};
pub use image::{Placed, number, value_of};
pub use passing::Passing;
pub use show::{show_bits, show_cell};
pub(crate) use ties::words;
pub use ties::{is_index_name, is_length_name, is_length_named_after, is_plain_length};
pub use variadic::{ArgumentList, Text, TextChoice, Variadic};

use crate::bounds::Sizes;
use crate::gap::Gap;
use crate::image::{Callee, CellKind, CellRange};
use crate::input::Input;
use crate::program::{Program, Unit};
use crate::runtime::Runtime;
use crate::types::TypeId;
use std::collections::{BTreeMap, BTreeSet};
use thiserror::Error;

/// How large inputs may become.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ShapeOptions {
    /// How large objects may be.
    pub sizes: Sizes,
    /// Whether the program's global variables are inputs too.
    pub globals: bool,
    /// What runs have shown.
    pub learnt: Learnt,
}

/// What runs have shown of parameters.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub struct Learnt {
    /// For an array the parameter that is its length; `None` if it has none. Both by index.
    pub lengths: BTreeMap<usize, Option<usize>>,
    /// The pointers behind whose only structure the program looks for more of them, by name: they point to tables.
    pub tables: BTreeSet<String>,
}

/// The input of one unit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shape {
    /// The function that is entered, by index in the module.
    pub entered: u32,
    /// One per parameter of the source.
    pub params: Vec<Slot>,
    /// Global variables that are inputs.
    pub globals: Vec<Slot>,
    /// How the result comes back.
    pub result: ResultSlot,
    /// What was simplified, for people: `p->callback is always null: it points to a function`.
    pub notes: Vec<String>,
    /// What is passed for `...`, if the function takes that.
    pub variadic: Option<Variadic>,
    /// Whether there are two pointers that span one array.
    pub has_ends: bool,
    /// What lengths of arrays are assumed to be at most.
    pub lengths: Vec<CellRange>,
    /// Where objects are laid out.
    pub arena: std::ops::Range<u32>,
    /// What can be told to the runtime.
    pub runtime: Option<Runtime>,
    /// Where the objects of functions that return pointers may be.
    pub spare: std::ops::Range<u32>,
    /// Where variables are that outlive a call and are no inputs.
    pub state: Vec<std::ops::Range<u32>>,
    /// Cells that are what they are only because inputs have limits.
    pub limits: Vec<Limit>,
    /// What these limits are.
    pub sizes: Sizes,
    /// Which pointers may have the same object.
    pub aliases: Vec<Alias>,
    /// What runs have shown that it was made with.
    pub learnt: Learnt,
}

/// A parameter or global variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Slot {
    /// Its name in the source.
    pub name: String,
    /// Its type.
    pub ty: TypeId,
    /// Its cells.
    pub node: ShapeNode,
    /// How it reaches the function, or where it lies.
    pub passing: Passing,
}

/// How a result comes back.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ResultSlot {
    /// There is none.
    Void,
    /// As WebAssembly's result.
    Direct(TypeId),
    /// In memory whose address is passed first.
    Memory {
        /// Its type.
        ty: TypeId,
        /// Where.
        address: u32,
        /// The cells, to read it back.
        node: ShapeNode,
    },
}

/// A part of an input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ShapeNode {
    /// One cell.
    Leaf(Leaf),
    /// A storage unit that bit-fields share.
    Bits {
        /// The unit.
        kind: CellKind,
        /// Its fields.
        fields: Vec<BitLeaf>,
    },
    /// A structure, or the member that stands for a union.
    Record {
        /// Its type.
        ty: TypeId,
        /// Its members.
        members: Vec<Member>,
    },
    /// An array inside something else.
    List {
        /// The type of an element.
        element: TypeId,
        /// Bytes from one element to the next.
        stride: u32,
        /// The elements, as many as there can be.
        items: Vec<ShapeNode>,
        /// How many there are in one run: all, unless it is a flexible array member.
        count: Count,
    },
    /// A pointer and what it points to.
    Pointer(Box<Pointer>),
    /// A pointer behind the last element of an array that another pointer points to.
    End(Box<End>),
    /// A pointer to one of a few constant strings.
    Text(Box<Text>),
    /// A pointer to a function of ours.
    Callback(Box<Callback>),
    /// A cell that never changes.
    Fixed {
        /// Its type.
        ty: TypeId,
        /// Its kind.
        kind: CellKind,
        /// Its value.
        bits: u64,
        /// The limit without which it could be something else.
        limit: Option<Box<Limit>>,
    },
}

/// A cell that is what it is only because inputs have limits: the zero after the longest string, the null pointer
/// where pointers are followed no further.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Limit {
    /// The variable's name; never one of an input.
    pub name: String,
    /// The sort of its variable.
    pub kind: CellKind,
    /// What the limit is.
    pub gap: Gap,
    /// Where an object would be if it is a pointer: an address that no memory has.
    pub address: u32,
}

/// A cell that is an input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Leaf {
    /// The variable's name: an expression of the source, such as `p->x`.
    pub name: String,
    /// Its type.
    pub ty: TypeId,
    /// How it is stored.
    pub kind: CellKind,
    /// Its bits where an input does not say.
    pub default: u64,
}

/// A bit-field.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BitLeaf {
    /// The variable's name.
    pub name: String,
    /// The member's name.
    pub member: String,
    /// Its type.
    pub ty: TypeId,
    /// Its lowest bit in the unit.
    pub low: u8,
    /// Its width.
    pub width: u8,
    /// Whether it has negative values.
    pub signed: bool,
    /// Its bits where an input does not say.
    pub default: u64,
}

/// A member of a structure.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Member {
    /// Its name; empty if it is anonymous or a unit of bit-fields.
    pub name: String,
    /// Bytes from the start.
    pub offset: u32,
    /// What it is.
    pub node: ShapeNode,
}

/// A pointer and what it points to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pointer {
    /// The pointer's expression in the source.
    pub name: String,
    /// Its type.
    pub ty: TypeId,
    /// The variable that says whether it is not null; `None` if it never is.
    pub present: Option<String>,
    /// Whether it is there where an input does not say.
    pub present_default: bool,
    /// Where its object is.
    pub address: u32,
    /// The type of an element.
    pub element: TypeId,
    /// Bytes from one element to the next.
    pub stride: u32,
    /// As many elements as there can be.
    pub items: Vec<ShapeNode>,
    /// How many there are in one run.
    pub count: Count,
    /// One more element that never changes follows: the zero of a string, the null of `argv`.
    pub is_terminated: bool,
    /// The zero of a string, which a longer string would have elsewhere.
    pub terminator: Option<Limit>,
    /// Of a string: the cell that says for how many characters its object has room; all, where an input does not say.
    pub room: Option<String>,
    /// Objects that it may have instead of its own, the first of which counts.
    pub aliases: Vec<Alias>,
    /// Those of other pointers that may point inside its array: it has all elements then.
    pub inside: Vec<Alias>,
    /// The flexible array member at the end of the one structure that it points to.
    pub tail: Option<Tail>,
}

/// Elements behind a structure: its flexible array member.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tail {
    /// Bytes from the start of the structure.
    pub offset: u32,
    /// Bytes of an element.
    pub stride: u32,
    /// As many elements as there can be.
    pub n_max: u32,
    /// How many there are in one run.
    pub count: Count,
}

/// A pointer behind the last element of an array, or null where there is no array.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct End {
    /// The pointer's expression in the source.
    pub name: String,
    /// Its type.
    pub ty: TypeId,
    /// The pointer to the first element.
    pub of: String,
    /// The variable that says whether that one is not null.
    pub present: String,
    /// Whether it is there where an input does not say.
    pub present_default: bool,
    /// Where the array is.
    pub address: u32,
    /// Bytes of an element.
    pub stride: u32,
    /// How many elements there are.
    pub length: Leaf,
}

/// A pointer to a function of ours, or null.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Callback {
    /// The pointer's expression in the source.
    pub name: String,
    /// Its type.
    pub ty: TypeId,
    /// The type of the function.
    pub function: TypeId,
    /// The variable that says whether it is not null.
    pub present: String,
    /// Whether it is there where an input does not say.
    pub present_default: bool,
    /// Where the function is in the table.
    pub index: u32,
    /// What a call does.
    pub callee: Callee,
}

/// How many elements an array has.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Count {
    /// All that there can be.
    All,
    /// As many as another cell says.
    Tied(Leaf),
}

impl Count {
    /// How many elements there are in the run of an input, of so many.
    pub fn of(&self, n_max: usize, input: &Input) -> usize {
        match self {
            Count::All => n_max,
            Count::Tied(length) => length.number(input).clamp(0, n_max as i64) as usize,
        }
    }
}

/// Why a unit cannot be tested.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("`{what}`: {why}")]
pub struct Unsupported {
    /// The parameter, or the function itself.
    pub what: String,
    /// The reason.
    pub why: Obstacle,
}

/// What keeps a unit from being tested.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Obstacle {
    /// No input can be made of a type, for the reason that is given.
    #[error("{0}")]
    Type(String),
    /// The module has no memory that inputs could use.
    #[error("the module has no room for objects; only numbers can be inputs")]
    NoRoom,
    /// Arrays and pointers may become so many that they do not fit.
    #[error("the input does not fit into memory")]
    TooLarge,
}

impl Shape {
    /// The shape of a unit's input.
    pub fn of(
        program: &Program,
        unit: &Unit,
        options: &ShapeOptions,
    ) -> Result<Shape, Unsupported> {
        build::build(program, unit, options)
    }

    /// The parameter whose array an address is in or just behind, and the index of the element there.
    pub fn element_at(&self, address: u32) -> Option<(usize, u32)> {
        let array = |(i, slot): (usize, &Slot)| {
            let ShapeNode::Pointer(pointer) = &slot.node else { return None };
            let n_max = pointer.items.len() as u32 + u32::from(pointer.is_terminated);
            let near = pointer.address..pointer.address + pointer.stride * n_max + build::GAP;
            near.contains(&address)
                .then(|| (i, (address - pointer.address) / pointer.stride.max(1)))
        };
        self.params.iter().enumerate().find_map(array)
    }

    /// The parameters that are integers, by index.
    pub fn integers(&self) -> Vec<(usize, Leaf)> {
        let integer = |(i, slot): (usize, &Slot)| {
            let ShapeNode::Leaf(leaf) = &slot.node else { return None };
            matches!(leaf.kind, CellKind::Int { .. }).then(|| (i, leaf.clone()))
        };
        self.params.iter().enumerate().filter_map(integer).collect()
    }

    /// The length of the array that a parameter points to, if it has one.
    pub fn length_of(&self, param: usize) -> Option<&Leaf> {
        let ShapeNode::Pointer(pointer) = &self.params.get(param)?.node else { return None };
        match &pointer.count {
            Count::Tied(leaf) => Some(leaf),
            Count::All => None,
        }
    }

    /// Parameters, then globals.
    pub fn slots(&self) -> impl Iterator<Item = &Slot> {
        self.params.iter().chain(&self.globals)
    }
}
