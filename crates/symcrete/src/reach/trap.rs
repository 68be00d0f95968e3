//! The failures that `--trap` names: where each can happen in a module, and which ends of a run are one.

use symcrete_program::TrapKind;
use symcrete_reach::{Fault, View};

/// A kind of failure.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Trap {
    /// A division or remainder by zero.
    DivisionByZero,
    /// A quotient, or a converted number, that does not fit.
    Overflow,
    /// A conversion of what is not a number.
    NotANumber,
    /// An access through a null pointer.
    Null,
    /// An access outside its object.
    Bounds,
    /// A call through a null pointer.
    NullCall,
    /// What the compiler took for impossible.
    Unreachable,
    /// `abort`
    Abort,
    /// A failed assertion.
    Assertion,
    /// A check of `--check`.
    Check,
}

impl Trap {
    pub(crate) const ALL: &[Trap] = &[
        Trap::DivisionByZero,
        Trap::Overflow,
        Trap::NotANumber,
        Trap::Null,
        Trap::Bounds,
        Trap::NullCall,
        Trap::Unreachable,
        Trap::Abort,
        Trap::Assertion,
        Trap::Check,
    ];

    /// As the command line has it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Trap::DivisionByZero => "div-by-zero",
            Trap::Overflow => "overflow",
            Trap::NotANumber => "nan",
            Trap::Null => "null",
            Trap::Bounds => "bounds",
            Trap::NullCall => "null-call",
            Trap::Unreachable => "unreachable",
            Trap::Abort => "abort",
            Trap::Assertion => "assertion",
            Trap::Check => "check",
        }
    }

    /// What it is at an operator, the likeliest first.
    pub(super) fn faults(self) -> &'static [Fault] {
        match self {
            Trap::DivisionByZero => &[Fault::DivisionByZero],
            Trap::Overflow => &[Fault::Overflow],
            Trap::NotANumber => &[Fault::NotANumber],
            Trap::Null => &[Fault::NullPointer],
            Trap::Bounds => &[Fault::NextToObject, Fault::OutsideObject],
            Trap::NullCall => &[Fault::NullCall],
            Trap::Unreachable => &[Fault::Unreachable],
            Trap::Abort | Trap::Assertion | Trap::Check => &[Fault::Ends],
        }
    }

    /// Whether a run that ended like this failed in that way.
    pub(super) fn is(self, kind: &TrapKind) -> bool {
        match kind {
            TrapKind::DivisionByZero => self == Trap::DivisionByZero,
            TrapKind::IntegerOverflow => self == Trap::Overflow,
            TrapKind::InvalidConversion => self == Trap::NotANumber,
            TrapKind::NullPointer => self == Trap::Null,
            TrapKind::OutOfObject | TrapKind::OutOfVariable(_) | TrapKind::MemoryOutOfBounds => {
                self == Trap::Bounds
            }
            TrapKind::NullCall | TrapKind::TableOutOfBounds => self == Trap::NullCall,
            TrapKind::Unreachable => self == Trap::Unreachable,
            TrapKind::Abort => self == Trap::Abort,
            TrapKind::AssertionFailed => self == Trap::Assertion,
            TrapKind::Check(_) => self == Trap::Check,
            TrapKind::CallTypeMismatch
            | TrapKind::StackOverflow
            | TrapKind::MissingImport(_)
            | TrapKind::ReachError
            | TrapKind::UseAfterFree
            | TrapKind::UseAfterReturn
            | TrapKind::UseAfterScope
            | TrapKind::StaleJump
            | TrapKind::UnsetJump
            | TrapKind::ConstantWritten
            | TrapKind::OverlappingCopy
            | TrapKind::DoubleFree
            | TrapKind::InvalidFree
            | TrapKind::Leak
            | TrapKind::Uninitialized
            | TrapKind::InvalidName => false,
        }
    }

    /// Whether a call of a function is that failure.
    pub(super) fn is_call_of(self, view: &View<'_>, function: u32) -> bool {
        let name = view.module.function_name(function);
        match self {
            Trap::Abort => matches!(name.as_str(), "abort" | "klee_abort"),
            Trap::Assertion => name == "__assert_fail",
            Trap::Check => name == "__symcrete_check",
            Trap::DivisionByZero
            | Trap::Overflow
            | Trap::NotANumber
            | Trap::Null
            | Trap::Bounds
            | Trap::NullCall
            | Trap::Unreachable => false,
        }
    }
}
