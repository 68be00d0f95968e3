//! Reads C programs back from their debug information: types and functions against a snapshot, branches
//! against what the native compiler's coverage says.

#![expect(clippy::unwrap_used, reason = "all of this is a test")]

mod abi;
mod branches;
mod build;
mod coverage;
mod plain;
mod types;

use build::cases;
use libtest_mimic::{Arguments, Failed, Trial};
use std::path::Path;

fn main() {
    let mut trials = types::trials();
    trials.extend(branches::trials());
    trials.extend(plain::trials());
    trials.extend(abi::trials());
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

/// Compares with a file, or writes it when `BLESS` is set.
#[expect(clippy::disallowed_methods, reason = "a test reads and blesses its snapshots")]
fn compare(actual: &str, snapshot: &Path) -> Result<(), Failed> {
    if std::env::var("BLESS").is_ok() {
        std::fs::write(snapshot, actual).unwrap();
    }
    let expected = std::fs::read_to_string(snapshot).unwrap_or_default();
    let differs = |(a, e): &(&str, &str)| a != e;
    if actual == expected {
        return Ok(());
    }
    let line = actual.lines().zip(expected.lines()).position(|pair| differs(&pair));
    let line = line.unwrap_or(actual.lines().count().min(expected.lines().count()));
    let show = |text: &str| text.lines().nth(line).unwrap_or("(end)").to_owned();
    Err(Failed::from(format!(
        "{}:{}: expected\n  {}\nbut it is\n  {}\nBLESS=1 accepts",
        snapshot.display(),
        line + 1,
        show(&expected),
        show(actual)
    )))
}

fn trial(
    name: impl Into<String>,
    check: impl FnOnce() -> Result<(), Failed> + Send + 'static,
) -> Trial {
    Trial::test(name, check)
}
