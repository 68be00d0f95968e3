//! How a run ended.

use crate::scalar::Scalar;
use crate::site::SiteId;
use std::fmt;

/// How a run ended. None of these is an error of ours.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// The entry function returned.
    Returned(Vec<Scalar>),
    /// The program did what WebAssembly forbids.
    Trapped(Trap),
    /// The program assumed something that does not hold for this input.
    Rejected(SiteId),
    /// The run was stopped.
    Exhausted(Resource),
    /// The program ended itself with this exit code.
    Exited(i32),
}

impl Outcome {
    /// Whether a run that ended so can be repeated as a test: it came to an end that is no fault.
    pub fn is_repeatable(&self) -> bool {
        match self {
            Outcome::Returned(_) | Outcome::Exited(_) => true,
            Outcome::Trapped(_) | Outcome::Exhausted(_) | Outcome::Rejected(_) => false,
        }
    }
}

/// A trap and where it happened.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trap {
    /// What happened.
    pub kind: TrapKind,
    /// The operator, if the trap has one.
    pub site: Option<SiteId>,
}

/// How long an object lives.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Storage {
    /// As long as the program: global and static variables, strings.
    Global,
    /// As long as a call or a block: local variables.
    Local,
    /// From its allocation until it is freed.
    Heap,
}

/// What a program can do wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TrapKind {
    /// `unreachable`: `abort`, a failed assertion, a sanitizer's verdict.
    Unreachable,
    /// Division or remainder by zero.
    DivisionByZero,
    /// The quotient of the least integer and -1.
    IntegerOverflow,
    /// A float without an integer of the target type: NaN.
    InvalidConversion,
    /// A load, store or bulk operation outside memory.
    MemoryOutOfBounds,
    /// An access outside a table.
    TableOutOfBounds,
    /// A call through an empty table entry.
    NullCall,
    /// A call through a table entry of another type.
    CallTypeMismatch,
    /// Calls nested too deeply.
    StackOverflow,
    /// A call of an imported function that nobody provides.
    MissingImport(String),
    /// An access near address zero, by a program whose objects are known.
    NullPointer,
    /// An access to the arena that touches bytes of no object.
    OutOfObject,
    /// An access to bytes beside a variable or allocated memory that belong to no object.
    OutOfVariable(Storage),
    /// An access to memory that was freed.
    UseAfterFree,
    /// An access to a local variable of a call that has returned.
    UseAfterReturn,
    /// An access to a local variable outside of the block that it belongs to.
    UseAfterScope,
    /// Something was written to a text or a variable that is constant.
    ConstantWritten,
    /// `memcpy` or a function like it was given places that overlap.
    OverlappingCopy,
    /// A `longjmp` to where a function called `setjmp` that has returned since.
    StaleJump,
    /// A `longjmp` to a state that no `setjmp` has set.
    UnsetJump,
    /// Memory was freed, or given to `realloc`, that is free already.
    DoubleFree,
    /// What was freed, or given to `realloc`, is not the start of allocated memory.
    InvalidFree,
    /// Memory that was allocated here can no longer be freed when the program ends.
    Leak,
    /// An uninitialised value made the program fail, in whatever way.
    Uninitialized,
    /// The program gave up: `abort`.
    Abort,
    /// An assertion of the program does not hold.
    AssertionFailed,
    /// The program reached what it says it must not: `reach_error`.
    ReachError,
    /// A check that was asked for failed: `overflow`, `bounds`, `shift`, `null`, `float-cast`, ….
    Check(&'static str),
    /// The program asked for a cell by a name that is no string, or that is another kind's already.
    InvalidName,
}

impl TrapKind {
    /// The failure of a check that was asked for: a value decides that nobody has written.
    pub const UNWRITTEN: TrapKind = TrapKind::Check("uninitialized");

    /// Whether another machine may go on, with another value where nobody has written one.
    pub fn is_uncertain(&self) -> bool {
        matches!(self, TrapKind::Uninitialized) || *self == TrapKind::UNWRITTEN
    }

