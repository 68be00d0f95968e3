//! How long a whole call may take, and how its functions share that.
//!
//! `--time` is for the search of one function. `--total-time` is for all: compiling, every search, and the native proof.

use super::Prepared;
use crate::args::{GenArgs, SourceArgs};
use crate::failure::Failure;
use crate::jobs::n_cores;
use crate::load::{self, Additions, Loaded};
use crate::watchdog::{Deadline, now, unless_cancelled};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use symcrete_program::cfg::{CallGraph, Cfg, CfgError, FlowGraph, ModuleView};
use symcrete_program::frontend::FrontendError;
use symcrete_program::runtime::INITIALISER;
use symcrete_program::{Program, TimeLimit};
use symcrete_solve::{Cancel, Why};

/// What is kept of the time for all for the native proof: a part of it, or what so many functions need on one core.
/// Failures are compiled with sanitizers and run one by one: a tenth left those of one function unchecked.
const PROOF_SHARE: u32 = 5;
const PROOF_OF_FUNCTION: Duration = Duration::from_millis(500);
/// But no more than this part.
const PROOF_SHARE_MAX: u32 = 3;
/// What comes after a search, so that its results are small and pleasant, may take this part of its time, and a bit: half a second, or
/// half of what is left of a time that is shorter than two of these.
const TIDYING_SHARE: u32 = 10;
const TIDYING_LEAST: Duration = Duration::from_millis(500);
/// First looks at several functions have this part of the time: what one of them finds helps others.
const FIRST_LOOK: u32 = 2;
/// As good as for ever, and no clock overflows.
const UNLIMITED: Duration = Duration::from_secs(365 * 24 * 3600);

/// The limit of one call. While it lives, the end of its time cancels everything.
pub(super) struct CallLimit {
    total: Option<Duration>,
    end: Option<Instant>,
    /// Set when the call is cancelled, for whoever cannot look at that.
    stop: Arc<AtomicBool>,
    _deadline: Deadline,
}

impl CallLimit {
    /// Time runs from now on.
    pub(super) fn start(seconds: Option<f64>, cancel: &Cancel) -> CallLimit {
        let total = seconds.map(Duration::from_secs_f64);
        let stop = Arc::new(AtomicBool::new(false));
        let time = total.unwrap_or(UNLIMITED);
        let _deadline = Deadline::start(time, cancel.clone(), Arc::clone(&stop));
        CallLimit { total, end: total.map(|total| now() + total), stop, _deadline }
    }

    /// Compiles or reads the files.
    pub(super) fn load(
        &self,
        args: &SourceArgs,
        additions: Additions,
        cancel: &Cancel,
    ) -> Result<Loaded, Failure> {
        let (args, stop) = (args.clone(), Arc::clone(&self.stop));
        let loaded = unless_cancelled(cancel, move || load::load_with(&args, additions, stop));
        match loaded {
            Err(why) => Err(stopped(&why)),
            Ok(Err(Failure::Frontend(FrontendError::Stopped))) => {
                Err(stopped(&cancel.check().err().unwrap_or(Why::Interrupted)))
            }
            Ok(loaded) => loaded,
        }
    }

    /// Makes of a program what exploration needs.
    pub(super) fn prepare(
        &self,
        program: &Arc<Program>,
        args: &SourceArgs,
        cancel: &Cancel,
    ) -> Result<Prepared, Failure> {
        let (program, args) = (Arc::clone(program), args.clone());
        unless_cancelled(cancel, move || prepare(&program, &args)).map_err(|why| stopped(&why))?
    }

    /// When its time limit is reached; `None` if there is no limit.
    pub(super) fn end(&self) -> Option<Instant> {
        self.end
    }

    /// The shares of functions, of which there are so many.
    pub(super) fn shares(&self, args: &GenArgs, n_functions: usize) -> Shares {
        let is_proved = !args.no_native && !args.no_out;
        let n_workers = args.jobs.unwrap_or_else(n_cores).max(1);
        let total = self.total.filter(|_| is_proved);
        let kept = total.map_or(Duration::ZERO, |all| kept(all, n_functions, n_workers));
        let end = self.end.map(|end| end - kept);
        Shares {
            each: Duration::from_secs_f64(args.time),
            end,
            first_end: end.map(|end| first_end(now(), end, n_functions)),
            n_workers,
            n_functions,
            n_left: AtomicUsize::new(n_functions),
            second: Mutex::default(),
        }
    }
}

