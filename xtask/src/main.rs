//! Benchmarks and checks of the repository itself: `cargo xtask --help`.

#![expect(clippy::print_stdout, reason = "a command-line tool prints")]
#![expect(clippy::disallowed_methods, reason = "benchmarks run programs, read files and the clock")]

#[cfg(test)]
mod features;
#[cfg(test)]
mod layering;
mod smt_corpus;

use clap::Parser;

#[derive(Parser)]
#[command(about = "Benchmarks and checks of the repository itself")]
enum Command {
    /// Runs solvers over a folder of SMT-LIB files with expected answers and prints the table
    SmtCorpus(smt_corpus::Options),
}

fn main() -> anyhow::Result<()> {
    match Command::parse() {
        Command::SmtCorpus(options) => smt_corpus::run(&options),
    }
}
