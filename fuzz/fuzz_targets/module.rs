//! Any bytes as a module: refused with a message, or prepared for both engines.

#![no_main]

use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;
use symcrete_exec::fast::FastMachine;
use symcrete_exec::{Config, Engine, Limits};

const LIMITS: Limits = Limits { memory_bytes: 1 << 24, instances: 2, ..Limits::STANDARD };

static ENGINE: LazyLock<Engine> =
    LazyLock::new(|| Engine::new(LIMITS).expect("the machine has room for two instances"));

fuzz_target!(|bytes: &[u8]| {
    let config = Config::standard();
    let prepared = ENGINE.prepare(bytes, &config);
    let machine = FastMachine::prepare(bytes, &config, &LIMITS, 0, &[]);
    // What the one refuses the other does too; the fast machine refuses more.
    assert!(prepared.is_ok() || machine.is_err(), "only the fast machine accepts this module");
});
