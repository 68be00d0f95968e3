//! All that people and programs see: answers on stdout, reports and statistics on stderr.

pub(crate) mod progress;
pub(crate) mod run;

use crate::failure::Failure;
use miette::{
    GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteError, MietteSpanContents,
    SourceCode, SourceSpan, SpanContents,
};
use serde::Serialize;
use std::fmt;
use std::io::{self, IsTerminal, Write};
use std::time::Duration;
use symcrete_solve::Attempt;
use symcrete_solve::smtlib::{Answer, Check, Diagnostic, ModelEntry, Position};

/// Writes a line of the answer and hands it over at once: somebody may wait for it.
pub(crate) fn say(line: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{line}")?;
    out.flush()
}

/// The answer to a `check-sat` as JSON; the shape is documented in `docs/smtlib.md`.
#[derive(Serialize)]
struct CheckJson<'a> {
    verdict: &'a str,
    why: Option<String>,
    model: Option<Vec<EntryJson<'a>>>,
    solver: &'a str,
    steps: u64,
    time_ms: f64,
}

#[derive(Serialize)]
struct EntryJson<'a> {
    name: &'a str,
    sort: &'a str,
    value: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    decimal: Option<&'a str>,
}

/// One line of JSON for a check.
pub(crate) fn check_json(check: &Check, time: Duration) -> String {
    let why = match &check.answer {
        Answer::Unknown(why) => Some(why.to_string()),
        Answer::Sat | Answer::Unsat => None,
    };
    let json = CheckJson {
        verdict: check.answer.word(),
        why,
        model: check.model.as_ref().map(|model| model.iter().map(entry_json).collect()),
        solver: check.solver,
        steps: check.steps,
        time_ms: milliseconds(time),
    };
    serde_json::to_string(&json).expect("plain data always serialises")
}

fn entry_json(entry: &ModelEntry) -> EntryJson<'_> {
    let ModelEntry { name, sort, value, decimal, .. } = entry;
    EntryJson { name, sort, value, decimal: decimal.as_deref() }
}

/// What a check took, in one line on stderr.
pub(crate) fn show_stats(check: &Check, time: Duration, n_terms: usize) {
    let mut line = format!(
        "; {} by {} in {} ms, {} steps, {n_terms} terms",
        check.answer.word(),
        check.solver,
        milliseconds(time),
        check.steps,
    );
    if let Some(what) = &check.beyond_terms {
        line.push_str(&format!(", as text because of {what}"));
    }
    if let Answer::Unknown(why) = &check.answer {
        line.push_str(&format!(": {why}"));
    }
    tell(&line);
}

/// The solvers that tried to answer a check, a line each on stderr.
pub(crate) fn explain(check: &Check) {
    let width = check.attempts.iter().map(|attempt| attempt.member.len()).max().unwrap_or(0);
    for attempt in &check.attempts {
        let Attempt { member, outcome, time, steps } = attempt;
        let time = milliseconds(*time);
        tell(&format!("; {member:width$}  {time:>10.3} ms  {steps:>10} steps  {outcome}"));
    }
    if check.attempts.is_empty() {
        tell(&format!("; {} alone was asked", check.solver));
    }
    if check.attempts.iter().any(|attempt| attempt.outcome.is_by_clock()) {
        tell("; the clock ended an attempt: another run may answer differently");
    }
}

/// Milliseconds with three digits behind the point.
fn milliseconds(time: Duration) -> f64 {
    time.as_micros() as f64 / 1000.0
}

/// A line on stderr. That nobody reads it is no reason to stop.
pub(crate) fn tell(line: &str) {
    let _ = writeln!(io::stderr().lock(), "{line}");
}

/// The report of a failure, with the place in the script where there is one.
pub(crate) fn report(failure: &Failure) {
    let is_terminal = io::stderr().is_terminal();
    let theme = if is_terminal { GraphicalTheme::unicode() } else { GraphicalTheme::none() };
    let handler = GraphicalReportHandler::new_themed(theme).with_links(false);
    let mut text = String::new();
    match handler.render_report(&mut text, &Report::of(failure)) {
        Ok(()) => tell(text.trim_matches('\n')),
        Err(_) => tell(&failure.to_string()),
    }
}

/// A diagnostic in one line, as SMT-LIB's error response has it.
pub(crate) fn error_response(text: &str, diagnostic: &Diagnostic) -> String {
    let Position { line, column } = Position::of(text, diagnostic.span.start as usize);
    let message = diagnostic.to_string().replace('"', "\"\"");
    format!("(error \"line {line} column {column}: {message}\")")
}

