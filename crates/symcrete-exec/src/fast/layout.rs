//! Where everything is in a burst's module.
//!
//! Functions: the host's opaque ones, then all of the original (imports as bodies of ours), then helpers.
//! Globals: the original ones, then ours, then a saved copy of each that can change. Memory 0 is the
//! program's, memory 1 is ours, memory 2 is what memory 0 was before the first run.

use crate::fast::scope::Scope;
use crate::limits::Limits;
use crate::module::Module;
use wasm_encoder::{MemArg, ValType};

/// Index of our own memory.
pub(crate) const OURS: u32 = 1;
/// Index of the memory that keeps what the program's was before the first run.
pub(crate) const SNAPSHOT: u32 = 2;

/// Bytes of one side in the map of sides: its least distance, and the operands that gave it.
pub(crate) const SIDE_BYTES: u32 = 32;
/// News of one run that are listed one by one.
pub(crate) const NEWS_MAX: u32 = 1024;
/// In the list of news, the mark of a loop that iterated more often than ever before.
pub(crate) const NEWS_LOOP: u32 = 1 << 31;
/// Memory is restored in pieces of so many bytes.
pub(crate) const GRANULE_BITS: u32 = 8;
/// Cells of memory that a plan may have.
pub(crate) const CELLS_MAX: u32 = 4096;
/// Bytes for the runs of a batch.
pub(crate) const RUNS_BYTES: u32 = 1 << 20;
/// How often a loop must go round until more is no news.
pub(crate) const LOOP_COUNT_MAX: u32 = 40;

/// So many results of each function that draws can be given; later ones are zero.
pub(crate) const DRAWS_MAX: u32 = 16;

/// Where the name of a cell is that a run asks for: in memory, or that of a callback or an import, by its number.
pub(crate) const ASK_NAMED: u32 = 0;
pub(crate) const ASK_CALLBACK: u32 = 1;
pub(crate) const ASK_IMPORT: u32 = 2;
/// Instead of the number of a byte: the cell is no byte of several.
pub(crate) const ASK_WHOLE: i32 = -1;
/// The same: bytes come next, which may be none.
pub(crate) const ASK_BYTES: i32 = -2;

/// Why a run was stopped by its own code; imports that stop follow.
pub(crate) const STOP_FUEL: u32 = 1;
pub(crate) const STOP_DEEP: u32 = 2;
pub(crate) const STOP_REJECTED: u32 = 3;
pub(crate) const STOP_UNREACHABLE: u32 = 4;
pub(crate) const STOP_IMPORT: u32 = 16;

