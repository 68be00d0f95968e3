//! What Ctrl-C and `kill` do: end us at once, or let a search write down what it has.

use std::sync::{Mutex, MutexGuard, PoisonError};
use symcrete_solve::Cancel;

/// What shells expect of a program that an interrupt ended.
pub(crate) const INTERRUPTED: u8 = 130;

/// What is going on, if an interrupt shall not end us at once.
static SEARCH: Mutex<Option<Search>> = Mutex::new(None);

/// While this lives, the first interrupt sets its flag instead of ending us.
pub(crate) struct Graceful {
    /// Set by an interrupt.
    pub(crate) cancel: Cancel,
}

/// What is going on.
struct Search {
    cancel: Cancel,
    /// What is done after an interrupt, in words.
    then: &'static str,
}

impl Graceful {
    /// From now on; after an interrupt we do what these words say.
    pub(crate) fn start(then: &'static str) -> Graceful {
        let cancel = Cancel::new();
        *search() = Some(Search { cancel: cancel.clone(), then });
        Graceful { cancel }
    }

    /// The same, unless something is going on that an interrupt does not end at once: then that goes on.
    pub(crate) fn unless_started(then: &'static str) -> Option<Graceful> {
        let is_started = search().is_some();
        (!is_started).then(|| Graceful::start(then))
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
        Some(Search { cancel, then }) => {
            crate::ui::tell(&format!("interrupted: {then}; once more to stop at once"));
            cancel.interrupt();
        }
        None => std::process::exit(i32::from(INTERRUPTED)),
    };
    if let Err(error) = ctrlc::set_handler(on_interrupt) {
        tracing::warn!(%error, "an interrupt will end us less gracefully");
    }
}

fn search() -> MutexGuard<'static, Option<Search>> {
    SEARCH.lock().unwrap_or_else(PoisonError::into_inner)
}