/// A failure as `miette` wants it.
#[derive(Debug)]
struct Report<'a> {
    failure: &'a Failure,
    excerpt: Option<Excerpt<'a>>,
}

impl<'a> Report<'a> {
    #[expect(clippy::wildcard_enum_match_arm, reason = "only scripts are shown")]
    fn of(failure: &'a Failure) -> Report<'a> {
        let excerpt = match failure {
            Failure::Script(wrong) => {
                Some(Excerpt::new(&wrong.name, &wrong.text, wrong.diagnostic.span.range()))
            }
            _ => None,
        };
        Report { failure, excerpt }
    }
}

impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.failure.fmt(f)
    }
}

impl std::error::Error for Report<'_> {}

impl miette::Diagnostic for Report<'_> {
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.failure.help().map(|help| Box::new(help) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.excerpt.as_ref().map(|excerpt| excerpt as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let excerpt = self.excerpt.as_ref()?;
        Some(Box::new(std::iter::once(LabeledSpan::new_with_span(None, excerpt.label))))
    }
}

/// One line of a script around a place. Lines of machine-made scripts can have megabytes, so the
/// excerpt is cut on both sides.
#[derive(Debug)]
struct Excerpt<'a> {
    name: &'a str,
    text: &'a str,
    position: Position,
    window: SourceSpan,
    label: SourceSpan,
}

impl<'a> Excerpt<'a> {
    const CONTEXT_BYTES: usize = 80;

    fn new(name: &'a str, text: &'a str, range: std::ops::Range<usize>) -> Excerpt<'a> {
        let start = range.start.min(text.len());
        let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let line_end = text[start..].find('\n').map_or(text.len(), |at| start + at);
        let label_end = range.end.min(line_end).max(start);
        let label_end = text.floor_char_boundary(label_end.min(start + Excerpt::CONTEXT_BYTES));
        let window_start = start.saturating_sub(Excerpt::CONTEXT_BYTES).max(line_start);
        let window_start = text.floor_char_boundary(window_start);
        let window_end = (label_end + Excerpt::CONTEXT_BYTES).min(line_end);
        let window_end = text.floor_char_boundary(window_end);
        let span = |start: usize, end: usize| SourceSpan::from((start, end - start));
        Excerpt {
            name,
            text,
            position: Position::of(text, start),
            window: span(window_start, window_end),
            label: span(start, label_end),
        }
    }
}

impl SourceCode for Excerpt<'_> {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        context_lines_before: usize,
        _context_lines_after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        // Without context `miette` asks for the place itself, to print line and column.
        let shown = if context_lines_before == 0 { *span } else { self.window };
        let column = if context_lines_before == 0 { self.position.column - 1 } else { 0 };
        let bytes = &self.text.as_bytes()[shown.offset()..shown.offset() + shown.len()];
        Ok(Box::new(MietteSpanContents::new_named(
            self.name.to_owned(),
            bytes,
            shown,
            self.position.line - 1,
            column,
            1,
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::failure::WrongScript;
    use symcrete_solve::smtlib::{Problem, Span};

    fn rendered(text: &str, start: u32, end: u32) -> String {
        let diagnostic = Problem::UnmatchedClose.at(Span { start, end });
        let (name, text) = ("a.smt2".to_owned(), text.to_owned());
        let failure = Failure::Script(Box::new(WrongScript { name, text, diagnostic }));
        let handler = GraphicalReportHandler::new_themed(GraphicalTheme::none());
        let mut rendered = String::new();
        handler.render_report(&mut rendered, &Report::of(&failure)).unwrap();
        rendered
    }

    #[test]
    fn reports_name_the_place_and_show_the_line() {
        let report = rendered("(a)\n  (b c))\n", 11, 12);
        assert!(report.contains("[a.smt2:2:8]"), "{report}");
        assert!(report.contains("2 |   (b c))"), "{report}");
    }

    #[test]
    fn long_lines_are_cut() {
        let text = format!("{}x{}", "(".repeat(100_000), ")".repeat(100_000));
        let report = rendered(&text, 100_000, 200_000);
        assert!(report.len() < 1_000, "{} bytes", report.len());
        assert!(report.contains(":1:100001]"), "{report}");
    }

    #[test]
    fn the_end_of_a_script_is_a_place() {
        assert!(rendered("(a", 2, 2).contains("[a.smt2:1:3]"));
        assert!(rendered("", 0, 0).contains("[a.smt2:1:1]"));
    }
}