    /// What a handler of clang's sanitizers in trap mode has found, by its number (the order of
    /// `SanitizerHandler.h` of clang 19, which is the operand of `llvm.ubsantrap`), or by ours from 100 on.
    pub fn of_sanitizer(handler: u32) -> TrapKind {
        TrapKind::Check(match handler {
            0 | 12 | 13 | 21 => "overflow",
            1 => "unreachable",
            3 => "division",
            5 => "float-cast",
            7 => "conversion",
            8 => "builtin",
            10 => "invalid-value",
            11 => "return",
            14 | 15 => "nullability",
            16 | 17 | 22 => "null",
            18 => "bounds",
            19 => "pointer-overflow",
            20 => "shift",
            23 => "alignment",
            24 => "vla-bound",
            100 => "unsigned-overflow",
            101 => "float-division",
            102 => "overshift",
            _ => "undefined",
        })
    }
}

/// What ran out.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Resource {
    /// Sites passed. Reproducible.
    Fuel,
    /// Terms. Reproducible.
    Terms,
    /// Constraints on one path. Reproducible.
    Constraints,
    /// Someone asked the run to stop: not reproducible.
    Time,
    /// What the model can do: a `longjmp` to where nobody called `setjmp` cannot be followed. Reproducible.
    Model,
}

impl fmt::Display for TrapKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            TrapKind::Unreachable => "unreachable executed",
            TrapKind::DivisionByZero => "division by zero",
            TrapKind::IntegerOverflow => "integer overflow",
            TrapKind::InvalidConversion => "invalid conversion to integer",
            TrapKind::MemoryOutOfBounds => "out of bounds memory access",
            TrapKind::TableOutOfBounds => "out of bounds table access",
            TrapKind::NullCall => "call of a null function",
            TrapKind::CallTypeMismatch => "indirect call of another type",
            TrapKind::StackOverflow => "call stack exhausted",
            TrapKind::MissingImport(name) => return write!(f, "missing import {name}"),
            TrapKind::NullPointer => "null pointer dereferenced",
            TrapKind::OutOfObject => "access outside any object",
            TrapKind::OutOfVariable(Storage::Global) => "access outside a global variable",
            TrapKind::OutOfVariable(Storage::Local) => "access outside a local variable",
            TrapKind::OutOfVariable(Storage::Heap) => "access outside allocated memory",
            TrapKind::UseAfterFree => "use of memory after it was freed",
            TrapKind::UseAfterReturn => "use of a local variable after its function returned",
            TrapKind::UseAfterScope => "use of a local variable after its block ended",
            TrapKind::ConstantWritten => "write to a constant",
            TrapKind::OverlappingCopy => "copy between overlapping memory",
            TrapKind::StaleJump => "longjmp into a function that has returned",
            TrapKind::UnsetJump => "longjmp without a setjmp",
            TrapKind::DoubleFree => "memory freed twice",
            TrapKind::InvalidFree => "freed what is not the start of allocated memory",
            TrapKind::Leak => "memory that is allocated here is never freed",
            TrapKind::Uninitialized => "failed because of an uninitialised value",
            TrapKind::Abort => "aborted",
            TrapKind::AssertionFailed => "assertion failed",
            TrapKind::ReachError => "error reached",
            TrapKind::Check(name) => return write!(f, "check failed: {name}"),
            TrapKind::InvalidName => "invalid name of a symbolic value",
        })
    }
}

impl fmt::Display for Resource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Resource::Fuel => "fuel",
            Resource::Terms => "terms",
            Resource::Constraints => "constraints",
            Resource::Time => "time",
            Resource::Model => "what can be followed",
        })
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Outcome::Returned(results) => {
                f.write_str("returned")?;
                results.iter().try_for_each(|result| write!(f, " {result}"))
            }
            Outcome::Trapped(Trap { kind, site: Some(site) }) => {
                write!(f, "trapped at {site}: {kind}")
            }
            Outcome::Trapped(Trap { kind, site: None }) => write!(f, "trapped: {kind}"),
            Outcome::Rejected(site) => write!(f, "rejected by an assumption at {site}"),
            Outcome::Exhausted(resource) => write!(f, "out of {resource}"),
            Outcome::Exited(code) => write!(f, "exited with {code}"),
        }
    }
}
