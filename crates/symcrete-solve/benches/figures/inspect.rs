//! InSPeCT on generated conditions, beside SMT solvers on a sample of the same.

use super::{Effort, Report, cpu_seconds, median, toolbox, wall_seconds};
use std::time::Duration;
use symcrete_solve::generate::{Generated, Profile, generate};
use symcrete_solve::inspect::{Inspect, InspectOptions};
use symcrete_solve::smt::{Backend, SmtSolver};
use symcrete_solve::{Budget, Query, Solver, Verdict};
use symcrete_term::{Literal, Seed, Terms, Valuation};

/// As many sets as the paper has subjects.
const SETS: u64 = 10;
/// Every n-th condition is also given to the SMT solvers.
const SAMPLE_EVERY: usize = 20;

struct Set {
    terms: Terms,
    conditions: Vec<Vec<Literal>>,
}

fn set(number: u64, n_conditions: usize) -> Set {
    let mut terms = Terms::new();
    let mut rng = Seed(number).derive("bench/inspect").rng();
    let profile = Profile::table_ii();
    let mut one = || {
        let Generated { literals, witness } = generate(&mut terms, &mut rng, &profile);
        assert!(terms.satisfies(&literals, &witness), "a condition without its model");
        literals
    };
    let conditions = (0..n_conditions).map(|_| one()).collect();
    Set { terms, conditions }
}

/// What a batch solved, in percent, its steps and its processor time.
fn solve(set: &Set, options: InspectOptions, seed: u64) -> (Vec<bool>, u64, f64) {
    let conditions: Vec<&[Literal]> = set.conditions.iter().map(Vec::as_slice).collect();
    let mut budget = Budget::of_steps(u64::MAX);
    let begin = cpu_seconds();
    let mut inspect = Inspect::new(Seed(seed), options);
    let verdicts = inspect.solve_all(&set.terms, &conditions, &Valuation::new(), &mut budget);
    let seconds = cpu_seconds() - begin;
    for (verdict, literals) in verdicts.iter().zip(&set.conditions) {
        if let Verdict::Sat(model) = verdict {
            assert!(set.terms.satisfies(literals, model), "a model that is none");
        }
    }
    let solved = verdicts.iter().map(|verdict| matches!(verdict, Verdict::Sat(_))).collect();
    (solved, budget.steps_used(), seconds)
}

fn percent(solved: &[bool]) -> f64 {
    100.0 * solved.iter().filter(|&&solved| solved).count() as f64 / solved.len() as f64
}

/// The ten sets, five runs together and one run alone, and the SMT solvers on a sample.
pub(crate) fn measure(effort: &Effort) -> Report {
    let mut report = Report::new(
        "InSPeCT: generated conditions solved (Chen et al. 2019: 88.5 %, five runs together)",
        "solver,set,seed,conditions,solved_percent,steps,seconds",
    );
    let five = InspectOptions::published();
    let single = InspectOptions { runs: 1, ..five };
    report.line("| set | five runs, % (median of seeds) | one run, % | ms per condition |");
    report.line("|---|---|---|---|");
    let (mut all_five, mut all_single, mut seconds_each) = (Vec::new(), Vec::new(), Vec::new());
    for number in 0..SETS {
        let set = set(number, effort.conditions);
        let mut medians = Vec::new();
        let mut millis = Vec::new();
        for (name, options) in [("inspect-five", five), ("inspect-one", single)] {
            let mut percents = Vec::new();
            for seed in 0..effort.seeds {
                let (solved, steps, seconds) = solve(&set, options, seed);
                let n = solved.len();
                report.row(&format!(
                    "{name},{number},{seed},{n},{:.2},{steps},{seconds:.4}",
                    percent(&solved)
                ));
                percents.push(percent(&solved));
                if options.runs > 1 {
                    millis.push(seconds / n as f64 * 1e3);
                }
            }
            medians.push(median(&mut percents));
        }
        all_five.push(medians[0]);
        all_single.push(medians[1]);
        seconds_each.extend(&millis);
        report.line(&format!(
            "| {number} | {:.1} | {:.1} | {:.2} |",
            medians[0],
            medians[1],
            median(&mut millis)
        ));
    }
    let mean = |numbers: &[f64]| numbers.iter().sum::<f64>() / numbers.len() as f64;
    report.line(&format!(
        "| all {} | {:.1} | {:.1} | {:.2} |",
        SETS as usize * effort.conditions,
        mean(&all_five),
        mean(&all_single),
        median(&mut seconds_each)
    ));
    if effort.smt_seconds > 0 {
        against_smt(effort, &mut report);
    }
    report
}

/// A sample of the conditions, one at a time, for all.
fn against_smt(effort: &Effort, report: &mut Report) {
    let toolbox = toolbox();
    let mut solvers: Vec<(&str, Box<dyn Solver>)> = vec![(
        "inspect (one at a time)",
        Box::new(Inspect::new(Seed(0), InspectOptions::published())),
    )];
    for (name, backend) in [("z3", Backend::Z3), ("bitwuzla", Backend::Bitwuzla)] {
        match SmtSolver::new(backend, &toolbox) {
            Ok(solver) => solvers.push((name, Box::new(solver))),
            Err(missing) => report.line(&format!("\n{missing}: not measured.")),
        }
    }
    report.line(&format!(
        "\nOn every {SAMPLE_EVERY}th condition, {} s each at most (wall clock):\n",
        effort.smt_seconds
    ));
    report.line("| solver | solved | of | mean ms | median ms |");
    report.line("|---|---|---|---|---|");
    for (name, mut solver) in solvers {
        let (mut n_solved, mut millis) = (0, Vec::new());
        for number in 0..SETS {
            let set = set(number, effort.conditions);
            for literals in set.conditions.iter().step_by(SAMPLE_EVERY) {
                let hint = Valuation::new();
                let query = Query { terms: &set.terms, literals, hint: &hint };
                let mut budget = Budget::of_steps(u64::MAX);
                budget.wall_max = Duration::from_secs(effort.smt_seconds);
                let begin = wall_seconds();
                let verdict = solver.solve(&query, &mut budget);
                millis.push((wall_seconds() - begin) * 1e3);
                n_solved += u32::from(matches!(verdict, Verdict::Sat(_)));
                let millis = millis[millis.len() - 1];
                report.row(&format!(
                    "{name},{number},0,1,{},{},{:.4}",
                    if verdict.word() == "sat" { 100 } else { 0 },
                    budget.steps_used(),
                    millis / 1e3
                ));
            }
        }
        let mean = millis.iter().sum::<f64>() / millis.len() as f64;
        let n = millis.len();
        report.line(&format!(
            "| {name} | {n_solved} | {n} | {mean:.2} | {:.2} |",
            median(&mut millis)
        ));
    }
}
