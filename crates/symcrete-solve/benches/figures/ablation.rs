//! One parameter changed at a time: table 3 of Dinges and Agha 2014, and each improvement alone.

use super::walk::{RAW, problems, score};
use super::{Effort, Report};
use symcrete_solve::concolic_walk::{Improvement, Improvements, Options, Tabu};

/// The variations of table 3 with the paper's fraction of the baseline for coral, hash and opti.
fn variations() -> Vec<(&'static str, Options, [f64; 3])> {
    let base = Options::published();
    let tabu = |tabu| Options { tabu, ..Options::published() };
    let steps = |n| Options { steps_per_constraint: n, ..Options::published() };
    let neighbours = |n| Options { neighbours: n, ..Options::published() };
    vec![
        ("tabu disabled", tabu(Tabu::Off), [0.57, 0.25, 1.0]),
        ("tabu as in the text", tabu(Tabu::Text), [1.0, 1.0, 1.0]),
        ("tabu extended", tabu(Tabu::Fixed(5)), [1.0, 1.0, 1.0]),
        ("bisection disabled", Options { bisection: false, ..base }, [0.86, 0.5, 0.33]),
        ("10 steps", steps(10), [0.82, 1.0, 1.0]),
        ("75 steps", steps(75), [1.02, 1.0, 1.0]),
        ("300 steps", steps(300), [1.04, 1.0, 1.0]),
        ("3 neighbours", neighbours(3), [1.0, 1.0, 1.0]),
        ("25 neighbours", neighbours(25), [1.02, 1.0, 1.0]),
        ("100 neighbours", neighbours(100), [1.04, 1.0, 1.0]),
    ]
}

/// Both ablations.
pub(crate) fn measure(effort: &Effort) -> Report {
    let mut report = Report::new("Concolic Walk: one parameter changed", RAW);
    let programs = ["coral", "hash", "opti"];
    let mut problems = problems(effort);
    problems.retain(|problem| programs.contains(&problem.program));
    let base = score("published", &Options::published(), &problems, effort, &mut report);
    report.line("Fraction of the published configuration; in brackets the paper's table 3.\n");
    report.line("| variation | coral | hash | opti |");
    report.line("|---|---|---|---|");
    for (name, options, paper) in variations() {
        let scores = score(name, &options, &problems, effort, &mut report);
        let cells = programs.iter().zip(paper).map(|(program, paper)| {
            format!("{:.2} ({paper})", scores.median(program) / base.median(program))
        });
        report.line(&format!("| {name} | {} |", cells.collect::<Vec<_>>().join(" | ")));
    }
    report.line("\nPercent solved with one improvement added to the published form, and with one");
    report.line("taken from the improved form.\n");
    report.line("| improvement | added: coral | hash | opti | removed: coral | hash | opti |");
    report.line("|---|---|---|---|---|---|---|");
    for one in Improvement::ALL {
        let added = Options { improvements: Improvements::NONE.with(one), ..Options::published() };
        let removed =
            Options { improvements: Improvements::all().without(one), ..Options::published() };
        let mut cells = Vec::new();
        for (prefix, options) in [("added", added), ("removed", removed)] {
            let name = format!("{prefix} {}", one.name());
            let scores = score(&name, &options, &problems, effort, &mut report);
            cells.extend(programs.map(|program| format!("{:.1}", scores.median(program))));
        }
        report.line(&format!("| {} | {} |", one.name(), cells.join(" | ")));
    }
    report
}
