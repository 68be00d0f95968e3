//! Conditions in the manner of Chen et al. 2019, by three of our generators: the portfolio, InSPeCT by phases, and Z3 on a sample.

use super::portfolio::{build, timed};
use super::{Effort, Report};
use symcrete_solve::generate::{Equations, Generated, Profile, generate};
use symcrete_solve::inspect::{Inspect, InspectOptions};
use symcrete_solve::{Budget, Query, SolverKind, Verdict};
use symcrete_term::{Literal, Seed, Terms, Valuation};

/// As many sets as the paper has subjects.
const SETS: u64 = 10;
/// Every n-th condition is also given to Z3.
const SAMPLE_EVERY: usize = 52;
/// What Z3 may take for one of the sample, and what the paper gave it.
const Z3_SECONDS: f64 = 20.0;
const PAPER_SECONDS: f64 = 120.0;

struct Set {
    terms: Terms,
    conditions: Vec<Vec<Literal>>,
}

fn set(number: u64, n_conditions: usize, profile: &Profile) -> Set {
    let mut terms = Terms::new();
    let mut rng = Seed(number).derive("bench/inspect").rng();
    let mut one = || {
        let Generated { literals, witness } = generate(&mut terms, &mut rng, profile);
        assert!(terms.satisfies(&literals, &witness), "a condition without its model");
        literals
    };
    let conditions = (0..n_conditions).map(|_| one()).collect();
    Set { terms, conditions }
}

/// Seconds and whether it was solved, for every n-th condition, one at a time.
fn solve(
    kind: SolverKind,
    sets: &[Set],
    every: usize,
    seconds: f64,
) -> Vec<(bool, f64, &'static str)> {
    let mut rows = Vec::new();
    for set in sets {
        let Some(mut solver) = build(kind, 0) else { return rows };
        for literals in set.conditions.iter().step_by(every) {
            let hint = Valuation::new();
            let query = Query { terms: &set.terms, literals, hint: &hint };
            let (verdict, took) = timed(seconds, |mut budget| solver.solve(&query, &mut budget));
            assert!(verdict != Verdict::Unsat, "{kind} is wrong: the condition has a model");
            rows.push((matches!(verdict, Verdict::Sat(_)), took, solver.credit()));
        }
    }
    rows
}

/// All generators.
pub(crate) fn measure(effort: &Effort) -> Report {
    let mut report = Report::new(
        "Generated conditions (Chen et al. 2019: 88.5 % by InSPeCT, 103 times faster than Z3)",
        "generator,solver,condition,solved,credit,seconds",
    );
    let profiles = [
        ("few equations (our first)", Profile::with_equations(Equations::Few)),
        ("many small equations (the one that stands)", Profile::table_ii()),
        ("many equations of any constant", Profile::with_equations(Equations::Many)),
    ];
    report.line("| generator | solver | conditions | solved, % | seconds each, mean |");
    report.line("|---|---|---|---|---|");
    let mut notes = Vec::new();
    for (name, profile) in profiles {
        let sets: Vec<Set> = (0..SETS).map(|i| set(i, effort.conditions, &profile)).collect();
        let mut means = Vec::new();
        for (kind, every, seconds) in [
            (SolverKind::Auto, effort.every, effort.seconds),
            (SolverKind::Inspect, effort.every, effort.seconds),
            (SolverKind::Z3, SAMPLE_EVERY, if effort.smt_seconds > 0 { Z3_SECONDS } else { 0.05 }),
        ] {
            let rows = solve(kind, &sets, every, seconds);
            if rows.is_empty() {
                continue;
            }
            for (i, (solved, took, credit)) in rows.iter().enumerate() {
                report.row(&format!("{name},{kind},{i},{solved},{credit},{took:.5}"));
            }
            // What ran out of time would have taken the paper's limit at most: that is what Z3's mean is extrapolated to.
            let is_z3 = kind == SolverKind::Z3;
            let cost = |&(solved, took, _): &(bool, f64, &str)| {
                if is_z3 && !solved { PAPER_SECONDS } else { took }
            };
            let n = rows.len();
            let mean = rows.iter().map(cost).sum::<f64>() / n as f64;
            let n_solved = rows.iter().filter(|row| row.0).count();
            let percent = 100.0 * n_solved as f64 / n as f64;
            report.line(&format!("| {name} | {kind} | {n} | {percent:.1} | {mean:.4} |"));
            means.push((kind, mean));
        }
        if let [(_, auto), _, (_, z3)] = means[..] {
            notes.push(format!(
                "{name}: Z3 takes {:.0} times as long as the portfolio (its mean over the sample, \
                 what it does not solve in {Z3_SECONDS} s counted as the paper's limit of {PAPER_SECONDS} s).",
                z3 / auto
            ));
        }
        notes.push(phases(name, &sets));
    }
    report.line("");
    notes.iter().for_each(|note| report.line(note));
    report
}

/// What each phase of InSPeCT solved, five runs together.
fn phases(name: &str, sets: &[Set]) -> String {
    let (mut n, mut solved) = (0, 0);
    let mut sums = [0u64; 5];
    for set in sets {
        let mut inspect = Inspect::new(Seed(0), InspectOptions::published());
        let conditions: Vec<&[Literal]> = set.conditions.iter().map(Vec::as_slice).collect();
        let mut budget = Budget::of_steps(u64::MAX);
        let verdicts = inspect.solve_all(&set.terms, &conditions, &Valuation::new(), &mut budget);
        n += verdicts.len();
        solved += verdicts.iter().filter(|verdict| verdict.is_decided()).count();
        let phases = inspect.phases();
        let counts =
            [phases.hint, phases.randomization, phases.start, phases.raising, phases.lowering];
        sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
    }
    let [hint, random, start, raising, lowering] = sums;
    format!(
        "{name}: InSPeCT in batches, five runs: {solved} of {n} ({:.1} %): {hint} by the hint, {random} in the \
         randomization phase, {start} by a start, {raising} by strategy 1, {lowering} by strategy 2.",
        100.0 * solved as f64 / n as f64
    )
}
