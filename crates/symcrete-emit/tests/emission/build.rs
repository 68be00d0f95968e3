//! Compiles and runs generated files.

use super::case::{Case, UnitCase};
use libtest_mimic::Failed;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Mutex, PoisonError};
use symcrete_emit::bugs::bugs;
use symcrete_emit::c_test::c_test;
use symcrete_emit::{Artifact, EmitOptions, Framework, harness};

const STRICT: &[&str] = &["-Wall", "-Wextra", "-Werror", "-fwrapv"];

/// The tests of a unit compile with every compiler, and pass.
pub(crate) fn tests(
    case: &Case,
    unit_case: &UnitCase,
    framework: Framework,
    folder: &Path,
) -> Result<(), Failed> {
    let unit = case.program.unit(&unit_case.name).expect("it was found before");
    let options = EmitOptions { framework, ..EmitOptions::default() };
    let Some(file) = c_test(&case.program, unit, &unit_case.shape, &unit_case.tests, &options)
    else {
        return Ok(());
    };
    let source = write(&file, folder)?;
    for header in harness::headers(&case.program) {
        write(&header, folder)?;
    }
    for compiler in compilers(framework) {
        for settings in [["-std=c99", "-O0"], ["-std=gnu17", "-O2"]] {
            let program = compile(compiler, settings, &source, framework)?;
            let out = run(&program)?;
            if !out.status.success() {
                let (shown, text) = (text_of(&out.stdout), text_of(&file.bytes));
                return Err(format!("{compiler} {settings:?}: {shown}\n{text}").into());
            }
        }
    }
    Ok(())
}

/// The reproducers of a unit compile, and fail.
pub(crate) fn reproducers(
    case: &Case,
    unit_case: &UnitCase,
    folder: &Path,
) -> Result<usize, Failed> {
    let unit = case.program.unit(&unit_case.name).expect("it was found before");
    let options = EmitOptions::default();
    let files = bugs(&case.program, unit, &unit_case.shape, &unit_case.tests, &options);
    for file in &files {
        let source = write(file, folder)?;
        for compiler in compilers(Framework::Plain) {
            let program = compile(compiler, ["-std=c99", "-O0"], &source, Framework::Plain)?;
            if run(&program)?.status.success() {
                return Err(format!("{compiler}: no fault in\n{}", text_of(&file.bytes)).into());
            }
        }
    }
    Ok(files.len())
}

fn run(program: &Path) -> std::io::Result<Output> {
    Command::new(program).current_dir(program.parent().expect("a file is in a folder")).output()
}

fn compile(
    compiler: &str,
    settings: [&str; 2],
    source: &Path,
    framework: Framework,
) -> Result<PathBuf, Failed> {
    let program = source.with_extension("exe");
    let out = Command::new(compiler)
        .args(STRICT)
        .args(settings)
        .arg("-I")
        .arg(source.with_file_name(harness::INCLUDE))
        .arg(source)
        .arg("-o")
        .arg(&program)
        .args(needed(compiler, settings, framework, source)?)
        .output()?;
    if !out.status.success() {
        let text = std::fs::read_to_string(source)?;
        let message = text_of(&out.stderr);
        return Err(format!("{compiler} {settings:?}: {message}\n{text}").into());
    }
    Ok(program)
}

fn text_of(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Where `make tools` puts Unity, which is a source file that projects carry along.
fn unity() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.tools/unity/src")
}

/// What the compiler needs for a framework.
fn needed(
    compiler: &str,
    settings: [&str; 2],
    framework: Framework,
    source: &Path,
) -> Result<Vec<String>, Failed> {
    Ok(match framework {
        Framework::Unity => {
            let object = source.with_file_name("unity.o");
            std::fs::write(&object, unity_object(compiler, settings, &object)?)?;
            let include = format!("-I{}", unity().display());
            vec![include, object.display().to_string(), "-lm".to_string()]
        }
        Framework::Plain | Framework::Cmocka => {
            framework.libraries().split(' ').map(str::to_string).collect()
        }
    })
}

/// Unity as an object file: every compiler makes it once with each of its settings.
fn unity_object(compiler: &str, settings: [&str; 2], draft: &Path) -> Result<Vec<u8>, Failed> {
    static MADE: Mutex<BTreeMap<String, Vec<u8>>> = Mutex::new(BTreeMap::new());
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    let key = format!("{compiler} {settings:?}");
    if !made.contains_key(&key) {
        let mut command = Command::new(compiler);
        command.args(STRICT).args(settings).arg("-c").arg(unity().join("unity.c"));
        let out = command.arg("-o").arg(draft).output()?;
        if !out.status.success() {
            return Err(format!("{key}: {}", text_of(&out.stderr)).into());
        }
        made.insert(key.clone(), std::fs::read(draft)?);
    }
    Ok(made[&key].clone())
}

/// Compilers that are there and know the framework; where none does, the log says so.
fn compilers(framework: Framework) -> Vec<&'static str> {
    static FOUND: Mutex<BTreeMap<&str, Vec<&'static str>>> = Mutex::new(BTreeMap::new());
    let mut found = FOUND.lock().unwrap_or_else(PoisonError::into_inner);
    found.entry(framework.name()).or_insert_with(|| find_compilers(framework)).clone()
}

#[expect(clippy::print_stderr, reason = "what is not tested must be seen")]
fn find_compilers(framework: Framework) -> Vec<&'static str> {
    let header = match framework {
        Framework::Plain => "stddef.h",
        Framework::Unity => "unity.h",
        Framework::Cmocka => "cmocka.h",
    };
    // cmocka's header needs others before it.
    let includes = ["stdarg.h", "stddef.h", "setjmp.h", "stdint.h", header];
    let includes = includes.iter().flat_map(|header| ["-include", header]);
    let works = |name: &&str| {
        let mut command = Command::new(name);
        command.arg("-I").arg(unity());
        command.args(["-fsyntax-only", "-x", "c", "/dev/null"]).args(includes.clone());
        command.output().is_ok_and(|out| out.status.success())
    };
    let found: Vec<&str> = ["gcc", "clang-19", "clang"].into_iter().filter(works).collect();
    if found.is_empty() {
        eprintln!("{} is not installed: `make tools` does that", framework.name());
    }
    found
}

pub(crate) fn write(artifact: &Artifact, folder: &Path) -> Result<PathBuf, Failed> {
    let path = folder.join(&artifact.path);
    std::fs::create_dir_all(path.parent().expect("a file is in a folder"))?;
    std::fs::write(&path, &artifact.bytes)?;
    Ok(path)
}
