//! The place and the words of conditions, as the programmer wrote them.
//!
//! The compiler says from where to where a condition goes; the words are cut from the file. A condition in a macro
//! is where the macro is called. Its words are the call where the condition is all of the macro's definition, otherwise
//! those of the definition together with the call.

use super::files::Files;
use crate::conditions::{Condition, ConditionKind, Conditions, Span};
use crate::program::{BranchKind, FileId, Position};
use std::collections::BTreeMap;
use std::path::Path;

/// A condition with its words.
#[derive(Clone, Debug)]
pub(super) struct Worded {
    pub(super) kind: BranchKind,
    pub(super) position: Position,
    pub(super) end: Position,
    pub(super) text: String,
}

/// Finds the words of conditions.
pub(super) struct Words<'a, 'b> {
    conditions: &'b Conditions,
    /// Where paths of user files start.
    directory: &'b Path,
    files: &'b mut Files<'a>,
    /// Where the lines of files start.
    lines: BTreeMap<FileId, Vec<usize>>,
}

/// A text with the starts of its lines.
struct Text<'t> {
    text: &'t str,
    lines: &'t [usize],
}

impl<'a, 'b> Words<'a, 'b> {
    /// Nothing was looked up yet.
    pub(super) fn new(
        conditions: &'b Conditions,
        directory: &'b Path,
        files: &'b mut Files<'a>,
    ) -> Words<'a, 'b> {
        Words { conditions, directory, files, lines: BTreeMap::new() }
    }

    /// A condition with its words, by its number.
    pub(super) fn of(&mut self, condition: usize) -> Worded {
        let Condition { kind, span, calls } = self.conditions.list[condition].clone();
        let file = self.file(calls.last().unwrap_or(&span));
        let (outer, text) = match calls.last() {
            None => {
                let words = self.cut(&span);
                (span, words)
            }
            Some(call) => {
                let (outer, words) = self.call(call);
                let own = self.words_inside(span, &calls);
                let text = match own {
                    None => words,
                    Some(own) => format!("{own} in {words}"),
                };
                (outer, text)
            }
        };
        let (kind, text) = match kind {
            ConditionKind::Condition => (BranchKind::Condition, text),
            ConditionKind::Label => (BranchKind::Case, text),
            ConditionKind::NoLabel => (BranchKind::Case, "default".to_owned()),
            ConditionKind::Target => (BranchKind::Target, "target".to_owned()),
        };
        let position = |(line, column)| Position { file, line, column };
        Worded { kind, position: position(outer.start), end: position(outer.end), text }
    }

    /// The words of a condition inside of a macro; none if the outermost call is all of it, or if they cannot be read.
    fn words_inside(&mut self, mut span: Span, calls: &[Span]) -> Option<String> {
        for call in calls {
            let is_all = self.text(&span).is_some_and(|text| is_all_of_a_definition(&text, &span));
            if !is_all {
                return Some(self.cut(&span)).filter(|words| !words.is_empty());
            }
            span = self.call(call).0;
        }
        None
    }

    fn file(&mut self, span: &Span) -> FileId {
        let path = Path::new(&self.conditions.files[span.file]);
        self.files.id(self.directory, path)
    }

    fn text(&mut self, span: &Span) -> Option<Text<'_>> {
        let id = self.file(span);
        let text = self.files.list[id.0 as usize].text.as_deref()?;
        let starts = || {
            let behind = text.match_indices('\n').map(|(newline, _)| newline + 1);
            std::iter::once(0).chain(behind).collect()
        };
        let lines = self.lines.entry(id).or_insert_with(starts);
        Some(Text { text, lines })
    }

    /// The words of a part of a file, white space made single; none if the file cannot be read.
    fn cut(&mut self, span: &Span) -> String {
        let words = self.text(span).and_then(|file| {
            let (start, end) = (file.offset(span.start)?, file.offset(span.end)?);
            let text = file.text;
            let words = text.get(start..end)?;
            // If a macro comes last, the compiler names its end without its arguments.
            let is_name = words.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
            let more = if is_name { arguments(text.get(end..)?) } else { 0 };
            Some(single_spaced(text.get(start..end + more)?))
        });
        words.unwrap_or_default()
    }

    /// A call of a macro with its arguments, of which only the name is known.
    fn call(&mut self, name: &Span) -> (Span, String) {
        let whole = self.text(name).and_then(|file| {
            let (start, end) = (file.offset(name.start)?, file.offset(name.end)?);
            let text = file.text;
            let end = end + arguments(text.get(end..)?);
            let words = single_spaced(text.get(start..end)?);
            Some((Span { end: file.place(end), ..name.clone() }, words))
        });
        whole.unwrap_or_else(|| (name.clone(), String::new()))
    }
}

