//! What a compiled module says about its branches: which condition of the source each one decides.
//!
//! The compiler knows this, so the front end writes it into a custom section of the linked module, [`SECTION`]. A
//! module of another origin has no such section.
//!
//! **Invariant:** a site that is listed here is passed exactly when its condition is evaluated, and which of its sides is
//! the source's *true* was read from the code, not guessed.

use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The custom section.
pub(crate) const SECTION: &str = "symcrete.conditions";

/// A part of a source file. Lines and columns count from 1; the end is exclusive.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Span {
    /// By index in [`Conditions::files`].
    pub(crate) file: usize,
    pub(crate) start: (u32, u32),
    pub(crate) end: (u32, u32),
}

/// What decides.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ConditionKind {
    /// A condition of `if`, a loop, `&&`, `||`, `?:`.
    Condition,
    /// A label of a `switch`.
    Label,
    /// A `switch` without `default`, where no label fits; its place is that of what the `switch` looks at.
    NoLabel,
    /// Nothing: a place that somebody wants to reach.
    Target,
}

/// A condition of the source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Condition {
    pub(crate) kind: ConditionKind,
    /// Where it is written; for a macro that is in its definition.
    pub(crate) span: Span,
    /// The names in calls of macros that lead there, innermost first.
    pub(crate) calls: Vec<Span>,
}

/// What a site decides.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Decision {
    /// By index in [`Conditions::list`].
    pub(crate) condition: usize,
    /// Whether the site's *taken* is the condition's *false*.
    pub(crate) is_negated: bool,
}

/// The conditions of a program.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Conditions {
    /// Paths of source files.
    pub(crate) files: Vec<String>,
    pub(crate) list: Vec<Condition>,
    /// By the offset of the site's operator.
    pub(crate) sites: BTreeMap<u32, Decision>,
}

impl Conditions {
    /// The section's contents: one line for each file, condition and site.
    pub(crate) fn to_text(&self) -> String {
        let mut text = String::new();
        for file in &self.files {
            let escaped = file.replace('\\', "\\\\").replace('\n', "\\n");
            let _ = writeln!(text, "file {escaped}");
        }
        for condition in &self.list {
            text.push_str(match condition.kind {
                ConditionKind::Condition => "condition",
                ConditionKind::Label => "label",
                ConditionKind::NoLabel => "no-label",
                ConditionKind::Target => "target",
            });
            for Span { file, start, end } in [&condition.span].into_iter().chain(&condition.calls) {
                let _ = write!(text, " {file} {} {} {} {}", start.0, start.1, end.0, end.1);
            }
            text.push('\n');
        }
        for (offset, Decision { condition, is_negated }) in &self.sites {
            let word = if *is_negated { "negated" } else { "site" };
            let _ = writeln!(text, "{word} {offset} {condition}");
        }
        text
    }

    /// Reads what [`Conditions::to_text`] wrote; `None` if that did not write it.
    pub(crate) fn from_text(text: &str) -> Option<Conditions> {
        let mut conditions = Conditions::default();
        for line in text.lines() {
            let (word, rest) = line.split_once(' ')?;
            let numbers = || rest.split(' ').map(|number| number.parse::<u32>().ok());
            let kind = match word {
                "file" => {
                    conditions.files.push(unescaped(rest));
                    continue;
                }
                "site" | "negated" => {
                    let [offset, condition] = numbers().collect::<Option<Vec<_>>>()?[..] else {
                        return None;
                    };
                    let condition = condition as usize;
                    conditions.list.get(condition)?;
                    let is_negated = word == "negated";
                    conditions.sites.insert(offset, Decision { condition, is_negated });
                    continue;
                }
                "condition" => ConditionKind::Condition,
                "label" => ConditionKind::Label,
                "no-label" => ConditionKind::NoLabel,
                "target" => ConditionKind::Target,
                _ => return None,
            };
            let numbers = numbers().collect::<Option<Vec<_>>>()?;
            let mut spans = Vec::new();
            for part in numbers.chunks(5) {
                let &[file, line, column, end_line, end_column] = part else { return None };
                let file = file as usize;
                conditions.files.get(file)?;
                spans.push(Span { file, start: (line, column), end: (end_line, end_column) });
            }
            let mut spans = spans.into_iter();
            let span = spans.next()?;
            conditions.list.push(Condition { kind, span, calls: spans.collect() });
        }
        Some(conditions)
    }
}

fn unescaped(text: &str) -> String {
    let mut out = String::new();
    let mut characters = text.chars();
    while let Some(c) = characters.next() {
        match c {
            '\\' => out.extend(characters.next().map(|c| if c == 'n' { '\n' } else { c })),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_can_be_read() {
        let span = |file, line| Span { file, start: (line, 2), end: (line, 9) };
        let conditions = Conditions {
            files: vec!["/a/b.c".into(), "with\n\\ in it".into()],
            list: vec![
                Condition { kind: ConditionKind::Condition, span: span(1, 4), calls: vec![] },
                Condition {
                    kind: ConditionKind::NoLabel,
                    span: span(0, 7),
                    calls: vec![span(1, 8), span(0, 9)],
                },
            ],
            sites: BTreeMap::from([
                (400, Decision { condition: 0, is_negated: true }),
                (500, Decision { condition: 1, is_negated: false }),
            ]),
        };
        let text = conditions.to_text();
        assert_eq!(Conditions::from_text(&text), Some(conditions));
        assert_eq!(Conditions::from_text("site 4 0\n"), None);
        assert_eq!(Conditions::from_text("condition 0 1 2 3 4\n"), None);
        assert_eq!(Conditions::from_text("other 1\n"), None);
    }
}
