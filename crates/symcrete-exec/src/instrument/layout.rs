//! Where everything is in the rewritten module.
//!
//! Types: the widened form of each original type at its own index, then the original types, then their
//! results alone, then the host's. Functions: original imports (widened), the host's functions, opaque functions; then each
//! defined function; in the concrete form, each import without shadows; then those of `quick.rs`. Globals: the original ones, then a
//! shadow for each, then ours. Memory 0 is the program's, memory 1 holds the coverage map, the tables that map
//! `br_table` indices to it, and one flag byte per eight bytes of memory 0; in the concrete form, a tag for each byte.

use crate::instrument::quick::Quick;
use crate::instrument::sites::Facts;
use crate::limits::Limits;
use crate::module::Module;
use wasm_encoder::ValType;

macro_rules! host_functions {
    ($($(#[$doc:meta])* $function:ident($($param:ident),*) $(-> $result:ident)?;)*) => {
        /// A function of the host that rewritten code calls.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(crate) enum HostFunction { $($(#[$doc])* $function,)* }

        impl HostFunction {
            /// All, in order of their index.
            pub(crate) const ALL: &'static [HostFunction] = &[$(HostFunction::$function,)*];

            /// Its name as an import.
            pub(crate) fn name(self) -> &'static str {
                match self { $(HostFunction::$function => stringify!($function),)* }
            }

            /// Its parameters and results.
            pub(crate) fn signature(self) -> (&'static [ValType], &'static [ValType]) {
                match self {
                    $(HostFunction::$function => (&[$(ValType::$param),*], &[$(ValType::$result)?]),)*
                }
            }
        }
    };
}

// Values travel as 64 raw bits; a shadow is a term's index plus one, or zero.
host_functions! {
    /// `(operator, shadow, value) -> shadow`
    Unary(I32, I32, I64) -> I32;
    /// `(operator, shadows, values) -> shadow`
    Binary(I32, I32, I32, I64, I64) -> I32;
    /// `(operator, site, shadow, value) -> shadow`, guards recorded
    UnaryGuarded(I32, I32, I32, I64) -> I32;
    /// `(operator, site, shadows, values) -> shadow`, guards recorded
    BinaryGuarded(I32, I32, I32, I32, I64, I64) -> I32;
    /// `(site, shadow, value)`
    Branch(I32, I32, I32);
    /// `(site, shadow, value)`
    Select(I32, I32, I32);
    /// `(site, shadow, index)`
    Switch(I32, I32, I32);
    /// `(access, site, offset, shadow of the address, address) -> shadow`
    Load(I32, I32, I32, I32, I64) -> I32;
    /// `(access, site, offset, shadow of the address, address, shadow, value)`
    Store(I32, I32, I32, I32, I64, I32, I64);
    /// `(destination, source, length)`: the concrete form is about to copy bytes
    Copied(I64, I64, I64);
    /// `(destination, length)`: the concrete form is about to fill bytes
    Filled(I64, I64);
    /// `()`: the concrete form has come upon something symbolic
    Symbolic();
    /// `(site, shadow, value)`: take it at its value
    Pin(I32, I32, I64);
    /// `(site, shadow, index, limit)`: guarded to be below the limit, then taken at its value
    Bounded(I32, I32, I64, I32);
    /// `(site, shadows of destination, source and length, destination, source, length)`
    Copy(I32, I32, I32, I32, I64, I64, I64);
    /// `(site, shadows of destination, value and length, destination, value, length)`
    Fill(I32, I32, I32, I32, I64, I64, I64);
    /// `(site, shadow, value)`: the program assumes that the value is not zero
    Assume(I32, I32, I32);
    /// `()`: the fuel at hand is used up
    Refuel();
    /// `(gap)`: the program enters what the model leaves out
    Meet(I32);
    /// `()`: calls are nested too deeply
    TooDeep();
}

/// The module name under which the host's functions are imported.
pub(crate) const HOST: &str = "symcrete-host";
/// The module name under which opaque functions are imported.
pub(crate) const OPAQUE: &str = "symcrete-opaque";

/// Index of the memory with coverage and flags.
pub(crate) const FLAG_MEMORY: u32 = 1;
/// Names of our exports.
pub(crate) const EXPORT_MEMORY: &str = "symcrete:memory";
pub(crate) const EXPORT_FLAGS: &str = "symcrete:flags";
pub(crate) const EXPORT_FUEL: &str = "symcrete:fuel";
pub(crate) const EXPORT_TAINTED: &str = "symcrete:tainted";
pub(crate) const EXPORT_DEPTH: &str = "symcrete:depth";
pub(crate) const EXPORT_START: &str = "symcrete:start";
/// Prefixes of exported functions and globals: originals may export what they like.
pub(crate) const EXPORT_GLOBAL: &str = "g:";
pub(crate) const EXPORT_PREFIX: &str = "f:";

/// Which form of a module is made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Form {
    /// Everything may be symbolic.
    Shadowed,
    /// Nothing is: there are no shadows, and no calls but the program's own. A run that comes upon something unusual
    /// ends and begins again in the other form (`tags.rs`).
    Concrete,
}

