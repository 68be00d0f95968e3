//! How far things are: a line that changes on a terminal, a line now and then elsewhere.

use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::sync::Mutex;
use std::time::{Duration, Instant};
use symcrete_explore::Stats;

/// Time between two lines where there is no terminal.
const LINE_PERIOD: Duration = Duration::from_secs(10);

/// Shows progress on stderr.
pub(crate) struct Progress {
    bar: Option<ProgressBar>,
    started: Instant,
    last_line: Mutex<Instant>,
}

impl Progress {
    /// Starts showing.
    pub(crate) fn start(_json: bool) -> Progress {
        let bar = std::io::stderr().is_terminal().then(|| {
            let style = ProgressStyle::with_template("{spinner} {msg}");
            ProgressBar::new_spinner()
                .with_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()))
        });
        let now = crate::watchdog::now();
        Progress { bar, started: now, last_line: Mutex::new(now) }
    }

    /// Shows how far one function is.
    pub(crate) fn show(
        &self,
        function: &str,
        stats: &Stats,
        solver_calls: u64,
        (covered, all): (usize, usize),
    ) {
        let line = || {
            let runs = stats.executions + stats.burst_runs;
            let seconds = self.started.elapsed().as_secs_f64().max(0.001);
            format!(
                "{function}: {covered}/{all} branch sides, {} paths, {:.0} runs/s, {solver_calls} solver calls",
                stats.executions,
                runs as f64 / seconds,
            )
        };
        match &self.bar {
            Some(bar) => {
                bar.set_message(line());
                bar.tick();
            }
            None => {
                let Ok(mut last) = self.last_line.try_lock() else { return };
                if last.elapsed() >= LINE_PERIOD {
                    super::tell(&line());
                    *last = crate::watchdog::now();
                }
            }
        }
    }

    /// Takes the line off the terminal.
    pub(crate) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
