//! Every solver on every script of `tests/queries` and `tests/regress`.
//!
//! A script says what is true with `(set-info :status …)` before each `check-sat`. A wrong answer
//! fails; `unknown` passes, unless a header line `;@ decides = ["z3", …]` names the solver. One script
//! with one solver is one test, called `kind::folder/file`.
//!
//! Most of the time would go to solvers that need not decide a script and do not: they get little, and those
//! that hand what is left on to the SMT solvers take turns, each on a third of the scripts, and leave out scripts of which
//! they would only hand on the text. `SYMCRETE_SLOW=1` has them all, with more time.

mod support;

use libtest_mimic::{Arguments, Failed, Trial};
use std::path::{Path, PathBuf};
use std::time::Duration;
use symcrete_solve::budget::STEPS_UNLIMITED;
use symcrete_solve::smt::Backend;
use symcrete_solve::smtlib::{Answer, Deciders, Reader, Response, Script, TextGroup};
use symcrete_solve::{Budget, Setup, SolverKind};
use symcrete_term::Seed;

fn main() {
    let arguments = Arguments::from_args();
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests");
    let mut files = Vec::new();
    for folder in ["queries", "regress"] {
        collect(&tests.join(folder), &mut files);
    }
    files.sort();
    assert!(files.len() >= 60, "the scripts are missing: found only {}", files.len());
    let mut trials = Vec::new();
    for (i, file) in files.iter().enumerate() {
        let is_text = file.starts_with(tests.join("queries/text"));
        for (j, &kind) in SolverKind::ALL.iter().enumerate() {
            let has_turn = !is_text && ((i + j).is_multiple_of(TURN) || is_named(file, kind));
            if hands_on(kind) && !has_turn && !is_slow_tier() {
                continue;
            }
            let (name, file) = (name(&tests, file), file.clone());
            trials.push(Trial::test(format!("{kind}::{name}"), move || check(kind, &file)));
        }
    }
    libtest_mimic::run(&arguments, trials).exit();
}

/// Solvers that differ in what they try before the SMT solvers run one script in so many.
const TURN: usize = 3;

/// Whether this solver leaves to `smt` what it does not decide, among that all that has no terms.
fn hands_on(kind: SolverKind) -> bool {
    let answers_itself = [SolverKind::Smt, SolverKind::Auto, SolverKind::AutoReproducible];
    kind.uses_smt_group() && !answers_itself.contains(&kind)
}

fn name(tests: &Path, file: &Path) -> String {
    let inside = file.strip_prefix(tests).unwrap_or(file);
    inside.with_extension("").display().to_string()
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "smt2") {
            files.push(path);
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "tests are an edge: they read their data")]
fn check(kind: SolverKind, file: &Path) -> Result<(), Failed> {
    let text = std::fs::read_to_string(file)?;
    let must_decide = must_decide(&text, kind)?;
    let toolbox = support::toolbox();
    let setup = Setup { toolbox: &toolbox, seed: Seed(1), experience: None };
    let solver = match kind.build(&setup) {
        Ok(solver) => solver,
        Err(missing) if must_decide => return Err(missing.to_string().into()),
        Err(_) => return Ok(()),
    };
    let deciders = Deciders {
        solver,
        text_solver: Box::new(TextGroup::of_kind(kind, toolbox)),
        budget: Box::new(move || budget(kind, must_decide)),
    };
    let n_checks = run(Script::new(deciders), &text, must_decide)?;
    if n_checks == 0 { Err("the script asks nothing".into()) } else { Ok(()) }
}

/// Steps end a search; SMT solvers, whose steps are much smaller, have the clock. A solver that need not
/// decide the script does not get long: only a wrong answer counts.
fn budget(kind: SolverKind, must_decide: bool) -> Budget {
    let is_smt = kind == SolverKind::Smt || kind.name().parse::<Backend>().is_ok();
    let (steps, wall_max) = match (must_decide, is_slow_tier()) {
        (true, _) => (200_000, Duration::from_secs(120)),
        (false, true) => (10_000, Duration::from_secs(2)),
        (false, false) => (2_500, Duration::from_millis(400)),
    };
    let mut budget = Budget::of_steps(if is_smt { STEPS_UNLIMITED } else { steps });
    budget.wall_max = wall_max;
    budget
}

#[expect(clippy::disallowed_methods, reason = "the tier of the tests is chosen by the environment")]
fn is_slow_tier() -> bool {
    std::env::var("SYMCRETE_SLOW").is_ok_and(|value| value == "1")
}

/// Runs a script and compares; returns the number of its questions.
fn run(mut script: Script, text: &str, must_decide: bool) -> Result<usize, Failed> {
    let mut reader = Reader::new();
    reader.feed(text.as_bytes())?;
    reader.end();
    let mut n_checks = 0;
    while let Some(tree) = reader.next_command()? {
        let Response::Checked(check) = script.execute(tree)? else { continue };
        n_checks += 1;
        let expected = script.info(":status").unwrap_or("missing").to_owned();
        let found = check.answer.word();
        match &check.answer {
            Answer::Unknown(why) if must_decide => {
                return Err(format!("question {n_checks}: {expected}, but unknown: {why}").into());
            }
            Answer::Unknown(_) => {}
            Answer::Sat | Answer::Unsat if found == expected => {}
            Answer::Sat | Answer::Unsat => {
                let wrong = format!("question {n_checks}: {found}, but the status is {expected}");
                return Err(wrong.into());
            }
        }
    }
    Ok(n_checks)
}

/// Whether the solver must decide a script. A header that nobody can read fails where the script is run.
#[expect(clippy::disallowed_methods, reason = "tests are an edge: they read their data")]
fn is_named(file: &Path, kind: SolverKind) -> bool {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    must_decide(&text, kind).unwrap_or(true)
}

/// Whether the header names the solver. The line is TOML, of which we need one form.
fn must_decide(text: &str, kind: SolverKind) -> Result<bool, Failed> {
    let mut decides = false;
    for line in text.lines().filter_map(|line| line.strip_prefix(";@ ")) {
        let names = line
            .strip_prefix("decides = [")
            .and_then(|rest| rest.strip_suffix(']'))
            .ok_or_else(|| format!("cannot read the header line `{line}`"))?;
        for name in names.split(',') {
            let named: SolverKind = name.trim().trim_matches('"').parse()?;
            decides |= named == kind;
        }
    }
    Ok(decides)
}
