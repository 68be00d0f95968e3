//! The inner side of the sandbox: `symcrete __contained`, which only we start ([`crate::native`]).
//!
//! Between fork and exec little may be done safely, so we start ourselves instead, build the walls around us with
//! safe calls, and start the program inside them:
//!
//! - the *outer* process leaves the terminal's session, enters new namespaces, arranges the mounts, and waits;
//! - the *keeper* is the first process of the new PID namespace. It takes on limits and Landlock's rules, starts the
//!   program, and waits for its end, for the end of its time, or for ours. With the keeper every process of the
//!   namespace ends. Where there is no namespace, the outer process is the keeper and ends all descendants itself.
//!
//! What happened goes back through standard input, which is the end of a pipe that is written to ([`Report`]): it is
//! the one descriptor that the program does not inherit. When that pipe has no reader any more we are dead, and the
//! keeper ends.

mod keeper;
mod landlocked;
mod limits;
mod mounts;
mod namespaces;
mod report;

pub(crate) use report::{Report, Stage};

use clap::Args;
use std::ffi::OsString;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

/// The name of the hidden command.
pub(crate) const COMMAND: &str = "__contained";
/// The user that tests run as where we are the administrator: nobody, on every system.
pub(crate) const NOBODY: u32 = 65534;

/// Something that can be between a program and the rest of the machine.
#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Wall {
    /// Its own processes and network: namespaces.
    Namespaces,
    /// Another user than the administrator.
    OtherUser,
    /// A read-only file system with its own `/tmp`.
    Mounts,
    /// Landlock: writes below the scratch folder only.
    Landlock,
}

/// What is contained, and how.
#[derive(Args, Debug)]
pub(crate) struct ContainedArgs {
    /// Whether this is the keeper in namespaces that were entered already.
    #[arg(long)]
    pub(crate) keeper: bool,

    /// What to put around the program.
    #[arg(long)]
    pub(crate) wall: Vec<Wall>,

    /// The folder that the program may write to.
    #[arg(long)]
    pub(crate) scratch: Option<PathBuf>,

    /// How long it may run, in milliseconds.
    #[arg(long)]
    pub(crate) time_ms: u64,

    /// Whether there are limits on what it uses.
    #[arg(long)]
    pub(crate) limited: bool,

    /// The most memory of one process, in bytes; 0: no limit.
    #[arg(long, default_value_t = 0)]
    pub(crate) memory: u64,

    /// The program with its arguments.
    #[arg(last = true, required = true)]
    pub(crate) program: Vec<OsString>,
}

impl ContainedArgs {
    fn has(&self, wall: Wall) -> bool {
        self.wall.contains(&wall)
    }
}

/// Runs the command. Nobody reads the exit code; what happened is in the report.
pub(crate) fn run(args: &ContainedArgs) -> ExitCode {
    let ended = match args.keeper {
        true => keeper::keep(args),
        false => outer(args),
    };
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err((stage, error)) => {
            report::send(&Report::Failed(stage, error.to_string()));
            ExitCode::FAILURE
        }
    }
}

/// What could not be done, and why.
type Stopped = (Stage, io::Error);

fn at(stage: Stage) -> impl Fn(io::Error) -> Stopped {
    move |error| (stage, error)
}

fn outer(args: &ContainedArgs) -> Result<(), Stopped> {
    // Fails only if we lead a process group already; a terminal's signals are for the one who started us.
    let _ = rustix::process::setsid();
    if !args.has(Wall::Namespaces) {
        return keeper::keep(args);
    }
    // The first to go when memory is short. Without it somebody else may be.
    let _ = limits::prefer_to_be_killed();
    namespaces::enter(args.has(Wall::OtherUser)).map_err(at(Stage::Wall(Wall::Namespaces)))?;
    if args.has(Wall::Mounts) {
        mounts::arrange(args.scratch.as_deref()).map_err(at(Stage::Wall(Wall::Mounts)))?;
        // For its own `/proc`; without that, the old one still has what a program asks of itself.
        let _ = namespaces::keep_mounting_rights();
    }
    let status = keeper_command().status().map_err(at(Stage::Wall(Wall::Namespaces)))?;
    match (status.success(), status.signal()) {
        (true, _) => Ok(()),
        (false, Some(signal)) => {
            let error = io::Error::other(format!("the keeper ended by signal {signal}"));
            Err((Stage::Program, error))
        }
        // It has said why.
        (false, None) => Ok(()),
    }
}

/// Ourselves once more, with the same arguments.
#[expect(clippy::disallowed_methods, reason = "the sandbox starts itself")]
fn keeper_command() -> Command {
    let mut command = Command::new("/proc/self/exe");
    let words = std::env::args_os().skip(2);
    command.arg(COMMAND).arg("--keeper").args(words);
    command
}
