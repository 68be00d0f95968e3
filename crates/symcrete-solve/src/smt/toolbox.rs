//! Where solvers are installed, and how each is started.
//!
//! A solver is an executable of its own name or, failing that, a Python module run by one of our shims.
//! Only looks at which files exist: the binary decides where to look, and no program is started here.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::backend::Backend;

const BITWUZLA_SHIM: &str =
    concat!(include_str!("shim/workers.py"), include_str!("shim/bitwuzla.py"));
const CVC5_SHIM: &str = concat!(include_str!("shim/workers.py"), include_str!("shim/cvc5.py"));

/// The directories in which solvers are looked for, in this order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Toolbox {
    directories: Vec<PathBuf>,
}

/// A solver that was looked for and not found.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("solver `{backend}` is not installed")]
pub struct MissingSolver {
    /// The solver.
    pub backend: Backend,
}

/// A program with its arguments, ready to be started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Program {
    pub(crate) file: PathBuf,
    pub(crate) args: Vec<OsString>,
    /// It is one of our shims: they take two more arguments, the descriptor of a
    /// [`StepCell`](super::spawn::StepCell) and the session's preamble.
    pub(crate) is_shim: bool,
}

impl Toolbox {
    /// `directories` hold executables: an explicit choice of the user, those of `PATH`, a project's own.
    pub fn new(directories: impl IntoIterator<Item = PathBuf>) -> Toolbox {
        Toolbox { directories: directories.into_iter().collect() }
    }

    /// The back ends that can be started, in order of preference.
    pub fn available(&self) -> Vec<Backend> {
        Backend::ALL.iter().copied().filter(|&backend| self.find(backend).is_ok()).collect()
    }

    /// Where `backend` was found, for people to read.
    pub fn location(&self, backend: Backend) -> Result<PathBuf, MissingSolver> {
        self.find(backend).map(|program| program.file)
    }

    /// An executable in any of the directories comes before a Python module in any: it starts ten times faster. Among
    /// several, the first directory decides.
    pub(crate) fn find(&self, backend: Backend) -> Result<Program, MissingSolver> {
        let native = self.directories.iter().find_map(|bin| executable(bin, backend));
        let shim = || self.directories.iter().find_map(|bin| python_module(bin, backend));
        native.or_else(shim).ok_or(MissingSolver { backend })
    }
}

fn executable(bin: &Path, backend: Backend) -> Option<Program> {
    let file = bin.join(backend.name());
    let args: &[&str] = match backend {
        Backend::Bitwuzla => &[],
        Backend::Z3 => &["-smt2", "-in"],
        Backend::Cvc5 => &["--lang=smt2", "--quiet"],
    };
    let args = args.iter().map(OsString::from).collect();
    file.is_file().then_some(Program { file, args, is_shim: false })
}

/// A solver's Python module in the environment that `bin` belongs to.
fn python_module(bin: &Path, backend: Backend) -> Option<Program> {
    let shim = match backend {
        Backend::Bitwuzla => BITWUZLA_SHIM,
        Backend::Cvc5 => CVC5_SHIM,
        Backend::Z3 => return None,
    };
    let file = bin.join("python3");
    if !file.is_file() || !has_module(&bin.parent()?.join("lib"), backend.name()) {
        return None;
    }
    // Isolated mode: neither the user's environment nor the current directory may change what is imported.
    let args = ["-I", "-c", shim].iter().map(OsString::from).collect();
    Some(Program { file, args, is_shim: true })
}

/// Looks for `lib/python3.*/site-packages/<name>` (a package) or `<name>.*.so` (an extension module).
fn has_module(lib: &Path, name: &str) -> bool {
    let extension_prefix = format!("{name}.");
    let pythons = std::fs::read_dir(lib).into_iter().flatten().flatten();
    pythons
        .map(|python| python.path().join("site-packages"))
        .flat_map(|packages| std::fs::read_dir(packages).into_iter().flatten().flatten())
        .filter_map(|entry| entry.file_name().into_string().ok())
        .any(|file| file == name || (file.starts_with(&extension_prefix) && file.ends_with(".so")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "the test makes the files that are looked for")]
    fn executables_come_before_python_modules() {
        let folder = tempfile::tempdir().unwrap();
        let (venv, native) = (folder.path().join("venv"), folder.path().join("native"));
        let packages = venv.join("lib/python3.11/site-packages/bitwuzla");
        for directory in [&packages, &venv.join("bin"), &native] {
            std::fs::create_dir_all(directory).unwrap();
        }
        std::fs::write(venv.join("bin/python3"), "").unwrap();
        let toolbox = Toolbox::new([venv.join("bin"), native.clone()]);
        assert!(toolbox.find(Backend::Bitwuzla).unwrap().is_shim);
        std::fs::write(native.join("bitwuzla"), "").unwrap();
        let found = toolbox.find(Backend::Bitwuzla).unwrap();
        assert!(!found.is_shim);
        assert_eq!(found.file, native.join("bitwuzla"));
    }

    #[test]
    fn a_missing_solver_is_named() {
        let missing = Toolbox::new([PathBuf::from("/nowhere")]).find(Backend::Cvc5).unwrap_err();
        assert_eq!(missing.to_string(), "solver `cvc5` is not installed");
    }
}