/// Ends a call that has nothing to show yet.
fn stopped(why: &Why) -> Failure {
    if *why == Why::OutOfTime {
        Failure::TimeIsUp
    } else {
        Failure::Interrupted { can_resume: false }
    }
}

fn prepare(program: &Program, args: &SourceArgs) -> Result<Prepared, Failure> {
    let unreadable = |error: CfgError| Failure::Usage { message: error.to_string() };
    let executable = load::prepare(program, args)?;
    let config = load::config(program, args)?;
    let view = ModuleView::parse(&program.wasm).map_err(unreadable)?;
    let cfg = Cfg::of_module(&view).map_err(unreadable)?;
    let before = view.exported_function(INITIALISER).into_iter().collect();
    let (flow, calls) = (FlowGraph::of(&view, &cfg), CallGraph::of(&view, &cfg));
    Ok(Prepared { executable, config, before, flow, calls })
}

/// How the functions of a call share its time. Where there are several, each has a first look, and what is left of the
/// time goes to second looks, by how much they may find.
pub(crate) struct Shares {
    /// The most that one may have.
    each: Duration,
    /// When all shall be done.
    end: Option<Instant>,
    /// When first looks shall be done.
    first_end: Option<Instant>,
    n_workers: usize,
    n_functions: usize,
    /// Functions that have not begun.
    n_left: AtomicUsize,
    /// Second looks that have not begun.
    second: Mutex<SecondLooks>,
}

/// Second looks that have not begun: how many, and how much they may find together.
#[derive(Clone, Copy, Default)]
struct SecondLooks {
    n_left: usize,
    weight: u64,
}

/// How long one search may take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Allowance {
    pub(super) time: Duration,
    /// Which limit that follows from.
    pub(super) limit: TimeLimit,
}

impl Shares {
    /// Whether no further function can begin: what is left is for the native proof of those that have.
    pub(super) fn is_over(&self) -> bool {
        let is_any_begun = self.n_left.load(Ordering::Relaxed) < self.n_functions;
        is_any_begun && self.end.is_some_and(|end| now() >= end)
    }

    /// Whether a function is looked at twice. One alone is not: nothing can be learnt from others.
    pub(super) fn has_second_looks(&self) -> bool {
        self.n_functions > 1
    }

    /// The time for the first look at the function that begins now. What follows it ([`tidying`]) has its place beside it.
    pub(super) fn for_first_look(&self) -> Allowance {
        let n_left = self.n_left.fetch_sub(1, Ordering::Relaxed);
        let each = if self.has_second_looks() { self.each / FIRST_LOOK } else { self.each };
        self.allowance(each, self.first_end, |left| share(left, n_left, self.n_workers))
    }

    /// Says of all second looks how much they may find.
    pub(super) fn begin_second_looks(&self, weights: &[u64]) {
        let all = SecondLooks { n_left: weights.len(), weight: weights.iter().sum() };
        *self.second.lock().unwrap_or_else(PoisonError::into_inner) = all;
    }

    /// The time for the second look at a function of that weight, which had so much time before.
    pub(super) fn for_second_look(&self, weight: u64, before: Duration) -> Allowance {
        let mut second = self.second.lock().unwrap_or_else(PoisonError::into_inner);
        let SecondLooks { n_left, weight: all } = *second;
        *second =
            SecondLooks { n_left: n_left.saturating_sub(1), weight: all.saturating_sub(weight) };
        drop(second);
        let at_a_time = self.n_workers.min(n_left.max(1)) as f64;
        let part = (weight as f64 / all.max(1) as f64 * at_a_time).min(1.0);
        self.allowance(self.each.saturating_sub(before), self.end, |left| left.mul_f64(part))
    }

    /// A part of the time that is left until then, but no more than a function may have.
    fn allowance(
        &self,
        each: Duration,
        end: Option<Instant>,
        part: impl Fn(Duration) -> Duration,
    ) -> Allowance {
        let part = end.map(|end| search(part(end.saturating_duration_since(now()))));
        match part.filter(|part| *part < each) {
            Some(time) => Allowance { time, limit: TimeLimit::All },
            None => Allowance { time: each, limit: TimeLimit::Unit },
        }
    }
}

/// When first looks shall be done, if all begins now.
fn first_end(begin: Instant, end: Instant, n_functions: usize) -> Instant {
    let all = end.saturating_duration_since(begin);
    if n_functions > 1 { begin + all / FIRST_LOOK } else { end }
}

