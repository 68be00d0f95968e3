//! What an engine is told about the world outside the module.

use crate::instrument::fits;
use crate::session::Stop;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use symcrete_program::module::{FunctionType, ValueType};
use symcrete_program::{CellKind, Gap, Guarded, Resource, Scalar, TrapKind};
use symcrete_term::Function;

/// Functions of the math library that are a WebAssembly operator or a few: where a module defines
/// them they are entered, so that their terms stay open to solvers.
const ENTERED: &[&str] =
    &["ceil", "copysign", "fabs", "floor", "fmax", "fmin", "nearbyint", "rint", "sqrt", "trunc"];

/// The module name of our own primitives.
const PRIMITIVES: &str = "symcrete";

/// What an imported function does.
#[derive(Clone, Debug)]
pub enum ImportAction {
    /// Nobody provides it: calling it is a trap.
    Missing,
    /// It does nothing and returns zeros.
    Ignore,
    /// The program assumes that its one `i32` argument is not zero.
    Assume,
    /// The host executes it; on symbolic arguments the result is an opaque term.
    Opaque(Function),
    /// It returns a fresh input cell of this name: the first call `name`, later ones `name#1`, `name#2`,
    /// …. A function without result does nothing.
    Draw {
        /// The cell's name.
        name: String,
        /// Its kind; extended to the result's type.
        kind: CellKind,
    },
    /// It returns null or a pointer to a fresh object, whose bytes are the input cells `*name[0]`, ….
    /// Whether it is there is the Boolean input cell `name`; both count as with `Draw`. Objects are put at
    /// the end of the image's arena, downwards; where there is no more room the result is null.
    DrawPointer {
        /// The name of the cell that says whether there is an object.
        name: String,
        /// Bytes of the object.
        size: u32,
    },
    /// `(pointer, …)`: it returns a structure, which is put where the first argument says. Its bytes are the input
    /// cells `name[0]`, …, which count as with `Draw`.
    DrawResult {
        /// The name of the cells.
        name: String,
        /// Bytes of the structure.
        size: u32,
    },
    /// It stands for a callback of the input, the one of this number: the image says what it returns, and under which name.
    Callback(u32),
    /// `(name) -> value`: a fresh input cell; the name is a C string in memory.
    DrawNamed(CellKind),
    /// `(pointer, length, name)`: bytes of memory become fresh input cells `name[0]`, `name[1]`, ….
    DrawBytes,
    /// The program says what becomes of its memory.
    Memory(MemoryEvent),
    /// The program ends.
    End(EndKind),
}

/// What a program says of its memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MemoryEvent {
    /// `(pointer, length)`: nobody has written these bytes.
    Uninitialized,
    /// `(pointer, written, length)`: memory was allocated, of which the first bytes are written, and 16 bytes behind it, from
    /// the next multiple of 8 on, that nobody must touch.
    Allocated,
    /// `(pointer) -> length`: memory was freed; all ones if its length is not known.
    Freed,
    /// `(frame, table)`: a function starts. The table has numbers of 32 bits: the size of its frame, how many variables
    /// are in it, where each starts and ends. Nobody must touch the rest of the frame.
    Enter,
    /// `(limit)`: the stack below is free again.
    Leave,
    /// `(pointer, length)`: an array was put on the stack, with 16 bytes behind it as with `Allocated`.
    Array,
}

/// How a program ends by a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EndKind {
    /// `(kind)`: the program found a fault: 0 it aborts, 1 an assertion fails, 2 it reached an error,
    /// 3 it does what cannot be followed.
    Fail,
    /// `(handler)`: one of clang's sanitizers in trap mode found a fault.
    Check,
    /// `(code)`: the program ends itself.
    Exit,
}

impl EndKind {
    /// What stops the run, by the argument of the call.
    pub(crate) fn stop(self, argument: u32) -> Stop {
        match self {
            EndKind::Exit => Stop::Exit(argument as i32),
            EndKind::Check => Stop::Trap(TrapKind::of_sanitizer(argument)),
            EndKind::Fail => match argument {
                1 => Stop::Trap(TrapKind::AssertionFailed),
                2 => Stop::Trap(TrapKind::ReachError),
                3 => Stop::Exhausted(Resource::Model),
                _ => Stop::Trap(TrapKind::Abort),
            },
        }
    }
}

