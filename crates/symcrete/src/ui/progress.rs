//! How far things are: a line that changes on a terminal, a line now and then elsewhere.

use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use symcrete_explore::Stats;

/// Time between two lines where there is no terminal.
const LINE_PERIOD: Duration = Duration::from_secs(10);
/// Time between two drawings of the line on a terminal, also while nothing is heard.
const DRAW_PERIOD: Duration = Duration::from_millis(100);

/// Shows progress on stderr.
pub(crate) struct Progress {
    bar: Option<ProgressBar>,
    last_line: Mutex<Instant>,
    n_functions: usize,
    n_done: AtomicUsize,
}

impl Progress {
    /// Starts showing how so many functions are explored.
    pub(crate) fn start(n_functions: usize) -> Progress {
        let bar = std::io::stderr().is_terminal().then(|| {
            let style = ProgressStyle::with_template("{spinner} {elapsed} {wide_msg}");
            let bar = ProgressBar::new_spinner()
                .with_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
            bar.enable_steady_tick(DRAW_PERIOD);
            bar
        });
        let last_line = Mutex::new(crate::watchdog::now());
        Progress { bar, last_line, n_functions, n_done: AtomicUsize::new(0) }
    }

    /// Shows how far one function is, after so much time.
    pub(crate) fn show(
        &self,
        function: &str,
        stats: &Stats,
        time: Duration,
        (covered, all): (usize, usize),
    ) {
        let line = || {
            let runs = stats.executions + stats.burst_runs;
            let rate = runs as f64 / time.as_secs_f64().max(0.001);
            let which = match self.n_functions {
                1 => String::new(),
                n => format!("[{} of {n} done] ", self.n_done.load(Ordering::Relaxed)),
            };
            format!(
                "{which}{function}: {covered} of {all} branch sides, {} paths, {} queries, {rate:.0} runs/s",
                stats.executions, stats.queries,
            )
        };
        self.put(line);
    }

    /// Shows a line, if it is time for one.
    fn put(&self, line: impl Fn() -> String) {
        match &self.bar {
            Some(bar) => bar.set_message(line()),
            None => {
                let Ok(mut last) = self.last_line.try_lock() else { return };
                if last.elapsed() >= LINE_PERIOD {
                    super::tell(&line());
                    *last = crate::watchdog::now();
                }
            }
        }
    }

    /// One more function is done.
    pub(crate) fn done(&self) {
        self.n_done.fetch_add(1, Ordering::Relaxed);
    }

    /// Shows how much of some other work is done.
    pub(crate) fn meter(&self, what: &'static str, n_all: usize) -> Meter<'_> {
        let meter = Meter { progress: self, what, n_all, n_done: AtomicUsize::new(0) };
        meter.show(0);
        meter
    }

    /// Takes the line off the terminal.
    pub(crate) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// Counts work that is done.
pub(crate) struct Meter<'a> {
    progress: &'a Progress,
    what: &'static str,
    n_all: usize,
    n_done: AtomicUsize,
}

impl Meter<'_> {
    /// Does one part of the work, and counts it.
    pub(crate) fn count<R>(&self, work: impl FnOnce() -> R) -> R {
        let result = work();
        self.show(self.n_done.fetch_add(1, Ordering::Relaxed) + 1);
        result
    }

    fn show(&self, n_done: usize) {
        self.progress.put(|| format!("{}: {n_done} of {}", self.what, self.n_all));
    }
}
