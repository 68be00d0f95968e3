//! Runs official tests that lie in files, as `tests/exactness/spec.rs` runs those of its crate, and says what was skipped.
//!
//! `cargo run --example wast FILE...`

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a tool of developers"
)]
#![allow(dead_code, reason = "the tests use more of it")]

#[path = "../tests/exactness/differential.rs"]
mod differential;
#[path = "../tests/exactness/spec.rs"]
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
