//! `symcrete doctor`: what of this machine `gen` needs, whether it is there, and how to get it.
//!
//! Everything is tried, not only looked for: a compiler that cannot compile to WebAssembly or a solver that does not
//! start is as missing as one that is not installed.

mod install;
mod install_libc;
mod machine;
mod packages;
mod runner;
mod smt_solvers;

use crate::args::DoctorArgs;
use crate::failure::Failure;
use crate::ui;
pub(crate) use install_libc::{Built, build_on_first_use};
pub(crate) use packages::Packages;
use serde_json::{Value as Json, json};

/// One thing that was looked at.
struct Check {
    name: &'static str,
    weight: Weight,
    /// Where it is and which version, or what is wrong with it.
    found: Result<String, Problem>,
}

/// What `gen` is without it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Weight {
    /// It does not work, or does not do all that it should.
    Necessary,
    /// It does the same, more slowly or with fewer safeguards.
    Useful,
}

/// Something that is not as it should be.
struct Problem {
    /// In words.
    what: String,
    cure: Cure,
}

/// How a problem is solved.
enum Cure {
    /// Debian's packages, separated by blanks.
    Packages(String),
    /// Something to type.
    Command(String),
    /// Nothing that we know.
    Unknown,
}

impl Check {
    fn new(name: &'static str, weight: Weight, found: Result<String, Problem>) -> Check {
        Check { name, weight, found }
    }

    fn is_necessary(&self) -> bool {
        self.weight == Weight::Necessary
    }
}

/// Runs the command.
pub(crate) fn run(args: &DoctorArgs) -> Result<(), Failure> {
    if args.install {
        install::install()?;
    }
    let mut checks = machine::checks();
    checks.extend(smt_solvers::checks());
    let packages = Packages::of_machine();
    match args.json {
        true => ui::say(&as_json(&checks, &packages).to_string())?,
        false => ui::say(&as_text(&checks, &packages).join("\n"))?,
    }
    let missing = checks.iter().filter(|check| check.is_necessary() && check.found.is_err());
    let missing: Vec<&'static str> = missing.map(|check| check.name).collect();
    match missing.is_empty() {
        true => Ok(()),
        false => Err(Failure::NotReady { missing }),
    }
}

fn as_text(checks: &[Check], packages: &Packages) -> Vec<String> {
    let width = checks.iter().map(|check| check.name.len()).max().unwrap_or_default();
    let mut lines = Vec::new();
    for Check { name, weight, found } in checks {
        let line = match found {
            Ok(detail) => format!("ok       {name:width$}  {detail}"),
            Err(Problem { what, cure }) => {
                let word = match weight {
                    Weight::Necessary => "missing",
                    Weight::Useful => "weak",
                };
                let cure = cure_text(cure, packages).map(|cure| format!(": {cure}"));
                format!("{word:7}  {name:width$}  {what}{}", cure.unwrap_or_default())
            }
        };
        lines.push(line);
    }
    let wanted: Vec<&str> = checks.iter().filter_map(wanted_packages).collect();
    if wanted.len() > 1 {
        lines.push(String::new());
        lines.push(format!("all packages at once: {}", packages.command(&wanted.join(" "))));
    }
    if checks.iter().all(|check| check.found.is_ok() || !check.is_necessary()) {
        lines.push(String::new());
        lines.push("`symcrete gen` has everything it needs on this machine".to_string());
    }
    lines
}

fn wanted_packages(check: &Check) -> Option<&str> {
    match &check.found {
        Err(Problem { cure: Cure::Packages(names), .. }) => Some(names),
        Err(Problem { cure: Cure::Command(_) | Cure::Unknown, .. }) | Ok(_) => None,
    }
}

fn cure_text(cure: &Cure, packages: &Packages) -> Option<String> {
    match cure {
        Cure::Packages(names) => Some(packages.command(names)),
        Cure::Command(command) => Some(command.clone()),
        Cure::Unknown => None,
    }
}

/// For programs; `docs/doctor.md` has the fields.
fn as_json(checks: &[Check], packages: &Packages) -> Json {
    let row = |check: &Check| {
        let (detail, fix) = match &check.found {
            Ok(detail) => (detail, None),
            Err(Problem { what, cure }) => (what, cure_text(cure, packages)),
        };
        json!({
            "name": check.name, "ok": check.found.is_ok(), "necessary": check.is_necessary(),
            "detail": detail, "fix": fix,
        })
    };
    let is_ready = checks.iter().all(|check| check.found.is_ok() || !check.is_necessary());
    json!({ "ready": is_ready, "checks": checks.iter().map(row).collect::<Vec<_>>() })
}
