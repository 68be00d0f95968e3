//! The host's compilers and coverage tools.

use super::limited;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A C compiler of this machine, and the tools that read its coverage.
#[derive(Clone, Debug)]
pub(crate) struct Tools {
    /// The compiler.
    pub(crate) compiler: PathBuf,
    /// `llvm-profdata` and `llvm-cov` of the same version.
    coverage: Option<(PathBuf, PathBuf)>,
}

/// The oldest and newest clang that is looked for by its number; the newest is taken.
const VERSIONS: std::ops::RangeInclusive<u32> = 14..=24;
/// Asking for a version takes a moment.
const VERSION_TIME: Duration = Duration::from_secs(10);

impl Tools {
    /// Looks in these directories: clang with its coverage tools first, then any other compiler.
    pub(crate) fn find(directories: &[PathBuf]) -> Option<Tools> {
        let find = |name: &str| {
            directories.iter().map(|directory| directory.join(name)).find(|path| path.is_file())
        };
        let suffixes = VERSIONS.rev().map(|version| format!("-{version}"));
        let suffixes: Vec<String> = [String::new()].into_iter().chain(suffixes).collect();
        let mut without_coverage = None;
        for suffix in &suffixes {
            let Some(compiler) = find(&format!("clang{suffix}")) else { continue };
            let profdata = find(&format!("llvm-profdata{suffix}"));
            let coverage = profdata.zip(find(&format!("llvm-cov{suffix}")));
            let tools = Tools { compiler, coverage };
            if tools.coverage.is_some() {
                return Some(tools);
            }
            without_coverage.get_or_insert(tools);
        }
        let other = || ["cc", "gcc"].into_iter().find_map(find);
        without_coverage.or_else(|| other().map(|compiler| Tools { compiler, coverage: None }))
    }

    /// The tools that read coverage: `llvm-profdata`, `llvm-cov`.
    pub(crate) fn coverage(&self) -> Option<(&Path, &Path)> {
        self.coverage.as_ref().map(|(profdata, cov)| (profdata.as_path(), cov.as_path()))
    }

    /// What the compiler calls itself.
    pub(crate) fn version(&self) -> String {
        let mut command = limited::command(&self.compiler);
        command.arg("--version");
        let exit = limited::run(command, VERSION_TIME).ok();
        let line = exit.and_then(|exit| exit.output.lines().next().map(str::to_string));
        line.unwrap_or_else(|| self.compiler.display().to_string())
    }
}
