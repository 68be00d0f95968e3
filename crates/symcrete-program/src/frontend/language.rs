//! What a language decides about a module and the module does not say.
//!
//! Whoever reads a [`Program`](crate::Program) asks its language, never a front end. A new language is a variant here: the
//! compiler then shows the questions that its front end must answer.

use super::c::{Check, abi, fills, noted};
use crate::fill::Fill;
use crate::image::CellKind;
use crate::module::FunctionType;
use crate::noted::NotedParam;
use crate::program::{Param, Undefined};
use crate::types::{TypeId, Types};

/// The language that a program was written in.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Language {
    /// C, as clang compiles it for `wasm32`.
    #[default]
    C,
}

/// What a call does with a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    /// It is one value of the machine, that of this scalar type.
    Direct(TypeId),
    /// It is two arguments of 64 bits, or a result in memory.
    Wide,
    /// Its address is passed.
    Memory,
    /// It does not travel: there is nothing in it.
    Nothing,
}

/// How a stub returns a value: fresh inputs in the place where a caller looks for the result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StubResult {
    /// There is nothing to return.
    Nothing,
    /// One value of the machine.
    Value(CellKind),
    /// Null, or the address of an object of so many bytes.
    Pointer {
        /// Bytes of the object.
        size: u32,
    },
    /// So many bytes where the caller says.
    Memory {
        /// Bytes of the structure.
        size: u32,
    },
    /// We cannot make one: it has pointers in it, or travels in a way that is not known.
    Impossible,
}

/// A function that an input can point to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CallbackType {
    /// Its type in the module.
    pub machine: FunctionType,
    /// How it returns a value.
    pub result: StubResult,
}

/// A check of the compiler that a branch belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct CheckName {
    /// What it is asked for by: `overflow`.
    pub(crate) name: &'static str,
    /// What is wrong where it fails.
    pub(crate) fault: &'static str,
}

impl Language {
    /// What a call does with a value of a type; `None` if that is not known.
    pub fn class(self, types: &Types, id: TypeId) -> Option<Class> {
        match self {
            Language::C => abi::class(types, id),
        }
    }

    /// How a stub returns a value of a type.
    pub fn stub_result(self, types: &Types, id: TypeId) -> StubResult {
        match self {
            Language::C => abi::stub_result(types, id),
        }
    }

    /// A function of a type that stands for a callback; `None` if we cannot make one, or no test could define it.
    pub fn callback(self, types: &Types, function: TypeId) -> Option<CallbackType> {
        match self {
            Language::C => abi::callback(types, function),
        }
    }

    /// What an undefined function writes through its arguments. `function` is what its results are called: `read()`.
    pub fn fills(
        self,
        types: &Types,
        function: &str,
        params: &[Param],
        result: Option<TypeId>,
    ) -> Vec<Fill> {
        match self {
            Language::C => fills::fills(types, function, params, result),
        }
    }

    /// What is noted of the arguments of a function that writes this through them, if its calls are noted.
    pub fn noted(
        self,
        types: &Types,
        params: &[Param],
        result: Option<TypeId>,
        fills: &[Fill],
    ) -> Option<Vec<NotedParam>> {
        match self {
            Language::C => noted::noted(types, params, result, fills),
        }
    }

    /// The type that a function's declaration gives it, if that is not the one that the module has: then its results would
    /// be others than those that the program takes.
    pub fn contradiction(self, types: &Types, undefined: &Undefined) -> Option<FunctionType> {
        match self {
            Language::C => abi::contradiction(types, undefined),
        }
    }

    /// The check behind the number that `symcrete.check` is called with.
    pub(crate) fn check(self, number: u32) -> CheckName {
        let check = match self {
            Language::C => Check::of_kind(number),
        };
        match check {
            Some(check) => CheckName { name: check.name(), fault: check.fault() },
            None => CheckName { name: "other", fault: "a failed check" },
        }
    }
}
