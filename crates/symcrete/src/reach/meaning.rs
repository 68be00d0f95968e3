//! What backward execution makes of each function of a module: the same as the engine does when it runs.

use symcrete_exec::{Config, ImportAction, MemoryEvent};
use symcrete_program::cfg::{Cfg, ModuleView};
use symcrete_program::{CellKind, Environment, Gap, Program};
use symcrete_reach::Callee;
use symcrete_term::Function;

/// Library functions with more blocks than this are not walked through.
const BLOCKS_MAX: usize = 40;

/// What a call of a function means.
pub(super) fn callee(
    program: &Program,
    config: &Config,
    module: &ModuleView<'_>,
    function: u32,
) -> Callee {
    let name = module.function_name(function);
    let Some(import) = &module.functions[function as usize].import else {
        return defined(program, config, module, (function, &name));
    };
    let key = (import.module.clone(), import.name.clone());
    let gap = config.gaps.get(&key).copied();
    if config.fills.get(&key).is_some_and(|fills| !fills.is_empty()) {
        // What it writes are inputs, and then nothing is known of memory.
        return Callee::Unknown(gap.unwrap_or(Gap::Undefined));
    }
    match config.imports.get(&key) {
        None => match Function::of_math_library(&import.name) {
            Some(function) => Callee::Opaque(function),
            // Elsewhere somebody provides it.
            None => Callee::Unknown(Gap::Unsupported),
        },
        Some(ImportAction::Missing) => Callee::Unknown(Gap::Unsupported),
        Some(ImportAction::End(_)) => Callee::Ends,
        Some(ImportAction::Ignore) => Callee::Ignored(gap),
        Some(ImportAction::Memory(event)) => match event {
            MemoryEvent::Leave
            | MemoryEvent::ScopeStart
            | MemoryEvent::ScopeEnd
            | MemoryEvent::Unused => Callee::Ignored(gap),
            MemoryEvent::Enter => Callee::Frame,
            MemoryEvent::Array => Callee::Same,
            MemoryEvent::Ordered
            | MemoryEvent::Equal
            | MemoryEvent::Together
            | MemoryEvent::Address
            | MemoryEvent::Word => Callee::Observed(event.result().unwrap_or(0) as usize),
            MemoryEvent::Pointer => Callee::Pointer,
            MemoryEvent::Uninitialized => Callee::Uninitialized,
            MemoryEvent::Room
            | MemoryEvent::Allocated
            | MemoryEvent::Freeing
            | MemoryEvent::Given
            | MemoryEvent::Freed
            | MemoryEvent::Released => Callee::Unknown(gap.unwrap_or(Gap::Unsupported)),
        },
        Some(ImportAction::Assume) => Callee::Assume,
        Some(ImportAction::Opaque(function)) => Callee::Opaque(function.clone()),
        Some(ImportAction::Draw { name, kind }) => {
            match module.function_type(function).results.is_empty() {
                true => Callee::Ignored(gap),
                false => Callee::Draw { name: name.clone(), kind: *kind, gap },
            }
        }
        Some(ImportAction::MayFail { name }) => {
            Callee::Draw { name: name.clone(), kind: CellKind::Bool, gap }
        }
        Some(ImportAction::DrawNamed(kind)) => Callee::DrawNamed(*kind),
        // A real one may change anything, and then nothing is assumed.
        Some(
            ImportAction::Callback(_)
            | ImportAction::DrawPointer { .. }
            | ImportAction::DrawResult { .. }
            | ImportAction::DrawBytes,
        ) => Callee::Unknown(gap.unwrap_or(Gap::Unsupported)),
    }
}

fn defined(
    program: &Program,
    config: &Config,
    module: &ModuleView<'_>,
    (function, name): (u32, &str),
) -> Callee {
    if program.units.iter().any(|unit| unit.function == function) {
        return Callee::Entered;
    }
    if let Some(opaque) = config.opaque_function(name) {
        return Callee::Opaque(opaque);
    }
    if let Some(gap) = Gap::of_library(name) {
        return Callee::Unknown(gap);
    }
    match name {
        "__symcrete_getenv" => return Callee::Unknown(Gap::Environment(Environment::Variables)),
        "__symcrete_fopen" | "__symcrete_open" => {
            return Callee::Unknown(Gap::Environment(Environment::Files));
        }
        "memcpy" | "memmove" => return Callee::Copy,
        "memset" => return Callee::Fill,
        "__symcrete_malloc" | "__symcrete_calloc" if config.allocation_may_fail => {
            return Callee::Unknown(Gap::Environment(Environment::Allocation));
        }
        "__symcrete_malloc" => return Callee::Allocated { is_zeroed: false },
        "__symcrete_calloc" => return Callee::Allocated { is_zeroed: true },
        // Nobody may look at what is gone.
        "__symcrete_free" => return Callee::Ignored(None),
        _ => {}
    }
    match Cfg::of(module, function) {
        Ok(body) if body.blocks.len() <= BLOCKS_MAX => Callee::Entered,
        Ok(_) | Err(_) => Callee::Unknown(Gap::Unsupported),
    }
}
