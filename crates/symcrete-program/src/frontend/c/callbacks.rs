//! Functions for pointers to functions in inputs.
//!
//! A program is given functions by its callers. Which types those have only debug information says, so the files are linked
//! before these functions are made, and once more with them. They have no body: the engine decides what a call returns.
//! `docs/adr/0016-callbacks.md` has the reasons.

use super::build;
use super::cache::Cache;
use super::machine;
use super::toolchain::Toolchain;
use crate::data_model::DataModel;
use crate::debug::{ReadOptions, read_program};
use crate::frontend::FrontendError;
use crate::module::{FunctionType, Module, ValueType};
use crate::program::{CallbackFunction, Program};
use crate::types::{TypeId, TypeKind};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::PathBuf;

/// The module name of these functions; each has its number as its name.
pub const MODULE: &str = "symcrete.callback";
/// The variable that says how many there are, and then where in the table of functions each one is.
pub(super) const TABLE: &str = "__symcrete_callbacks";
/// Functions of one type: as many pointers of one input can be told apart.
const SAME_MAX: usize = 8;

/// An object with functions for the pointers of a linked program, if it takes any.
pub(super) fn object(
    toolchain: &Toolchain,
    wasm: &[u8],
    files: &[PathBuf],
    cache: &Cache,
) -> Result<Option<PathBuf>, FrontendError> {
    let options = ReadOptions { user_files: files.to_vec(), load: &|_| None };
    // What cannot be read is refused later, in words for people.
    let Ok(program) = read_program(wasm.to_vec(), &options) else { return Ok(None) };
    let types = needed(&program);
    if types.is_empty() {
        return Ok(None);
    }
    build::assembled(toolchain, cache, "callbacks", &text(&types, toolchain.model())).map(Some)
}

/// The machine types of functions that inputs can point to.
fn needed(program: &Program) -> BTreeSet<FunctionType> {
    let params = program.units.iter().flat_map(|unit| &unit.params).map(|param| param.ty);
    let globals = program.globals.iter().filter(|global| !global.is_const).map(|global| global.ty);
    let mut open: Vec<TypeId> = params.chain(globals).collect();
    let mut seen: BTreeSet<TypeId> = BTreeSet::new();
    let mut found = BTreeSet::new();
    while let Some(id) = open.pop() {
        if !seen.insert(id) {
            continue;
        }
        match &program.types.get(id).kind {
            TypeKind::Struct { fields } | TypeKind::Union { fields } => {
                open.extend(fields.iter().map(|field| field.ty));
            }
            TypeKind::Array { element: to, .. } | TypeKind::Pointer { to, .. } => open.push(*to),
            TypeKind::Function => {
                let callback = program.language.callback(&program.types, id);
                found.extend(callback.map(|callback| callback.machine));
            }
            TypeKind::Void
            | TypeKind::Bool
            | TypeKind::Int { .. }
            | TypeKind::Float
            | TypeKind::Enum { .. }
            | TypeKind::Unsupported { .. } => {}
        }
    }
    found
}

/// LLVM's text of a file that declares them and has the table.
fn text(types: &BTreeSet<FunctionType>, model: DataModel) -> String {
    let mut text = format!("target triple = \"{}\"\n", machine::triple(model));
    let word = machine::word(model);
    let mut attributes = String::new();
    let all = types.iter().flat_map(|ty| std::iter::repeat_n(ty, SAME_MAX));
    let mut places = Vec::new();
    for (number, ty) in all.enumerate() {
        let result = ty.results.first().map_or("void", |&result| name(result));
        let params: Vec<&str> = ty.params.iter().map(|&param| name(param)).collect();
        let function = format!("@__symcrete_callback_{number}");
        let _ = writeln!(text, "declare {result} {function}({}) #{number}", params.join(", "));
        let _ = writeln!(
            attributes,
            "attributes #{number} = {{ \"wasm-import-module\"=\"{MODULE}\" \"wasm-import-name\"=\"{number}\" }}"
        );
        places.push(format!("ptr {function}"));
    }
    let n = places.len();
    let _ = writeln!(
        text,
        "@{TABLE} = constant {{ {word}, [{n} x ptr] }} {{ {word} {n}, [{n} x ptr] [{}] }}",
        places.join(", ")
    );
    text + &attributes
}

fn name(ty: ValueType) -> &'static str {
    match ty {
        ValueType::I32 => "i32",
        ValueType::I64 => "i64",
        ValueType::F32 => "float",
        ValueType::F64 => "double",
        ValueType::FuncRef => "ptr",
    }
}

/// The functions that a module was given, by number.
pub(crate) fn added(module: &Module<'_>) -> Vec<CallbackFunction> {
    let number =
        |address: u32| Some(u32::from_le_bytes(module.initial_bytes(address, 4)?.try_into().ok()?));
    let Some(table) = module.exported_constant(TABLE) else { return Vec::new() };
    let bytes = module.address_type().bytes();
    let function = |i: u32| {
        let index = number(table + bytes + bytes * i)?;
        let is_it = |(_, import): &(u32, &crate::module::Import)| {
            import.module == MODULE && import.name == i.to_string()
        };
        let (function, _) = module.imported().find(is_it)?;
        Some(CallbackFunction { index, machine: module.function_type(function).clone() })
    };
    (0..number(table).unwrap_or(0)).map_while(function).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_type_has_several_functions_and_the_table_has_all() {
        let compare = FunctionType {
            params: vec![ValueType::I32, ValueType::F64],
            results: vec![ValueType::I64],
        };
        let text = text(&BTreeSet::from([FunctionType::default(), compare]), DataModel::Ilp32);
        assert_eq!(text.matches("declare void @__symcrete_callback_").count(), SAME_MAX);
        assert!(text.contains("declare i64 @__symcrete_callback_8(i32, double) #8"), "{text}");
        assert!(text.contains("{ i32 16, [16 x ptr] [ptr @__symcrete_callback_0, "), "{text}");
        assert!(text.contains("\"wasm-import-name\"=\"15\""), "{text}");
    }
}
