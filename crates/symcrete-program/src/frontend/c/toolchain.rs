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
        let mut numbers: Vec<Option<u32>> = (PREFERRED..=NEWEST).map(Some).collect();
        numbers.push(None);
        numbers.extend((OLDEST..PREFERRED).rev().map(Some));
        let mut first_error = None;
        for number in numbers {
            match Toolchain::clang(number, directories) {
                Some(Ok(toolchain)) => return Ok(toolchain),
                Some(Err(error)) => first_error = first_error.or(Some(error)),
                None => {}
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

    /// Clang of that number, or the one without a number; `None` if there is none.
    fn clang(
        number: Option<u32>,
        directories: &[PathBuf],
    ) -> Option<Result<Toolchain, FrontendError>> {
        let suffix = number.map(|number| format!("-{number}")).unwrap_or_default();
        let clang = program(&format!("clang{suffix}"), directories)?;
        Some(Toolchain::with_clang(clang, &suffix, directories))
    }

    fn with_clang(
        clang: PathBuf,
        suffix: &str,
        directories: &[PathBuf],
    ) -> Result<Toolchain, FrontendError> {
        let home = clang.canonicalize().ok().and_then(|real| real.parent().map(Path::to_path_buf));
        let home = home.unwrap_or_default();
        let sibling = |name: &str| Some(home.join(name)).filter(|file| file.is_file());
        let numbered = |name: &str| program(&format!("{name}{suffix}"), directories);
        let resources = resources(&home);
        let version = resources.last().map(|resource| resource.0);
        let number = version.unwrap_or(PREFERRED);
        let missing = |what: &str, package: String| FrontendError::MissingTool {
            clang: clang.clone(),
            what: what.to_owned(),
            package,
        };

        // An optimizer of another version may not read what this compiler writes.
        let opt = sibling("opt").or_else(|| numbered("opt").filter(|_| !suffix.is_empty()));
        let opt =
            opt.ok_or_else(|| missing("opt of the same version", format!("llvm-{number}")))?;
        let linker = numbered("wasm-ld").or_else(|| sibling("wasm-ld"));
        let linker = linker.or_else(|| program("wasm-ld", directories));
        let linker = linker.ok_or_else(|| missing("wasm-ld", format!("lld-{number}")))?;
        let (include, libraries) =
            sysroot(&home).ok_or_else(|| missing("wasi-libc", "wasi-libc".to_owned()))?;
        let builtins =
            resources.iter().rev().find_map(|resource| builtins(&resource.1, &libraries));
        let builtins = builtins.ok_or_else(|| {
            missing("libclang_rt.builtins-wasm32.a", format!("libclang-rt-{number}-dev-wasm32"))
        })?;
        Ok(Toolchain {
            files: vec![clang.clone(), opt.clone(), linker.clone(), libraries.join("libc.a")],
            compiler: vec![clang.into()],
            opt: Some(opt),
            linker: Linker::WasmLd { program: linker, include, libraries, builtins },
            version,
            stop: Arc::default(),
        })
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
fn builtins(resource: &Path, libraries: &Path) -> Option<PathBuf> {
    let library = resource.join("lib");
    let candidates = [
        library.join("wasi/libclang_rt.builtins-wasm32.a"),
        library.join("wasip1/libclang_rt.builtins-wasm32.a"),
        library.join("wasm32-unknown-wasi/libclang_rt.builtins.a"),
        library.join("wasm32-unknown-wasip1/libclang_rt.builtins.a"),
        libraries.join("libclang_rt.builtins-wasm32.a"),
    ];
    candidates.into_iter().find(|file| file.is_file())
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
