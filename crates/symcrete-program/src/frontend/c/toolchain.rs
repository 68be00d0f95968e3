//! Finds the compiler and what belongs to it, by looking at files alone: starting a compiler to ask for its
//! version would cost more than a cached module.

use super::libc::{self, Libc, LibcProblem};
use crate::data_model::DataModel;
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
    /// LLVM's linker with a C library.
    WasmLd { program: PathBuf, libc: Libc },
    /// Zig links, and brings its own wasi-libc.
    Zig,
}

/// The one that is tried first, then newer ones, the one without a number, older ones.
const PREFERRED: u32 = 19;
const NEWEST: u32 = 40;
const OLDEST: u32 = 14;
/// The first whose linker can be told where the table of functions starts, which 64-bit programs need (`link.rs`).
const OLDEST_LP64: u32 = 17;
/// From this version on pointers have no types in LLVM's text unless told otherwise.
const OPAQUE_POINTERS: u32 = 15;
/// The first of the parts are tools, which every program needs; the rest is for 32-bit ones.
const N_TOOLS: usize = 2;
/// How the parts of wasi-libc are called, old name first.
const TARGETS: &[&str] = &["wasm32-wasi", "wasm32-wasip1"];

impl Toolchain {
    /// Looks for a compiler of 32-bit programs in these directories, as the shell looks in `PATH`.
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

    /// Looks for a compiler of 64-bit programs, whose C library is in a folder.
    pub fn find_lp64(directories: &[PathBuf], folder: &Path) -> Result<Toolchain, NoLp64> {
        let mut first = None;
        for survey in Survey::all(directories) {
            let Some(missing) = survey.missing_for_lp64() else {
                libc::check_libc(folder).map_err(NoLp64::Libc)?;
                return Ok(survey.toolchain_lp64(folder));
            };
            first = first.or(Some(missing));
        }
        Err(first.map_or(NoLp64::NoClang, NoLp64::Tool))
    }

    /// The data model of its programs.
    pub fn model(&self) -> DataModel {
        match &self.linker {
            Linker::WasmLd { libc, .. } => libc.model,
            Linker::Zig => DataModel::Ilp32,
        }
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

    fn of_clang(
        (clang, version): (PathBuf, Option<u32>),
        opt: PathBuf,
        program: PathBuf,
        libc: Libc,
    ) -> Toolchain {
        let mut files = vec![clang.clone(), opt.clone(), program.clone()];
        files.extend(libc.libraries.iter().cloned());
        Toolchain {
            files,
            compiler: vec![clang.into()],
            opt: Some(opt),
            linker: Linker::WasmLd { program, libc },
            version,
            stop: Arc::default(),
        }
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
    /// The compiler's run-time library for 64 bits.
    wide_builtins: Option<PathBuf>,
}

/// Why there is no compiler of 64-bit programs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NoLp64 {
    /// There is no clang at all.
    NoClang,
    /// A part of it is missing.
    Tool(ToolPart),
    /// All is there but for its C library.
    Libc(LibcProblem),
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

    /// The clang that [`Toolchain::find_lp64`] takes, whether its C library is there or not.
    pub fn of_lp64(directories: &[PathBuf]) -> Option<Survey> {
        Survey::all(directories).find(|survey| survey.missing_for_lp64().is_none())
    }

    /// The compiler.
    pub fn clang(&self) -> &Path {
        &self.clang
    }

    /// Its major version; where that does not show, the one we prefer.
    pub fn version(&self) -> u32 {
        self.version.unwrap_or(PREFERRED)
    }

    /// What makes libraries of objects: it comes with the optimizer.
    pub fn archiver(&self) -> Option<PathBuf> {
        let folder = self.opt.as_ref()?.parent()?;
        Some(folder.join("llvm-ar")).filter(|file| file.is_file())
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

    /// What it needs for 64-bit programs.
    pub fn wide_part(&self) -> ToolPart {
        ToolPart {
            what: "libclang_rt.builtins-wasm64.a",
            package: format!("libclang-rt-{}-dev-wasm64", self.version()),
            found: self.wide_builtins.clone(),
        }
    }

    fn missing(&self) -> Option<ToolPart> {
        self.parts().into_iter().find(|part| part.found.is_none())
    }

    fn missing_for_lp64(&self) -> Option<ToolPart> {
        if self.version() < OLDEST_LP64 {
            let package =
                format!("clang-{0} lld-{0} llvm-{0} libclang-rt-{0}-dev-wasm64", PREFERRED);
            return Some(ToolPart { what: "clang of version 17 or newer", package, found: None });
        }
        let tools = self.parts().into_iter().take(N_TOOLS).chain([self.wide_part()]);
        tools.into_iter().find(|part| part.found.is_none())
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
        let find = |bits: u32, libraries: Option<&Path>| {
            resources.iter().rev().find_map(|resource| builtins(&resource.1, libraries, bits))
        };
        let (builtins, wide_builtins) = (find(32, libraries), find(64, None));
        let version = resources.last().map(|resource| resource.0);
        Survey { clang, version, opt, linker, sysroot, builtins, wide_builtins }
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
        let libc = Libc::of_wasi(include, &libraries, builtins);
        Ok(Toolchain::of_clang((self.clang, self.version), opt, program, libc))
    }

    /// Where nothing is missing, and the folder was checked.
    fn toolchain_lp64(self, folder: &Path) -> Toolchain {
        let (Some(opt), Some(program), Some(builtins)) =
            (self.opt, self.linker, self.wide_builtins)
        else {
            unreachable!("no part is missing");
        };
        let libc = Libc::of_musl(folder, builtins);
        Toolchain::of_clang((self.clang, self.version), opt, program, libc)
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

/// The compiler's own run-time library for WebAssembly with addresses of so many bits.
fn builtins(resource: &Path, libraries: Option<&Path>, bits: u32) -> Option<PathBuf> {
    let library = resource.join("lib");
    let of_compiler = [
        library.join(format!("wasi/libclang_rt.builtins-wasm{bits}.a")),
        library.join(format!("wasip1/libclang_rt.builtins-wasm{bits}.a")),
        library.join(format!("wasm{bits}-unknown-wasi/libclang_rt.builtins.a")),
        library.join(format!("wasm{bits}-unknown-wasip1/libclang_rt.builtins.a")),
    ];
    let of_libc =
        libraries.map(|libraries| libraries.join(format!("libclang_rt.builtins-wasm{bits}.a")));
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
