//! Whether accesses of a module can leave the object that they belong to.
//!
//! Backward execution knows memory as WebAssembly lays it out. What an access finds outside its object is different
//! on another machine, so a proof holds only for inputs on which none leaves one, unless every access is known to stay:
//! at a constant place, in the part of an object of the input that its pointer has for certain, or at an index that
//! cannot run out of a variable. Where one can, `start.rs` asks for inputs on which it does.

use crate::entry::Entry;
use crate::frames::Frame;
use crate::view::View;
use std::collections::BTreeSet;
use std::ops::Range;
use symcrete_program::Symbol;
use symcrete_program::cfg::{
    Access, BlockId, Constant, Function, Instruction, Kind, MemoryUse, ValueId, WasmOp,
};

/// Values that an expression is looked through.
pub(crate) const DEPTH_MAX: u32 = 12;

/// Which accesses are checked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Accesses {
    /// All of them.
    All,
    /// Those that change memory: after one that leaves its object, a variable of another machine may be anything.
    Writes,
}

/// What accesses may reach.
pub struct Room<'a> {
    /// Functions that are called from outside, with their largest inputs.
    pub entries: &'a [Entry],
    /// Variables of the program.
    pub objects: &'a [Range<u32>],
    /// All bytes of memory before an entry is called.
    pub memory: &'a [u8],
}

/// The base of an address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Base {
    /// Address zero.
    Zero,
    /// A global of the module: the stack pointer.
    Global(u32),
    /// A parameter of an entry, by position.
    Param(usize),
}

/// An address or number: a base, and the least and greatest offset from it.
#[derive(Clone, Copy)]
struct Place {
    base: Base,
    low: i64,
    high: i64,
}

impl Place {
    fn number(low: i64, high: i64) -> Place {
        Place { base: Base::Zero, low, high }
    }

    fn plus(self, other: Place) -> Option<Place> {
        let base = match (self.base, other.base) {
            (base, Base::Zero) | (Base::Zero, base) => base,
            (Base::Global(_) | Base::Param(_), Base::Global(_) | Base::Param(_)) => return None,
        };
        let (low, high) = (self.low + other.low, self.high + other.high);
        let fits = |n: i64| i32::try_from(n).is_ok();
        (fits(low) && fits(high)).then_some(Place { base, low, high })
    }

    /// A multiple of a number that is not negative.
    fn times(self, factor: i64) -> Option<Place> {
        let high = self.high.checked_mul(factor)?;
        let is_number = self.base == Base::Zero && self.low >= 0 && factor >= 0;
        (is_number && i32::try_from(high).is_ok()).then(|| Place::number(self.low * factor, high))
    }

    /// `self | other`, where one is a number: as much as either, and no more than the sum.
    fn or(self, other: Place) -> Option<Place> {
        let (place, number) = match (self.base, other.base) {
            (_, Base::Zero) => (self, other),
            (Base::Zero, _) => (other, self),
            (_, _) => return None,
        };
        let added = Place::number(0, number.high);
        (number.low >= 0).then(|| place.plus(added)).flatten()
    }

    /// A number of 32 bits that is not negative, as one of 64.
    fn widened(self) -> Option<Place> {
        (self.base == Base::Zero && self.low >= 0).then_some(self)
    }

    fn constant(self) -> Option<i64> {
        (self.base == Base::Zero && self.low == self.high).then_some(self.low)
    }
}

/// A function whose accesses are looked at.
pub(crate) struct Places<'f> {
    function: &'f Function,
    definitions: Vec<Option<(BlockId, usize)>>,
    /// Its local variables.
    pub(crate) frame: Option<Frame>,
    /// The bytes that each parameter is known to point to; empty if none are known.
    rooms: Vec<Option<u32>>,
    objects: &'f [Range<u32>],
}

impl View<'_> {
    /// Whether one of these accesses of these functions may leave its object.
    pub fn has_free(&self, accesses: Accesses, functions: &BTreeSet<u32>, room: &Room<'_>) -> bool {
        let is_called = |function: u32| {
            self.callers(function).iter().any(|site| functions.contains(&site.caller))
        };
        functions.iter().filter_map(|&function| self.cfg.function(function)).any(|function| {
            // Callers within the program may pass anything to an entry.
            let entry = room.entries.iter().find(|entry| entry.function == function.index);
            let entry = entry.filter(|_| !is_called(function.index));
            Places::of(self, function, entry, (room.objects, room.memory)).has_free(accesses)
        })
    }
}

/// How many bytes the pointers among an entry's arguments point to for certain: a length is a guess from names, so
/// arrays with one have none.
fn rooms(entry: &Entry) -> Vec<Option<u32>> {
    let room = |address: u32| {
        let is_tied = entry.image.ties.iter().any(|tie| tie.start == address);
        let object = entry.image.objects.iter().find(|object| object.start == address);
        object.filter(|_| !is_tied).map(|object| object.end - object.start)
    };
    let of_argument = |cell: &symcrete_program::Cell| match &cell.symbol {
        Some(Symbol::Pointer { address, .. }) => room(*address),
        Some(
            Symbol::Variable(_)
            | Symbol::End { .. }
            | Symbol::OneOf { .. }
            | Symbol::Callback { .. }
            | Symbol::Fields(_),
        ) => None,
        None => room(cell.bits as u32),
    };
    entry.image.args.iter().map(of_argument).collect()
}

