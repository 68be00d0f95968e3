//! Runs official tests that lie in files, as `tests/exactness/spec.rs` runs those of its crate, and says what was skipped:
//!
//! ```text
//! cargo run -p symcrete-exec --example wast -- FILE...
//! ```

#![expect(clippy::print_stdout, clippy::disallowed_methods, reason = "a command line tool")]
#![expect(clippy::unwrap_used, reason = "shares its checks with the tests")]

#[path = "../tests/exactness/differential.rs"]
#[expect(dead_code, reason = "other tests use more of it")]
mod differential;
#[path = "../tests/exactness/spec.rs"]
#[expect(dead_code, reason = "the trials are for the tests")]
mod spec;

fn main() {
    for file in std::env::args().skip(1) {
        let text = std::fs::read_to_string(&file).unwrap();
        for symbolic in [false, true] {
            let ended = spec::run(&text, symbolic);
            println!("{file} {}: {ended:?}", if symbolic { "symbolic" } else { "concrete" });
        }
    }
}
