//! The host's compilers and coverage tools.

use super::limited;
use crate::failure::Failure;
use crate::load;
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
    /// The compiler that was asked for, or the best that is there.
    pub(crate) fn choose(asked: Option<&str>) -> Result<Tools, Failure> {
        let directories = load::path_directories();
        match asked {
            Some(name) => Tools::named(name, &directories).ok_or_else(|| Failure::Usage {
                message: format!(
                    "there is no compiler `{name}`: name a program or a path with --cc"
                ),
            }),
            None => Tools::find(&directories).ok_or(Failure::NoCompiler),
        }
    }

    /// A compiler by its name or path, with the coverage tools of the same number.
    fn named(name: &str, directories: &[PathBuf]) -> Option<Tools> {
        let compiler = match name.contains('/') {
            true => Some(PathBuf::from(name)).filter(|path| path.is_file()),
            false => find(directories, name),
        }?;
        let compiler = std::path::absolute(&compiler).unwrap_or(compiler);
        let file = compiler.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let Some(suffix) = file.strip_prefix("clang") else {
            return Some(Tools { compiler, coverage: None });
        };
        // Tools that were installed with the compiler are beside it.
        let beside = compiler.parent().map(Path::to_path_buf).into_iter();
        let directories: Vec<PathBuf> = beside.chain(directories.iter().cloned()).collect();
        let profdata = find(&directories, &format!("llvm-profdata{suffix}"));
        let coverage = profdata.zip(find(&directories, &format!("llvm-cov{suffix}")));
        Some(Tools { compiler, coverage })
    }

    /// Looks in these directories: clang with its coverage tools first, then any other compiler.
    pub(crate) fn find(directories: &[PathBuf]) -> Option<Tools> {
        let suffixes = VERSIONS.rev().map(|version| format!("-{version}"));
        let suffixes: Vec<String> = [String::new()].into_iter().chain(suffixes).collect();
        let mut without_coverage = None;
        for suffix in &suffixes {
            let Some(tools) = Tools::named(&format!("clang{suffix}"), directories) else {
                continue;
            };
            if tools.coverage.is_some() {
                return Some(tools);
            }
            without_coverage.get_or_insert(tools);
        }
        let other = || ["cc", "gcc"].into_iter().find_map(|name| Tools::named(name, directories));
        without_coverage.or_else(other)
    }

    /// The tools that read coverage: `llvm-profdata`, `llvm-cov`.
    pub(crate) fn coverage(&self) -> Option<(&Path, &Path)> {
        self.coverage.as_ref().map(|(profdata, cov)| (profdata.as_path(), cov.as_path()))
    }

    /// The program that tells sanitizers where in the source an address is, if it came with the compiler.
    pub(crate) fn symbolizer(&self) -> Option<PathBuf> {
        let home = self.compiler.canonicalize().ok()?.parent()?.to_path_buf();
        Some(home.join("llvm-symbolizer")).filter(|file| file.is_file())
    }

    /// What the compiler calls itself.
    pub(crate) fn version(&self) -> String {
        let line = first_line(&self.compiler, &["--version"]);
        line.unwrap_or_else(|| self.compiler.display().to_string())
    }
}

/// The first line that a program prints, if it does so at once.
pub(crate) fn first_line(program: &Path, words: &[&str]) -> Option<String> {
    let mut command = limited::command(program);
    command.args(words);
    let exit = limited::run(command, VERSION_TIME).ok();
    exit.and_then(|exit| exit.output.lines().next().map(str::to_string))
}

fn find(directories: &[PathBuf], name: &str) -> Option<PathBuf> {
    directories.iter().map(|directory| directory.join(name)).find(|path| path.is_file())
}
