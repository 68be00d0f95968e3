//! The C front end: from source files to one linked module with debug information.
//!
//! Each file goes through clang to LLVM's text form, is edited there (`ir.rs`), has its locals lifted into
//! registers by `opt` without touching a branch, and becomes an object; the objects are linked with a C library
//! and our runtime (`runtime/`) into a reactor. Which library it is follows from the data model (`libc.rs`). `docs/adr/0005-c-front-end.md` has the reasons. [`abi`] is C's calling
//! convention: how values travel in calls, and how stubs return them.
//!
//! **Invariant:** no function of the user's files is inlined or dropped, and no branch is merged or copied.
//!
//! **Invariant:** the module depends on what the compiler reads, the options and the tools, on nothing else; a cached
//! module is used only if all files are as they were and the compiler would read the same ones.

pub mod abi;
mod addresses;
mod assembly;
mod assets;
mod assumptions;
mod bridge;
mod build;
mod cache;
mod callbacks;
mod calls;
mod counters;
mod counting;
mod coverage_map;
mod drivers;
mod effects;
mod exits;
mod externals;
pub(crate) mod fills;
mod ir;
mod ir_text;
mod jumps;
mod labels;
mod libc;
mod library_errors;
mod link;
mod locals;
mod machine;
mod mark_sites;
mod marks;
mod narrow;
pub(crate) mod noted;
mod operands;
mod options;
mod overlaps;
mod own_size;
mod process;
mod red_zones;
mod rounding;
mod rounding_names;
mod strict;
mod stubs;
mod targets;
mod toolchain;
mod type_sizes;
mod uninitialized;
mod words;

pub use assumptions::ERROR_FUNCTIONS;
pub use callbacks::MODULE as CALLBACKS;
pub(crate) use callbacks::added as callback_functions;
pub(crate) use externals::{CONSTANT as EXTERNAL_CONSTANT, FILE as EXTERNALS_FILE};
pub use ir::LeftOut;
pub use libc::{LibcProblem, check_libc, libc_digest, unpack_libc_sources};
pub use options::{Check, CompileOptions, TargetPlace};
pub(crate) use red_zones::{FRAMES_BYTES, TABLE as VARIABLES_TABLE};
pub use toolchain::{NoLp64, Survey, ToolPart, Toolchain};
pub(crate) use uninitialized::SOURCE_BYTES;

use crate::frontend::FrontendError;
use assets::Assets;
use cache::{Cache, Entry};
use std::path::{Path, PathBuf};

/// The text of the header for harnesses, for users who want a copy of it.
pub const HARNESS_HEADER: &str = include_str!("c/harness/symcrete.h");

/// The headers of harnesses, by what sources include: what is in them works on every machine.
pub const HARNESS_HEADERS: &[(&str, &str)] = &[
    ("symcrete.h", HARNESS_HEADER),
    ("crest.h", include_str!("c/harness/crest.h")),
    ("klee/klee.h", include_str!("c/harness/klee/klee.h")),
];

/// A compiled and linked program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Compiled {
    /// The module, with debug information and names.
    pub wasm: Vec<u8>,
    /// Whether it was compiled earlier.
    pub is_cached: bool,
    /// Functions that WebAssembly cannot express; calls of them are calls of undefined functions.
    pub left_out: Vec<LeftOut>,
    /// The warnings of the compiler and the linker, verbatim.
    pub warnings: String,
    /// Whether the sources define `size_t` in their own way.
    pub has_own_size: bool,
}

impl Compiled {
    /// Flags that other compilers need to accept the same sources.
    pub fn tolerating(&self) -> Vec<String> {
        build::tolerating(&self.warnings)
    }
}

/// Compiles and links C files, or takes the module from the cache if nothing changed.
///
/// If the cache folder cannot be written, nothing is cached.
pub fn compile(
    toolchain: &Toolchain,
    options: &CompileOptions,
    cache: &Path,
) -> Result<Compiled, FrontendError> {
    let files = options.check_files()?;
    let cache = Cache::open(cache);
    let key = cache::key_of(toolchain, options, &files);
    let assets = Assets::unpack(&cache)?;
    let preprocessed = build::preprocessed(toolchain, options, &files, &assets, &cache);
    if let Some(entry) = cache.find(&key)
        && Some(entry.preprocessed) == preprocessed
    {
        return Ok(compiled(entry, true));
    }
    let runtime = link::runtime(toolchain, &assets, &cache)?;
    let mut objects = build::objects(toolchain, options, &files, &assets, &cache)?;
    check_stubs(&options.stubs, &objects.all)?;
    let room = build::room(toolchain, &objects.all, &cache)?;
    if options.drivers {
        let parts = link::Parts {
            objects: &objects.all,
            runtime: runtime.clone(),
            callbacks: None,
            room: room.clone(),
        };
        let drivers = drivers::of_program(&link::link(toolchain, &parts, &cache)?.wasm, &files);
        build::add_drivers(toolchain, options, (&files, &assets, &cache), &drivers, &mut objects);
    }
    let mut parts = link::Parts { objects: &objects.all, runtime, callbacks: None, room };
    let mut linked = link::link(toolchain, &parts, &cache)?;
    if let Some(callbacks) = callbacks::object(toolchain, &linked.wasm, &files, &cache)? {
        parts.callbacks = Some(callbacks);
        linked = link::link(toolchain, &parts, &cache)?;
    }
    let conditions: Vec<_> = objects.all.iter().map(|object| object.conditions.clone()).collect();
    // Bridges come first: sites are offsets in the final module.
    let wasm = mark_sites::settle(bridge::bridged(linked.wasm), &conditions)
        .map_err(|error| FrontendError::Linker { message: error.to_string() })?;

    let mut entry = Entry { wasm, ..Entry::default() };
    for object in objects.all {
        entry.left_out.extend(object.left_out);
        entry.warnings.push_str(&object.warnings);
        entry.files.extend(object.depends_on);
    }
    entry.warnings.push_str(&linked.warnings);
    // Without preprocessed text there is nothing to compare with.
    if let Some(preprocessed) = preprocessed {
        entry.preprocessed = preprocessed;
        cache.store(&key, &entry);
    }
    Ok(compiled(entry, false))
}

fn compiled(entry: Entry, is_cached: bool) -> Compiled {
    let has_own_size = own_size::is_in_any(entry.files.keys().map(PathBuf::as_path));
    let Entry { wasm, left_out, warnings, .. } = entry;
    Compiled { wasm, is_cached, left_out, warnings, has_own_size }
}

/// A stub of a function that does not exist is an error.
fn check_stubs(stubs: &[String], objects: &[build::Object]) -> Result<(), FrontendError> {
    let functions = || objects.iter().flat_map(|object| &object.functions);
    match stubs.iter().find(|stub| functions().all(|function| function != *stub)) {
        None => Ok(()),
        Some(stub) => Err(FrontendError::NoFunction {
            name: stub.clone(),
            known: functions().filter(|name| !name.starts_with("llvm.")).cloned().collect(),
        }),
    }
}

/// A path that does not depend on the working directory.
fn absolute(path: &Path, directory: Option<&PathBuf>) -> PathBuf {
    let path = match directory {
        Some(directory) => directory.join(path),
        None => path.to_path_buf(),
    };
    std::path::absolute(&path).unwrap_or(path)
}
