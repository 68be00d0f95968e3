//! Finds the compiler and what belongs to it, by looking at files alone: starting a compiler to ask for its
//! version would cost more than a cached module.

use crate::frontend::FrontendError;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// A compiler for WebAssembly with all that it needs.
#[derive(Clone, Debug)]
pub struct Toolchain {
    /// The words that start it.
    pub(super) compiler: Vec<OsString>,
    /// LLVM's optimizer; zig has none, so that locals stay in memory there.
    pub(super) opt: Option<PathBuf>,
    /// How objects become a module.
    pub(super) linker: Linker,
    /// The major version, if it shows.
    pub(super) version: Option<u32>,
    /// The files whose change makes it another compiler.
    pub(super) files: Vec<PathBuf>,
    /// Ends what it has started.
    pub(super) stop: Arc<AtomicBool>,
}

/// How objects become a module.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Linker {
    /// LLVM's linker with the parts of a wasi-libc.
    WasmLd { program: PathBuf, include: PathBuf, libraries: PathBuf, builtins: PathBuf },
    /// Zig links, and brings its own wasi-libc.
    Zig,
}

/// The one that is tried first, then newer ones, the one without a number, older ones.
const PREFERRED: u32 = 19;
const NEWEST: u32 = 40;
const OLDEST: u32 = 14;
/// From this version on pointers have no types in LLVM's text unless told otherwise.
const OPAQUE_POINTERS: u32 = 15;
/// How the parts of wasi-libc are called, old name first.
const TARGETS: &[&str] = &["wasm32-wasi", "wasm32-wasip1"];

impl Toolchain {
    /// Looks for a compiler in these directories, as the shell looks in `PATH`.
    pub fn find(directories: &[PathBuf]) -> Result<Toolchain, FrontendError> {
        let mut first_error = None;
        for survey in Survey::all(directories) {
            match survey.toolchain() {
                Ok(toolchain) => return Ok(toolchain),
                Err(error) => first_error = first_error.or(Some(error)),
            }
        }
        Toolchain::zig(directories).ok_or_else(|| first_error.unwrap_or(FrontendError::NoCompiler))
    }

    /// The same, but as soon as the flag is set the programs that it has started are killed, and compiling ends.
    #[must_use]
    pub fn stopped_by(self, stop: Arc<AtomicBool>) -> Toolchain {
        Toolchain { stop, ..self }
    }

    /// The compiler's path, as messages name it.
    pub fn compiler(&self) -> &Path {
        Path::new(&self.compiler[0])
    }

    /// The compiler's major version, if it shows.
    pub fn version(&self) -> Option<u32> {
        self.version
    }

    /// Whether LLVM must be told that pointers have no types, as the text has them after our edits.
    pub(super) fn has_typed_pointers(&self) -> bool {
        self.version.is_some_and(|version| version < OPAQUE_POINTERS)
    }

    /// Zig, as an executable or as Python's package.
    fn zig(directories: &[PathBuf]) -> Option<Toolchain> {
        let zig = |compiler: Vec<OsString>, file: PathBuf| Toolchain {
            compiler,
            opt: None,
            linker: Linker::Zig,
            version: None,
            files: vec![file],
            stop: Arc::default(),
        };
        if let Some(file) = program("zig", directories) {
            return Some(zig(vec![file.clone().into(), "cc".into()], file));
        }
        let python = program("python3", directories)?;
        let prefix = python.parent()?.parent()?;
        let file = python_packages(prefix)
            .into_iter()
            .map(|packages| packages.join("ziglang").join("zig"))
            .find(|file| file.is_file())?;
        Some(zig(vec![file.clone().into(), "cc".into()], file))
    }
}

/// A clang, and which of the parts are there that it needs to compile to WebAssembly.
#[derive(Clone, Debug)]
pub struct Survey {
    clang: PathBuf,
    version: Option<u32>,
    opt: Option<PathBuf>,
    linker: Option<PathBuf>,
    /// Headers and libraries of wasi-libc.
    sysroot: Option<(PathBuf, PathBuf)>,
    builtins: Option<PathBuf>,
}

/// One of the parts that a clang needs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ToolPart {
    /// What it is.
    pub what: &'static str,
    /// Debian's package that has it.
    pub package: String,
    /// Where it is, if it is there.
    pub found: Option<PathBuf>,
}

impl Survey {
    /// The clang that [`Toolchain::find`] takes or, if none is complete, the first that it tries.
    pub fn of_machine(directories: &[PathBuf]) -> Option<Survey> {
        let mut all: Vec<Survey> = Survey::all(directories).collect();
        let complete = all.iter().position(|survey| survey.missing().is_none());
        (!all.is_empty()).then(|| all.swap_remove(complete.unwrap_or(0)))
    }

    /// The compiler.
    pub fn clang(&self) -> &Path {
        &self.clang
    }

    /// Its major version; where that does not show, the one we prefer.
    pub fn version(&self) -> u32 {
        self.version.unwrap_or(PREFERRED)
    }

    /// What it needs, whether it is there or not.
    pub fn parts(&self) -> Vec<ToolPart> {
        let number = self.version();
        let libraries = self.sysroot.as_ref().map(|(_, libraries)| libraries.clone());
        let part = |what, package, found: &Option<PathBuf>| ToolPart {
            what,
            package,
            found: found.clone(),
        };
        vec![
            part("opt of the same version", format!("llvm-{number}"), &self.opt),
            part("wasm-ld", format!("lld-{number}"), &self.linker),
            part("wasi-libc", "wasi-libc".to_owned(), &libraries),
            part(
                "libclang_rt.builtins-wasm32.a",
                format!("libclang-rt-{number}-dev-wasm32"),
                &self.builtins,
            ),
        ]
    }

