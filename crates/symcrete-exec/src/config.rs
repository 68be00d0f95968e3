//! The configuration of an engine: the world outside the module.

use crate::error::ExecError;
use crate::instrument::fits;
use crate::recording::Stop;
use crate::rounding;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;
use symcrete_program::module::{AddressType, FunctionType, Import, Module, ValueType};
use symcrete_program::{
    CellKind, Environment, Fill, Gap, Guarded, NotedParam, Resource, Scalar, TrapKind,
};
use symcrete_term::Function;

/// Functions of the math library that are a WebAssembly operator or a few: where a module defines
/// them they are entered, so that their terms stay open to solvers.
const ENTERED: &[&str] =
    &["ceil", "copysign", "fabs", "floor", "fmax", "fmin", "nearbyint", "rint", "sqrt", "trunc"];

/// The module name of our own primitives.
const PRIMITIVES: &str = "symcrete";
/// Called by the program before it allocates memory, to ask whether that is to fail.
const ALLOCATION_FAILS: &str = "allocation_fails";
/// Called where there is not enough memory.
const ALLOCATION_LIMIT: &str = "allocation_limit";

/// What an imported function does.
#[derive(Clone, Debug)]
pub enum ImportAction {
    /// It is not provided: calling it is a trap.
    Missing,
    /// It does nothing and returns zeros.
    Ignore,
    /// The program assumes that its one `i32` argument is not zero.
    Assume,
    /// The host executes it; on symbolic arguments the result is an opaque term, or that of the operator which it is.
    Opaque(Function),
    /// It returns a fresh input cell of this name: the first call `name`, later ones `name#1`, `name#2`,
    /// …. A function without result does nothing.
    Draw {
        /// The cell's name.
        name: String,
        /// Its kind; extended to the result's type.
        kind: CellKind,
    },
    /// It returns a fresh Boolean input cell, which counts as with `Draw` and is decided at once: whether something fails that
    /// can also go well.
    MayFail {
        /// The cell's name.
        name: String,
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

/// What a program reports about its memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MemoryEvent {
    /// `(pointer, length)`: these bytes are uninitialised.
    Uninitialized,
    /// `(length) -> room`: so many bytes are about to be allocated, in a room that does not depend on the input.
    Room,
    /// `(pointer, written, length, room)`: memory was allocated, of which the first bytes are written. Nobody must touch
    /// the 16 bytes before it, the rest of its room, and 16 bytes behind the next multiple of 8.
    Allocated,
    /// `(pointer) -> length`: memory is about to be freed or allocated anew; all ones if nobody has said that it was
    /// allocated. Where it cannot be freed the program has failed.
    Freeing,
    /// `(pointer) -> length`: the program wants to know whether it is an object of the input that can be freed; all ones
    /// if not.
    Given,
    /// `(pointer)`: allocated memory was freed, and it must not be accessed any more.
    Freed,
    /// `(pointer)`: freed memory may be allocated again.
    Released,
    /// `(pointer, length)`: the heap ends here, and the bytes behind it must not be accessed.
    Unused,
    /// `(stack, table) -> frame`: a function starts. The table has numbers of 32 bits: the size of its frame, how
    /// many variables are in it, where each starts and ends. The rest of the frame must not be accessed. The stack has room for it; it is
    /// put elsewhere, so that it can be told when it is gone.
    Enter,
    /// `(limit)`: the stack below is free again.
    Leave,
    /// `(stack, length) -> array`: an array was put on the stack, with 16 bytes behind it as with `Allocated`. It is put elsewhere
    /// as with `Enter`.
    Array,
    /// `(pointer)`: the block of a local variable starts.
    ScopeStart,
    /// `(pointer)`: it ends.
    ScopeEnd,
    /// `(pointer, pointer, result) -> result`: the program can tell in which order two addresses are, or how far apart.
    Ordered,
    /// `(pointer, pointer, result) -> result`: it can tell whether they are the same.
    Equal,
    /// `(pointer, pointer, result) -> result`: zero if the addresses are not in one object.
    Together,
    /// `(pointer) -> number`: it has an address as a number.
    Address,
    /// `(place)`: a pointer was stored there.
    Pointer,
    /// `(place, word) -> word`: it has read a number there, where pointers may be too.
    Word,
}

impl MemoryEvent {
    /// What the program calls to tell, and how many parameters that has.
    const ALL: &[(&str, MemoryEvent, usize)] = &[
        ("uninitialized", MemoryEvent::Uninitialized, 2),
        ("room", MemoryEvent::Room, 1),
        ("allocated", MemoryEvent::Allocated, 4),
        ("freeing", MemoryEvent::Freeing, 1),
        ("given", MemoryEvent::Given, 1),
        ("freed", MemoryEvent::Freed, 1),
        ("released", MemoryEvent::Released, 1),
        ("unused", MemoryEvent::Unused, 2),
        ("enter", MemoryEvent::Enter, 2),
        ("leave", MemoryEvent::Leave, 1),
        ("array", MemoryEvent::Array, 2),
        ("scope_start", MemoryEvent::ScopeStart, 1),
        ("scope_end", MemoryEvent::ScopeEnd, 1),
        ("ordered", MemoryEvent::Ordered, 3),
        ("equal", MemoryEvent::Equal, 3),
        ("together", MemoryEvent::Together, 3),
        ("address", MemoryEvent::Address, 1),
        ("pointer", MemoryEvent::Pointer, 1),
        ("word", MemoryEvent::Word, 2),
    ];

