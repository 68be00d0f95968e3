//! The command line of Symcrete.
//!
//! Reads arguments, wires the parts together, writes answers, and turns failures into exit codes:
//! 0 done, 2 the arguments or the input are wrong, 3 something is missing on this machine, 101 our
//! own bug, 130 interrupted. This crate alone reads files, the environment and the clock, and prints.

mod answers;
mod args;
mod cfg;
mod code_files;
mod compile_commands;
mod contained;
mod data;
mod defaults;
mod doctor;
mod failure;
mod folder_lock;
mod functions;
mod r#gen;
mod interrupt;
mod jobs;
mod load;
mod names;
mod native;
mod paths;
mod reach;
mod replay;
mod run;
mod solve;
mod solvers;
mod toolchain;
mod ui;
mod watchdog;
mod wire;

use args::{Command, CommandLine};
use clap::Parser;
use std::io::IsTerminal;
use std::process::ExitCode;
use tracing_subscriber::Layer;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

fn main() -> ExitCode {
    let command_line = CommandLine::parse();
    // Before there is a second thread: namespaces need a single-threaded process.
    if let Command::Contained(args) = &command_line.command {
        return contained::run(args);
    }
    start_logging(command_line.verbose);
    interrupt::install();
    let is_verbose = command_line.verbose > 0;
    let ended = match command_line.command {
        Command::Solve(args) => solve::run(&args),
        Command::Solvers { json } => solvers::run(json),
        Command::Run(args) => run::run(&args),
        Command::Functions(args) => functions::run(&args),
        Command::Gen(mut args) => {
            load::imply_checks(&mut args.source);
            r#gen::run(&args, is_verbose)
        }
        Command::Reach(args) => reach::run(&args),
        Command::Replay(args) => replay::run(&args, is_verbose),
        Command::Cfg(args) => cfg::run(&args),
        Command::Doctor(args) => doctor::run(&args),
        Command::Contained(args) => return contained::run(&args),
    };
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            let is_broken_pipe = failure.exit_code() == ExitCode::SUCCESS;
            if !is_broken_pipe {
                ui::report(&failure);
            }
            failure.exit_code()
        }
    }
}

fn start_logging(verbose: u8) {
    let level = match verbose {
        0 => LevelFilter::ERROR,
        1 => LevelFilter::INFO,
        2 => LevelFilter::DEBUG,
        _ => LevelFilter::TRACE,
    };
    let format = tracing_subscriber::fmt::layer().with_writer(std::io::stderr).without_time();
    let format = format.with_target(false).with_ansi(std::io::stderr().is_terminal());
    // Logs of libraries do not help to understand a program.
    let ours = Targets::new().with_target("symcrete", level);
    tracing_subscriber::registry().with(format.with_filter(ours)).init();
}
