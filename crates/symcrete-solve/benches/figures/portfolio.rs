//! Any solver of the registry by the clock: on the conditions of the corpus, and on a folder of SMT-LIB files.
//!
//! `--solvers auto,smt` names the solvers, `--seconds 10` the limit of each condition or file, `--smt2 DIR` a
//! folder with `MANIFEST.tsv` (file, logic, bytes, expected answer).

use super::walk::problems;
use super::{Effort, Report, median, wall_seconds};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;
use symcrete_solve::smtlib::{Deciders, Reader, Response, Script, TextGroup};
use symcrete_solve::{Budget, Cancel, Setup, Solver, SolverKind, Verdict};
use symcrete_term::Seed;

/// Runs something under a budget that ends by the clock.
pub(crate) fn timed<T>(seconds: f64, run: impl FnOnce(Budget) -> T) -> (T, f64) {
    let cancel = Cancel::new();
    let limit = Duration::from_secs_f64(seconds);
    let mut budget = Budget::of_steps(u64::MAX).with_cancel(cancel.clone());
    budget.wall_max = limit;
    let (done, wait) = channel::<()>();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            if wait.recv_timeout(limit) == Err(RecvTimeoutError::Timeout) {
                cancel.time_is_up();
            }
        });
        let begin = wall_seconds();
        let result = run(budget);
        let took = wall_seconds() - begin;
        drop(done);
        (result, took)
    })
}

pub(crate) fn build(kind: SolverKind, seed: u64) -> Option<Box<dyn Solver>> {
    let toolbox = super::toolbox();
    kind.build(&Setup { toolbox: &toolbox, seed: Seed(seed), experience: None }).ok()
}

/// Conditions decided by each solver within a tenth of the limit and within the limit.
pub(crate) fn conditions(effort: &Effort) -> Report {
    let mut report = Report::new(
        "Conditions decided by the clock",
        "solver,program,condition,seed,verdict,credit,seconds",
    );
    let problems = problems(effort);
    report.line("Least and median over the seeds of what is decided in time, satisfiable and unsatisfiable.\n");
    report.line("| solver | program | conditions | sat, least | sat, median | sat in a tenth of the time, median | unsat, median | median ms |");
    report.line("|---|---|---|---|---|---|---|---|");
    for &kind in &effort.solvers {
        let mut by_program: BTreeMap<&str, Vec<[f64; 3]>> = BTreeMap::new();
        let mut times: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
        let mut sizes: BTreeMap<&str, usize> = BTreeMap::new();
        for seed in 0..effort.seeds {
            let Some(mut solver) = build(kind, seed) else { continue };
            let mut counts: BTreeMap<&str, [f64; 3]> = BTreeMap::new();
            sizes.clear();
            for problem in &problems {
                *sizes.entry(problem.program).or_default() += 1;
                let query = problem.query();
                let (verdict, seconds) =
                    timed(effort.seconds, |mut budget| solver.solve(&query, &mut budget));
                if let Verdict::Sat(model) = &verdict {
                    assert!(query.accepts(model), "a model that is none");
                }
                let count = counts.entry(problem.program).or_default();
                let is_sat = matches!(verdict, Verdict::Sat(_));
                count[0] += f64::from(u8::from(is_sat));
                count[1] += f64::from(u8::from(is_sat && seconds * 10.0 <= effort.seconds));
                count[2] += f64::from(u8::from(verdict == Verdict::Unsat));
                times.entry(problem.program).or_default().push(seconds * 1e3);
                report.row(&format!(
                    "{kind},{},{},{seed},{},{},{seconds:.4}",
                    problem.program,
                    problem.name,
                    verdict.word(),
                    solver.credit()
                ));
            }
            for (program, count) in counts {
                by_program.entry(program).or_default().push(count);
            }
        }
        for (program, counts) in by_program {
            let column = |i: usize| -> Vec<f64> { counts.iter().map(|count| count[i]).collect() };
            let least = column(0).into_iter().fold(f64::INFINITY, f64::min);
            report.line(&format!(
                "| {kind} | {program} | {} | {least} | {} | {} | {} | {:.1} |",
                sizes[program],
                median(&mut column(0)),
                median(&mut column(1)),
                median(&mut column(2)),
                median(times.get_mut(program).expect("timed above"))
            ));
        }
    }
    report
}

