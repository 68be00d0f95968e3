//! Random modules, plain against instrumented. The bytes are what wasm-smith makes a module of; its options
//! and the arguments of calls follow from their first eight.

#![no_main]

#[path = "../../crates/symcrete-exec/tests/exactness/differential.rs"]
mod differential;
#[path = "../../crates/symcrete-exec/tests/exactness/smith.rs"]
#[expect(dead_code, reason = "shared with the tests, which use all of it")]
mod smith;

use libfuzzer_sys::{Corpus, fuzz_target};
use symcrete_term::Seed;

fuzz_target!(|bytes: &[u8]| -> Corpus {
    let Some((seed, bytes)) = bytes.split_first_chunk::<8>() else { return Corpus::Reject };
    let mut rng = Seed(u64::from_le_bytes(*seed)).rng();
    let Ok(wasm) = smith::generate_from(&mut rng, bytes, seed[0] % 2 == 1) else { return Corpus::Reject };
    if let Err(message) = smith::check_module(&wasm, &mut rng) {
        panic!("{message}");
    }
    Corpus::Keep
});
