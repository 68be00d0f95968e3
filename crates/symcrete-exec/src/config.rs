//! What an engine is told about the world outside the module.

use crate::instrument::fits;
use std::collections::BTreeMap;
use symcrete_program::Scalar;
use symcrete_term::Function;
use wasmparser::FuncType;

/// Functions of the math library that are a WebAssembly operator or a few: where a module defines
/// them they are entered, so that their terms stay open to solvers.
const ENTERED: &[&str] =
    &["ceil", "copysign", "fabs", "floor", "fmax", "fmin", "nearbyint", "rint", "sqrt", "trunc"];

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
}

impl ImportAction {
    /// Whether a call can make values symbolic that were not.
    pub(crate) fn introduces(&self) -> bool {
        match self {
            ImportAction::Missing
            | ImportAction::Ignore
            | ImportAction::Assume
            | ImportAction::Opaque(_) => false,
        }
    }
}

/// How an engine treats a module.
#[derive(Clone, Debug)]
pub struct Config {
    /// Functions executed by the host, besides the C math library. A function of the module with this
    /// name and type is not entered.
    pub opaque: Vec<Function>,
    /// Imported functions by module and name.
    pub imports: BTreeMap<(String, String), ImportAction>,
    /// Values of imported globals by module and name.
    pub globals: BTreeMap<(String, String), Scalar>,
}

impl Config {
    /// The C math library and our own imports.
    pub fn standard() -> Config {
        let assume = ("symcrete".to_string(), "assume".to_string());
        Config {
            opaque: Vec::new(),
            imports: BTreeMap::from([(assume, ImportAction::Assume)]),
            globals: BTreeMap::new(),
        }
    }

    /// What an import does: what was asked for, else what its name says.
    pub(crate) fn import_action(&self, module: &str, name: &str, ty: &FuncType) -> ImportAction {
        let key = (module.to_string(), name.to_string());
        let known = self.imports.get(&key).cloned();
        let opaque = || {
            let registered = self.opaque.iter().find(|function| function.name() == name).cloned();
            registered.or_else(|| Function::of_math_library(name)).map(ImportAction::Opaque)
        };
        match known.or_else(opaque) {
            Some(ImportAction::Opaque(function)) if !fits(&function, ty) => ImportAction::Missing,
            Some(ImportAction::Assume)
                if ty.params() != [wasmparser::ValType::I32] || !ty.results().is_empty() =>
            {
                ImportAction::Missing
            }
            Some(action) => action,
            None => ImportAction::Missing,
        }
    }

    /// The function that the host executes instead of the module's function of that name.
    pub(crate) fn opaque_function(&self, name: &str) -> Option<Function> {
        if let Some(function) = self.opaque.iter().find(|function| function.name() == name) {
            return Some(function.clone());
        }
        let entered = ENTERED.contains(&name) || ENTERED.contains(&name.trim_end_matches('f'));
        if entered { None } else { Function::of_math_library(name) }
    }
}
