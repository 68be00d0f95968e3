//! Compilers, sanitizers, the sandbox, and the user's folders.

use super::{Check, Cure, Problem, Weight};
use crate::native::{self, Sandbox, Tools, Wanted};
use crate::{load, toolchain, wire};
use std::path::{Path, PathBuf};
use symcrete_emit::failures::Shown;
use symcrete_program::frontend::{self, CompileOptions, NoLp64, Survey, ToolPart, Toolchain};

/// The clang to install where there is none.
const CLANG: &str = "clang-19 lld-19 llvm-19 wasi-libc libclang-rt-19-dev libclang-rt-19-dev-wasm32 libclang-rt-19-dev-wasm64";
/// What is compiled to see whether that works.
const TRIAL: &str =
    "#include <string.h>\nint trial(const char *s) { return strlen(s) > 2 ? 1 : 0; }\n";

/// Everything but the solvers.
pub(super) fn checks() -> Vec<Check> {
    let directories = load::path_directories();
    let mut checks = compiler(&directories);
    checks.extend(native(&directories));
    checks.push(cache());
    checks.push(data());
    checks
}

/// The compiler to WebAssembly and its parts.
fn compiler(directories: &[PathBuf]) -> Vec<Check> {
    let Some(survey) = Survey::of_machine(directories) else {
        let found = match Toolchain::find(directories) {
            Ok(toolchain) => compiled(&toolchain),
            Err(_) => {
                let what = "there is no clang and no zig".to_string();
                Err(Problem { what, cure: Cure::Packages(CLANG.to_string()) })
            }
        };
        return vec![Check::new("WebAssembly", Weight::Necessary, found)];
    };
    let detail = format!("version {}, {}", survey.version(), survey.clang().display());
    let mut checks = vec![Check::new("clang", Weight::Necessary, Ok(detail))];
    checks.extend(survey.parts().into_iter().map(part));
    if let Ok(toolchain) = Toolchain::find(directories) {
        checks.push(Check::new("WebAssembly", Weight::Necessary, compiled(&toolchain)));
    }
    checks.push(Check::new("64-bit data model", Weight::Useful, wide(directories)));
    checks
}

/// Whether programs can be compiled with 8-byte `long` and pointers.
fn wide(directories: &[PathBuf]) -> Result<String, Problem> {
    let folder = toolchain::libc_folder().unwrap_or_default();
    let cure = match Toolchain::find_lp64(directories, &folder) {
        Ok(toolchain) => return compiled(&toolchain).map(|_| folder.display().to_string()),
        Err(NoLp64::NoClang) => Cure::Packages(CLANG.to_string()),
        Err(NoLp64::Tool(part)) => Cure::Packages(part.package),
        Err(NoLp64::Libc(problem)) => {
            let cure = Cure::Command(toolchain::how_to_build(problem).to_string());
            return Err(Problem { what: format!("{problem}, so long has 4 bytes"), cure });
        }
    };
    Err(Problem {
        what: "its run-time library was not found, so long has 4 bytes".to_string(),
        cure,
    })
}

fn part(part: ToolPart) -> Check {
    let ToolPart { what, package, found } = part;
    let missing = Problem { what: "not found".to_string(), cure: Cure::Packages(package) };
    let found = found.map(|path| path.canonicalize().unwrap_or(path).display().to_string());
    let name = what.split(' ').next().unwrap_or(what);
    Check::new(name, Weight::Necessary, found.ok_or(missing))
}

/// Whether it compiles and links a small program.
#[expect(clippy::disallowed_methods, reason = "the binary is where files are written")]
fn compiled(toolchain: &Toolchain) -> Result<String, Problem> {
    let problem = |what: String| Problem { what, cure: Cure::Packages(CLANG.to_string()) };
    let folder = tempfile::tempdir().map_err(|error| problem(error.to_string()))?;
    let file = folder.path().join("trial.c");
    std::fs::write(&file, TRIAL).map_err(|error| problem(error.to_string()))?;
    let options = CompileOptions { files: vec![file], ..CompileOptions::default() };
    match frontend::compile(toolchain, &options, &folder.path().join("cache")) {
        Ok(_) => Ok(format!("{} compiles to it", toolchain.compiler().display())),
        Err(error) => Err(problem(native::cause(&error.to_string()).to_string())),
    }
}