impl<'f> Places<'f> {
    /// The accesses of a function, or of an entry that nothing else calls.
    pub(crate) fn of(
        view: &View<'_>,
        function: &'f Function,
        entry: Option<&Entry>,
        (objects, memory): (&'f [Range<u32>], &[u8]),
    ) -> Places<'f> {
        Places {
            function,
            definitions: function.definitions(),
            frame: Frame::of(view, function, memory),
            rooms: entry.map(rooms).unwrap_or_default(),
            objects,
        }
    }

    fn has_free(&self, accesses: Accesses) -> bool {
        let mut instructions = self.function.blocks.iter().flat_map(|block| &block.instructions);
        instructions.any(|instruction| match instruction.kind.memory() {
            MemoryUse::Untouched | MemoryUse::Grown => false,
            MemoryUse::Loaded if accesses == Accesses::Writes => false,
            MemoryUse::Loaded | MemoryUse::Stored => !self.is_inside(instruction),
            MemoryUse::Bulk => true,
        })
    }

    fn is_inside(&self, instruction: &Instruction) -> bool {
        let (Kind::Load(access) | Kind::Store(access)) = &instruction.kind else { return false };
        let &Access { offset, bytes, .. } = access;
        let Some(place) = self.place(instruction.args[0], DEPTH_MAX) else { return false };
        let Ok(offset) = u32::try_from(offset).map(i64::from) else { return false };
        let (low, end) = (place.low + offset, place.high + offset + i64::from(bytes));
        match place.base {
            Base::Global(_) => self.is_inside_frame(place, (low, end)),
            Base::Zero if place.low == place.high => true,
            Base::Zero => self
                .objects
                .iter()
                .any(|object| i64::from(object.start) <= low && end <= i64::from(object.end)),
            Base::Param(param) => {
                let room = self.rooms.get(param).copied().flatten();
                low >= 0 && room.is_some_and(|room| end <= i64::from(room))
            }
        }
    }

    /// Whether bytes from the stack pointer on are of one local variable, or of none that others can reach.
    fn is_inside_frame(&self, place: Place, (low, end): (i64, i64)) -> bool {
        let is_constant = place.low == place.high;
        let frame = self.frame.as_ref().and_then(|frame| {
            let start = self.place(frame.start, DEPTH_MAX)?;
            (start.base == place.base && start.low == start.high).then_some((frame, start.low))
        });
        // Without a report nothing is known but that compilers put constants where they belong.
        let Some((frame, start)) = frame else { return is_constant };
        let (low, end) = (low - start, end - start);
        let is_outside = end <= 0 || low >= i64::from(frame.size);
        let is_of = |variable: &Range<u32>| {
            i64::from(variable.start) <= low && end <= i64::from(variable.end)
        };
        frame.variables.iter().any(is_of) || is_outside && is_constant
    }

    /// What an address starts from and how far from it its constant part is, whatever else is added.
    pub(crate) fn base(&self, value: ValueId, depth: u32) -> Option<(Base, i64)> {
        if let Some(place) = self.place(value, depth)
            && place.low == place.high
        {
            let is_known = match place.base {
                Base::Param(param) => self.rooms.get(param).copied().flatten().is_some(),
                Base::Zero | Base::Global(_) => true,
            };
            return is_known.then_some((place.base, place.low));
        }
        let (block, position) = self.definitions[value.index()]?;
        let instruction = &self.function.block(block).instructions[position];
        // To an address that is aligned, compilers add with `or`.
        let is_sum = matches!(
            instruction.kind,
            Kind::Numeric(WasmOp::I32Add | WasmOp::I32Or | WasmOp::I64Add | WasmOp::I64Or)
        );
        if !is_sum {
            return None;
        }
        let part = |i: usize| self.base(instruction.args[i], depth.checked_sub(1)?);
        match (part(0), part(1)) {
            (Some((base, a)), Some((Base::Zero, b))) | (Some((Base::Zero, a)), Some((base, b))) => {
                Some((base, a + b))
            }
            (Some(_), Some(_)) => None,
            (known, None) | (None, known) => known,
        }
    }

