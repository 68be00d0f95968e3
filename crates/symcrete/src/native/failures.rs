//! Runs every program that shows a failure on this machine, with sanitizers, to see whether it does.

use super::build::{checked, objects};
use super::limited::{self, Exit, RunError, run_test};
use super::sandbox::TestRun;
use super::{LinkedSource, Sandbox, Settings, TestFile, TimeLimits, Tools};
use crate::defaults;
use crate::jobs::in_parallel;
use crate::ui::progress::Progress;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;
use symcrete_emit::Framework;
use symcrete_emit::errors;
use symcrete_emit::failures::{self, Shown, Sighting, sighting};
use symcrete_program::frontend::Check;

/// A program that should show a failure.
#[derive(Clone, Debug)]
pub(super) struct Reproducer {
    /// Where it is.
    pub(super) path: PathBuf,
    /// C files that are linked with it.
    pub(super) link: Vec<LinkedSource>,
    /// The checks that were asked for, if it is about one of them: what they find is an error only for those who ask.
    pub(super) checks: Option<Vec<Check>>,
    /// What it is about.
    pub(super) about: About,
}

/// What a program should show, as far as that needs something of its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum About {
    /// Memory that is not freed at the end.
    Leak,
    /// An uninitialised value.
    Uninitialized,
    /// A function is called that marks an error, and may do nothing else.
    Error,
    /// Anything else.
    Other,
}

/// What is always an error.
const SANITIZERS: &[&str] = &[
    "address",
    "alignment",
    "bool",
    "bounds",
    "builtin",
    "enum",
    "float-cast-overflow",
    "integer-divide-by-zero",
    "null",
    "object-size",
    "return",
    "returns-nonnull-attribute",
    "unreachable",
    "vla-bound",
];
/// What sees that a value was never written; it goes with no other sanitizer, and only clang has it.
const MEMORY_SANITIZER: &str = "-fsanitize=memory";
const COMMON: &[&str] = &["-g", "-O0", "-w", "-fno-omit-frame-pointer"];
/// What the C library and the kernel say of an end that is none.
const SIGNALS: &[(i32, &str)] = &[
    (4, "illegal instruction"),
    (6, "abort"),
    (7, "bus error"),
    (8, "arithmetic exception"),
    (11, "segmentation fault"),
];

/// What each of the programs showed, by its name without extension.
pub(super) fn show_all(
    tools: &Tools,
    settings: &Settings,
    programs: &[Reproducer],
    progress: &Progress,
) -> BTreeMap<String, Shown> {
    let meter = progress.meter("checking failures on this machine", programs.len());
    let shown = in_parallel(settings.n_workers, programs, |program| {
        let name = program.path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        (name, meter.count(|| show(tools, settings, program)))
    });
    shown.into_iter().collect()
}

/// Reads behind an object that `malloc` made.
const OUTSIDE: &str = "#include <stdlib.h>\nint main(void) { char *p = malloc(4); volatile int at = 4; return p[at]; }\n";

/// What the sanitizers say of a program that reads outside of its memory.
#[expect(clippy::disallowed_methods, reason = "the binary is where files are written")]
pub(crate) fn try_sanitizers(tools: &Tools, sandbox: &Sandbox) -> std::io::Result<Shown> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("outside.c");
    std::fs::write(&path, OUTSIDE)?;
    let time = Duration::from_secs_f64(defaults::NATIVE_SECONDS);
    let settings = Settings {
        flags: Vec::new(),
        root: folder.path().to_path_buf(),
        compiler_max: time,
        limits: TimeLimits { test: time, end: None },
        framework: Framework::Plain,
        sandbox: sandbox.clone(),
        notes_lines: false,
        n_workers: 1,
    };
    Ok(show(
        tools,
        &settings,
        &Reproducer { path, link: Vec::new(), checks: None, about: About::Other },
    ))
}

/// What the sanitizers say of one test of a file, if they say anything.
pub(super) fn explain(
    tools: &Tools,
    settings: &Settings,
    file: &TestFile,
    test: Option<&str>,
) -> Option<String> {
    let program = Reproducer {
        path: file.path.clone(),
        link: file.link.clone(),
        checks: None,
        about: About::Other,
    };
    match show_test(tools, settings, &program, test) {
        Shown::Seen(seen) => Some(seen.what),
        Shown::Nothing | Shown::NotCompiled(_) | Shown::NotRun(_) => None,
    }
}

fn show(tools: &Tools, settings: &Settings, program: &Reproducer) -> Shown {
    show_test(tools, settings, program, None)
}

fn show_test(
    tools: &Tools,
    settings: &Settings,
    program: &Reproducer,
    test: Option<&str>,
) -> Shown {
    let not_run = |error: std::io::Error| Shown::NotRun(error.to_string());
    if settings.is_over() {
        return Shown::NotRun("time limit reached".to_string());
    }
    let folder = match tempfile::tempdir() {
        Ok(folder) => folder,
        Err(error) => return not_run(error),
    };
    match compile(tools, settings, program, folder.path()) {
        Ok(executable) => {
            let run = SanitizedRun { tools, settings, program, test };
            run.seen(&executable, folder.path()).unwrap_or_else(not_run)
        }
        Err(_) if settings.is_over() => Shown::NotRun("time limit reached".to_string()),
        Err(message) => Shown::NotCompiled(message),
    }
}

