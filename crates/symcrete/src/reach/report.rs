//! The answers, for people and for programs.

use super::entries::Entries;
use super::native::Proved;
use super::target::Wanted;
use crate::{answers, data};
use serde_json::{Value as Json, json};
use std::time::Duration;
use symcrete_emit::EmitOptions;
use symcrete_emit::c_test::c_test;
use symcrete_emit::json::json_of;
use symcrete_program::{BranchKind, Edge, Program, TestCase};
use symcrete_reach::{Condition, Counters, Reachability, Reached, Unsure};

/// What became of one target.
pub(super) struct Answer<'w> {
    pub(super) wanted: &'w Wanted,
    pub(super) outcome: Reachability,
    pub(super) counters: Counters,
    pub(super) time: Duration,
    /// The run that reached it.
    pub(super) test: Option<TestCase>,
}

/// All that is said.
pub(super) struct Report<'a> {
    pub(super) program: &'a Program,
    pub(super) entries: &'a Entries,
    pub(super) answers: &'a [Answer<'a>],
    /// What the tests did on this machine, if they were run.
    pub(super) native: Option<Proved>,
}

impl Report<'_> {
    /// For people.
    pub(super) fn text(&self) -> String {
        let mut text = text(self.program, self.entries, self.answers);
        if let Some(Proved { report: native, passed_target }) = &self.native {
            let n = native.passed + native.failed.len();
            text.push_str(&format!(
                "\nnative: {} of {n} tests gave the same result with {}",
                native.passed, native.compiler
            ));
            for difference in &native.failed {
                text.push_str(&format!("\n  {} did not", difference.test));
            }
            let n_seen = passed_target.iter().filter(|passed| passed.is_some()).count();
            let missed = self.answers.iter().zip(passed_target);
            let missed = missed.filter(|(_, passed)| **passed == Some(false));
            let missed: Vec<&str> =
                missed.map(|(answer, _)| answer.wanted.label.as_str()).collect();
            if n_seen > 0 {
                let n = n_seen - missed.len();
                text.push_str(&format!(", {n} of {n_seen} targets ran there"));
            }
            for label in missed {
                text.push_str(&format!("\n  {label} did not run there"));
            }
        }
        text
    }

    /// For programs; `docs/json.md` has the schema.
    pub(super) fn json(&self) -> String {
        let passed = self.native.iter().flat_map(|native| native.passed_target.iter().copied());
        let passed = passed.chain(std::iter::repeat(None));
        let object = |(answer, passed): (&Answer<'_>, Option<bool>)| {
            let mut object = object(self.program, self.entries, answer);
            object["native"] = json!(passed);
            object
        };
        let targets: Vec<Json> = self.answers.iter().zip(passed).map(object).collect();
        let native = self.native.as_ref().map(|Proved { report: native, .. }| {
            let failed: Vec<&str> = native.failed.iter().map(|found| found.test.as_str()).collect();
            json!({"compiler": native.compiler, "passed": native.passed, "failed": failed})
        });
        json!({ "targets": targets, "skipped": self.entries.skipped, "native": native }).to_string()
    }
}

