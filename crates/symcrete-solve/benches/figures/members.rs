//! What each part of the portfolio adds: the portfolio without it, and the part alone.
//!
//! The conditions of the corpus, and with `--smt2 DIR` the files of a folder; `--every N` takes every n-th of both. `--seconds S` is the limit of
//! each.

use super::portfolio::{answer, manifest, timed};
use super::walk::problems;
use super::{Effort, Report, toolbox};
use symcrete_solve::portfolio::{Mode, Portfolio};
use symcrete_solve::smt::Toolbox;
use symcrete_solve::{Setup, Solver, SolverKind};
use symcrete_term::Seed;

/// What a configuration decided, and how long all took.
#[derive(Default)]
struct Score {
    conditions: u32,
    files: u32,
    seconds: f64,
}

fn portfolio(toolbox: &Toolbox, left_out: &[&str]) -> Portfolio {
    let setup = Setup { toolbox, seed: Seed(0), experience: None };
    Portfolio::new("auto", &setup, Mode::Race).without(left_out)
}

fn score(name: &str, left_out: &[&str], effort: &Effort, report: &mut Report) -> Score {
    let toolbox = toolbox();
    let mut score = Score::default();
    let mut solver = portfolio(&toolbox, left_out);
    for problem in &problems(effort) {
        let query = problem.query();
        let (verdict, seconds) =
            timed(effort.seconds, |mut budget| solver.solve(&query, &mut budget));
        score.conditions += u32::from(verdict.is_decided());
        score.seconds += seconds;
        let (word, credit) = (verdict.word(), solver.credit());
        let (program, condition) = (problem.program, &problem.name);
        report.row(&format!("{name},{program},{condition},{word},{credit},{seconds:.4}"));
    }
    let Some(folder) = &effort.smt2 else { return score };
    for case in manifest(folder).iter().step_by(effort.every) {
        let solver =
            || -> Option<Box<dyn Solver>> { Some(Box::new(portfolio(&toolbox, left_out))) };
        let (found, seconds) = answer(SolverKind::Auto, solver, folder, &case.file, effort.seconds);
        let (word, credit) = found;
        let is_wrong =
            matches!((word.as_str(), case.expected.as_str()), ("sat", "unsat") | ("unsat", "sat"));
        assert!(!is_wrong, "{}: {word}", case.file);
        score.files += u32::from(word != "unknown");
        score.seconds += seconds;
        report.row(&format!("{name},smtlib,{},{word},{credit},{seconds:.4}", case.file));
    }
    score
}

/// One line for each part.
pub(crate) fn measure(effort: &Effort) -> Report {
    let mut report = Report::new(
        "What each part of the portfolio adds",
        "configuration,program,condition,verdict,credit,seconds",
    );
    let parts: Vec<&'static str> = portfolio(&toolbox(), &[]).parts().collect();
    let all = score("all", &[], effort, &mut report);
    report.line(&format!(
        "All parts: {} conditions, {} files, {:.1} s. Decided without each part, and by each part alone.\n",
        all.conditions, all.files, all.seconds
    ));
    report.line("| part | without: conditions | files | s | alone: conditions | files | s |");
    report.line("|---|---|---|---|---|---|---|");
    for &part in &parts {
        let others: Vec<&str> = parts.iter().copied().filter(|&other| other != part).collect();
        let without = score(&format!("without {part}"), &[part], effort, &mut report);
        let alone = score(&format!("only {part}"), &others, effort, &mut report);
        report.line(&format!(
            "| {part} | {} | {} | {:.1} | {} | {} | {:.1} |",
            without.conditions,
            without.files,
            without.seconds,
            alone.conditions,
            alone.files,
            alone.seconds
        ));
    }
    report
}