/// A file of the manifest.
pub(super) struct Case {
    pub(super) file: String,
    pub(super) expected: String,
}

/// The files of a folder decided by each solver.
pub(crate) fn smtlib(effort: &Effort) -> Report {
    let mut report = Report::new(
        "SMT-LIB files decided by the clock",
        "solver,file,expected,verdict,credit,seconds",
    );
    let Some(folder) = &effort.smt2 else {
        report.line("No folder was given (`--smt2 DIR`): not measured.");
        return report;
    };
    let cases = manifest(folder);
    report.line("| solver | files | decided | wrong | sat | unsat | median s of what is decided | median s of satisfiable floats |");
    report.line("|---|---|---|---|---|---|---|---|");
    for &kind in &effort.solvers {
        let (mut n_wrong, mut n_sat, mut n_unsat) = (0, 0, 0);
        let (mut times, mut floats) = (Vec::new(), Vec::new());
        for case in cases.iter().step_by(effort.every) {
            let solver = || build(kind, 0);
            let (answer, seconds) = answer(kind, solver, folder, &case.file, effort.seconds);
            let (word, credit) = answer;
            let is_wrong = matches!(
                (word.as_str(), case.expected.as_str()),
                ("sat", "unsat") | ("unsat", "sat")
            );
            n_wrong += u32::from(is_wrong);
            n_sat += u32::from(word == "sat");
            n_unsat += u32::from(word == "unsat");
            if word != "unknown" {
                times.push(seconds);
            }
            let is_float = case.file.contains("fp") || case.file.contains("griggio");
            if is_float && case.expected == "sat" {
                floats.push(seconds);
            }
            report.row(&format!(
                "{kind},{},{},{word},{credit},{seconds:.4}",
                case.file, case.expected
            ));
        }
        report.line(&format!(
            "| {kind} | {} | {} | {n_wrong} | {n_sat} | {n_unsat} | {:.3} | {:.3} |",
            cases.len().div_ceil(effort.every),
            n_sat + n_unsat,
            median(&mut times),
            median(&mut floats)
        ));
    }
    report
}

#[expect(clippy::disallowed_methods, reason = "a benchmark reads its files")]
pub(super) fn manifest(folder: &Path) -> Vec<Case> {
    let text =
        std::fs::read_to_string(folder.join("MANIFEST.tsv")).expect("the folder has a manifest");
    let case = |line: &str| {
        let fields: Vec<&str> = line.split('\t').collect();
        let expected = fields.get(3).copied().unwrap_or("unknown");
        Case { file: fields[0].to_string(), expected: expected.to_string() }
    };
    text.lines().skip(1).filter(|line| !line.is_empty()).map(case).collect()
}

/// The answer to a file's first question and who gave it.
pub(super) fn answer(
    kind: SolverKind,
    solver: impl FnOnce() -> Option<Box<dyn Solver>>,
    folder: &Path,
    file: &str,
    seconds: f64,
) -> ((String, &'static str), f64) {
    let bytes = std::fs::read(folder.join(file)).expect("the manifest's files are there");
    timed(seconds, |budget| {
        let unknown = ("unknown".to_string(), "");
        let Some(solver) = solver() else { return unknown };
        let text_solver = Box::new(TextGroup::of_kind(kind, super::toolbox()));
        let budget = Box::new(move || budget.clone());
        let mut script = Script::new(Deciders { solver, text_solver, budget });
        let mut reader = Reader::new();
        if reader.feed(&bytes).is_err() {
            return unknown;
        }
        reader.end();
        while let Ok(Some(tree)) = reader.next_command() {
            match script.execute(tree) {
                Ok(Response::Checked(check)) => {
                    return (check.answer.word().to_string(), check.solver);
                }
                Ok(Response::Exit) | Err(_) => break,
                Ok(Response::Success | Response::Text(_)) => {}
            }
        }
        unknown
    })
}
