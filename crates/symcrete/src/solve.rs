//! `symcrete solve`: reads a script command by command and answers each.

use crate::args::SolveArgs;
use crate::failure::{Failure, WrongScript};
use crate::watchdog::now;
use crate::{ui, wire};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::time::Duration;
use symcrete_solve::smtlib::{Diagnostic, Reader, Response, Script};

/// Runs the command.
pub(crate) fn run(args: &SolveArgs) -> Result<(), Failure> {
    let experience = wire::experience(args)?;
    let mut script = Script::new(wire::deciders(args, &experience)?);
    let is_stdin = args.file == Path::new("-");
    let mut input = open(&args.file, is_stdin)?;
    let mut reader = Reader::new();
    let ended = answer_all(args, &mut script, &mut input, &mut reader);
    wire::keep_experience(args, &experience)?;
    let Err(stop) = ended else { return Ok(()) };
    match stop {
        Stop::Wrong(diagnostic) => {
            if is_stdin && !args.json {
                // Whoever talks to us through a pipe reads answers, not reports.
                ui::say(&ui::error_response(reader.text(), &diagnostic))?;
            }
            let name = if is_stdin { "stdin".to_owned() } else { args.file.display().to_string() };
            let text = reader.text().to_owned();
            Err(Failure::Script(Box::new(WrongScript { name, text, diagnostic })))
        }
        Stop::Unreadable(source) => Err(Failure::Unreadable { file: args.file.clone(), source }),
        Stop::Output(error) => Err(Failure::Answer(error)),
    }
}

/// Why the conversation ended early.
enum Stop {
    Wrong(Diagnostic),
    Unreadable(io::Error),
    Output(io::Error),
}

impl From<Diagnostic> for Stop {
    fn from(diagnostic: Diagnostic) -> Stop {
        Stop::Wrong(diagnostic)
    }
}

#[expect(clippy::disallowed_methods, reason = "the binary is where files are read")]
fn open(file: &Path, is_stdin: bool) -> Result<Box<dyn Read>, Failure> {
    if is_stdin {
        return Ok(Box::new(io::stdin().lock()));
    }
    let unreadable = |source| Failure::Unreadable { file: file.to_owned(), source };
    Ok(Box::new(File::open(file).map_err(unreadable)?))
}

/// Answers commands as they arrive, to the end of the input or of the script.
fn answer_all(
    args: &SolveArgs,
    script: &mut Script,
    input: &mut dyn Read,
    reader: &mut Reader,
) -> Result<(), Stop> {
    let mut buffer = vec![0; 1 << 16];
    let mut is_over = false;
    while !is_over {
        let n_read = match input.read(&mut buffer) {
            Ok(n_read) => n_read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(Stop::Unreadable(error)),
        };
        if n_read == 0 {
            reader.end();
            is_over = true;
        } else {
            reader.feed(&buffer[..n_read])?;
        }
        while let Some(tree) = reader.next_command()? {
            let started = now();
            let response = script.execute(tree)?;
            if response == Response::Exit {
                return Ok(());
            }
            show(args, script, &response, started.elapsed()).map_err(Stop::Output)?;
        }
    }
    Ok(())
}

fn show(
    args: &SolveArgs,
    script: &Script,
    response: &Response,
    time: Duration,
) -> Result<(), io::Error> {
    match response {
        Response::Checked(check) => {
            if args.stats {
                ui::show_stats(check, time, script.n_terms());
            }
            if args.explain {
                ui::explain(check);
            }
            if args.json {
                ui::say(&ui::check_json(check, time))
            } else {
                ui::say(check.answer.word())
            }
        }
        Response::Text(text) if !args.json => ui::say(text),
        Response::Success if !args.json && script.prints_success() => ui::say("success"),
        Response::Text(_) | Response::Success | Response::Exit => Ok(()),
    }
}
