//! What Ctrl-C and `kill` do: end us at once, or let a search write down what it has.

use std::sync::{Mutex, MutexGuard, PoisonError};
use symcrete_solve::Cancel;

/// What shells expect of a program that an interrupt ended.
pub(crate) const INTERRUPTED: u8 = 130;

/// The flag of the search that is going on.
static SEARCH: Mutex<Option<Cancel>> = Mutex::new(None);

/// While this lives, the first interrupt sets its flag instead of ending us.
pub(crate) struct Graceful {
    /// Set by an interrupt.
    pub(crate) cancel: Cancel,
}

impl Graceful {
    /// From now on.
    pub(crate) fn start() -> Graceful {
        let cancel = Cancel::new();
        *search() = Some(cancel.clone());
        Graceful { cancel }
    }
}

impl Drop for Graceful {
    fn drop(&mut self) {
        *search() = None;
    }
}

/// Child processes ask the kernel to end them with us, so there is nothing to clean up.
pub(crate) fn install() {
    let on_interrupt = || match search().take() {
        Some(cancel) => {
            crate::ui::tell("interrupted: writing what was found; once more to stop at once");
            cancel.interrupt();
        }
        None => std::process::exit(i32::from(INTERRUPTED)),
    };
    if let Err(error) = ctrlc::set_handler(on_interrupt) {
        tracing::warn!(%error, "an interrupt will end us less gracefully");
    }
}

fn search() -> MutexGuard<'static, Option<Cancel>> {
    SEARCH.lock().unwrap_or_else(PoisonError::into_inner)
}
