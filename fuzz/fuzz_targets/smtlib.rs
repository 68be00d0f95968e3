//! Any bytes as an SMT-LIB script, with a random search of few steps and no other solver.

#![no_main]

use libfuzzer_sys::fuzz_target;
use symcrete_solve::smt::Toolbox;
use symcrete_solve::smtlib::{Deciders, Diagnostic, Reader, Response, Script, TextGroup};
use symcrete_solve::{Budget, Setup, SolverKind};
use symcrete_term::Seed;

fn run(bytes: &[u8]) -> Result<(), Diagnostic> {
    let no_tools = || Toolbox::new(Vec::<std::path::PathBuf>::new());
    let kind = SolverKind::Random;
    let solver = kind.build(&Setup { toolbox: &no_tools(), seed: Seed(0) });
    let mut script = Script::new(Deciders {
        solver: solver.expect("random search needs no tool"),
        text_solver: Box::new(TextGroup::of_kind(kind, no_tools())),
        budget: Box::new(|| Budget::of_steps(50)),
    });
    let mut reader = Reader::new();
    // In two pieces, so that characters and tokens are cut.
    let (first, second) = bytes.split_at(bytes.len() / 2);
    for piece in [first, second] {
        reader.feed(piece)?;
        while let Some(tree) = reader.next_command()? {
            if script.execute(tree)? == Response::Exit {
                return Ok(());
            }
        }
    }
    reader.end();
    while let Some(tree) = reader.next_command()? {
        script.execute(tree)?;
    }
    Ok(())
}

fuzz_target!(|bytes: &[u8]| {
    // A diagnostic is what bad input shall get.
    let _diagnostic = run(bytes);
});