    fn missing(&self) -> Option<ToolPart> {
        self.parts().into_iter().find(|part| part.found.is_none())
    }

    /// Every clang in these directories, in the order in which they are tried.
    fn all(directories: &[PathBuf]) -> impl Iterator<Item = Survey> {
        let newer = (PREFERRED..=NEWEST).map(Some);
        let older = (OLDEST..PREFERRED).rev().map(Some);
        newer.chain([None]).chain(older).filter_map(|number| {
            let suffix = number.map(|number| format!("-{number}")).unwrap_or_default();
            let clang = program(&format!("clang{suffix}"), directories)?;
            Some(Survey::of(clang, &suffix, directories))
        })
    }

    fn of(clang: PathBuf, suffix: &str, directories: &[PathBuf]) -> Survey {
        let home = clang.canonicalize().ok().and_then(|real| real.parent().map(Path::to_path_buf));
        let home = home.unwrap_or_default();
        let sibling = |name: &str| Some(home.join(name)).filter(|file| file.is_file());
        let numbered = |name: &str| program(&format!("{name}{suffix}"), directories);
        let resources = resources(&home);
        // An optimizer of another version may not read what this compiler writes.
        let opt = sibling("opt").or_else(|| numbered("opt").filter(|_| !suffix.is_empty()));
        let linker = numbered("wasm-ld").or_else(|| sibling("wasm-ld"));
        let linker = linker.or_else(|| program("wasm-ld", directories));
        let sysroot = sysroot(&home);
        let libraries = sysroot.as_ref().map(|(_, libraries)| libraries.as_path());
        let builtins = resources.iter().rev().find_map(|resource| builtins(&resource.1, libraries));
        let version = resources.last().map(|resource| resource.0);
        Survey { clang, version, opt, linker, sysroot, builtins }
    }

    fn toolchain(self) -> Result<Toolchain, FrontendError> {
        if let Some(ToolPart { what, package, .. }) = self.missing() {
            let what = what.to_owned();
            return Err(FrontendError::MissingTool { clang: self.clang, what, package });
        }
        let (Some(opt), Some(program), Some((include, libraries)), Some(builtins)) =
            (self.opt, self.linker, self.sysroot, self.builtins)
        else {
            unreachable!("no part is missing");
        };
        Ok(Toolchain {
            files: vec![self.clang.clone(), opt.clone(), program.clone(), libraries.join("libc.a")],
            compiler: vec![self.clang.into()],
            opt: Some(opt),
            linker: Linker::WasmLd { program, include, libraries, builtins },
            version: self.version,
            stop: Arc::default(),
        })
    }
}

/// The first file of that name.
fn program(name: &str, directories: &[PathBuf]) -> Option<PathBuf> {
    directories.iter().map(|directory| directory.join(name)).find(|file| file.is_file())
}

/// Where clang keeps its own headers and libraries, by version in rising order.
fn resources(home: &Path) -> Vec<(u32, PathBuf)> {
    let mut found = Vec::new();
    for entry in entries(&home.join("../lib/clang")) {
        let name = entry.file_name().map(|name| name.to_string_lossy().into_owned());
        let major = name.as_deref().and_then(|name| name.split('.').next()).map(str::parse);
        if let Some(Ok(major)) = major {
            found.push((major, entry));
        }
    }
    found.sort();
    found
}

/// Headers and libraries of a wasi-libc: beside the compiler as the WASI SDK has it, then where the systems
/// put it.
fn sysroot(home: &Path) -> Option<(PathBuf, PathBuf)> {
    let roots = [
        home.join("../share/wasi-sysroot"),
        PathBuf::from("/usr"),
        PathBuf::from("/usr/local"),
        PathBuf::from("/usr/share/wasi-sysroot"),
        PathBuf::from("/opt/wasi-sdk/share/wasi-sysroot"),
        PathBuf::from("/opt/homebrew/share/wasi-sysroot"),
    ];
    for root in roots {
        for target in TARGETS {
            let (include, libraries) =
                (root.join("include").join(target), root.join("lib").join(target));
            if include.join("stdio.h").is_file() && libraries.join("libc.a").is_file() {
                return Some((include, libraries));
            }
        }
    }
    None
}

/// The compiler's own run-time library for WebAssembly.
fn builtins(resource: &Path, libraries: Option<&Path>) -> Option<PathBuf> {
    let library = resource.join("lib");
    let of_compiler = [
        library.join("wasi/libclang_rt.builtins-wasm32.a"),
        library.join("wasip1/libclang_rt.builtins-wasm32.a"),
        library.join("wasm32-unknown-wasi/libclang_rt.builtins.a"),
        library.join("wasm32-unknown-wasip1/libclang_rt.builtins.a"),
    ];
    let of_libc = libraries.map(|libraries| libraries.join("libclang_rt.builtins-wasm32.a"));
    of_compiler.into_iter().chain(of_libc).find(|file| file.is_file())
}

/// Where Python's packages are, below its prefix.
fn python_packages(prefix: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for library in [prefix.join("lib"), prefix.join("local/lib"), PathBuf::from("/usr/local/lib")] {
        for python in entries(&library) {
            found.push(python.join("site-packages"));
            found.push(python.join("dist-packages"));
        }
    }
    found
}

/// What is in a directory, sorted; nothing if it is not there.
fn entries(directory: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(directory) else { return Vec::new() };
    let mut paths: Vec<PathBuf> =
        entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect();
    paths.sort();
    paths
}
