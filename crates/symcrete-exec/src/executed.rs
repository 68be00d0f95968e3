//! Functions of the module that are executed and not entered.
//!
//! Such a function is opaque: its implementation runs the function of the same module in a fresh instance
//! of its own. So it can be evaluated anywhere and at any time, also by solvers on other threads, and it
//! gives the same result always. What it does to memory is not seen.

use crate::config::Config;
use crate::engine::{Engine, Executable};
use crate::error::ExecError;
use crate::instrument::value_sort;
use crate::module::Module;
use crate::process::Process;
use std::collections::BTreeMap;
use symcrete_program::runtime::INITIALISER;
use symcrete_program::{Cell, Outcome, Scalar};
use symcrete_term::{Function, Signature, Sort, Value};

/// Sites that one execution may pass.
const FUEL: u64 = 10_000_000;

/// The functions that [`Config::executed`] names, by index.
pub(crate) fn executed_functions(
    wasm: &[u8],
    module: &Module<'_>,
    config: &Config,
    engine: &Engine,
) -> Result<BTreeMap<u32, Function>, ExecError> {
    if config.executed.is_empty() {
        return Ok(BTreeMap::new());
    }
    let mut functions = BTreeMap::new();
    let mut entries = BTreeMap::new();
    for name in &config.executed {
        let missing = || ExecError::MissingFunction { name: name.clone() };
        let index = defined_function(module, config, name).ok_or_else(missing)?;
        let signature = signature(module, index);
        let signature = signature.ok_or(ExecError::NotScalar { name: name.clone() })?;
        entries.insert(entry_name(name), index);
        functions.insert(index, (name.clone(), signature));
    }
    let alone = Config { executed: Vec::new(), entries, ..config.clone() };
    let executable = engine.inner()?.prepare(wasm, &alone)?;
    let opaque = |(index, (name, signature)): (u32, (String, Signature))| {
        let (executable, entry) = (executable.clone(), entry_name(&name));
        (index, Function::new(name, signature, move |args| run(&executable, &entry, args)))
    };
    Ok(functions.into_iter().map(opaque).collect())
}

/// Exports of the original keep their names, so ours must be others.
fn entry_name(name: &str) -> String {
    format!("executed:{name}")
}

/// A function that the module defines, by what the caller, the name section or an export calls it.
fn defined_function(module: &Module<'_>, config: &Config, name: &str) -> Option<u32> {
    let by_name = || module.names.iter().find(|(_, known)| *known == name).map(|(&at, _)| at);
    let by_export = || module.exported_function(name);
    let index = config.entries.get(name).copied().or_else(by_name).or_else(by_export)?;
    module.body(index).map(|_| index)
}

fn signature(module: &Module<'_>, function: u32) -> Option<Signature> {
    let ty = module.function_type(function);
    let [result] = &ty.results[..] else { return None };
    let params: Option<Vec<Sort>> = ty.params.iter().map(value_sort).collect();
    Some(Signature { params: params?, result: value_sort(result)? })
}

fn run(executable: &Executable, entry: &str, args: &[Value]) -> Option<Value> {
    let mut process = executable.concrete().ok()?.start(FUEL);
    let value = call(executable, &mut process, entry, args);
    match process.is_form_left() {
        false => value,
        true => call(executable, &mut executable.start(FUEL), entry, args),
    }
}

fn call(
    executable: &Executable,
    process: &mut Process,
    entry: &str,
    args: &[Value],
) -> Option<Value> {
    if executable.shared.module.exports.contains_key(INITIALISER) {
        let initialized = process.call(INITIALISER, &[]).ok()?;
        matches!(initialized.outcome, Outcome::Returned(_)).then_some(())?;
    }
    let cells: Vec<Cell> = args.iter().map(|&arg| Cell::of_scalar(scalar(arg))).collect();
    match process.call(entry, &cells).ok()?.outcome {
        Outcome::Returned(results) => results.first()?.value(),
        Outcome::Trapped(_) | Outcome::Rejected(_) | Outcome::Exhausted(_) | Outcome::Exited(_) => {
            None
        }
    }
}

fn scalar(value: Value) -> Scalar {
    match value {
        Value::F32(bits) => Scalar::F32(bits),
        Value::F64(bits) => Scalar::F64(bits),
        Value::Bv { width: 64, bits } => Scalar::I64(bits),
        Value::Bv { bits, .. } => Scalar::I32(bits as u32),
        Value::Bool(truth) => Scalar::I32(u32::from(truth)),
    }
}
