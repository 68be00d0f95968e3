//! The SMT solvers: where each is, its version, and whether it answers.

use super::{Check, Cure, Problem, Weight};
use crate::{defaults, native, wire};
use std::path::Path;
use symcrete_solve::smt::{Backend, Toolbox};
use symcrete_solve::{Budget, Query, Setup, Solver, SolverKind, Verdict};
use symcrete_term::{Literal, Op, Seed, Sort, Terms, Valuation};

/// Steps that suffice for the trial.
const STEPS: u64 = 1_000_000;
/// The version of a Python module.
const MODULE_VERSION: &str =
    "import importlib.metadata, sys; print(importlib.metadata.version(sys.argv[1]))";

/// One check for each solver.
pub(super) fn checks() -> Vec<Check> {
    let toolbox = wire::toolbox();
    Backend::ALL.iter().map(|&backend| check(&toolbox, backend)).collect()
}

fn check(toolbox: &Toolbox, backend: Backend) -> Check {
    let weight = match super::install::is_optional(backend) {
        true => Weight::Useful,
        false => Weight::Necessary,
    };
    let found = match toolbox.location(backend) {
        Err(_) => Err("not found".to_string()),
        Ok(file) => answers(toolbox, backend).map(|()| {
            let version = version(&file, backend);
            format!("{version}{}", file.display())
        }),
    };
    let found = found.map_err(|what| Problem { what, cure: Cure::Command(cure()) });
    Check::new(backend.name(), weight, found)
}

fn cure() -> String {
    match std::env::var_os(defaults::SOLVERS_VARIABLE) {
        None => wire::INSTALL_COMMAND.to_string(),
        // Only the folders that it names are searched.
        Some(_) => format!("unset {} && {}", defaults::SOLVERS_VARIABLE, wire::INSTALL_COMMAND),
    }
}

/// Asks it for a number; an error says why there is no answer.
pub(super) fn answers(toolbox: &Toolbox, backend: Backend) -> Result<(), String> {
    let kind = SolverKind::ALL.iter().find(|kind| kind.name() == backend.name());
    let kind = kind.expect("every back end is a solver of its own");
    let setup = Setup { toolbox, seed: Seed(defaults::SEED), experience: None };
    let mut solver = kind.build(&setup).map_err(|missing| missing.to_string())?;
    let mut terms = Terms::new();
    let x = terms.var("x", Sort::Bv(8));
    let (two, four) = (terms.bv(8, 2), terms.bv(8, 4));
    let product = terms.app(Op::BvMul, &[x, two]);
    let term = terms.app(Op::Eq, &[product, four]);
    let literals = [Literal { term, expected: true }];
    let query = Query { terms: &terms, literals: &literals, hint: &Valuation::default() };
    match solver.solve(&query, &mut Budget::of_steps(STEPS)) {
        Verdict::Sat(_) => Ok(()),
        Verdict::Unsat => Err("does not work: it says that 2 x = 4 has no solution".to_string()),
        Verdict::Unknown(why) => Err(format!("does not work: {why}")),
    }
}

/// `0.9.1, ` or nothing if it does not say.
fn version(file: &Path, backend: Backend) -> String {
    let is_module = file.file_name().is_some_and(|name| name == "python3");
    let words: &[&str] = match is_module {
        true => &["-I", "-c", MODULE_VERSION, backend.name()],
        false => &["--version"],
    };
    let output = native::first_line(file, words).unwrap_or_default();
    let number =
        output.split_whitespace().find(|word| word.starts_with(|c: char| c.is_ascii_digit()));
    number.map(|number| format!("{number}, ")).unwrap_or_default()
}
