//! What `gen` says at the end, for programs; `docs/json.md` has the fields.

use super::Tested;
use super::only_failing;
use super::ranks::{Rank, Ranked, by_cause};
use super::reasons::words;
use super::report::Report;
use crate::native;
use crate::ui::run::place;
use serde_json::json;
use std::collections::BTreeSet;
use symcrete_program::{Edge, Ended, GoalState};

impl Report<'_> {
    /// For programs.
    pub(super) fn json(&self) -> String {
        let functions: Vec<_> = self.tested.iter().map(|tested| self.function(tested)).collect();
        let is_in_model = |failure: &&Ranked| matches!(failure.rank, Rank::OnlyInModel { .. });
        let is_unchecked = |failure: &&Ranked| self.is_unchecked(failure);
        let is_shown = |failure: &&Ranked| !is_in_model(failure) && !is_unchecked(failure);
        let bugs = self.entries(self.failures.iter().filter(is_shown));
        let unchecked = self.entries(self.failures.iter().filter(is_unchecked));
        let in_model = self.failures.iter().filter(is_in_model);
        let in_model: Vec<_> = in_model.map(|failure| self.bug(failure)).collect();
        let native = self.native.map(native::json);
        let uninitialized: Vec<_> =
            self.tested.iter().flat_map(|tested| self.uninitialized_json(tested)).collect();
        json!({
            "functions": functions, "bugs": bugs, "unchecked": unchecked, "only_in_model": in_model,
            "uninitialized": uninitialized,
            "skipped": self.skipped, "native": native,
        })
        .to_string()
    }

    /// One entry for each cause: of failures of a function that need the same of its input the first stands for all, with
    /// the places of the others.
    fn entries<'a>(&self, failures: impl Iterator<Item = &'a Ranked>) -> Vec<serde_json::Value> {
        let mut entries: Vec<(&Ranked, serde_json::Value)> = Vec::new();
        for failure in by_cause(self.program, failures, |failure| failure.unit) {
            let needs = failure.rank.needs();
            let is_same = |(first, _): &&mut (&Ranked, serde_json::Value)| {
                needs.is_some() && first.unit == failure.unit && first.rank.needs() == needs
            };
            let bug = self.bug(failure);
            match entries.iter_mut().find(is_same) {
                Some((_, entry)) => {
                    if let Some(places) = entry["places"].as_array_mut()
                        && !places.contains(&bug["place"])
                    {
                        places.push(bug["place"].clone());
                    }
                }
                None => {
                    let mut entry = bug;
                    if needs.is_some() {
                        entry["places"] = json!([entry["place"]]);
                    }
                    entries.push((failure, entry));
                }
            }
        }
        entries.into_iter().map(|(_, entry)| entry).collect()
    }

    fn function(&self, tested: &Tested) -> serde_json::Value {
        let row = self.row(tested);
        let (stats, chain) = (&tested.stats, &tested.chain);
        let milliseconds = |time: std::time::Duration| time.as_secs_f64() * 1e3;
        let last = stats.timeline.last().map(|(time, _, _)| milliseconds(*time));
        let proved = tested.suite.goals.iter();
        let infeasible_sides: Vec<_> = proved
            .filter(|(_, state)| **state == GoalState::Infeasible)
            .map(|(edge, _)| self.side_json(*edge))
            .collect();
        json!({
            "name": row.name,
            "tests": row.tests,
            "branches": {
                "total": row.total, "covered": row.covered, "infeasible": row.infeasible,
                "within_bounds": row.within_bounds, "open": row.open(),
                "only_failing": only_failing::count(tested),
            },
            "calls": self.calls(tested),
            "ended": tested.suite.ended.map(ended),
            "taken_over": tested.is_taken_over,
            "earlier_executions": tested.spent_before.executions,
            "executions": stats.executions,
            "burst_runs": stats.burst_runs,
            "burst_ms": milliseconds(stats.burst_time),
            "burst_finds": stats.burst_finds,
            "backward": {
                "tried": stats.backward.tried, "covered": stats.backward.covered,
                "proved": stats.backward.proved,
            },
            "divergences": stats.divergences,
            "queries": stats.queries,
            "solver_calls": chain.calls.calls,
            "avg_constraint_size": chain.constraints.literals_per_call(),
            "solver_constraint_size": {
                "avg": chain.calls.literals_per_call(), "max": chain.calls.literals_max,
            },
            "run_ms": milliseconds(stats.run_time),
            "run_sites": stats.run_sites,
            "solver_ms": milliseconds(stats.solver_time),
            "time_ms": milliseconds(tested.time),
            "last_new_branch_ms": last,
            "exhaustive": tested.suite.is_exhaustive,
            "saved": {
                "literals_sliced_off":
                    chain.sliced.literals_asked.saturating_sub(chain.sliced.literals_kept),
                "cache_sat": chain.cached.inputs_fit,
                "cache_unsat": chain.cached.unsat_known + chain.cached.opposites,
                "refuted": chain.refuted.refuted,
                "met": chain.refuted.met,
                "tiny": chain.tiny.decided,
                "guessed": chain.guessed.hits,
                "partial": chain.partial.decided,
                "cores": chain.cores.unsat,
            },
            "uncovered": self.open_sides(tested),
            "infeasible": infeasible_sides,
            "within_bounds": self.bounded_sides(tested),
        })
    }

    /// The sides of which nothing is known, with the reason.
    fn open_sides(&self, tested: &Tested) -> Vec<serde_json::Value> {
        let side = |(edge, state): (&Edge, &GoalState)| match state {
            GoalState::Open(open) => {
                let mut side = self.side_json(*edge);
                side["why"] = json!(words(open));
                Some(side)
            }
            GoalState::Covered | GoalState::Infeasible | GoalState::WithinBounds(_) => None,
        };
        tested.suite.goals.iter().filter_map(side).collect()
    }

    /// The sides that are infeasible within bounds, with those bounds.
    fn bounded_sides(&self, tested: &Tested) -> Vec<serde_json::Value> {
        let goals = tested.suite.goals.iter();
        goals
            .filter_map(|(edge, state)| match state {
                GoalState::WithinBounds(bounds) => {
                    let mut side = self.side_json(*edge);
                    side["bounds"] = json!(bounds.names());
                    Some(side)
                }
                GoalState::Covered | GoalState::Infeasible | GoalState::Open(_) => None,
            })
            .collect()
    }

    fn bug(&self, failure: &Ranked) -> serde_json::Value {
        let mut bug = json!({
            "function": self.program.units[failure.unit].name,
            "kind": failure.kind,
            "place": failure.site.map(|site| place(self.program, site)),
            "test": failure.test,
            "rank": null,
        });
        match &failure.rank {
            Rank::Native { seen } => {
                bug["rank"] = json!("native");
                bug["seen"] = json!(seen);
            }
            Rank::Precondition { seen, needs } => {
                bug["rank"] = json!("precondition");
                bug["seen"] = json!(seen);
                bug["needs"] = json!(needs);
            }
            Rank::OnlyInModel { why } => bug["why"] = json!(why),
            Rank::Unknown => {}
        }
        bug
    }

    fn uninitialized_json(&self, tested: &Tested) -> Vec<serde_json::Value> {
        let function = &self.program.units[tested.unit].name;
        let sites = tested.uninitialized.iter();
        let places: BTreeSet<String> = sites.map(|&site| place(self.program, site)).collect();
        places.iter().map(|place| json!({"function": function, "place": place})).collect()
    }

    /// A side of a branch for people, and for programs by the machine's operator.
    fn side_json(&self, edge: Edge) -> serde_json::Value {
        json!({
            "branch": self.side(edge), "offset": edge.site.offset, "case": edge.site.case,
            "taken": edge.taken,
        })
    }
}

fn ended(ended: Ended) -> &'static str {
    match ended {
        Ended::Covered => "covered",
        Ended::NothingLeft => "nothing-left",
        Ended::Iterations => "iterations",
        Ended::Time => "time",
        Ended::Interrupted => "interrupted",
    }
}
