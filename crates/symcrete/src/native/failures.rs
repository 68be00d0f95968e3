//! Runs every program that shows a failure on this machine, with sanitizers, to see whether it does.

use super::build::{checked, objects};
use super::limited::{self, Exit, RunError, run_test};
use super::sandbox::TestRun;
use super::{LinkedSource, Settings, Tools};
use crate::defaults;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use symcrete_emit::failures::{self, Shown, Sighting, sighting};

/// A program that should show a failure.
#[derive(Clone, Debug)]
pub(super) struct Reproducer {
    /// Where it is.
    pub(super) path: PathBuf,
    /// C files that are linked with it.
    pub(super) link: Vec<LinkedSource>,
    /// Whether it is about arithmetic that wraps, which is an error only for those who ask.
    pub(super) is_check: bool,
    /// Whether it is about memory that is not freed at the end.
    pub(super) is_leak: bool,
}

/// What is always an error.
const SANITIZERS: &str = "-fsanitize=address,alignment,bool,bounds,builtin,enum,float-cast-overflow,integer-divide-by-zero,\
                          null,object-size,return,returns-nonnull-attribute,unreachable,vla-bound";
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
) -> BTreeMap<String, Shown> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let next = AtomicUsize::new(0);
    let shown = Mutex::new(BTreeMap::new());
    std::thread::scope(|scope| {
        for _ in 0..cores.min(programs.len()) {
            scope.spawn(|| {
                while let Some(program) = programs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let result = show(tools, settings, program);
                    let name = program.path.file_stem().unwrap_or_default().to_string_lossy();
                    let mut shown = shown.lock().unwrap_or_else(PoisonError::into_inner);
                    shown.insert(name.into_owned(), result);
                }
            });
        }
    });
    shown.into_inner().unwrap_or_else(PoisonError::into_inner)
}

fn show(tools: &Tools, settings: &Settings, program: &Reproducer) -> Shown {
    let not_run = |error: std::io::Error| Shown::NotRun(error.to_string());
    if settings.is_over() {
        return Shown::NotRun("time was up".to_string());
    }
    let folder = match tempfile::tempdir() {
        Ok(folder) => folder,
        Err(error) => return not_run(error),
    };
    match compile(tools, settings, program, folder.path()) {
        Ok(executable) => {
            run(tools, settings, program, &executable, folder.path()).unwrap_or_else(not_run)
        }
        Err(_) if settings.is_over() => Shown::NotRun("time was up".to_string()),
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
    let objects = objects(&compiler, settings, &program.link, folder)?;
    let mut command = compiler();
    command.arg(&program.path).args(&objects).arg("-o").arg(&executable).arg("-lm");
    checked(command, settings)?;
    Ok(executable)
}

fn flags(program: &Reproducer) -> Vec<String> {
    match program.is_check {
        true => vec![format!("{SANITIZERS},undefined"), "-fno-wrapv".to_string()],
        false => vec![SANITIZERS.to_string(), "-fwrapv".to_string()],
    }
}

fn run(
    tools: &Tools,
    settings: &Settings,
    program: &Reproducer,
    executable: &Path,
    folder: &Path,
) -> std::io::Result<Shown> {
    let sandbox = &settings.sandbox;
    let time_max = settings.left(settings.limits.test);
    let scratch = sandbox.scratch(folder)?;
    sandbox.open(executable)?;
    let profile = scratch.join("failure.profraw");
    let test = TestRun { time_max, profile: &profile, flags: &flags(program) };
    let symbolizer = tools.symbolizer();
    let command = || {
        let mut command = sandbox.test(executable, None, &scratch, &test);
        // What is not freed at the end is no failure of a program that ends, unless somebody wants to know.
        let leaks = u8::from(program.is_leak);
        let memory = defaults::NATIVE_MEMORY_MIB;
        // A size that is too large is no failure by itself: the program gets null.
        let options =
            format!("detect_leaks={leaks}:hard_rss_limit_mb={memory}:allocator_may_return_null=1");
        command.env("ASAN_OPTIONS", options);
        if let Some(symbolizer) = &symbolizer {
            let variables = ["ASAN_SYMBOLIZER_PATH", "UBSAN_SYMBOLIZER_PATH"];
            command.envs(variables.map(|variable| (variable, symbolizer)));
        }
        command
    };
    match run_test(command, time_max) {
        Ok(exit) => {
            let text = std::fs::read(&program.path)?;
            Ok(seen(&exit, &program.path, &String::from_utf8_lossy(&text)))
        }
        Err(RunError::TooLong) => Ok(Shown::NotRun("it did not end".to_string())),
        Err(RunError::Io(error)) => Err(error),
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
    let what = last.map_or_else(|| (*name).to_string(), |line| format!("{name}: {line}"));
    Shown::Seen(Sighting { what, is_wild: WILD.contains(signal), ..Sighting::default() })
}

/// What `abort` and failed assertions send.
const ABORT: i32 = 6;
/// What the use of an address sends that belongs to nothing.
const WILD: &[i32] = &[7, 11];
