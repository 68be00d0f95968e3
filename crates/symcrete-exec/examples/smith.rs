//! A long run of random modules, plain against instrumented:
//!
//! ```text
//! cargo run --release -p symcrete-exec --example smith -- SEED FIRST COUNT
//! ```

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command line tool")]
#![expect(clippy::unwrap_used, reason = "shares its checks with the tests")]

#[path = "../tests/exactness/differential.rs"]
mod differential;
#[path = "../tests/exactness/smith.rs"]
#[expect(dead_code, reason = "the trials are for the tests")]
mod smith;

use std::process::ExitCode;

fn main() -> ExitCode {
    let numbers: Vec<u64> = std::env::args().skip(1).filter_map(|arg| arg.parse().ok()).collect();
    let [seed, first, count] = numbers[..] else {
        eprintln!("usage: smith SEED FIRST COUNT");
        return ExitCode::from(2);
    };
    let mut all = smith::Tally::default();
    let mut failures = 0;
    for number in first..first + count {
        match smith::check(seed, number) {
            Ok(tally) => all.add(tally),
            Err(message) => {
                failures += 1;
                println!("seed {seed} module {number}: {message}");
            }
        }
        if (number - first) % 1000 == 999 {
            println!("{} done: {all:?}, {failures} failures", number - first + 1);
        }
    }
    println!("seed {seed}, modules {first}..{}: {all:?}, {failures} failures", first + count);
    if failures == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
