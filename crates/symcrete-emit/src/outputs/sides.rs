//! `sides.csv`: every side of every branch and what became of it, for spreadsheets and dashboards.
//!
//! One row for each function and side (RFC 4180, but lines end as on Unix): a side of a shared callee has a row for every
//! function that can come to it, because what is infeasible for one may be covered by another.

use crate::Artifact;
use crate::native::BranchSide;
use crate::outputs::OfAllUnits;
use symcrete_program::{Edge, GoalState, Suite};

/// Its name in the output folder.
pub(super) const FILE: &str = "sides.csv";

const HEAD: [&str; 9] =
    ["function", "file", "line", "column", "condition", "holds", "state", "why", "tests"];

/// The sides of all units.
pub fn sides(all: &OfAllUnits<'_>) -> Artifact {
    let mut text = line(&HEAD.map(str::to_string));
    for (&unit, written) in all.units {
        let function = &all.head.program.units[unit].name;
        for (&edge, state) in &written.suite.goals {
            let Some(side) = BranchSide::of(all.head.program, edge) else { continue };
            let (state, why) = match state {
                GoalState::Covered => ("covered", String::new()),
                GoalState::Infeasible => ("infeasible", String::new()),
                GoalState::WithinBounds(bounds) => ("within-bounds", bounds.names().join("; ")),
                GoalState::Open(open) => ("open", (all.head.wording)(open)),
            };
            let BranchSide { file, line: row, column, condition, holds, .. } = side;
            let fields = [
                function.clone(),
                file,
                row.to_string(),
                column.to_string(),
                condition,
                holds.to_string(),
                state.to_string(),
                why,
                n_tests(&written.suite, edge).to_string(),
            ];
            text.push_str(&line(&fields));
        }
    }
    Artifact::text(FILE, text)
}

fn n_tests(suite: &Suite, edge: Edge) -> usize {
    suite.kept().filter(|test| test.coverage.contains(edge)).count()
}

/// A row. What could be mistaken for its structure is quoted, and what a spreadsheet could take for a formula.
fn line(fields: &[String]) -> String {
    let quoted = |field: &String| {
        let is_plain =
            !field.contains(['"', ',', '\n', '\r']) && !field.starts_with(['=', '+', '-', '@']);
        if is_plain { field.clone() } else { format!("\"{}\"", field.replace('"', "\"\"")) }
    };
    fields.iter().map(quoted).collect::<Vec<_>>().join(",") + "\n"
}