impl ImportAction {
    /// Whether a call can make values symbolic that were not.
    pub(crate) fn introduces(&self) -> bool {
        match self {
            ImportAction::Missing
            | ImportAction::Ignore
            | ImportAction::Assume
            | ImportAction::Opaque(_)
            | ImportAction::End(_) => false,
            ImportAction::Memory(event) => {
                matches!(event, MemoryEvent::Uninitialized | MemoryEvent::Allocated)
            }
            ImportAction::Draw { .. }
            | ImportAction::DrawPointer { .. }
            | ImportAction::DrawResult { .. }
            | ImportAction::Callback(_)
            | ImportAction::DrawNamed(_)
            | ImportAction::DrawBytes => true,
        }
    }

    /// Whether it can have that type.
    fn fits(&self, ty: &FunctionType) -> bool {
        let (params, results) = (&ty.params[..], &ty.results[..]);
        match self {
            // What it returns is known when an image is, and comes from its type.
            ImportAction::Missing | ImportAction::Ignore | ImportAction::Callback(_) => true,
            ImportAction::Opaque(function) => fits(function, ty),
            ImportAction::Assume
            | ImportAction::End(_)
            | ImportAction::Memory(MemoryEvent::Leave) => {
                params == [ValueType::I32] && results.is_empty()
            }
            ImportAction::Draw { kind, .. } => match results {
                [] => true,
                [result] => kind_fits(*kind, *result),
                [_, _, ..] => false,
            },
            ImportAction::DrawPointer { .. } => results == [ValueType::I32],
            ImportAction::DrawResult { .. } => {
                params.first() == Some(&ValueType::I32) && results.is_empty()
            }
            ImportAction::DrawNamed(kind) => {
                params == [ValueType::I32]
                    && matches!(results, [result] if kind_fits(*kind, *result))
            }
            ImportAction::DrawBytes | ImportAction::Memory(MemoryEvent::Allocated) => {
                params == [ValueType::I32; 3] && results.is_empty()
            }
            ImportAction::Memory(MemoryEvent::Freed) => {
                params == [ValueType::I32] && results == [ValueType::I32]
            }
            ImportAction::Memory(
                MemoryEvent::Uninitialized | MemoryEvent::Enter | MemoryEvent::Array,
            ) => params == [ValueType::I32; 2] && results.is_empty(),
        }
    }
}

/// Whether a cell of that kind can be a value of that type.
pub(crate) fn kind_fits(kind: CellKind, ty: ValueType) -> bool {
    match ty {
        ValueType::I32 => match kind {
            CellKind::Int { bits, .. } => bits <= 32,
            CellKind::Bool => true,
            CellKind::F32 | CellKind::F64 => false,
        },
        ValueType::I64 => matches!(kind, CellKind::Int { .. } | CellKind::Bool),
        ValueType::F32 => kind == CellKind::F32,
        ValueType::F64 => kind == CellKind::F64,
        ValueType::FuncRef => false,
    }
}

/// How an engine treats a module.
#[derive(Clone, Debug)]
pub struct Config {
    /// Functions executed by the host, besides the C math library. A function of the module with this
    /// name and type is not entered.
    pub opaque: Vec<Function>,
    /// Functions of the module that are executed but not entered: on symbolic arguments the result is an
    /// opaque term, evaluated by running the function alone in a fresh instance. Such a function must be
    /// pure: it sees memory as it is at the start of a program, what it writes is lost, and where it
    /// traps or runs out of fuel its result is zero.
    pub executed: Vec<String>,
    /// Functions by index that can be called by name although the module does not export them.
    pub entries: BTreeMap<String, u32>,
    /// Imported functions by module and name.
    pub imports: BTreeMap<(String, String), ImportAction>,
    /// What the model leaves out of imported functions, by module and name.
    pub gaps: BTreeMap<(String, String), Gap>,
    /// Where code reads what a variable holds before it is written: another unknown value each time.
    pub uninitialized: Range<u32>,
    /// Variables that are always there, with bytes behind them that nobody must touch; in order.
    pub variables: Arc<[Guarded]>,
    /// Values of imported globals by module and name.
    pub globals: BTreeMap<(String, String), Scalar>,
}

