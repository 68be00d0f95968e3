//! Concolic Walk on the corpus of Dinges and Agha 2014: how many conditions it solves, as published and improved.

use super::{Effort, Report, cpu_seconds, median};
use crate::corpus::{self, Problem};
use std::collections::BTreeMap;
use symcrete_solve::concolic_walk::{ConcolicWalk, Options};
use symcrete_solve::{Budget, Solver, Verdict};
use symcrete_term::Seed;

/// The programs with the paper's figure for each (table 2, "CW"), in percent; `kin` is not in the paper.
const PAPER: [(&str, &str); 7] = [
    ("coral", "78"),
    ("blind", "100"),
    ("hash", "80"),
    ("opti", "50"),
    ("dart", "86"),
    ("power", "100"),
    ("kin", "–"),
];

/// The problems of all programs, thinned out for a test.
pub(crate) fn problems(effort: &Effort) -> Vec<Problem> {
    let all = [corpus::coral(), corpus::opti(), corpus::paths(), corpus::hash(), corpus::kin()];
    all.into_iter().flatten().step_by(effort.every).collect()
}

/// What one configuration solved.
pub(crate) struct Scores {
    /// By program: the percentage of each seed.
    pub(crate) percent: BTreeMap<&'static str, Vec<f64>>,
    /// Processor time of all.
    pub(crate) seconds: f64,
}

impl Scores {
    /// The median of a program.
    pub(crate) fn median(&self, program: &str) -> f64 {
        self.percent.get(program).map_or(f64::NAN, |percent| median(&mut percent.clone()))
    }
}

/// Runs one configuration on all problems with all seeds.
pub(crate) fn score(
    name: &str,
    options: &Options,
    problems: &[Problem],
    effort: &Effort,
    report: &mut Report,
) -> Scores {
    let begin = cpu_seconds();
    let mut percent: BTreeMap<&'static str, Vec<f64>> = BTreeMap::new();
    for seed in 0..effort.seeds {
        let mut solved: BTreeMap<&'static str, (f64, f64)> = BTreeMap::new();
        for problem in problems {
            let mut walk = ConcolicWalk::new("walk", Seed(seed), options.clone());
            let mut budget = Budget::of_steps(effort.steps);
            let begin = cpu_seconds();
            let verdict = walk.solve(&problem.query(), &mut budget);
            let micros = (cpu_seconds() - begin) * 1e6;
            if let Verdict::Sat(model) = &verdict {
                assert!(problem.query().accepts(model), "a model that is none");
            }
            let count = solved.entry(problem.program).or_default();
            count.0 += f64::from(u8::from(matches!(verdict, Verdict::Sat(_))));
            count.1 += 1.0;
            report.row(&format!(
                "{name},{},{},{seed},{},{},{micros:.0}",
                problem.program,
                problem.name,
                verdict.word(),
                budget.steps_used()
            ));
        }
        for (program, (yes, all)) in solved {
            percent.entry(program).or_default().push(100.0 * yes / all);
        }
    }
    Scores { percent, seconds: cpu_seconds() - begin }
}

/// The header of the raw data.
pub(crate) const RAW: &str = "configuration,program,condition,seed,verdict,steps,micros";

/// As published and improved, beside the paper.
pub(crate) fn measure(effort: &Effort) -> Report {
    let mut report =
        Report::new("Concolic Walk: conditions solved, in percent (median of seeds)", RAW);
    let problems = problems(effort);
    let published = score("published", &Options::published(), &problems, effort, &mut report);
    let improved = score("improved", &Options::improved(), &problems, effort, &mut report);
    report.line("| program | paper | as published | least..most | improved | least..most |");
    report.line("|---|---|---|---|---|---|");
    for (program, paper) in PAPER {
        let range = |scores: &Scores| {
            let percent = scores.percent.get(program).cloned().unwrap_or_default();
            let least = percent.iter().copied().fold(f64::INFINITY, f64::min);
            let most = percent.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            format!("{least:.1}..{most:.1}")
        };
        report.line(&format!(
            "| {program} | {paper} | {:.1} | {} | {:.1} | {} |",
            published.median(program),
            range(&published),
            improved.median(program),
            range(&improved)
        ));
    }
    report.line(&format!(
        "\nProcessor time of all conditions and seeds: {:.2} s as published, {:.2} s improved. \
         Coral 46 has no model, so 98.5 % is all there is; the walk proves it unsatisfiable.",
        published.seconds, improved.seconds
    ));
    report
}
