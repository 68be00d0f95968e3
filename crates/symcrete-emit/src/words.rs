//! Branches and their sides in words.

use symcrete_program::{Branch, BranchKind, Coverage, Edge, Position, Program, TestCase};

/// Lines about one test before they are summed up.
const LINES_MAX: usize = 8;

/// For each test, which sides of branches it is the first to take.
pub(crate) fn news(program: &Program, tests: &[TestCase]) -> Vec<Vec<String>> {
    let mut seen = Coverage::default();
    let mut all = Vec::new();
    for test in tests {
        let is_new = |edge: &&Edge| !seen.contains(**edge);
        let new: Vec<Edge> = test.coverage.edges().iter().filter(is_new).copied().collect();
        let mut sides: Vec<(Position, String)> = Vec::new();
        for edge in &new {
            let Some(branch) = program.branches.get(&edge.site) else { continue };
            if let Some(words) = side(branch, edge.taken) {
                let place = place(program, branch.position);
                sides.push((branch.position, format!("{place}: {words}")));
            }
        }
        sides.sort();
        sides.dedup();
        let mut lines: Vec<String> = sides.into_iter().map(|(_, line)| line).collect();
        if lines.len() > LINES_MAX {
            let n_more = lines.len() - (LINES_MAX - 1);
            lines.truncate(LINES_MAX - 1);
            lines.push(format!("and {n_more} more"));
        }
        all.push(lines);
        seen.absorb(&test.coverage);
    }
    all
}

/// `geo.c:41`
pub(crate) fn place(program: &Program, position: Position) -> String {
    let path = &program.file(position.file).path;
    let name = path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    format!("{name}:{}", position.line)
}

/// `d*d < 4.0 is true`; `None` for a side that people do not think of as one.
pub(crate) fn side(branch: &Branch, taken: bool) -> Option<String> {
    let holds = taken != branch.is_negated;
    match branch.kind {
        BranchKind::Condition => Some(format!("{} is {holds}", branch.text)),
        BranchKind::Case => holds.then(|| branch.text.clone()),
        BranchKind::Check(_) | BranchKind::Hidden | BranchKind::Target => None,
    }
}
