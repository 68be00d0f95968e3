//! Compiles one test file.

use super::framework::Needs;
use super::limited::{self, RunError, run_supervised};
use super::{LinkedSource, Settings, TestFile, Tools};
use std::path::{Path, PathBuf};
use std::process::Command;
use symcrete_emit::replaced;

/// A compiled test file.
pub(super) struct Built {
    pub(super) program: PathBuf,
    /// Why branches are not counted.
    pub(super) uncounted: Option<String>,
    /// What the compiler says about the test file itself.
    pub(super) warnings: Vec<String>,
}

/// Without this, compilers take overflow for impossible and drop tests for it, as the front end does not.
const COMMON: &[&str] = &["-fwrapv", "-g", "-O0", "-Wall", "-Wextra"];
const COVERAGE: &[&str] = &["-fprofile-instr-generate", "-fcoverage-mapping"];
/// A float that its integer type has no value for becomes another number on each machine, so a test must not convert one.
const CONVERSIONS: &[&str] =
    &["-fsanitize=float-cast-overflow", "-fsanitize-trap=float-cast-overflow"];

/// Compiles and links; the error is what the compiler printed.
pub(super) fn build(
    tools: &Tools,
    settings: &Settings,
    needs: &Needs,
    file: &TestFile,
    folder: &Path,
) -> Result<Built, String> {
    if tools.coverage().is_none() {
        let why = "there are no llvm-profdata and llvm-cov for this compiler";
        return compile(tools, settings, needs, file, folder, Some(why.to_string()));
    }
    if has_jumps(file) {
        let why = "the compiler's counters are wrong after a longjmp";
        return compile(tools, settings, needs, file, folder, Some(why.to_string()));
    }
    compile(tools, settings, needs, file, folder, None).or_else(|message| {
        // The runtime library for coverage may be missing where the compiler is not.
        let why = cause(&message).to_string();
        compile(tools, settings, needs, file, folder, Some(why))
    })
}

/// Whether the program may leave functions by `longjmp`. A side that has no counter of its own counts as what the other
/// leaves of those before it, which holds only if every function goes on behind its calls.
fn has_jumps(file: &TestFile) -> bool {
    let jumps = |text: &str| text.contains("longjmp");
    let in_file = |linked: &LinkedSource| {
        let text = std::fs::read(&linked.path).unwrap_or_default();
        jumps(&String::from_utf8_lossy(&text))
    };
    jumps(&file.source) || file.link.iter().any(in_file)
}

fn compile(
    tools: &Tools,
    settings: &Settings,
    needs: &Needs,
    file: &TestFile,
    folder: &Path,
    uncounted: Option<String>,
) -> Result<Built, String> {
    let compiler = || {
        let mut command = limited::compiler(&tools.compiler, settings.time_max());
        command.current_dir(&settings.root).args(COMMON).args(&settings.flags).args(&needs.flags);
        if uncounted.is_none() {
            command.args(COVERAGE).args(CONVERSIONS);
        }
        command
    };
    let objects = objects(&compiler, settings, (&file.path, &file.link), folder)?;
    let program = folder.join("tests.exe");
    let mut command = compiler();
    command.arg(&file.path).args(&objects).args(&needs.link).arg("-o").arg(&program);
    command.arg("-lm");
    let messages = checked(command, settings)?;
    let own = file.path.display().to_string();
    let is_own = |line: &&str| line.starts_with(&own) && line.contains("warning:");
    let warnings = messages.lines().filter(is_own).map(str::to_string).collect();
    Ok(Built { program, uncounted, warnings })
}

/// Compiles what a program is linked with, so that it calls what the program has instead of the library's functions; `compiler`
/// starts each command.
pub(super) fn objects(
    compiler: &dyn Fn() -> Command,
    settings: &Settings,
    (program, link): (&Path, &[LinkedSource]),
    folder: &Path,
) -> Result<Vec<PathBuf>, String> {
    let text =
        if link.is_empty() { Vec::new() } else { std::fs::read(program).unwrap_or_default() };
    let flags: Vec<String> = replaced::flags_of(&String::from_utf8_lossy(&text)).collect();
    let mut objects = Vec::new();
    for (i, source) in link.iter().enumerate() {
        let object = folder.join(format!("{i}.o"));
        let mut command = compiler();
        command.args(&flags);
        if source.has_main {
            command.arg(format!("-Dmain=symcrete_other_main_{i}"));
        }
        command.arg("-c").arg(&source.path).arg("-o").arg(&object);
        checked(command, settings)?;
        objects.push(object);
    }
    Ok(objects)
}

/// The line of a compiler's message that says most: the linker's own last line does not name what it misses.
pub(crate) fn cause(message: &str) -> &str {
    let line = |part: &str| message.lines().find(|line| line.contains(part));
    let lines =
        ["undefined reference", "undefined symbol", "error:"].iter().find_map(|part| line(part));
    lines.or_else(|| message.lines().next()).unwrap_or_default().trim()
}

/// Runs a compiler; what it printed is the result or the error.
pub(super) fn checked(command: Command, settings: &Settings) -> Result<String, String> {
    match run_supervised(command, settings.time_max()) {
        Ok(exit) if exit.code == Some(0) => Ok(exit.output),
        Ok(exit) => Err(exit.output.trim_end().to_string()),
        Err(RunError::TooLong) => Err("the compiler takes too long".to_string()),
        Err(RunError::Io(error)) => Err(error.to_string()),
    }
}
