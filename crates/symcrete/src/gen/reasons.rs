//! Why a side of a branch is open, in words: only here do reasons name options of the command line.

use symcrete_program::{End, OpenSide, Reason, Stop, TimeLimit};

/// How much is said of one side.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Detail {
    /// All that is known.
    Full,
    /// What many sides have in common: no numbers of paths and runs.
    Common,
}

/// One line, without a full stop.
pub(crate) fn words(open: &OpenSide) -> String {
    words_in(open, Detail::Full)
}

/// The same in so much detail.
pub(crate) fn words_in(open: &OpenSide, detail: Detail) -> String {
    let end_words = |end: End| end_words(detail.of_end(end));
    let paths = |n: u32| paths(n, detail);
    let reason = match &open.reason {
        Reason::OnlyUninitialized => {
            "taken only by runs that depend on an uninitialised value".to_string()
        }
        Reason::OnlyRejected => "taken only by runs that break an assumption".to_string(),
        Reason::OnlyNotFollowed => {
            "taken only by runs that cannot be followed to their end".to_string()
        }
        Reason::OnlyNull => "taken only by runs that end at a null pointer".to_string(),
        Reason::OnlyShared => {
            "taken only by runs that fail because pointers point to the same object".to_string()
        }
        Reason::OnlyNanBits => {
            "taken only by runs that depend on the bits of a computed NaN".to_string()
        }
        Reason::OnlyStopped(end) => {
            format!("taken only by runs that do not count as tests{}", end_words(*end))
        }
        Reason::NotSymbolic => {
            "reached, but its condition was a constant on every path that led to it".to_string()
        }
        Reason::OnlyFirstInput(end) => {
            format!("only the first input was tried{}", end_words(*end))
        }
        Reason::NoPath { end, out_of_fuel, fuel } => {
            no_path(detail.of_end(*end), (*out_of_fuel, *fuel), detail)
        }
        Reason::Undecided { paths: n, why } => {
            format!("the solver could not decide it on {}: {why}", paths(*n))
        }
        Reason::Diverged { paths: n } => {
            format!("inputs that should take it went elsewhere on {}", paths(*n))
        }
        Reason::NotTried { paths: n, end } => {
            let verb = if *n == 1 && detail == Detail::Full { "was" } else { "were" };
            format!("{} to it {verb} not tried{}", paths(*n), end_words(*end))
        }
        Reason::TooDeep { paths: n, depth } => {
            format!("{} to it, each behind more than {depth} conditions (--depth)", paths(*n))
        }
        Reason::InfeasibleSoFar { paths, end } => {
            infeasible_so_far(*paths, detail.of_end(*end), detail)
        }
        Reason::OnlyHere => "taken only by runs that behave differently natively".to_string(),
        Reason::Refuted => {
            "a test takes it natively, but it was proved infeasible for WebAssembly".to_string()
        }
        Reason::Said(text) => text.clone(),
    };
    // What keeps a proof away is not what many sides lack that the search had no time for.
    let is_said = detail == Detail::Full || !is_cut_short(&open.reason);
    match open.gap.filter(|_| is_said) {
        Some(gap) => format!("{reason}; {gap}"),
        None => reason,
    }
}

/// Whether a limit ended the search before this side was decided.
fn is_cut_short(reason: &Reason) -> bool {
    let end = match reason {
        Reason::OnlyStopped(end)
        | Reason::OnlyFirstInput(end)
        | Reason::NoPath { end, .. }
        | Reason::NotTried { end, .. }
        | Reason::InfeasibleSoFar { end, .. } => end,
        Reason::OnlyUninitialized
        | Reason::OnlyRejected
        | Reason::OnlyNotFollowed
        | Reason::OnlyNull
        | Reason::OnlyShared
        | Reason::OnlyNanBits
        | Reason::NotSymbolic
        | Reason::Undecided { .. }
        | Reason::Diverged { .. }
        | Reason::TooDeep { .. }
        | Reason::OnlyHere
        | Reason::Refuted
        | Reason::Said(_) => return false,
    };
    end.stop.is_some()
}

impl Detail {
    /// That a run was going on is nothing that sides have in common.
    fn of_end(self, end: End) -> End {
        match self {
            Detail::Full => end,
            Detail::Common => End { is_within_run: false, ..end },
        }
    }
}

