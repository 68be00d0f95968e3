//! `symcrete solvers`: what there is to choose from.

use crate::failure::Failure;
use crate::{ui, wire};
use serde::Serialize;
use symcrete_solve::{Setup, SolverKind};
use symcrete_term::Seed;

/// A solver, described.
#[derive(Serialize)]
struct Row {
    name: &'static str,
    description: &'static str,
    proves_unsat: bool,
    installed: bool,
    /// How to get it, if it is not installed.
    help: Option<String>,
}

/// Runs the command.
pub(crate) fn run(json: bool) -> Result<(), Failure> {
    let toolbox = wire::toolbox();
    let setup = Setup { toolbox: &toolbox, seed: Seed(0), experience: None };
    let rows: Vec<Row> = SolverKind::ALL.iter().map(|&kind| row(kind, &setup)).collect();
    let name_width = rows.iter().map(|row| row.name.len()).max().unwrap_or(0);
    for row in rows {
        let line = if json {
            serde_json::to_string(&row).expect("plain data always serialises")
        } else {
            let Row { name, description, .. } = row;
            let unsat = if row.proves_unsat { "sat and unsat" } else { "sat only" };
            let missing = row.help.map(|help| format!(" [{help}]")).unwrap_or_default();
            format!("{name:name_width$}  {unsat:13}  {description}{missing}")
        };
        ui::say(&line)?;
    }
    Ok(())
}

fn row(kind: SolverKind, setup: &Setup<'_>) -> Row {
    let missing = kind.build(setup).err();
    Row {
        name: kind.name(),
        description: kind.description(),
        proves_unsat: kind.proves_unsat(),
        installed: missing.is_none(),
        help: missing.map(|missing| format!("{missing}; {}", wire::how_to_install())),
    }
}
