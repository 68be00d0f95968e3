//! The tests of reached targets, written and run on this machine as `gen` does.

use super::entries::Entries;
use super::report::Answer;
use crate::args::{Command, CommandLine, GenArgs, ReachArgs, ShapeArgs, SourceArgs};
use crate::failure::Failure;
use crate::r#gen::native_tools;
use crate::r#gen::output::Folder;
use crate::native::{self, TimeLimits};
use clap::Parser;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;
use symcrete_emit::native::NativeReport;
use symcrete_program::{Ended, Program, Suite, TestCase};
use symcrete_reach::Outcome;

/// Writes the tests to a folder, compiles and runs them; `None` if there are none or no compiler.
pub(super) fn prove(
    (args, source): (&ReachArgs, &SourceArgs),
    (program, flags): (&Program, &[String]),
    entries: &Entries,
    answers: &[Answer<'_>],
) -> Result<Option<NativeReport>, Failure> {
    let mut tests: BTreeMap<u32, Vec<TestCase>> = BTreeMap::new();
    for answer in answers {
        if let (Outcome::Reached(reached), Some(test)) = (&answer.outcome, &answer.test) {
            tests.entry(reached.entry).or_default().push(test.clone());
        }
    }
    let scratch = tempfile::tempdir()
        .map_err(|source| Failure::Unwritable { file: std::env::temp_dir(), source })?;
    let out = args.out.clone().unwrap_or_else(|| scratch.path().join("tests"));
    if tests.is_empty() || (args.no_native && args.out.is_none()) {
        return Ok(None);
    }
    let gen_args = gen_args(args, source, &out);
    let tools = native_tools(&gen_args, program)?;
    let folder = Folder::open(&gen_args, program, flags)?;
    for (entry, tests) in tests {
        let Some((unit, shape)) = entries.unit(entry) else { continue };
        // No goals: it was about these targets only.
        let suite = Suite { tests, ended: Some(Ended::Covered), ..Suite::default() };
        folder.finish_unit(*unit, shape, &suite);
    }
    folder.failure()?;
    let Some((tools, sandbox)) = tools else { return Ok(None) };
    let limits = TimeLimits { test: Duration::from_secs_f64(gen_args.native_time), end: None };
    native::prove_folder(folder.path(), &tools, &sandbox, limits).map(Some)
}

/// The arguments of a `gen` that would write these tests.
fn gen_args(args: &ReachArgs, source: &SourceArgs, out: &Path) -> GenArgs {
    let words = ["symcrete", "gen", "-"];
    let Command::Gen(defaults) = CommandLine::parse_from(words).command else {
        unreachable!("the words say `gen`")
    };
    GenArgs {
        source: source.clone(),
        shape: ShapeArgs {
            length: args.shape.length,
            pointer_depth: args.shape.pointer_depth,
            globals: args.shape.globals,
        },
        out: out.to_owned(),
        no_native: args.no_native,
        cc: args.cc.clone(),
        ..*defaults
    }
}
