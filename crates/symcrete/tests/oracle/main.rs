//! The oracle: random C functions, all of whose claims are compared with native runs.
//!
//! Each trial is a file of functions. `gen` writes its suite; then the same file, with every condition marked, is
//! compiled for this machine, its functions are called with many inputs, states and environments, and its tests are
//! run one by one. A side that a native call takes must not be called infeasible, a side that is called covered must be taken by
//! a test, and a test takes what was recorded for it.
//!
//! `SYMCRETE_ORACLE_FUNCTIONS=10000 SYMCRETE_ORACLE_SEED=1 cargo test --release -p symcrete --test oracle` runs more;
//! `SYMCRETE_ORACLE_FROM=5000` leaves out as many of them, which another machine or session has run.

mod check;
mod native;
mod page;
mod parameters;
mod writer;

use check::Tally;
use libtest_mimic::{Arguments, Failed, Trial};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use symcrete_term::Seed;

/// Functions of one file.
const FUNCTIONS_OF_A_FILE: usize = 10;
/// Functions if nobody asks for more.
const FUNCTIONS: u64 = 300;
/// One file in so many is tried backward too. It would close what forward exploration claims, takes most of the time, and
/// has an oracle of its own (`tests/reach`).
const BACKWARD_TURN: u64 = 16;

/// What `gen` may do for each function of a file. Every other file goes without bursts, which would find by trying what
/// nothing should be claimed of.
fn effort(i: u64) -> Vec<&'static str> {
    let mut words = vec!["--time", "20", "--iterations", "60"];
    if !i.is_multiple_of(BACKWARD_TURN) {
        words.push("--no-backward");
    }
    if !i.is_multiple_of(2) {
        words.extend(["--without", "bursts"]);
    }
    words
}

#[expect(clippy::disallowed_methods, reason = "how much a test does is for the caller to say")]
fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

#[expect(clippy::print_stdout, reason = "the numbers are what a long run is for")]
fn main() {
    let n_files =
        number("SYMCRETE_ORACLE_FUNCTIONS", FUNCTIONS).div_ceil(FUNCTIONS_OF_A_FILE as u64);
    let n_before = number("SYMCRETE_ORACLE_FROM", 0).div_ceil(FUNCTIONS_OF_A_FILE as u64);
    let seed = number("SYMCRETE_ORACLE_SEED", 1);
    let keeps = number("SYMCRETE_ORACLE_KEEP", 0) != 0;
    let total = Arc::new(Mutex::new(Tally::default()));
    // What every program is linked with is compiled once.
    let cache = Arc::new(tempfile::tempdir().expect("a temporary folder"));
    let trial = |i: u64| {
        let (total, cache) = (Arc::clone(&total), Arc::clone(&cache));
        Trial::test(format!("seed {seed}, file {i}"), move || {
            one_file(seed, i, keeps, cache.path(), &total)
        })
    };
    let conclusion =
        libtest_mimic::run(&Arguments::from_args(), (n_before..n_files).map(trial).collect());
    let total = total.lock().unwrap_or_else(PoisonError::into_inner);
    let Tally { functions, not_tested, tests, sides, covered, .. } = &*total;
    let Tally { infeasible, within_bounds, open, open_but_taken, wrong, .. } = &*total;
    println!(
        "{functions} functions ({not_tested} that cannot be tested), {tests} tests, {sides} sides: {covered} covered, {infeasible} infeasible, \
         {within_bounds} within bounds, {open} open ({open_but_taken} of them taken natively); {} wrong claims",
        wrong.len()
    );
    // `exit` runs no destructors.
    drop(cache);
    conclusion.exit();
}

fn one_file(
    seed: u64,
    i: u64,
    keeps: bool,
    cache: &Path,
    total: &Mutex<Tally>,
) -> Result<(), Failed> {
    let file = writer::file(Seed(seed).derive("oracle").derive_number(i), FUNCTIONS_OF_A_FILE);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let tally = check::check(&file, folder.path(), cache, &effort(i));
    total.lock().unwrap_or_else(PoisonError::into_inner).add(&tally);
    if tally.wrong.is_empty() {
        return Ok(());
    }
    let mut message = tally.wrong.join("\n");
    if keeps {
        message.push_str(&format!("\nin {}", folder.keep().display()));
    }
    Err(message.into())
}