/// The part of the time for all that the native proof of so many functions has.
fn kept(all: Duration, n_functions: usize, n_workers: usize) -> Duration {
    let needed = PROOF_OF_FUNCTION.mul_f64(n_functions as f64 / n_workers as f64);
    needed.max(all / PROOF_SHARE).min(all / PROOF_SHARE_MAX)
}

/// How long it may take to tidy up after a search of that time.
pub(super) fn tidying(search: Duration) -> Duration {
    let part = search / TIDYING_SHARE;
    part + TIDYING_LEAST.min(search + part)
}

/// The search that, with tidying up, takes so long.
fn search(all: Duration) -> Duration {
    (all - TIDYING_LEAST.min(all / 2)) * TIDYING_SHARE / (TIDYING_SHARE + 1)
}

/// An equal share of the remaining time, given that several functions are explored at a time.
fn share(left: Duration, n_functions: usize, n_workers: usize) -> Duration {
    let n_functions = n_functions.max(1);
    let at_a_time = n_workers.min(n_functions);
    left.mul_f64(at_a_time as f64 / n_functions as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_share_what_is_left() {
        let seconds = Duration::from_secs;
        assert_eq!(share(seconds(60), 6, 1), seconds(10));
        assert_eq!(share(seconds(60), 6, 2), seconds(20), "two at a time");
        assert_eq!(share(seconds(60), 1, 2), seconds(60), "the last one works alone");
        assert_eq!(share(Duration::ZERO, 3, 2), Duration::ZERO);
    }

    fn shares(n_functions: usize, each: u64, end: Option<Instant>) -> Shares {
        Shares {
            each: Duration::from_secs(each),
            end,
            first_end: end.map(|end| first_end(now(), end, n_functions)),
            n_workers: 1,
            n_functions,
            n_left: AtomicUsize::new(n_functions),
            second: Mutex::default(),
        }
    }

    #[test]
    fn only_the_first_function_begins_when_time_is_up() {
        let late = shares(3, 60, Some(now()));
        assert!(!late.is_over());
        let none = Allowance { time: Duration::ZERO, limit: TimeLimit::All };
        assert_eq!(late.for_first_look(), none);
        assert!(late.is_over());
        let unlimited = shares(3, 60, None);
        let half = Allowance { time: Duration::from_secs(30), limit: TimeLimit::Unit };
        assert_eq!(unlimited.for_first_look(), half);
        assert_eq!(unlimited.for_second_look(1, half.time), half);
        assert!(!unlimited.is_over());
    }

    #[test]
    fn second_looks_share_the_time_by_what_they_may_find() {
        let shares = shares(3, 10_000, Some(now() + Duration::from_secs(1000)));
        shares.begin_second_looks(&[30, 10]);
        let [large, small] = [30, 10].map(|weight| {
            let allowance = shares.for_second_look(weight, Duration::ZERO);
            assert_eq!(allowance.limit, TimeLimit::All);
            allowance.time.as_secs()
        });
        assert!((670..=682).contains(&large), "{large}: three quarters, without tidying up");
        assert!((900..=909).contains(&small), "{small}: the last one has all that is left");
    }

    #[test]
    fn many_functions_keep_more_for_their_proof() {
        let seconds = Duration::from_secs;
        assert_eq!(kept(seconds(60), 4, 2), seconds(12), "a fifth");
        assert_eq!(kept(seconds(60), 60, 2), seconds(15));
        assert_eq!(kept(seconds(60), 800, 2), seconds(20), "a third at most");
    }

    #[test]
    fn tidying_up_does_not_take_from_the_native_proof() {
        for milliseconds in [20, 400, 1_000, 10_000, 24_000, 600_000] {
            let all = Duration::from_millis(milliseconds);
            let used = search(all) + tidying(search(all));
            assert!(used <= all && all - used < Duration::from_millis(1), "{used:?} of {all:?}");
            assert!(search(all) >= all * 4 / 10, "{all:?}");
        }
    }

    #[test]
    fn no_function_has_more_than_its_limit() {
        let one = |end| shares(1, 3, Some(end)).for_first_look();
        let all = Allowance { time: Duration::from_secs(3), limit: TimeLimit::Unit };
        assert_eq!(one(now() + UNLIMITED), all);
        assert_eq!(one(now()).time, Duration::ZERO);
    }
}