fn text(program: &Program, entries: &Entries, answers: &[Answer<'_>]) -> String {
    let mut lines: Vec<String> = entries.skipped.clone();
    for answer in answers {
        let label = &answer.wanted.label;
        match &answer.outcome {
            Reachability::Reached(reached) => {
                lines.push(format!("{label}: reached"));
                lines.extend(reached_text(program, entries, reached, answer.test.as_ref()));
            }
            Reachability::Unreachable(bounds) if bounds.is_empty() => {
                lines.push(format!("{label}: unreachable"));
                lines.push(format!("  no input of {} reaches it", names(program, entries)));
            }
            Reachability::Unreachable(bounds) => {
                let bounds: Vec<String> = bounds.iter().map(ToString::to_string).collect();
                lines.push(format!("{label}: unreachable within bounds: {}", bounds.join(", ")));
                lines.push(format!(
                    "  no input of {} within them reaches it",
                    names(program, entries)
                ));
            }
            Reachability::Unknown(reasons) => {
                lines.push(format!("{label}: unknown"));
                lines.extend(reasons.iter().map(|reason| format!("  {}", unsure_text(reason))));
                lines.push(
                    "  try a longer --time, a larger --loop-bound, or `symcrete gen`".to_owned(),
                );
            }
        }
        let Counters {
            segments,
            smt_calls,
            skipped_constraints,
            loop_methods,
            phase_two_evaluations,
            ..
        } = answer.counters;
        lines.push(format!(
            "  segments explored: {segments}, SMT calls: {smt_calls}, skipped constraints: {skipped_constraints}, \
             loop methods: {loop_methods}, phase II evaluations: {phase_two_evaluations}, {:.2} s",
            answer.time.as_secs_f64()
        ));
    }
    lines.join("\n")
}

fn names(program: &Program, entries: &Entries) -> String {
    let names: Vec<String> =
        entries.units.iter().map(|(unit, _)| format!("{}()", program.units[*unit].name)).collect();
    names.join(", ")
}

fn reached_text(
    program: &Program,
    entries: &Entries,
    reached: &Reached,
    test: Option<&TestCase>,
) -> Vec<String> {
    let Some((unit, shape)) = entries.unit(reached.entry) else { return Vec::new() };
    let unit = &program.units[*unit];
    let given = shape.show(&program.types, &reached.input);
    let given: Vec<String> =
        given.iter().map(|(name, datum)| format!("{name} = {}", data::text(datum))).collect();
    let mut lines = vec![format!("  {}({})", unit.name, given.join(", "))];
    if let Some(test) = test {
        for (name, datum) in answers::show_all(program, &test.drawn) {
            lines.push(format!("    {name} = {}", data::text(&datum)));
        }
    }
    for condition in &reached.conditions {
        let text = condition_text(program, condition, test);
        lines.extend(text.map(|text| format!("  {text}")));
    }
    let options = EmitOptions::default();
    let tests: Vec<TestCase> =
        test.filter(|test| test.outcome.is_repeatable()).cloned().into_iter().collect();
    if let Some(file) = c_test(program, unit, shape, &tests, &options).filter(|_| !tests.is_empty())
    {
        lines.push("  as a test:".to_owned());
        let text = String::from_utf8_lossy(&file.bytes).into_owned();
        lines.extend(text.lines().map(|line| format!("    {line}").trim_end().to_owned()));
    }
    lines
}

/// `geo.c:41: d*d < 4.0 is true`; `None` for what the source does not show, or the run did in several ways.
fn condition_text(
    program: &Program,
    condition: &Condition,
    test: Option<&TestCase>,
) -> Option<String> {
    let branch = program.branches.get(&condition.edge.site)?;
    let taken = match condition.is_merged {
        false => condition.edge.taken,
        true => {
            let edge = |taken| Edge { taken, ..condition.edge };
            let took = |taken| test.is_some_and(|test| test.coverage.contains(edge(taken)));
            match (took(true), took(false)) {
                (true, false) => true,
                (false, true) => false,
                (true, true) | (false, false) => return None,
            }
        }
    };
    let holds = taken != branch.is_negated;
    let place = program.place(branch.position);
    match branch.kind {
        BranchKind::Condition | BranchKind::Check(_) => {
            Some(format!("{place}: {} is {holds}", branch.text))
        }
        BranchKind::Case => holds.then(|| format!("{place}: {}", branch.text)),
        BranchKind::Hidden | BranchKind::Target => None,
    }
}

fn object(program: &Program, entries: &Entries, answer: &Answer<'_>) -> Json {
    let entered: Vec<&str> =
        entries.units.iter().map(|(unit, _)| program.units[*unit].name.as_str()).collect();
    let mut object = json!({
        "target": answer.wanted.label,
        "entries": entered,
        "counters": counters(answer.counters),
        "seconds": answer.time.as_secs_f64(),
    });
    match &answer.outcome {
        Reachability::Reached(reached) => {
            object["outcome"] = json!("reached");
            if let Some((unit, shape)) = entries.unit(reached.entry) {
                let given = shape.show(&program.types, &reached.input);
                let input: serde_json::Map<String, Json> =
                    given.iter().map(|(name, datum)| (name.clone(), json_of(datum))).collect();
                object["function"] = json!(program.units[*unit].name);
                object["input"] = Json::Object(input);
            }
            let drawn = answer.test.iter().flat_map(|test| &test.drawn).map(|drawn| {
                json!({"name": drawn.name, "value": json_of(&answers::show(program, drawn))})
            });
            object["drawn"] = drawn.collect();
            let test = answer.test.as_ref();
            let text = |condition| condition_text(program, condition, test);
            let conditions = reached.conditions.iter().filter_map(text);
            object["conditions"] = conditions.collect();
        }
        Reachability::Unreachable(bounds) => {
            object["outcome"] = json!("unreachable");
            object["bounds"] = bounds.iter().map(ToString::to_string).collect();
        }
        Reachability::Unknown(reasons) => {
            object["outcome"] = json!("unknown");
            object["reasons"] = reasons.iter().map(unsure_text).collect();
        }
    }
    object
}

/// Why an answer is not known, with the option that limits it.
fn unsure_text(unsure: &Unsure) -> String {
    let option = match unsure {
        Unsure::Segments(_) => " (--segments)",
        Unsure::Stopped => " (--time)",
        Unsure::Hole(_)
        | Unsure::Undecided(_)
        | Unsure::Diverged
        | Unsure::NotFound
        | Unsure::NoCode(_) => "",
    };
    format!("{unsure}{option}")
}

fn counters(counters: Counters) -> Json {
    json!({
        "segments": counters.segments,
        "smt_calls": counters.smt_calls,
        "skipped_constraints": counters.skipped_constraints,
        "loop_methods": counters.loop_methods,
        "phase_two_evaluations": counters.phase_two_evaluations,
        "sliced_merges": counters.sliced,
        "merged_branches": counters.merged,
        "back_jumps": counters.back_jumps,
        "calls_passed_over": counters.skipped_calls,
        "runs": counters.runs,
    })
}
