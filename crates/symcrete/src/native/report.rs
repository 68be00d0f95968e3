//! What the native proof showed, for people and for programs.

use super::build::cause;
use crate::r#gen::folding::Folding;
use serde_json::{Value as Json, json};
use symcrete_emit::native::{
    BranchSide, Containment, Difference, Ended, NativeReport, Refuted, SideDifference,
};

/// For people: one line of numbers, then a line for everything that is not as recorded.
pub(crate) fn lines(native: &NativeReport, folding: Folding) -> Vec<String> {
    let n = native.passed + native.failed.len();
    let not_run = not_run_line(native.not_run);
    if n == 0 && native.not_run > 0 {
        return not_run
            .map(|line| format!("native proof: {}", line.trim_start()))
            .into_iter()
            .collect();
    }
    if n == 0 {
        return vec![format!("native proof: there is no test to run ({})", native.compiler)];
    }
    let sides = match native.sides_compared {
        Some(sides) => format!("{} of {sides} branch sides differ", n_sides(native)),
        None => "branch sides were not compared".to_string(),
    };
    let mut lines = vec![format!(
        "native proof: {} of {n} tests gave the same result, {sides} ({})",
        native.passed, native.compiler
    )];
    // Tests of a file that does not compile have one reason, so they share a line.
    let same = native.failed.chunk_by(|a, b| a.ended == b.ended && a.reasons == b.reasons);
    lines.extend(folding.cut(same.map(failed_line).collect()));
    lines.extend(not_run);
    lines.extend(folding.cut(native.coverage.iter().map(side_line).collect()));
    // A claim of ours that is wrong is never folded away.
    lines.extend(native.refuted.iter().map(refuted_line));
    let warnings = native.warnings.iter().map(|warning| format!("  {warning}"));
    lines.extend(folding.cut(warnings.collect()));
    lines.extend(containment_line(&native.containment));
    lines.extend(folding.cut(native.notes.iter().map(|note| format!("  {note}")).collect()));
    lines
}

/// Tests that ended in the same way, for the same reasons.
fn failed_line(same: &[Difference]) -> String {
    const SHOWN: usize = 4;
    let tests: Vec<&str> = same.iter().map(|difference| difference.test.as_str()).collect();
    let names = match tests.len() > SHOWN + 1 {
        true => format!("{} and {} more", tests[..SHOWN].join(", "), tests.len() - SHOWN),
        false => tests.join(", "),
    };
    let (ended, why) = (ended_text(&same[0].ended), reasons_text(&same[0].reasons));
    format!("  {names}: {ended}{why}")
}

/// For programs; `docs/json.md` has the fields.
pub(crate) fn json(native: &NativeReport) -> Json {
    let failed = native.failed.iter().map(|difference| {
        json!({
            "test": difference.test,
            "kind": ended_kind(&difference.ended),
            "ended": ended_text(&difference.ended),
            "reasons": difference.reasons,
        })
    });
    let sides = native.coverage.iter().map(|difference| {
        let side = &difference.side;
        json!({
            "file": side.file, "line": side.line, "column": side.column,
            "condition": side.condition, "holds": side.holds,
            "wasm": !difference.is_native, "native": difference.is_native,
            "tests": difference.tests, "reasons": difference.reasons,
        })
    });
    let refuted = native.refuted.iter().map(|refuted| {
        let side = &refuted.side;
        json!({
            "file": side.file, "line": side.line, "column": side.column,
            "condition": side.condition, "holds": side.holds,
            "test": refuted.test, "reasons": refuted.reasons,
        })
    });
    json!({
        "compiler": native.compiler,
        "passed": native.passed,
        "failed": failed.collect::<Vec<_>>(),
        "not_run": native.not_run,
        "warnings": native.warnings,
        "sides_compared": native.sides_compared,
        "sides_differ": n_sides(native),
        "sides": sides.collect::<Vec<_>>(),
        "refuted": refuted.collect::<Vec<_>>(),
        "notes": native.notes,
        "sandbox": {
            "walls": native.containment.walls,
            "missing": native.containment.missing,
        },
    })
}

/// What the tests were not kept from.
fn containment_line(containment: &Containment) -> Option<String> {
    let Containment { walls, missing, is_off } = containment;
    let missing = missing.join(", ");
    match (is_off, walls.is_empty(), missing.is_empty()) {
        (true, _, _) => Some("  the sandbox is off: tests ran with all your rights".to_string()),
        (false, _, true) => None,
        (false, true, false) => {
            Some(format!("  tests ran without a sandbox; this machine lacks {missing}"))
        }
        (false, false, false) => {
            Some(format!("  tests ran in only a part of the sandbox; this machine lacks {missing}"))
        }
    }
}

/// What the time for all did not suffice for.
fn not_run_line(n: usize) -> Option<String> {
    let tests = if n == 1 { "1 test was".to_string() } else { format!("{n} tests were") };
    (n > 0).then(|| format!("  {tests} not run: time limit reached (--total-time)"))
}

/// A side that differs one way in one test and the other way in another is one side.
fn n_sides(native: &NativeReport) -> usize {
    let mut sides: Vec<_> = native.coverage.iter().map(|difference| &difference.side).collect();
    sides.sort();
    sides.dedup();
    sides.len()
}

/// `  geo.c:41:9: d*d < 4.0 is true: taken in WebAssembly, not natively, by test_geo_3`
fn side_line(difference: &SideDifference) -> String {
    let shown = shown(&difference.side);
    let machines = match difference.is_native {
        true => "taken natively, not in WebAssembly",
        false => "taken in WebAssembly, not natively",
    };
    let (tests, why) = (difference.tests.join(", "), reasons_text(&difference.reasons));
    format!("  {shown}: {machines}, by {tests}{why}")
}

/// A claim that does not hold, and whose mistake that is.
fn refuted_line(refuted: &Refuted) -> String {
    let whose = match refuted.reasons.is_empty() {
        true => "; this is a bug in Symcrete: please report it with the source and suite.json"
            .to_string(),
        false => reasons_text(&refuted.reasons),
    };
    let (shown, test) = (shown(&refuted.side), &refuted.test);
    format!("  {shown}: proved infeasible for WebAssembly, but {test} takes it natively{whose}")
}

/// `geo.c:41:9: d*d < 4.0 is true`
fn shown(side: &BranchSide) -> String {
    let what = match side.is_case {
        true => side.condition.clone(),
        false => format!("{} is {}", side.condition, side.holds),
    };
    format!("{}:{}:{}: {what}", side.file, side.line, side.column)
}

fn reasons_text<S: AsRef<str>>(reasons: &[S]) -> String {
    let reasons: Vec<&str> = reasons.iter().map(AsRef::as_ref).collect();
    match reasons.is_empty() {
        true => String::new(),
        false => format!(" (possible reason: {})", reasons.join("; ")),
    }
}

fn ended_kind(ended: &Ended) -> &'static str {
    match ended {
        Ended::NotCompiled(_) => "not-compiled",
        Ended::Failed(_) => "failed",
        Ended::Crashed(_) => "crashed",
        Ended::TimedOut => "timed-out",
    }
}

/// How a native test ended that did not pass, in one line.
pub(crate) fn ended_text(ended: &Ended) -> String {
    let first = |text: &str| text.lines().next().unwrap_or_default().trim().to_string();
    match ended {
        Ended::NotCompiled(message) => format!("does not compile: {}", cause(message)),
        Ended::Failed(message) => format!("gave another result: {}", first(message)),
        Ended::Crashed(message) => format!("crashed: {}", first(message)),
        Ended::TimedOut => "took too long".to_string(),
    }
}