impl Config {
    /// The C math library and our own imports.
    pub fn standard() -> Config {
        let mut imports = BTreeMap::new();
        let mut add = |name: &str, action| {
            imports.insert((PRIMITIVES.to_string(), name.to_string()), action);
        };
        add("assume", ImportAction::Assume);
        add("bytes", ImportAction::DrawBytes);
        add("uninitialized", ImportAction::Memory(MemoryEvent::Uninitialized));
        add("allocated", ImportAction::Memory(MemoryEvent::Allocated));
        add("freed", ImportAction::Memory(MemoryEvent::Freed));
        add("enter", ImportAction::Memory(MemoryEvent::Enter));
        add("leave", ImportAction::Memory(MemoryEvent::Leave));
        add("array", ImportAction::Memory(MemoryEvent::Array));
        add("fail", ImportAction::End(EndKind::Fail));
        add("check", ImportAction::End(EndKind::Check));
        add("exit", ImportAction::End(EndKind::Exit));
        add("bool", ImportAction::DrawNamed(CellKind::Bool));
        add("float32", ImportAction::DrawNamed(CellKind::F32));
        add("float64", ImportAction::DrawNamed(CellKind::F64));
        for bits in [8, 16, 32, 64] {
            for (signed, prefix) in [(true, "int"), (false, "uint")] {
                let kind = CellKind::Int { bits, signed };
                add(&format!("{prefix}{bits}"), ImportAction::DrawNamed(kind));
            }
        }
        Config {
            opaque: Vec::new(),
            executed: Vec::new(),
            entries: BTreeMap::new(),
            imports,
            gaps: BTreeMap::new(),
            uninitialized: 0..0,
            variables: Arc::default(),
            globals: BTreeMap::new(),
        }
    }

    /// What an import does: what was asked for, else what its name says.
    pub(crate) fn import_action(
        &self,
        module: &str,
        name: &str,
        ty: &FunctionType,
    ) -> ImportAction {
        let key = (module.to_string(), name.to_string());
        let known = self.imports.get(&key).cloned();
        let opaque = || {
            let registered = self.opaque.iter().find(|function| function.name() == name).cloned();
            registered.or_else(|| Function::of_math_library(name)).map(ImportAction::Opaque)
        };
        match known.or_else(opaque).filter(|action| action.fits(ty)) {
            Some(ImportAction::Draw { .. }) if ty.results.is_empty() => ImportAction::Ignore,
            Some(action) => action,
            None => ImportAction::Missing,
        }
    }

    /// The function that the host executes instead of the module's function of that name.
    pub fn opaque_function(&self, name: &str) -> Option<Function> {
        // Zig has the math library in its own run-time library: `compiler_rt.sin.sin`.
        let in_runtime = name.strip_prefix("compiler_rt.").and_then(|rest| rest.rsplit('.').next());
        let name = in_runtime.unwrap_or(name);
        if let Some(function) = self.opaque.iter().find(|function| function.name() == name) {
            return Some(function.clone());
        }
        let entered = ENTERED.contains(&name) || ENTERED.contains(&name.trim_end_matches('f'));
        if entered { None } else { Function::of_math_library(name) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_math_library_is_known_by_the_names_of_all_compilers() {
        let config = Config::standard();
        let name = |name: &str| config.opaque_function(name).map(|f| f.name().to_string());
        assert_eq!(name("sin").as_deref(), Some("sin"));
        assert_eq!(name("compiler_rt.sin.sin").as_deref(), Some("sin"));
        assert_eq!(name("compiler_rt.rem_pio2.rem_pio2"), None);
        assert_eq!(name("compiler_rt.floor.floor"), None, "an operator of the machine");
    }
}