/// Whether a part of a file is what a macro is defined as, whole.
fn is_all_of_a_definition(file: &Text<'_>, span: &Span) -> bool {
    let places = file.offset(span.start).zip(file.offset(span.end));
    let parts = places.and_then(|(start, end)| file.text.get(..start).zip(file.text.get(end..)));
    let Some((before, after)) = parts else { return false };
    let mut line = 0;
    for (i, _) in before.match_indices('\n') {
        let is_continued = before[..i].trim_end_matches('\r').ends_with('\\');
        line = if is_continued { line } else { i + 1 };
    }
    let head = before[line..].trim_start().strip_prefix('#').map(str::trim_start);
    let Some(head) = head.and_then(|head| head.strip_prefix("define")) else { return false };
    let head = head.trim_start();
    let name = head.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(head.len());
    let parameters = if head[name..].starts_with('(') { arguments(&head[name..]) } else { 0 };
    let is_blank = |text: &str| text.chars().all(|c| c.is_whitespace() || c == '\\');
    is_blank(&head[name + parameters..]) && is_blank(after.split('\n').next().unwrap_or(""))
}

impl Text<'_> {
    /// The byte at a line and a column.
    fn offset(&self, (line, column): (u32, u32)) -> Option<usize> {
        let start = self.lines.get((line as usize).checked_sub(1)?)?;
        let offset = start + (column as usize).checked_sub(1)?;
        (offset <= self.text.len()).then_some(offset)
    }

    /// The line and the column of a byte.
    fn place(&self, offset: usize) -> (u32, u32) {
        let line = self.lines.partition_point(|&start| start <= offset);
        let start = self.lines[line - 1];
        (line as u32, (offset - start) as u32 + 1)
    }
}

/// How long a list of arguments is that a text may start with.
fn arguments(text: &str) -> usize {
    let mut depth = 0_u32;
    let mut quote = None;
    let mut is_escaped = false;
    for (i, c) in text.char_indices() {
        match (c, quote) {
            _ if is_escaped => is_escaped = false,
            ('\\', Some(_)) => is_escaped = true,
            (c, Some(open)) => quote = Some(open).filter(|&open| open != c),
            ('"' | '\'', None) if depth > 0 => quote = Some(c),
            ('(', None) => depth += 1,
            (')', None) if depth == 1 => return i + 1,
            (')', None) if depth > 1 => depth -= 1,
            (c, None) if depth == 0 && !c.is_whitespace() => return 0,
            (_, None) => {}
        }
    }
    0
}

/// A text on one line, with single spaces.
fn single_spaced(text: &str) -> String {
    let joined = text.replace("\\\r\n", " ").replace("\\\n", " ");
    joined.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::debug::ReadOptions;

    fn worded(text: &str, conditions: &Conditions) -> Worded {
        let load = |path: &Path| path.ends_with("a.c").then(|| text.to_owned());
        let options = ReadOptions { user_files: vec!["a.c".into()], load: &load };
        let mut files = Files::new(&options);
        Words::new(conditions, Path::new("/d"), &mut files).of(0)
    }

    fn conditions(kind: ConditionKind, spans: &[[u32; 5]]) -> Conditions {
        let span =
            |s: &[u32; 5]| Span { file: s[0] as usize, start: (s[1], s[2]), end: (s[3], s[4]) };
        let (span, calls) = (span(&spans[0]), spans[1..].iter().map(span).collect());
        let files = vec!["/d/a.c".into(), "/usr/include/x.h".into()];
        Conditions { files, list: vec![Condition { kind, span, calls }], ..Conditions::default() }
    }

    #[test]
    fn words_are_cut_from_the_file() {
        let text = "int f(int a) { if (a\n   > 3) return 1; }";
        let found = worded(text, &conditions(ConditionKind::Condition, &[[0, 1, 20, 2, 7]]));
        assert_eq!(found.text, "a > 3");
        assert_eq!((found.position.line, found.position.column), (1, 20));
        // Nothing is there to be cut, and nothing fails.
        let found = worded(text, &conditions(ConditionKind::Condition, &[[0, 7, 20, 8, 7]]));
        assert_eq!(found.text, "");
    }

    #[test]
    fn a_macro_is_shown_with_its_call() {
        let text = "#define M(x) if (x \\\n > 2)\nint f(int a) { M(g(a, ')')) return 1; }";
        let spans = [[0, 1, 18, 2, 5], [0, 3, 16, 3, 17]];
        let found = worded(text, &conditions(ConditionKind::Condition, &spans));
        assert_eq!(found.text, "x > 2 in M(g(a, ')'))");
        assert_eq!((found.position.line, found.position.column), (3, 16));
        assert_eq!((found.end.line, found.end.column), (3, 28));
        // The macro is the condition, through another one.
        let text =
            "#define A(x) ((x) > 2)\n#define B(y) A(y)\nint f(int a) { if (B(a)) return 1; }";
        let spans = [[0, 1, 14, 1, 23], [0, 2, 14, 2, 15], [0, 3, 20, 3, 21]];
        let found = worded(text, &conditions(ConditionKind::Condition, &spans));
        assert_eq!(found.text, "B(a)");
        let spans = [[0, 1, 15, 1, 22], [0, 2, 14, 2, 15], [0, 3, 20, 3, 21]];
        let found = worded(text, &conditions(ConditionKind::Condition, &spans));
        assert_eq!(found.text, "(x) > 2 in B(a)");
        let text = "#define M(x) if (x \\\n > 2)\nint f(int a) { M(g(a, ')')) return 1; }";
        // The definition is in a header of the system.
        let spans = [[1, 8, 27, 8, 30], [0, 3, 16, 3, 17]];
        let found = worded(text, &conditions(ConditionKind::Condition, &spans));
        assert_eq!(found.text, "M(g(a, ')'))");
    }
}
