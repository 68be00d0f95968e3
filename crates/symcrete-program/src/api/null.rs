//! Which parameters a function expects to be null at times.

use crate::program::Program;

/// Whether the text of a function compares a parameter with null, itself or in a macro of the program.
pub(super) fn looks_for_null(program: &Program, unit: usize, name: &str) -> bool {
    let unit = &program.units[unit];
    let Some(text) = program.file(unit.position.file).text.as_deref() else { return false };
    let in_file = program.units.iter().filter(|other| other.position.file == unit.position.file);
    let next = in_file.map(|other| other.position.line).filter(|&line| line > unit.position.line);
    let end = next.min().unwrap_or(u32::MAX) as usize;
    let start = unit.position.line as usize;
    let lines = text.lines().skip(start.saturating_sub(1)).take(end.saturating_sub(start));
    let text = without_blanks(lines);
    compares(&text, name) || macros_of(&text, name).any(|name| macro_compares(program, name))
}

fn without_blanks<'t>(lines: impl Iterator<Item = &'t str>) -> String {
    lines.flat_map(str::chars).filter(|c| !c.is_whitespace()).collect()
}

fn is_part(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// What is before and behind each place where a text has a name.
fn places<'t>(text: &'t str, name: &'t str) -> impl Iterator<Item = (&'t str, &'t str)> {
    let parts =
        text.match_indices(name).map(move |(at, _)| (&text[..at], &text[at + name.len()..]));
    parts.filter(|(before, after)| !before.ends_with(is_part) && !after.starts_with(is_part))
}

/// Whether a text without blanks compares a name with null.
fn compares(text: &str, name: &str) -> bool {
    places(text, name).any(|(before, after)| {
        let compares = ["==NULL", "!=NULL", "==0)", "!=0)", "==nullptr", "==((void*)0)"];
        let is_compared = compares.iter().any(|text| after.starts_with(text))
            || ["NULL==", "NULL!="].iter().any(|text| before.ends_with(text));
        let opens = ["if(", "&&", "||", "!", "while(", "assert(", "return", "(("];
        let closes = [")", "&&", "||", "?"];
        let is_condition = opens.iter().any(|text| before.ends_with(text))
            && closes.iter().any(|text| after.starts_with(text));
        is_compared || is_condition
    })
}

/// The names of what is called with a name as its first argument.
fn macros_of<'t>(text: &'t str, name: &'t str) -> impl Iterator<Item = &'t str> {
    places(text, name).filter_map(|(before, _)| {
        let called = before.strip_suffix('(')?;
        let start = called.rfind(|c| !is_part(c)).map_or(0, |before| before + 1);
        Some(&called[start..]).filter(|called| !called.is_empty())
    })
}

/// Whether the program has a macro of a name that compares its first argument with null.
fn macro_compares(program: &Program, name: &str) -> bool {
    program.user_texts().any(|text| {
        let mut lines = text.lines();
        let Some(parameters) = lines.find_map(|line| definition(line, name)) else { return false };
        let Some((first, body)) = parameters.split_once([',', ')']) else { return false };
        // The rest of it is on the lines behind, as long as they are continued.
        let mut rest: Vec<&str> = vec![body];
        for line in lines {
            if !rest.last().is_some_and(|line| line.ends_with('\\')) {
                break;
            }
            rest.push(line);
        }
        let first = first.trim();
        compares(&without_blanks(rest.into_iter()).replace(&format!("({first})"), first), first)
    })
}

/// What follows `#define name(` on a line.
fn definition<'t>(line: &'t str, name: &str) -> Option<&'t str> {
    let directive = line.trim_start().strip_prefix('#')?.trim_start();
    let definition = directive.strip_prefix("define")?.trim_start();
    definition.strip_prefix(name)?.strip_prefix('(')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comparisons_are_told_from_other_uses() {
        for text in ["if(p)", "if(p==NULL)", "(p!=NULL&&p->x)", "return!p;x=(!p)"] {
            assert!(compares(text, "p"), "{text}");
        }
        for text in ["p->x", "if(up)", "f(p)", "pp==NULL"] {
            assert!(!compares(text, "p"), "{text}");
        }
        let called: Vec<&str> = macros_of("if(IS_VALID(p)&&g(x,p)&&(p))", "p").collect();
        assert_eq!(called, ["IS_VALID"]);
        assert_eq!(
            definition("  # define IS_VALID(b) ((b) != NULL)", "IS_VALID"),
            Some("b) ((b) != NULL)")
        );
        assert_eq!(definition("#define IS_VALID_TOO(b) 1", "IS_VALID"), None);
    }
}
