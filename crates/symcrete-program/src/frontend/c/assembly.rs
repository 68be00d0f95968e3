//! Assembly for another machine that clang refuses before there is any LLVM text.
//!
//! Clang checks operand constraints and register names while it parses: `"=a"` is an error for WebAssembly and
//! the whole file would be lost. The statement it complains about is replaced by one without operands, in
//! a copy that only the compiler sees; [`super::ir`] then finds it and leaves its function out.

use std::collections::BTreeMap;
use std::path::PathBuf;

/// A place in a message of the compiler; line and column count from 1.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Place {
    pub(super) file: PathBuf,
    pub(super) line: usize,
    pub(super) column: usize,
}

/// What stands for a refused statement. The backend does not accept it either, so it cannot stay by mistake.
const REPLACEMENT: &str = "__asm__(\"not for WebAssembly\")";

/// The places of all errors, if all of them are about assembly. A place inside of a macro is where the macro
/// is defined.
pub(super) fn refused(message: &str) -> Option<Vec<Place>> {
    let mut places = Vec::new();
    for line in message.lines() {
        if let Some((place, text)) = diagnostic(line, "error: ") {
            if !is_about_assembly(text) {
                return None;
            }
            places.push(place);
        } else if let Some((place, text)) = diagnostic(line, "note: ")
            && text.starts_with("expanded from macro")
            && let Some(last) = places.last_mut()
        {
            *last = place;
        }
    }
    places.sort();
    places.dedup();
    (!places.is_empty()).then_some(places)
}

fn is_about_assembly(text: &str) -> bool {
    text.ends_with(" in asm")
        || text.contains("inline asm")
        || text.contains("asm operand")
        || text.contains("too many errors emitted")
}

/// Place and text of `a.c:9:50: error: text`; `fatal error` counts too.
fn diagnostic<'a>(line: &'a str, kind: &str) -> Option<(Place, &'a str)> {
    let (before, text) = line.split_once(kind)?;
    let before = before.trim_end_matches("fatal ").strip_suffix(": ")?;
    let mut parts = before.rsplitn(3, ':');
    let column = parts.next()?.parse().ok()?;
    let line = parts.next()?.parse().ok()?;
    Some((Place { file: PathBuf::from(parts.next()?), line, column }, text))
}

/// The text with the assembly at these places replaced; `None` if one of them is not in assembly.
pub(super) fn replace(text: &str, places: &[(usize, usize)]) -> Option<String> {
    // From the last to the first, so that earlier places stay where they are.
    let mut statements = BTreeMap::new();
    for (line, column) in places {
        let (start, end) = statement(text, offset(text, *line, *column)?)?;
        statements.insert(start, end);
    }
    let mut text = text.to_owned();
    for (start, end) in statements.into_iter().rev() {
        let is_register = is_declarator(&text[..start]);
        let mut replacement = if is_register { String::new() } else { REPLACEMENT.to_owned() };
        // Line numbers stay, and so do continued lines of a macro.
        for line in text[start..end].split_inclusive('\n').filter(|line| line.ends_with('\n')) {
            replacement.push_str(if line.ends_with("\\\n") { "\\\n" } else { "\n" });
        }
        text.replace_range(start..end, &replacement);
    }
    Some(text)
}

fn offset(text: &str, line: usize, column: usize) -> Option<usize> {
    let start = text.split_inclusive('\n').take(line.checked_sub(1)?).map(str::len).sum::<usize>();
    let offset = start + column.checked_sub(1)?;
    (offset <= text.len() && text.is_char_boundary(offset)).then_some(offset)
}

/// The start of the keyword and the end of the parentheses of the assembly around `offset`.
fn statement(text: &str, offset: usize) -> Option<(usize, usize)> {
    let mut search_end = (offset + "__asm__".len()).min(text.len());
    while !text.is_char_boundary(search_end) {
        search_end -= 1;
    }
    for (at, _) in text[..search_end].rmatch_indices("asm") {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let start = text[..at].trim_end_matches('_').len();
        if text[..start].ends_with(is_word) {
            continue;
        }
        let rest = text[at + "asm".len()..].trim_start_matches('_');
        let skipped =
            rest.trim_start_matches(|c: char| is_word(c) || c.is_whitespace() || c == '\\');
        if !skipped.starts_with('(') {
            continue;
        }
        let open = text.len() - skipped.len();
        let end = open + parentheses(&text[open..])?;
        return (start <= offset && offset < end).then_some((start, end));
    }
    None
}

/// The length of the balanced parentheses that `text` starts with; those in strings do not count.
fn parentheses(text: &str) -> Option<usize> {
    let (mut depth, mut in_string, mut is_escaped) = (0, false, false);
    for (i, byte) in text.bytes().enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = in_string,
            b'"' => in_string = !in_string,
            b'(' if !in_string => depth += 1,
            b')' if !in_string => {
                depth -= 1;
                if depth == 0 {
                    return Some(i + 1);
                }
            }
            _ => {}
        }
    }
    None
}

/// Whether what precedes is a declaration, as in `register int x asm("eax")`.
fn is_declarator(before: &str) -> bool {
    let before = before.trim_end();
    let word =
        before.rsplit(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap_or_default();
    !word.is_empty() && !["do", "else"].contains(&word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_are_replaced_and_lines_stay() {
        let text =
            "int f(int a)\n{\n  __asm__ volatile (\"x)\"\n    : \"=a\"(a));\n  return a;\n}\n";
        let replaced = replace(text, &[(4, 7)]).unwrap();
        assert_eq!(
            replaced,
            "int f(int a)\n{\n  __asm__(\"not for WebAssembly\")\n;\n  return a;\n}\n"
        );
        let register = "void f(void) { register int x asm(\"eax\"); }";
        assert_eq!(replace(register, &[(1, 35)]).unwrap(), "void f(void) { register int x ; }");
        assert_eq!(replace("int f;", &[(1, 2)]), None);
    }

    #[test]
    fn only_errors_about_assembly_are_ours() {
        let asm = "a.c:9:50: error: invalid output constraint '=a' in asm\n";
        let places = refused(asm).unwrap();
        assert_eq!(places, [Place { file: "a.c".into(), line: 9, column: 50 }]);
        assert_eq!(refused(&format!("{asm}a.c:1:1: error: unknown type name 'x'\n")), None);
        let in_macro = format!("{asm}b.h:2:7: note: expanded from macro 'CPUID'\n");
        assert_eq!(refused(&in_macro).unwrap()[0].file, PathBuf::from("b.h"));
    }
}
