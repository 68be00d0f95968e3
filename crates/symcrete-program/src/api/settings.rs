//! Calls that come before all others: `path_set_style(STYLE_WINDOWS)` before `path_is_absolute(path)`.
//!
//! A function that reads a variable which outlives a call does something else once another function has set it. So it may be
//! called after such functions, and after itself.

use super::planner::Planner;
use super::state::State;
use super::{FollowUp, FollowUpCall, PlanParam};

/// What the parameters of these calls start with.
const PREFIX: &str = "before_";
/// Functions that are tried in one place.
const CALLS_MAX: usize = 4;

impl Planner<'_, '_> {
    /// Calls that may come first. Their parameters come last: those of the function under test stay where they are.
    pub(super) fn calls_before(&mut self, state: &mut State<'_>) -> Vec<FollowUp> {
        let is_taken = self.params.iter().any(|param| param.name().starts_with(PREFIX));
        let units = match is_taken || self.allowance.n_before == 0 {
            true => Vec::new(),
            false => self.setters(state),
        };
        let n_choices = if units.is_empty() { 0 } else { self.allowance.n_before };
        (1..=n_choices).filter_map(|number| self.call_before(&units, number)).collect()
    }

    /// Functions that set what the function under test reads, the likeliest first.
    fn setters(&mut self, state: &mut State<'_>) -> Vec<usize> {
        let tested = self.unit;
        let read = state.touched(self.library.unit(tested).function).read;
        if read.is_empty() {
            return Vec::new();
        }
        let mut found = self.library.setters(tested, self.file);
        found.retain(|&unit| {
            let written = state.touched(self.library.unit(unit).function).written;
            !written.is_disjoint(&read)
        });
        found
    }

    fn call_before(&mut self, units: &[usize], number: usize) -> Option<FollowUp> {
        let choice = format!("{PREFIX}{number}");
        let at = self.params.len();
        let (mut calls, mut values) = (Vec::new(), vec!["none".to_owned()]);
        for &unit in units {
            if calls.len() == CALLS_MAX.min(self.allowance.calls_each) {
                break;
            }
            let name = self.library.unit(unit).name.clone();
            let n_before = self.params.len();
            match self.call(unit, &format!("{choice}_{name}"), None, 1) {
                Some(call) => {
                    calls.push(FollowUpCall { call, is_next: false });
                    values.push(name);
                }
                None => self.params.truncate(n_before),
            }
        }
        if calls.is_empty() {
            return None;
        }
        self.params.insert(at, PlanParam::Choice { name: choice.clone(), values });
        Some(FollowUp { choice, calls })
    }
}
