//! From objects to one module.

use super::assets::Assets;
use super::build::{self, Object};
use super::cache::{self, Cache};
use super::callbacks;
use super::libc::EMULATED;
use super::process::Call;
use super::toolchain::{Linker, Toolchain};
use crate::data_model::DataModel;
use crate::frontend::FrontendError;
use std::path::PathBuf;

/// A linked module.
pub(super) struct Linked {
    pub(super) wasm: Vec<u8>,
    pub(super) warnings: String,
}

/// Deep recursion shall meet the engine's limit before this one.
const STACK_BYTES: u32 = 1 << 20;
/// What the engine and the command line look for by name.
const EXPORTS: &[&str] = &[
    "__symcrete_api_look",
    "__symcrete_api_objects",
    "__symcrete_arena",
    "__symcrete_file_bytes",
    "__symcrete_file_bytes_used",
    "__symcrete_files",
    "__symcrete_frames",
    "__symcrete_input_max",
    "__symcrete_uninitialized",
    "__symcrete_unsupported",
    "__symcrete_widened",
];
/// The object that is part of every module, compiled once for each toolchain.
pub(super) fn runtime(
    toolchain: &Toolchain,
    assets: &Assets,
    cache: &Cache,
) -> Result<PathBuf, FrontendError> {
    let place = cache.place(&format!("runtime-{}.sealed", &cache::key_of_tools(toolchain)[..16]));
    let object = cache.scratch().join("runtime.o");
    let unwritable = |source| FrontendError::Io { path: object.clone(), source };
    // One that was damaged, or cut off by a full disk, is made again.
    let kept = std::fs::read(&place).unwrap_or_default();
    if let Some(bytes) = cache::unsealed(&kept) {
        cache::write(&object, bytes).map_err(unwritable)?;
        return Ok(object);
    }
    let call = build::compiler(toolchain).words(["-O1", "-fno-builtin", "-D__SYMCRETE__=1"]);
    let mut files = assets.runtime(toolchain.model());
    let last = files.pop().expect("the runtime has files");
    let call = files.iter().fold(call, |call, file| call.word("-include").word(file));
    let call = build::system_headers(call, toolchain, assets)
        .words(["-c", "-x", "c"])
        .word(last)
        .word("-o")
        .word(&object);
    let finished = call.run()?;
    if !finished.is_success {
        // The runtime compiles wherever there is a target for it.
        return Err(FrontendError::NoWasmTarget { clang: toolchain.compiler().to_path_buf() });
    }
    let bytes = std::fs::read(&object).map_err(unwritable)?;
    // What cannot be kept is made again next time.
    let _ = cache.write(&place, &cache::sealed(bytes));
    Ok(object)
}

/// Where the table of functions starts. On Linux `SIG_IGN` and its like are pointers to functions with small numbers, which no
/// function may have.
fn first_function(model: DataModel) -> Option<&'static str> {
    match model {
        DataModel::Lp64 => Some("--table-base=16"),
        DataModel::Ilp32 => None,
    }
}

/// What is linked, besides the C library.
pub(super) struct Parts<'a> {
    /// The user's files.
    pub(super) objects: &'a [Object],
    pub(super) runtime: PathBuf,
    /// Functions for callbacks of the input.
    pub(super) callbacks: Option<PathBuf>,
    /// Room for variables that nobody defines; it comes last.
    pub(super) room: Option<PathBuf>,
}

/// Links objects with the C library.
pub(super) fn link(
    toolchain: &Toolchain,
    parts: &Parts<'_>,
    cache: &Cache,
) -> Result<Linked, FrontendError> {
    let linked = link_keeping(toolchain, parts, cache, &[])?;
    // The linker replaces calls through another type than the function's, and then drops a function that nobody calls. The
    // bridges that come later need it.
    let called = mismatched(&linked.warnings);
    match called.is_empty() {
        true => Ok(linked),
        false => link_keeping(toolchain, parts, cache, &called),
    }
}

/// The functions that are called through another type than their own, as the linker says it.
fn mismatched(warnings: &str) -> Vec<&str> {
    let called = |line| str::split_once(line, "function signature mismatch: ");
    warnings.lines().filter_map(called).map(|(_, name)| name.trim()).collect()
}

fn link_keeping(
    toolchain: &Toolchain,
    Parts { objects, runtime, callbacks, room }: &Parts<'_>,
    cache: &Cache,
    kept: &[&str],
) -> Result<Linked, FrontendError> {
    let output = cache.scratch().join("linked.wasm");
    let paths = objects.iter().map(|object| &object.path).chain([runtime]).chain(callbacks);
    let tables = objects.iter().filter_map(|object| object.table.as_deref());
    let tables = tables.chain(callbacks.iter().map(|_| callbacks::TABLE));
    let exports = EXPORTS.iter().copied().chain(tables);
    let call = match &toolchain.linker {
        Linker::WasmLd { program, libc } => {
            let machine = match libc.model {
                DataModel::Lp64 => "wasm64",
                DataModel::Ilp32 => "wasm32",
            };
            Call::new(&[program.clone().into()], &toolchain.stop)
                .words(["-m", machine, "--no-entry", "--allow-undefined", "--export=_initialize"])
                .words(first_function(libc.model))
                // The stack grows down to address 0: what runs over it traps and does not hit data.
                .word("--stack-first")
                .words(["-z".to_owned(), format!("stack-size={STACK_BYTES}")])
                .words(exports.map(|name| format!("--export={name}")))
                .words(kept.iter().map(|name| format!("--export-if-defined={name}")))
                .words(&libc.start)
                .words(paths)
                .words(&libc.libraries)
                .words(room)
        }
        Linker::Zig => build::compiler(toolchain)
            .words(["-mexec-model=reactor", "-Wl,--import-symbols", "-Wl,--no-entry"])
            .word(format!("-Wl,-z,stack-size={STACK_BYTES}"))
            .words(exports.map(|name| format!("-Wl,--export={name}")))
            .words(paths)
            .words(EMULATED.iter().map(|name| format!("-lwasi-emulated-{name}")))
            .words(room),
    };
    let finished = call.word("-o").word(&output).run()?;
    if !finished.is_success {
        return Err(FrontendError::Linker { message: finished.stderr.trim_end().to_owned() });
    }
    let wasm = std::fs::read(&output)
        .map_err(|source| FrontendError::Io { path: output.clone(), source })?;
    Ok(Linked { wasm, warnings: finished.stderr })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_linker_names_what_is_called_through_another_type() {
        let warnings = "wasm-ld: warning: function signature mismatch: f\n>>> defined as (i32) -> void in a.o\n\
                        >>> defined as (i32) -> i32 in b.o\n\nwasm-ld: warning: something else\n";
        assert_eq!(mismatched(warnings), ["f"]);
    }
}
