//! The engine against plain Wasmtime: same results and traps, and every recorded term and constraint
//! true on the input that was run.

#![expect(clippy::unwrap_used, reason = "all of this is test code")]

mod behaviour;
mod differential;
mod directions;
mod fast;
mod floats;
mod forms;
mod images;
mod inlined;
mod libraries;
mod long;
mod polarity;
mod smith;
mod spec;
mod stored;
mod sums;
mod ties;
mod versions;
mod wide;

use libtest_mimic::{Arguments, Trial};

fn main() {
    let arguments = Arguments::from_args();
    let mut trials: Vec<Trial> = Vec::new();
    trials.extend(behaviour::trials());
    trials.extend(directions::trials());
    trials.extend(fast::trials());
    trials.extend(floats::trials());
    trials.extend(images::trials());
    trials.extend(inlined::trials());
    trials.extend(spec::trials());
    trials.extend(stored::trials());
    trials.extend(sums::trials());
    trials.extend(ties::trials());
    trials.extend(smith::trials());
    trials.extend(libraries::trials());
    trials.extend(long::trials());
    trials.extend(polarity::trials());
    trials.extend(forms::trials());
    trials.extend(versions::trials());
    trials.extend(wide::trials());
    libtest_mimic::run(&arguments, trials).exit();
}