impl Form {
    /// How many bytes of the coverage map a side of a site has. A constant of 32 bits is stored by one instruction, one of 8 bits
    /// by two.
    pub(crate) fn side_bytes(self) -> u32 {
        match self {
            Form::Shadowed => 1,
            Form::Concrete => 4,
        }
    }
}

/// Index spaces and addresses of the rewritten module.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    pub(crate) form: Form,
    n_types: u32,
    n_imported: u32,
    n_defined: u32,
    n_opaque: u32,
    n_globals: u32,
    /// Functions that spare calls of the host, in order of their index.
    pub(crate) quick: Vec<Quick>,
    /// Where the map of a switch starts in memory 1, by its first site.
    pub(crate) switch_maps: u32,
    /// Where the flags start in memory 1.
    pub(crate) flags: u32,
    /// Pages of memory 1.
    pub(crate) flag_pages: u64,
    /// The most pages that memory 0 may have.
    pub(crate) memory_pages_max: u64,
}

/// The next place whose number of lines of a cache is odd. A byte and its tag are then never in the same set of a cache, however far
/// apart (by a power of two) the bytes are that a program uses one after another: a column of a matrix would need twice the ways.
fn apart_in_caches(place: u32) -> u32 {
    const LINE: u32 = 64;
    (place + LINE).next_multiple_of(2 * LINE) + LINE
}

impl Layout {
    pub(crate) fn new(
        form: Form,
        module: &Module<'_>,
        facts: &Facts,
        n_opaque: u32,
        quick: Vec<Quick>,
        limits: &Limits,
    ) -> Layout {
        let n_switch_entries: usize =
            facts.sites.switches.values().map(|switch| switch.cases.case_of_index.len()).sum();
        let coverage = 2 * form.side_bytes() * facts.sites.ids.len() as u32;
        let switch_maps = coverage.next_multiple_of(8);
        let flags = switch_maps + 4 * n_switch_entries as u32;
        let flags = match form {
            Form::Shadowed => flags.next_multiple_of(8),
            Form::Concrete => apart_in_caches(flags),
        };
        let limit = u64::from(limits.memory_bytes >> 16);
        let memory_pages_max = module
            .memory()
            .map_or(0, |memory| memory.maximum.unwrap_or(limit).min(limit).max(memory.initial));
        // A flag for eight bytes, or a tag for each.
        let kept_bytes = match form {
            Form::Shadowed => memory_pages_max << 13,
            Form::Concrete => memory_pages_max << 16,
        };
        let flag_bytes = u64::from(flags) + kept_bytes + 16;
        Layout {
            form,
            n_types: module.types.len() as u32,
            n_imported: module.n_imported(),
            n_defined: module.defined().count() as u32,
            n_opaque,
            n_globals: module.globals.len() as u32,
            quick,
            switch_maps,
            flags,
            flag_pages: flag_bytes.div_ceil(1 << 16),
            memory_pages_max,
        }
    }

    /// The widened form of an original type.
    pub(crate) fn widened_type(&self, ty: u32) -> u32 {
        ty
    }

    /// The type of an original function in this form.
    pub(crate) fn function_type(&self, ty: u32) -> u32 {
        match self.form {
            Form::Shadowed => self.widened_type(ty),
            Form::Concrete => self.plain_type(ty),
        }
    }

    /// An original type as it is.
    pub(crate) fn plain_type(&self, ty: u32) -> u32 {
        self.n_types + ty
    }

    /// The results of an original type, from nothing: the type of a function's outermost block.
    pub(crate) fn results_type(&self, ty: u32) -> u32 {
        2 * self.n_types + ty
    }

    /// The type of a host function.
    pub(crate) fn host_type(&self, function: HostFunction) -> u32 {
        3 * self.n_types + function as u32
    }

    /// A host function.
    pub(crate) fn host(&self, function: HostFunction) -> u32 {
        self.n_imported + function as u32
    }

    /// An opaque function, by its position among them.
    pub(crate) fn opaque(&self, position: u32) -> u32 {
        self.n_imported + HostFunction::ALL.len() as u32 + position
    }

    /// An original function in this form.
    pub(crate) fn function(&self, function: u32) -> u32 {
        let first = self.opaque(self.n_opaque);
        match (function.checked_sub(self.n_imported), self.form) {
            (Some(defined), _) => first + defined,
            (None, Form::Shadowed) => function,
            (None, Form::Concrete) => first + self.n_defined + function,
        }
    }

    /// A function that spares calls of the host, if there is one.
    pub(crate) fn quick(&self, quick: Quick) -> Option<u32> {
        let position = self.quick.iter().position(|&other| other == quick)? as u32;
        let n_wrapped = match self.form {
            Form::Shadowed => 0,
            Form::Concrete => self.n_imported,
        };
        Some(self.opaque(self.n_opaque) + self.n_defined + n_wrapped + position)
    }

    /// The shadow of a global.
    pub(crate) fn shadow_global(&self, global: u32) -> u32 {
        self.n_globals + global
    }

    /// The fuel at hand.
    pub(crate) fn fuel(&self) -> u32 {
        2 * self.n_globals
    }

    /// Whether anything in memory or globals may be symbolic.
    pub(crate) fn tainted(&self) -> u32 {
        2 * self.n_globals + 1
    }

    /// How much deeper recursive functions may nest.
    pub(crate) fn depth(&self) -> u32 {
        2 * self.n_globals + 2
    }
}
