//! Declarations without parameters, `_Bool ready();`, of which debug information says nothing.

use crate::types::{Type, TypeKind};

/// What such a declaration in a text says that a function returns, if that is narrower than the machine's integers: a wider
/// value would be none of its type.
pub(super) fn narrow_result(text: &str, function: &str) -> Option<Type> {
    declared(text, function).find_map(|words| narrow(&words.collect::<Vec<_>>()))
}

/// What such a declaration says that a function returns a pointer to, in the words of its type: `struct list` of
/// `struct list *first();`.
pub(super) fn pointee(text: &str, function: &str) -> Option<String> {
    declared(text, function).find_map(|words| {
        let words: Vec<&str> = words.filter(|word| !matches!(*word, "const" | "static")).collect();
        let ty = words.join(" ");
        let inner = ty.strip_suffix('*')?.trim_end();
        (!inner.is_empty()).then(|| inner.to_string())
    })
}

/// The words before the name of a function where a text declares it without parameters.
fn declared<'t>(
    text: &'t str,
    function: &str,
) -> impl Iterator<Item = impl Iterator<Item = &'t str>> {
    text.match_indices(function).filter_map(move |(at, function)| {
        let rest = text[at + function.len()..].trim_start().strip_prefix('(')?;
        let rest = rest.trim_start().strip_prefix(')')?;
        rest.trim_start().starts_with(';').then_some(())?;
        let start = text[..at].rfind([';', '{', '}', ')', '\n']).map_or(0, |before| before + 1);
        let is_whole = text[..at].ends_with(|c: char| c == '*' || c.is_whitespace());
        is_whole.then(|| text[start..at].split_whitespace().filter(|word| *word != "extern"))
    })
}

fn narrow(words: &[&str]) -> Option<Type> {
    let character = |signed| TypeKind::Int { signed, is_char: true };
    let short = |signed| TypeKind::Int { signed, is_char: false };
    let (size, kind) = match words {
        ["_Bool" | "bool"] => (1, TypeKind::Bool),
        ["char"] | ["signed", "char"] => (1, character(true)),
        ["unsigned", "char"] => (1, character(false)),
        ["short"] | ["signed", "short"] | ["short", "int"] => (2, short(true)),
        ["unsigned", "short"] | ["unsigned", "short", "int"] => (2, short(false)),
        _ => return None,
    };
    Some(Type { name: words.join(" "), size, kind })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_declarations_count() {
        let text = "int ready_now();\nextern _Bool ready();\nunsigned  char get ( ) ;\nint main(void) { return wait(); }\n";
        let kind = |name| narrow_result(text, name).map(|ty| (ty.name, ty.kind));
        assert_eq!(kind("ready"), Some(("_Bool".to_owned(), TypeKind::Bool)));
        let byte = TypeKind::Int { signed: false, is_char: true };
        assert_eq!(kind("get"), Some(("unsigned char".to_owned(), byte)));
        assert_eq!((kind("wait"), kind("ready_now")), (None, None));
        let text =
            "struct list *first();\nextern const char * name ( );\nint n() { return *first(); }\n";
        let to = |name| pointee(text, name);
        assert_eq!(to("first").as_deref(), Some("struct list"));
        assert_eq!((to("name").as_deref(), to("n")), (Some("char"), None));
    }
}
