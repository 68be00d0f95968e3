//! What the engine asks of a module beyond what its reader does.

use crate::error::ExecError;
use crate::limits::Limits;
pub(crate) use symcrete_program::module::Module;
use symcrete_program::module::{FunctionType, ModuleError};

/// Shadows double parameters and results, of which a function may have a thousand.
const ARITY_MAX: usize = 500;

/// Reads and checks a module.
pub(crate) fn parse<'a>(wasm: &'a [u8], limits: &Limits) -> Result<Module<'a>, ExecError> {
    let module = Module::parse(wasm)?;
    check_sizes(&module, limits)?;
    Ok(module)
}

impl From<ModuleError> for ExecError {
    fn from(error: ModuleError) -> ExecError {
        match error {
            ModuleError::Invalid { message, offset } => ExecError::Invalid { message, offset },
            ModuleError::Unsupported { feature, place, offset } => {
                ExecError::Unsupported { feature, place, offset }
            }
            ModuleError::TooLarge { .. } | ModuleError::NoBody(_) => ExecError::Refused(error),
        }
    }
}

fn check_sizes(module: &Module<'_>, limits: &Limits) -> Result<(), ExecError> {
    let too_large = |needs, limit| Err(ExecError::TooLarge { needs, limit });
    if let Some(memory) = module.memory() {
        let bytes = memory.initial << 16;
        if bytes > u64::from(limits.memory_bytes) {
            return too_large(format!("{bytes} bytes of memory"), limits.memory_bytes.to_string());
        }
    }
    let entries = module.tables.iter().map(|table| table.initial).max().unwrap_or(0);
    if entries > u64::from(limits.table_entries) {
        return too_large(
            format!("a table of {entries} entries"),
            limits.table_entries.to_string(),
        );
    }
    let arity = |ty: &FunctionType| ty.params.len().max(ty.results.len());
    let arity = module.types.iter().map(arity).max().unwrap_or(0);
    if arity > ARITY_MAX {
        return too_large(format!("{arity} parameters or results"), ARITY_MAX.to_string());
    }
    Ok(())
}
