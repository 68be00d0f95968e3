//! Compiles marked sources with this machine's clang, runs them, and reads which sides they took.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Sets of features, as `native/oracle.h` numbers them.
const N_FEATURE_SETS: usize = 128;

/// What about a call goes beyond the limits of generated inputs, by the names that the tool gives these limits.
const FEATURES: &[(&str, usize)] = &[
    ("no aliasing", 1),
    ("first call", 2),
    ("this environment", 4),
    ("length", 8),
    ("pointer depth", 16),
    ("undefined functions only fill their arguments", 64),
];

/// The features that a bound excludes; `None` if native runs cannot tell whether they keep it.
pub(super) fn features_of(bound: &str) -> Option<usize> {
    FEATURES.iter().find(|(name, _)| bound.starts_with(name)).map(|(_, feature)| *feature)
}

/// The sides that a program took.
pub(super) struct Hits {
    bytes: Vec<u8>,
    n_lines: usize,
}

impl Hits {
    fn read(file: &Path, n_lines: usize) -> Hits {
        Hits { bytes: std::fs::read(file).unwrap_or_default(), n_lines }
    }

    fn sets(&self, entry: usize, line: u32, side: bool) -> &[u8] {
        let start =
            ((entry * self.n_lines + line as usize) * 2 + usize::from(side)) * N_FEATURE_SETS;
        self.bytes.get(start..start + N_FEATURE_SETS).unwrap_or_default()
    }

    /// Whether a call took a side.
    pub(super) fn has(&self, entry: usize, line: u32, side: bool) -> bool {
        self.has_without(entry, line, side, 0)
    }

    /// Whether a call that has none of these features took a side.
    pub(super) fn has_without(&self, entry: usize, line: u32, side: bool, features: usize) -> bool {
        let sets = self.sets(entry, line, side).iter().enumerate();
        { sets }.any(|(set, &is_hit)| is_hit != 0 && set & features == 0)
    }
}

/// A folder with marked sources.
pub(super) struct Folder<'a> {
    pub(super) path: &'a Path,
    pub(super) n_lines: usize,
}

/// Undefined behaviour ends a call: what comes after it proves nothing.
const TRAPS: &[&str] = &[
    "-fsanitize=null,bounds,alignment,float-cast-overflow,integer-divide-by-zero,return,unreachable,bool",
    "-fsanitize-trap=all",
    "-DORACLE_DRIVER",
    "-Dtime=oracle_time",
    "-Drand=oracle_rand",
    "-Dgetenv=oracle_getenv",
    "-Dmalloc=oracle_malloc",
    "-Dfree=oracle_free",
];

impl Folder<'_> {
    /// The sides that each function takes when the driver calls it.
    pub(super) fn drive(&self, n_functions: usize) -> Result<Hits, String> {
        let driver = self.compile(&self.path.join("driver.c"), n_functions, TRAPS)?;
        let program = link(&[&driver])?;
        let hits = self.path.join("driver.hits");
        let _ = run(&program, &[hits.as_os_str()], None);
        Ok(Hits::read(&hits, self.n_lines))
    }

    /// Compiles a generated file.
    pub(super) fn build(&self, source: &Path) -> Result<PathBuf, String> {
        let weak = self.path.join("weak.o");
        if !weak.is_file() {
            self.compile(&self.path.join("weak.c"), 1, &[])?;
        }
        link(&[&self.compile(source, 1, &[])?, &weak])
    }

    /// The sides that a run of a generated program takes, and whether it ended well.
    pub(super) fn run(&self, program: &Path, words: &[&str]) -> (Hits, bool) {
        let file = self.path.join("run.hits");
        let _ = std::fs::remove_file(&file);
        let words: Vec<&std::ffi::OsStr> = words.iter().map(std::ffi::OsStr::new).collect();
        let is_success = run(program, &words, Some(&file));
        (Hits::read(&file, self.n_lines), is_success)
    }

    /// Compiles one source. With one job clang does it in its own process, which is most of the time of a small file.
    #[expect(clippy::disallowed_methods, reason = "the oracle is what the compiler makes of it")]
    fn compile(&self, source: &Path, n_entries: usize, more: &[&str]) -> Result<PathBuf, String> {
        let object = source.with_extension("o");
        let mut clang = Command::new("clang-19");
        clang
            .args(["-O0", "-w", "-fwrapv", "-fno-strict-aliasing", "-include"])
            .arg(self.path.join("oracle.h"))
            .args([
                format!("-DORACLE_LINES={}", self.n_lines),
                format!("-DORACLE_ENTRIES={n_entries}"),
            ])
            .args(more)
            .arg("-I")
            .arg(self.path)
            .arg("-c")
            .arg(source)
            .arg("-o")
            .arg(&object);
        checked(clang).map(|()| object)
    }
}

/// Links objects to a program that is called like the first.
#[expect(clippy::disallowed_methods, reason = "the oracle is what the compiler makes of it")]
fn link(objects: &[&Path]) -> Result<PathBuf, String> {
    let program = objects[0].with_extension("native");
    // The system's compiler starts faster than clang does.
    let mut linker = Command::new("cc");
    linker.args(objects).arg("-o").arg(&program).arg("-lm");
    checked(linker).map(|()| program)
}

/// Runs a program that must succeed; the error is what it printed.
fn checked(mut command: Command) -> Result<(), String> {
    let output = command.stdin(Stdio::null()).output();
    let output =
        output.map_err(|error| format!("{:?} does not start: {error}", command.get_program()))?;
    match output.status.success() {
        true => Ok(()),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
    }
}

#[expect(clippy::disallowed_methods, reason = "the oracle is what the program does")]
fn run(program: &Path, words: &[&std::ffi::OsStr], hits: Option<&Path>) -> bool {
    let mut command = Command::new(program);
    command.args(words).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    if let Some(hits) = hits {
        command.env("ORACLE_HITS", hits);
    }
    command.status().is_ok_and(|status| status.success())
}