macro_rules! ours {
    ($($(#[$doc:meta])* $global:ident: $ty:ident;)*) => {
        /// A global of ours.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(crate) enum Global { $($(#[$doc])* $global,)* }

        impl Global {
            pub(crate) const ALL: &'static [Global] = &[$(Global::$global,)*];

            pub(crate) fn ty(self) -> ValType {
                match self { $(Global::$global => ValType::$ty,)* }
            }

            /// Its name as an export.
            pub(crate) fn name(self) -> &'static str {
                match self { $(Global::$global => stringify!($global),)* }
            }
        }
    };
}

ours! {
    /// What is left of a run's fuel.
    Fuel: I32;
    /// How much deeper calls may nest.
    Depth: I32;
    /// Why the run was stopped, or zero.
    Stop: I32;
    /// How much news the run has.
    News: I32;
    /// How many pieces of memory were written to.
    Dirty: I32;
    /// The program's pages of memory, of which there may be more than it knows.
    Pages: I32;
    /// What they were before the first run.
    PagesBefore: I32;
    /// The run under way.
    Current: I32;
    /// Where its arguments are.
    Record: I32;
    /// What the import that stopped the run was told.
    StopArgument: I32;
    /// The operands of a comparison that did not hold.
    OperandA: I64;
    /// See above.
    OperandB: I64;
    /// What their type is.
    OperandTag: I32;
}

macro_rules! helpers {
    ($($(#[$doc:meta])* $helper:ident($($param:ident),*) $(-> $result:ident)?;)*) => {
        /// A function of ours.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(crate) enum Helper { $($(#[$doc])* $helper,)* }

        impl Helper {
            pub(crate) const ALL: &'static [Helper] = &[$(Helper::$helper,)*];

            pub(crate) fn signature(self) -> (&'static [ValType], &'static [ValType]) {
                match self {
                    $(Helper::$helper => (&[$(ValType::$param),*], &[$(ValType::$result)?]),)*
                }
            }
        }
    };
}

helpers! {
    /// `(site, distance to false, distance to true)`: keeps what is better than ever.
    Seen(I32, I64, I64);
    /// `(a, b, truth, code) -> distance` of a comparison.
    Leaf(I64, I64, I32, I32) -> I64;
    /// `(index, low, high) -> distance` of a switch's index to a range.
    Range(I32, I32, I32) -> I64;
    /// The less of two distances.
    Least(I64, I64) -> I64;
    /// The sum of two distances.
    Sum(I64, I64) -> I64;
    /// A float's place in the order of all.
    OrderedF32(F32) -> I64;
    /// See above.
    OrderedF64(F64) -> I64;
    /// `(side or loop)`: adds to the list of news.
    Tell(I32);
    /// `(reason)`: ends the run.
    Halt(I32);
    /// One call deeper, or the end.
    Descend();
    /// `(loop, count)`: a loop iterated more often than ever before.
    Longer(I32, I32);
    /// `(piece)`: the program is about to write there.
    Touch(I32);
    /// `(address, length)`: the program is about to write there.
    TouchRange(I32, I32);
    /// `memory.grow`
    Grow(I32) -> I32;
    /// Undoes what the last run wrote.
    Restore();
    /// `(first, end, fuel, cells of memory, bytes of a run) -> first run with news, or end`
    Drive(I32, I32, I32, I32, I32) -> I32;
    /// Everything that comes before the first run.
    Prepare();
}

/// Index spaces and addresses.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    pub(crate) n_host: u32,
    n_functions: u32,
    n_types: u32,
    n_globals: u32,
    /// One byte per site: whether one of its sides is still open.
    pub(crate) open: u32,
    /// One byte per switch, likewise.
    pub(crate) switch_open: u32,
    /// Four bytes per loop: the largest number of iterations so far.
    pub(crate) loops: u32,
    pub(crate) news: u32,
    /// Four bytes per import that draws: how often it did.
    pub(crate) draws: u32,
    pub(crate) cells: u32,
    pub(crate) runs: u32,
    /// Pieces that were written to, four bytes each.
    pub(crate) dirty_list: u32,
    /// One byte per piece; the last part, so that what lies outside memory traps.
    pub(crate) dirty_map: u32,
    pub(crate) pages_ours: u64,
    pub(crate) pages_max: u64,
}

impl Layout {
    pub(crate) fn new(module: &Module<'_>, scope: &Scope, n_host: u32, limits: &Limits) -> Layout {
        let limit = u64::from(limits.memory_bytes >> 16);
        let pages_max = module
            .memory()
            .map_or(0, |memory| memory.maximum.unwrap_or(limit).min(limit).max(memory.initial));
        let n_pieces = (pages_max as u32) << (16 - GRANULE_BITS);
        let mut end = 2 * SIDE_BYTES * scope.n_sites();
        let mut place = |bytes: u32| {
            let start = end;
            end = (end + bytes).next_multiple_of(8);
            start
        };
        let open = place(scope.n_sites());
        let switch_open = place(scope.switches.len() as u32);
        let loops = place(4 * scope.n_loops);
        let news = place(4 * NEWS_MAX);
        let draws = place(4 * module.n_imported());
        let cells = place(8 * CELLS_MAX);
        let runs = place(RUNS_BYTES);
        let dirty_list = place(4 * n_pieces);
        let dirty_map = place(n_pieces);
        Layout {
            n_host,
            n_functions: module.functions.len() as u32,
            n_types: module.types.len() as u32,
            n_globals: module.globals.len() as u32,
            open,
            switch_open,
            loops,
            news,
            draws,
            cells,
            runs,
            dirty_list,
            dirty_map,
            pages_ours: u64::from(end).div_ceil(1 << 16),
            pages_max,
        }
    }

    /// The host's function that gives cells by name: `(source, name, byte) -> bits`.
    pub(crate) fn ask(&self) -> u32 {
        self.n_host - 1
    }

    /// An original function.
    pub(crate) fn function(&self, function: u32) -> u32 {
        self.n_host + function
    }

    /// A helper.
    pub(crate) fn helper(&self, helper: Helper) -> u32 {
        self.n_host + self.n_functions + helper as u32
    }

    /// The function of a switch, by position.
    pub(crate) fn switch(&self, position: u32) -> u32 {
        self.n_host + self.n_functions + Helper::ALL.len() as u32 + position
    }

    /// The type of a helper.
    pub(crate) fn helper_type(&self, helper: Helper) -> u32 {
        self.n_types + helper as u32
    }

    /// The type of a host function, by position.
    pub(crate) fn host_type(&self, position: u32) -> u32 {
        self.n_types + Helper::ALL.len() as u32 + position
    }

    /// A global of ours.
    pub(crate) fn global(&self, global: Global) -> u32 {
        self.n_globals + global as u32
    }

    /// The saved copy of a global that can change, by position among them.
    pub(crate) fn saved(&self, position: u32) -> u32 {
        self.n_globals + Global::ALL.len() as u32 + position
    }
}

/// A place in one of the memories.
pub(crate) fn at(memory: u32, offset: u32) -> MemArg {
    MemArg { offset: u64::from(offset), align: 0, memory_index: memory }
}
