//! The clock as safety net: threads that cancel what takes too long, and a way out of what cannot be cancelled.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use symcrete_solve::{Cancel, Why};

/// How often it is looked whether somebody interrupted.
const WATCH_PERIOD: Duration = Duration::from_millis(20);
/// How long work that was cancelled may take to notice: it may have child processes to kill.
const NOTICE_PERIOD: Duration = Duration::from_millis(150);
/// Readers and compilers recurse over what they read.
const WORK_STACK_BYTES: usize = 64 << 20;

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

/// Ends work that reached its time limit or was interrupted: sets its cancel flag, and a plain one for
/// whatever cannot look at that. When this is dropped, nothing is set any more.
pub(crate) struct Deadline {
    done: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Deadline {
    /// From now on for so long.
    pub(crate) fn start(time: Duration, cancel: Cancel, stop: Arc<AtomicBool>) -> Deadline {
        let (done, ended) = mpsc::channel::<()>();
        let started = now();
        // No time is no time: the thread would come too late for what takes microseconds.
        if time.is_zero() {
            cancel.time_is_up();
            stop.store(true, Ordering::Relaxed);
        }
        let watch = move || {
            loop {
                let left = time.saturating_sub(started.elapsed());
                match ended.recv_timeout(left.min(WATCH_PERIOD)) {
                    Err(RecvTimeoutError::Timeout) => {}
                    Ok(()) | Err(RecvTimeoutError::Disconnected) => return,
                }
                if started.elapsed() >= time {
                    cancel.time_is_up();
                }
                if cancel.check().is_err() {
                    stop.store(true, Ordering::Relaxed);
                    return;
                }
            }
        };
        // Without the thread the work ends by its other limits.
        let thread = std::thread::Builder::new().name("deadline".to_owned()).spawn(watch).ok();
        Deadline { done: Some(done), thread }
    }
}

impl Drop for Deadline {
    fn drop(&mut self) {
        drop(self.done.take());
        // The thread has nothing to say, and sets no flag once it has ended.
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

/// Does work that cannot be cancelled on a thread of its own, and leaves it behind if it is cancelled: the process
/// is about to end, or can do without the result. `Err` says why.
pub(crate) fn unless_cancelled<T: Send + 'static>(
    cancel: &Cancel,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Why> {
    cancel.check()?;
    let (done, result) = mpsc::channel();
    let thread = std::thread::Builder::new()
        .name("work".to_owned())
        .stack_size(WORK_STACK_BYTES)
        // Nobody waits any more for work that was left behind.
        .spawn(move || drop(done.send(work())))
        .expect("a process that compiles can start threads");
    loop {
        let is_cancelled = cancel.check();
        let patience = if is_cancelled.is_ok() { WATCH_PERIOD } else { NOTICE_PERIOD };
        match result.recv_timeout(patience) {
            Ok(value) => return Ok(value),
            Err(RecvTimeoutError::Timeout) => is_cancelled?,
            Err(RecvTimeoutError::Disconnected) => match thread.join() {
                Err(panic) => std::panic::resume_unwind(panic),
                Ok(()) => unreachable!("work that ends has a result"),
            },
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "the binary is where the clock may be read")]
pub(crate) fn now() -> Instant {
    Instant::now()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Longer than any test waits.
    const FOR_EVER: Duration = Duration::from_secs(1_000_000);

    #[test]
    fn work_that_is_cancelled_is_left_behind() {
        let cancel = Cancel::new();
        let flag = cancel.clone();
        let endless = move || {
            flag.interrupt();
            loop {
                std::thread::park();
            }
        };
        assert_eq!(unless_cancelled::<()>(&cancel, endless), Err(Why::Interrupted));
        assert_eq!(unless_cancelled(&cancel, || 1), Err(Why::Interrupted), "not even begun");
    }

    #[test]
    fn work_that_notices_still_has_a_result() {
        let cancel = Cancel::new();
        let flag = cancel.clone();
        let work = move || {
            flag.time_is_up();
            7
        };
        assert_eq!(unless_cancelled(&cancel, work), Ok(7));
    }

    #[test]
    fn a_deadline_passes_on_what_cancels_the_work() {
        let (all, stop) = (Cancel::new(), Arc::new(AtomicBool::new(false)));
        let work = all.child();
        let deadline = Deadline::start(FOR_EVER, work.clone(), Arc::clone(&stop));
        all.interrupt();
        while !stop.load(Ordering::Relaxed) {
            std::thread::yield_now();
        }
        assert_eq!(work.check(), Err(Why::Interrupted));
        drop(deadline);
    }

    #[test]
    fn no_time_is_over_at_once_and_a_deadline_that_is_gone_sets_nothing() {
        let start = |time| {
            let (cancel, stop) = (Cancel::new(), Arc::new(AtomicBool::new(false)));
            drop(Deadline::start(time, cancel.clone(), Arc::clone(&stop)));
            (cancel.check(), stop.load(Ordering::Relaxed))
        };
        assert_eq!(start(Duration::ZERO), (Err(Why::OutOfTime), true));
        assert_eq!(start(FOR_EVER), (Ok(()), false));
    }
}