    /// The parameter that is its result for those who keep no books about memory; `None` if it has no result.
    pub fn result(self) -> Option<u32> {
        match self {
            MemoryEvent::Room
            | MemoryEvent::Freeing
            | MemoryEvent::Given
            | MemoryEvent::Enter
            | MemoryEvent::Array
            | MemoryEvent::Address => Some(0),
            MemoryEvent::Word => Some(1),
            MemoryEvent::Ordered | MemoryEvent::Equal | MemoryEvent::Together => Some(2),
            MemoryEvent::Uninitialized
            | MemoryEvent::Allocated
            | MemoryEvent::Freed
            | MemoryEvent::Released
            | MemoryEvent::Unused
            | MemoryEvent::Leave
            | MemoryEvent::ScopeStart
            | MemoryEvent::ScopeEnd
            | MemoryEvent::Pointer => None,
        }
    }

    /// Numbers that are no addresses may have 64 bits too, where addresses have.
    fn fits(self, ty: &FunctionType, address: AddressType) -> bool {
        let is_integer = |ty: &ValueType| *ty == ValueType::I32 || *ty == address.ty();
        let is_number = |types: &[ValueType]| types.iter().all(is_integer);
        let given_back = self.result().and_then(|param| ty.params.get(param as usize));
        let row = MemoryEvent::ALL.iter().find(|(_, event, _)| *event == self);
        row.is_some_and(|(_, _, n)| *n == ty.params.len())
            && ty.results.iter().eq(given_back)
            && is_number(&ty.params)
    }
}

/// How a program ends by a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EndKind {
    /// `(kind)`: the program found a fault: 0 it aborts, 1 an assertion fails, 2 it reached an error,
    /// 3 it does what cannot be followed, 4 it frees memory twice, 5 it frees what is not allocated, 6 it jumps into a
    /// function that has returned, 7 it jumps to a state that nobody has set, 8 it copies between memory that overlaps.
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
                4 => Stop::Trap(TrapKind::DoubleFree),
                5 => Stop::Trap(TrapKind::InvalidFree),
                6 => Stop::Trap(TrapKind::StaleJump),
                7 => Stop::Trap(TrapKind::UnsetJump),
                8 => Stop::Trap(TrapKind::OverlappingCopy),
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
            | ImportAction::Memory(_)
            | ImportAction::End(_) => false,
            ImportAction::Draw { .. }
            | ImportAction::MayFail { .. }
            | ImportAction::DrawPointer { .. }
            | ImportAction::DrawResult { .. }
            | ImportAction::Callback(_)
            | ImportAction::DrawNamed(_)
            | ImportAction::DrawBytes => true,
        }
    }

    /// Whether it can have that type.
    fn fits(&self, ty: &FunctionType, address: AddressType) -> bool {
        let (params, results, pointer) = (&ty.params[..], &ty.results[..], address.ty());
        match self {
            // What it returns is known when an image is, and comes from its type.
            ImportAction::Missing | ImportAction::Ignore | ImportAction::Callback(_) => true,
            ImportAction::Opaque(function) => fits(function, ty),
            ImportAction::Assume | ImportAction::End(_) => {
                params == [ValueType::I32] && results.is_empty()
            }
            ImportAction::Memory(event) => event.fits(ty, address),
            ImportAction::Draw { kind, .. } => match results {
                [] => true,
                [result] => kind_fits(*kind, *result),
                [_, _, ..] => false,
            },
            ImportAction::MayFail { .. } => params.is_empty() && results == [ValueType::I32],
            ImportAction::DrawPointer { .. } => results == [pointer],
            ImportAction::DrawResult { .. } => {
                params.first() == Some(&pointer) && results.is_empty()
            }
            ImportAction::DrawNamed(kind) => {
                params == [pointer] && matches!(results, [result] if kind_fits(*kind, *result))
            }
            ImportAction::DrawBytes => {
                let is_length = |ty: ValueType| ty == ValueType::I32 || ty == pointer;
                matches!(params, [to, length, name]
                    if [*to, *name] == [pointer; 2] && is_length(*length))
                    && results.is_empty()
            }
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
    /// What imported functions write through their arguments, by module and name.
    pub fills: BTreeMap<(String, String), Vec<Fill>>,
    /// What is noted of the arguments of imported functions whose calls are, by module and name.
    pub noted: BTreeMap<(String, String), Vec<NotedParam>>,
    /// Where code reads what a variable holds before it is written: another unknown value each time.
    pub uninitialized: Range<u32>,
    /// Variables that are always there, with bytes behind them that must not be accessed; in order.
    pub variables: Arc<[Guarded]>,
    /// Where pointers are from the start that code may read byte by byte.
    pub initial_pointers: Arc<[u32]>,
    /// Bytes that nothing but frames of functions uses: those that are gone must not be used again soon.
    pub frames: Range<u32>,
    /// Entries that end the program: allocated memory that can no longer be freed then is a failure.
    pub leaks: BTreeSet<String>,
    /// Whether it is an input which allocations fail.
    pub allocation_may_fail: bool,
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
        for (name, event, _) in MemoryEvent::ALL {
            add(name, ImportAction::Memory(*event));
        }
        add(ALLOCATION_FAILS, ImportAction::Ignore);
        add(ALLOCATION_LIMIT, ImportAction::Ignore);
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
        for operator in rounding::operators() {
            let name = operator.name().to_string();
            add(&name, ImportAction::Opaque(operator));
        }
        for name in Function::math_library_names() {
            let error = Function::error_of_math_library(name).expect("it is one of the library's");
            let import = error.name().to_string();
            add(&import, ImportAction::Opaque(error));
        }
        // Elsewhere there may be more memory.
        let limit = (PRIMITIVES.to_string(), ALLOCATION_LIMIT.to_string());
        let gap = Gap::Environment(Environment::Allocation);
        Config {
            opaque: Vec::new(),
            executed: Vec::new(),
            entries: BTreeMap::new(),
            imports,
            gaps: BTreeMap::from([(limit, gap)]),
            fills: BTreeMap::new(),
            noted: BTreeMap::new(),
            uninitialized: 0..0,
            variables: Arc::default(),
            initial_pointers: Arc::default(),
            frames: 0..0,
            leaks: BTreeSet::new(),
            allocation_may_fail: false,
            globals: BTreeMap::new(),
        }
    }

    /// Every allocation of the program may fail: each asks for a Boolean cell of this name.
    pub fn let_allocation_fail(&mut self, name: &str) {
        let fails = |name: &str| (PRIMITIVES.to_string(), name.to_string());
        let may_fail = ImportAction::MayFail { name: name.to_string() };
        self.imports.insert(fails(ALLOCATION_FAILS), may_fail);
        self.allocation_may_fail = true;
    }

    /// The values of a module's imported globals.
    pub(crate) fn imported_globals(&self, module: &Module<'_>) -> Result<Vec<Scalar>, ExecError> {
        let imports = module.globals.iter().map_while(|global| global.import.as_ref());
        let value = |Import { module, name }: &Import| {
            let value = self.globals.get(&(module.clone(), name.clone())).copied();
            let missing =
                || ExecError::MissingGlobal { module: module.clone(), name: name.clone() };
            value.ok_or_else(missing)
        };
        imports.map(value).collect()
    }

    /// What an import does: what was asked for, else what its name says.
    pub(crate) fn import_action(
        &self,
        import: &Import,
        ty: &FunctionType,
        address: AddressType,
    ) -> ImportAction {
        let name = import.name.as_str();
        let key = (import.module.clone(), import.name.clone());
        let known = self.imports.get(&key).cloned();
        let opaque = || {
            let registered = self.opaque.iter().find(|function| function.name() == name).cloned();
            registered.or_else(|| Function::of_math_library(name)).map(ImportAction::Opaque)
        };
        match known.or_else(opaque).filter(|action| action.fits(ty, address)) {
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
