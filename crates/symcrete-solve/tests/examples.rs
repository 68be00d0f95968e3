//! Every script of `examples/solvers` is decided by the solver it is named after, and not by random
//! draws with as many steps.

mod support;

use std::path::Path;
use symcrete_solve::smtlib::{Answer, Deciders, Reader, Response, Script, TextGroup};
use symcrete_solve::{Budget, Setup, SolverKind};
use symcrete_term::Seed;

const STEPS: u64 = 300_000;

/// The answer to a script's question; `None` where the solver is not installed.
#[expect(clippy::disallowed_methods, reason = "tests are an edge: they read their data")]
fn answer(kind: SolverKind, file: &Path) -> Option<Answer> {
    let toolbox = support::toolbox();
    let solver = kind.build(&Setup { toolbox: &toolbox, seed: Seed(1), experience: None }).ok()?;
    let mut script = Script::new(Deciders {
        solver,
        text_solver: Box::new(TextGroup::of_kind(kind, toolbox)),
        budget: Box::new(|| Budget::of_steps(STEPS)),
    });
    let mut reader = Reader::new();
    let text = std::fs::read_to_string(file).expect("an example can be read");
    reader.feed(text.as_bytes()).expect("an example is text");
    reader.end();
    while let Some(tree) = reader.next_command().expect("an example is well formed") {
        if let Response::Checked(check) = script.execute(tree).expect("an example is right") {
            return Some(check.answer);
        }
    }
    panic!("{} asks nothing", file.display());
}

#[test]
fn each_solver_wins_its_example() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/solvers");
    let mut n_examples = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let file = entry.unwrap().path();
        let kind: SolverKind = file.file_stem().unwrap().to_str().unwrap().parse().unwrap();
        let Some(answer_of_named) = answer(kind, &file) else { continue };
        assert!(matches!(answer_of_named, Answer::Sat), "{kind}: {answer_of_named:?}");
        let answer_of_random = answer(SolverKind::Random, &file).unwrap();
        assert!(matches!(answer_of_random, Answer::Unknown(_)), "random wins {}", file.display());
        n_examples += 1;
    }
    assert!(n_examples >= 4, "only {n_examples} examples could be tried");
}
