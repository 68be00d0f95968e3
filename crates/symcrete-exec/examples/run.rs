//! Runs one exported function of a `.wat` or `.wasm` file and prints outcome and path condition:
//!
//! ```text
//! cargo run -p symcrete-exec --example run -- file.wat function 'i32 5' 'f64 1.5' --concrete
//! ```
//!
//! Arguments are symbolic unless `--concrete` is given.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command line tool")]

use std::process::ExitCode;
use symcrete_exec::{Config, Engine, Entry, Executor, Limits};
use symcrete_program::{Image, Scalar};
use symcrete_term::print::{Printer, Style};
use symcrete_term::{Literal, Terms};

/// Longer path conditions are cut.
const SHOWN_MAX: usize = 200;

fn main() -> ExitCode {
    let mut args: Vec<String> = std::env::args().skip(1).collect();
    let concrete = args.iter().any(|arg| arg == "--concrete");
    args.retain(|arg| arg != "--concrete");
    let [file, function, values @ ..] = &args[..] else {
        eprintln!("usage: run FILE FUNCTION ['TYPE VALUE']... [--concrete]");
        return ExitCode::from(2);
    };
    match run(file, function, values, concrete) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::from(2)
        }
    }
}

fn run(file: &str, function: &str, values: &[String], concrete: bool) -> Result<(), String> {
    let bytes = std::fs::read(file).map_err(|error| format!("{file}: {error}"))?;
    let wasm = wat::parse_bytes(&bytes).map_err(|error| error.to_string())?;
    let args: Vec<Scalar> = values.iter().map(|value| parse(value)).collect::<Result<_, _>>()?;
    let image = match concrete {
        true => Image::of_args(args),
        false => Image::of_symbolic_args(args),
    };
    let report = |error: symcrete_exec::ExecError| error.to_string();
    let engine = Engine::new(Limits::STANDARD).map_err(report)?;
    let executable = engine.prepare(&wasm, &Config::standard()).map_err(report)?;
    let mut executor = executable.executor(Entry::new(function)).map_err(report)?;
    let mut terms = Terms::new();
    let trace = executor.run(&mut terms, &image, 1_000_000_000).map_err(report)?;
    println!("outcome   {}", trace.outcome);
    let mut printer = Printer::new(Style::File);
    let mut shared = String::new();
    let mut show = |literal: Literal| {
        printer.literal(&terms, literal, &mut shared).unwrap_or_else(|_| "opaque".to_string())
    };
    let mut lines = Vec::new();
    for (i, term) in trace.results.iter().enumerate() {
        if let Some(term) = term {
            lines.push(format!("result {i}  {}", show(Literal::holds(*term))));
        }
    }
    let n_hidden = trace.path.constraints.len().saturating_sub(SHOWN_MAX);
    for constraint in trace.path.constraints.iter().take(SHOWN_MAX) {
        let (site, condition) = (constraint.site.to_string(), show(constraint.literal));
        lines.push(format!("{site:<9} {:?}: {condition}", constraint.origin));
    }
    print!("{shared}");
    lines.iter().for_each(|line| println!("{line}"));
    if n_hidden > 0 {
        println!("and {n_hidden} more constraints");
    }
    println!("edges     {}", trace.coverage.edges().len());
    println!("fuel      {}", trace.fuel_used);
    Ok(())
}

fn parse(text: &str) -> Result<Scalar, String> {
    let wrong = || format!("'{text}' is not a value such as 'i32 5' or 'f64 1.5'");
    let (ty, value) = text.split_once(' ').ok_or_else(wrong)?;
    let scalar = match ty {
        "i32" => value.parse::<i64>().ok().map(|x| Scalar::I32(x as u32)),
        "i64" => value.parse::<i128>().ok().map(|x| Scalar::I64(x as u64)),
        "f32" => value.parse::<f32>().ok().map(|x| Scalar::F32(x.to_bits())),
        "f64" => value.parse::<f64>().ok().map(|x| Scalar::F64(x.to_bits())),
        _ => None,
    };
    scalar.ok_or_else(wrong)
}