    /// The range of a value, if it is known.
    fn place(&self, value: ValueId, depth: u32) -> Option<Place> {
        let Some((block, position)) = self.definitions[value.index()] else {
            let params = &self.function.block(BlockId::ENTRY).params;
            let param = params.iter().position(|param| *param == value)?;
            return Some(Place { base: Base::Param(param), low: 0, high: 0 });
        };
        if let Some(frame) = self.frame.as_ref().filter(|frame| frame.address == value) {
            return self.place(frame.start, depth.checked_sub(1)?);
        }
        let instruction = &self.function.block(block).instructions[position];
        let arg = |i: usize| self.place(*instruction.args.get(i)?, depth.checked_sub(1)?);
        #[expect(clippy::wildcard_enum_match_arm, reason = "the rest is anywhere")]
        match &instruction.kind {
            Kind::Const(Constant::I32(bits)) => {
                let number = i64::from(*bits as i32);
                Some(Place::number(number, number))
            }
            Kind::Const(Constant::I64(bits)) => {
                let number = i64::from(i32::try_from(*bits as i64).ok()?);
                Some(Place::number(number, number))
            }
            Kind::GlobalGet(global) => Some(Place { base: Base::Global(*global), low: 0, high: 0 }),
            Kind::Load(Access { bytes, signed: false, .. }) if *bytes < 4 => {
                Some(Place::number(0, (1 << (8 * bytes)) - 1))
            }
            Kind::Numeric(WasmOp::I32Add | WasmOp::I64Add) => arg(0)?.plus(arg(1)?),
            Kind::Numeric(WasmOp::I32Or | WasmOp::I64Or) => arg(0)?.or(arg(1)?),
            Kind::Numeric(WasmOp::I64ExtendI32U) => arg(0)?.widened(),
            Kind::Numeric(WasmOp::I32Sub | WasmOp::I64Sub) => {
                let by = arg(1)?.constant()?;
                arg(0)?.plus(Place::number(-by, -by))
            }
            Kind::Numeric(WasmOp::I32And | WasmOp::I64And) => {
                let mask = |i| arg(i).and_then(Place::constant).filter(|mask| *mask >= 0);
                Some(Place::number(0, mask(1).or_else(|| mask(0))?))
            }
            Kind::Numeric(WasmOp::I32RemU | WasmOp::I64RemU) => {
                let by = arg(1)?.constant().filter(|by| *by > 0)?;
                Some(Place::number(0, by - 1))
            }
            Kind::Numeric(WasmOp::I32ShrU) => {
                let by = arg(1)?.constant().filter(|by| (1..32).contains(by))?;
                Some(Place::number(0, (1 << (32 - by)) - 1))
            }
            Kind::Numeric(WasmOp::I32Shl | WasmOp::I64Shl) => {
                let by = arg(1)?.constant().filter(|by| (0..31).contains(by))?;
                arg(0)?.times(1 << by)
            }
            Kind::Numeric(WasmOp::I32Mul | WasmOp::I64Mul) => match (arg(0), arg(1)) {
                (Some(a), Some(b)) if b.constant().is_some() => a.times(b.low),
                (Some(a), Some(b)) if a.constant().is_some() => b.times(a.low),
                (_, _) => None,
            },
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::Callee;
    use symcrete_program::{Cell, CellKind, Image};

    /// Whether the one function, an entry with a pointer to 8 bytes and a number, may leave an object; a variable of 16
    /// bytes is at 2048.
    fn is_free(body: &str) -> bool {
        let text = format!(
            "(module (memory 1) (global $sp (mut i32) (i32.const 1024)) (func (param $p i32) (param $n i32) {body}))"
        );
        let wasm = wat::parse_str(text).unwrap();
        let view = View::of(&wasm, |_, _| Callee::Entered).unwrap();
        let kind = CellKind::Int { bits: 32, signed: false };
        let symbol =
            Symbol::Pointer { present: "p != NULL".into(), address: 4096, others: Vec::new() };
        let pointer = Cell { kind, bits: 4096, symbol: Some(symbol) };
        let number = Cell { kind, bits: 0, symbol: Some(Symbol::Variable("n".into())) };
        let (object, variable): (Range<u32>, Range<u32>) = (4096..4104, 2048..2064);
        let objects = vec![object];
        let image = Image { args: vec![pointer, number], objects, ..Image::default() };
        let entry = Entry { function: 0, image, limits: Vec::new(), gaps: BTreeSet::new() };
        let room = Room { entries: &[entry], objects: &[variable], memory: &[] };
        view.has_free(Accesses::All, &BTreeSet::from([0]), &room)
    }

    #[test]
    fn what_lies_in_an_object_for_certain_is_not_free() {
        let load =
            |address: &str, offset: u32| format!("(drop (i32.load offset={offset} {address}))");
        assert!(!is_free(&load("(local.get $p)", 4)));
        assert!(is_free(&load("(local.get $p)", 5)), "one byte beyond");
        assert!(is_free(&load("(i32.sub (local.get $p) (i32.const 4))", 0)), "before it");
        assert!(is_free(&load("(local.get $n)", 0)), "no pointer");
        assert!(!is_free(&load("(i32.add (global.get $sp) (i32.const 12))", 0)));
        let index = |mask: u32| {
            format!("(i32.shl (i32.and (local.get $n) (i32.const {mask})) (i32.const 2))")
        };
        assert!(!is_free(&load(&index(3), 2048)));
        assert!(is_free(&load(&index(4), 2048)), "an index that runs out of the variable");
        assert!(is_free(&load(&format!("(i32.add (global.get $sp) {})", index(3)), 0)));
    }
}