/// What the native proof needs.
fn native(directories: &[PathBuf]) -> Vec<Check> {
    let Some(tools) = Tools::find(directories) else {
        let what = "there is no C compiler to run tests with".to_string();
        let problem = Problem { what, cure: Cure::Packages(CLANG.to_string()) };
        return vec![Check::new("native compiler", Weight::Necessary, Err(problem))];
    };
    let version = tools.version();
    let number = clang_number(&version);
    let mut checks = vec![Check::new("native compiler", Weight::Necessary, Ok(version))];
    let coverage = match tools.coverage() {
        Some((profdata, cov)) => Ok(format!("{}, {}", profdata.display(), cov.display())),
        None => Err(Problem {
            what: "no llvm-profdata and llvm-cov for this compiler, so branches are not compared"
                .to_string(),
            cure: Cure::Packages(format!("llvm-{number}")),
        }),
    };
    checks.push(Check::new("coverage tools", Weight::Necessary, coverage));
    match Sandbox::choose(Wanted::Auto) {
        Ok(sandbox) => {
            checks.push(Check::new(
                "sanitizers",
                Weight::Necessary,
                sanitizers(&tools, &sandbox, number),
            ));
            checks.push(Check::new("sandbox", Weight::Useful, walls(&sandbox)));
        }
        Err(failure) => {
            let problem = Problem { what: failure.to_string(), cure: Cure::Unknown };
            checks.push(Check::new("sandbox", Weight::Useful, Err(problem)));
        }
    }
    checks
}

/// `Debian clang version 19.1.7` has the packages of 19; another compiler would be helped by the clang that we prefer.
fn clang_number(version: &str) -> u32 {
    let number = version.split("clang version ").nth(1).and_then(|rest| rest.split('.').next());
    number.and_then(|number| number.parse().ok()).unwrap_or(19)
}

/// Whether a program that leaves its memory is caught.
fn sanitizers(tools: &Tools, sandbox: &Sandbox, number: u32) -> Result<String, Problem> {
    let problem = |what: String| Problem {
        what,
        cure: Cure::Packages(format!("clang-{number} libclang-rt-{number}-dev")),
    };
    match native::try_sanitizers(tools, sandbox) {
        Ok(Shown::Seen(_)) => {
            Ok("AddressSanitizer and UndefinedBehaviorSanitizer work".to_string())
        }
        Ok(Shown::Nothing) => {
            Err(problem("they do not report an out-of-bounds access".to_string()))
        }
        Ok(Shown::NotCompiled(message)) => Err(problem(native::cause(&message).to_string())),
        Ok(Shown::NotRun(why)) => Err(problem(format!("a program with them did not run: {why}"))),
        Err(error) => Err(problem(error.to_string())),
    }
}

fn walls(sandbox: &Sandbox) -> Result<String, Problem> {
    let missing = sandbox.missing_texts();
    match missing.is_empty() {
        true => Ok(sandbox.wall_names().join(", ")),
        false => {
            let what = format!("the sandbox of tests lacks {}", missing.join(", "));
            Err(Problem { what, cure: namespaces_cure() })
        }
    }
}

/// The two switches by which distributions forbid namespaces to users.
fn namespaces_cure() -> Cure {
    for (file, open) in [
        ("kernel.unprivileged_userns_clone", "1"),
        ("kernel.apparmor_restrict_unprivileged_userns", "0"),
    ] {
        let path = Path::new("/proc/sys").join(file.replace('.', "/"));
        if std::fs::read(path).is_ok_and(|value| value.trim_ascii() != open.as_bytes()) {
            return Cure::Command(format!("sudo sysctl -w {file}={open}"));
        }
    }
    Cure::Unknown
}

/// Where compiled programs are kept.
fn cache() -> Check {
    let folder = load::cache_folder();
    let what =
        |error| format!("cannot write to {}, so nothing is cached ({error})", folder.display());
    let found = match writable(&folder) {
        Ok(()) => Ok(folder.display().to_string()),
        Err(error) => Err(Problem { what: what(error), cure: make_writable(&folder) }),
    };
    Check::new("cache folder", Weight::Useful, found)
}

/// Where `--install` puts solvers.
fn data() -> Check {
    let found = match wire::data_folder() {
        None => Err(Problem {
            what: "neither HOME nor XDG_DATA_HOME is set, so solvers cannot be installed"
                .to_string(),
            cure: Cure::Unknown,
        }),
        Some(folder) if folder.is_dir() => match writable(&folder) {
            Ok(()) => Ok(folder.display().to_string()),
            Err(error) => Err(Problem {
                what: format!("cannot write to {} ({error})", folder.display()),
                cure: make_writable(&folder),
            }),
        },
        Some(folder) => Ok(format!("{}, not made yet", folder.display())),
    };
    Check::new("data folder", Weight::Useful, found)
}

fn writable(folder: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    tempfile::tempfile_in(folder).map(drop)
}

fn make_writable(folder: &Path) -> Cure {
    let folder = shlex::try_quote(&folder.display().to_string()).map(|text| text.into_owned());
    match folder {
        Ok(folder) => Cure::Command(format!("mkdir -p {folder} && chmod u+rwx {folder}")),
        Err(_) => Cure::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_compiler_is_helped_by_packages_of_its_own_number() {
        assert_eq!(clang_number("Debian clang version 16.0.6 (15~deb12u1)"), 16);
        assert_eq!(clang_number("gcc (Debian 12.2.0-14) 12.2.0"), 19);
    }
}