/// What cut the search short, to be said after what was not done by then.
fn end_words(end: End) -> String {
    let stop = match end.stop {
        None => "",
        Some(Stop::Iterations) => " before the run limit (--iterations)",
        Some(Stop::Time(TimeLimit::Unit)) => " before the time limit (--time)",
        Some(Stop::Time(TimeLimit::All)) => " before the time limit (--total-time)",
        Some(Stop::Interrupted) => " before the interrupt",
    };
    let within = if end.is_within_run { ", and a run was still going on" } else { "" };
    format!("{stop}{within}")
}

fn no_path(end: End, (out_of_fuel, fuel): (u64, u64), detail: Detail) -> String {
    let so_far = format!("no path led to it{}", end_words(end));
    let runs = match (out_of_fuel, detail) {
        (0, _) => return so_far,
        (_, Detail::Common) => "some runs".to_string(),
        (1, Detail::Full) => "1 run".to_string(),
        (n, Detail::Full) => format!("{n} runs"),
    };
    format!("{so_far}; {runs} did not end within {fuel} branches (--fuel)")
}

fn infeasible_so_far(paths: u32, end: End, detail: Detail) -> String {
    let which = match (paths, detail) {
        (_, Detail::Common) => "all paths".to_string(),
        (1, Detail::Full) => "the one path".to_string(),
        (n, Detail::Full) => format!("all {n} paths"),
    };
    format!("infeasible on {which} that led to it{}", end_words(end))
}

fn paths(n: u32, detail: Detail) -> String {
    match (n, detail) {
        (_, Detail::Common) => "paths".to_string(),
        (1, Detail::Full) => "1 path".to_string(),
        (n, Detail::Full) => format!("{n} paths"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use symcrete_program::Gap;

    #[test]
    fn a_reason_says_what_is_known_what_ended_it_and_which_option_would_help() {
        let time = End { stop: Some(Stop::Time(TimeLimit::Unit)), is_within_run: true };
        let total = End { stop: Some(Stop::Time(TimeLimit::All)), is_within_run: false };
        let runs = End { stop: Some(Stop::Iterations), is_within_run: false };
        let done = End::default();
        for (reason, expected) in [
            (
                Reason::NoPath { end: done, out_of_fuel: 1, fuel: 9 },
                "no path led to it; 1 run did not end within 9 branches (--fuel)",
            ),
            (
                Reason::NoPath { end: total, out_of_fuel: 0, fuel: 9 },
                "no path led to it before the time limit (--total-time)",
            ),
            (
                Reason::NotTried { paths: 2, end: time },
                "2 paths to it were not tried before the time limit (--time), and a run was still going on",
            ),
            (
                Reason::InfeasibleSoFar { paths: 1, end: done },
                "infeasible on the one path that led to it",
            ),
            (
                Reason::InfeasibleSoFar { paths: 3, end: runs },
                "infeasible on all 3 paths that led to it before the run limit (--iterations)",
            ),
            (
                Reason::TooDeep { paths: 1, depth: 7 },
                "1 path to it, each behind more than 7 conditions (--depth)",
            ),
            (Reason::Said("as it was".to_string()), "as it was"),
        ] {
            assert_eq!(words(&reason.into()), expected);
        }
        let many = [
            Reason::NoPath { end: time, out_of_fuel: 3, fuel: 9 },
            Reason::NotTried { paths: 2, end: time },
            Reason::InfeasibleSoFar { paths: 1, end: done },
        ];
        let in_common = many.map(|reason| words_in(&reason.into(), Detail::Common));
        let expected = [
            "no path led to it before the time limit (--time); some runs did not end within 9 branches (--fuel)",
            "paths to it were not tried before the time limit (--time)",
            "infeasible on all paths that led to it",
        ];
        assert_eq!(in_common, expected);
        let behind = OpenSide { reason: Reason::NotSymbolic, gap: Some(Gap::CutOff) };
        assert!(words(&behind).ends_with("; runs were cut off before their end"));
        let reason = Reason::NotTried { paths: 2, end: time };
        let late = OpenSide { reason, gap: Some(Gap::CutOff) };
        assert!(words(&late).ends_with("; runs were cut off before their end"));
        assert_eq!(words_in(&late, Detail::Common), expected[1]);
    }
}
