//! The clock as safety net: a thread that cancels the question whose time is up.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};
use symcrete_solve::Cancel;

/// Watches one question at a time.
pub(crate) struct Watchdog {
    questions: mpsc::Sender<Cancel>,
}

impl Watchdog {
    /// Every question gets that much time.
    pub(crate) fn start(time_max: Duration) -> Watchdog {
        let (questions, arrivals) = mpsc::channel();
        let watch = move || {
            let mut current: Option<(Instant, Cancel)> = None;
            loop {
                let arrival = match &current {
                    None => arrivals.recv().map_err(|_| RecvTimeoutError::Disconnected),
                    Some((deadline, _)) => {
                        arrivals.recv_timeout(deadline.saturating_duration_since(now()))
                    }
                };
                match arrival {
                    Ok(cancel) => current = Some((now() + time_max, cancel)),
                    Err(RecvTimeoutError::Timeout) => {
                        if let Some((_, cancel)) = current.take() {
                            cancel.time_is_up();
                        }
                    }
                    Err(RecvTimeoutError::Disconnected) => return,
                }
            }
        };
        let thread = std::thread::Builder::new().name("watchdog".to_owned());
        // Without the thread the limits of the solver processes still hold.
        let _ = thread.spawn(watch);
        Watchdog { questions }
    }

    /// Watches the next question instead of the last one.
    pub(crate) fn watch(&self, cancel: Cancel) {
        // Fails only without the thread.
        let _ = self.questions.send(cancel);
    }
}

#[expect(clippy::disallowed_methods, reason = "the binary is where the clock may be read")]
pub(crate) fn now() -> Instant {
    Instant::now()
}