fn compile(
    tools: &Tools,
    settings: &Settings,
    program: &Reproducer,
    folder: &Path,
) -> Result<PathBuf, String> {
    let executable = folder.join("failure.exe");
    let compiler = || {
        let mut command = limited::compiler(&tools.compiler, settings.time_max());
        command.current_dir(&settings.root).args(COMMON).args(flags(program)).args(&settings.flags);
        command
    };
    let objects = objects(&compiler, settings, (&program.path, &program.link), folder)?;
    let mut command = compiler();
    command.arg(&program.path).args(&objects).arg("-o").arg(&executable).arg("-lm");
    checked(command, settings)?;
    Ok(executable)
}

fn flags(program: &Reproducer) -> Vec<String> {
    if program.about == About::Uninitialized {
        return vec![MEMORY_SANITIZER.to_string(), "-fwrapv".to_string()];
    }
    let checks = program.checks.as_deref().unwrap_or_default();
    let asked = checks.iter().filter_map(|check| check.sanitizer()).flat_map(|all| all.split(','));
    // `bounds` has this one, and gcc knows only that.
    let asked = asked.filter(|name| !SANITIZERS.contains(name) && *name != "array-bounds");
    let names: Vec<&str> = SANITIZERS.iter().copied().chain(asked).collect();
    let wraps = !checks.iter().any(|check| check.needs_no_wrapping());
    let wrapping = if wraps { "-fwrapv" } else { "-fno-wrapv" };
    let mut flags = vec![format!("-fsanitize={}", names.join(",")), wrapping.to_string()];
    flags.extend((program.about == About::Error).then(|| errors::FLAG.to_string()));
    flags
}

/// A run with sanitizers.
struct SanitizedRun<'a> {
    tools: &'a Tools,
    settings: &'a Settings,
    program: &'a Reproducer,
    /// The one test that is run, where the program has several.
    test: Option<&'a str>,
}

impl SanitizedRun<'_> {
    fn seen(&self, executable: &Path, folder: &Path) -> std::io::Result<Shown> {
        let SanitizedRun { tools, settings, program, test } = self;
        let sandbox = &settings.sandbox;
        let time_max = settings.left(settings.limits.test);
        let scratch = sandbox.scratch(folder)?;
        sandbox.open(executable)?;
        let profile = scratch.join("failure.profraw");
        let run = TestRun { time_max, profile: &profile, flags: &flags(program) };
        let symbolizer = tools.symbolizer();
        let command = || {
            let mut command = sandbox.test(executable, *test, &scratch, &run);
            // What is not freed at the end is no failure of a program that ends, unless somebody wants to know.
            let leaks = u8::from(program.about == About::Leak);
            let memory = defaults::NATIVE_MEMORY_MIB;
            // A size that is too large is no failure by itself: the program gets null.
            let mut options = format!(
                "detect_leaks={leaks}:hard_rss_limit_mb={memory}:allocator_may_return_null=1"
            );
            if program.about == About::Leak {
                // Frames beside the stack outlive their functions, and what they hold would count.
                options.push_str(":detect_stack_use_after_return=0");
            }
            command.env("ASAN_OPTIONS", options);
            if let Some(symbolizer) = &symbolizer {
                let variables =
                    ["ASAN_SYMBOLIZER_PATH", "UBSAN_SYMBOLIZER_PATH", "MSAN_SYMBOLIZER_PATH"];
                command.envs(variables.map(|variable| (variable, symbolizer)));
            }
            command
        };
        match run_test(command, time_max) {
            Ok(exit) => {
                let text = std::fs::read(&program.path)?;
                let shown = seen(&exit, &program.path, &String::from_utf8_lossy(&text));
                // Another value may be there on this machine, and end it in another way.
                let is_proof = |seen: &Sighting| seen.what.starts_with(failures::UNINITIALIZED);
                Ok(match (program.about, shown) {
                    (About::Uninitialized, Shown::Seen(seen)) if !is_proof(&seen) => Shown::Nothing,
                    (About::Leak | About::Uninitialized | About::Error | About::Other, shown) => {
                        shown
                    }
                })
            }
            Err(RunError::TooLong) => Ok(Shown::NotRun("it did not terminate".to_string())),
            Err(RunError::Io(error)) => Err(error),
        }
    }
}

/// What a run showed.
fn seen(exit: &Exit, path: &Path, text: &str) -> Shown {
    if let Some(seen) = sighting(&exit.output, failures::ProgramText { path, text }) {
        return Shown::Seen(seen);
    }
    let signal = SIGNALS.iter().find(|(signal, _)| exit.signal == Some(*signal));
    let Some((signal, name)) = signal else { return Shown::Nothing };
    let last = exit.output.trim_end().lines().last().filter(|_| *signal == ABORT);
    let what =
        last.map_or_else(|| (*name).to_string(), |line| format!("{name}: {}", without_place(line)));
    Shown::Seen(Sighting { what, is_wild: WILD.contains(signal), ..Sighting::default() })
}

/// What a failed assertion says, without the program, the place and the function, which are known.
fn without_place(line: &str) -> &str {
    line.find(ASSERTION).map_or(line, |at| &line[at..])
}

/// How glibc begins to say which assertion has failed.
const ASSERTION: &str = "Assertion ";
/// What `abort` and failed assertions send.
const ABORT: i32 = 6;
/// What the use of an address sends that belongs to nothing.
const WILD: &[i32] = &[7, 11];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assertions_are_shown_without_what_is_known() {
        let line = "failure.exe: /x/a.c:7: int f(int): Assertion `x > 0' failed.";
        assert_eq!(without_place(line), "Assertion `x > 0' failed.");
        assert_eq!(without_place("double free"), "double free");
    }
}
