//! Declarations without parameters, `_Bool ready();`, of which debug information says nothing.

use crate::types::{Type, TypeKind};

/// What such a declaration in a text says that a function returns, if that is narrower than the machine's integers: a wider
/// value would be none of its type.
pub(super) fn narrow_result(text: &str, function: &str) -> Option<Type> {
    text.match_indices(function).find_map(|(at, _)| {
        let rest = text[at + function.len()..].trim_start().strip_prefix('(')?;
        let rest = rest.trim_start().strip_prefix(')')?;
        rest.trim_start().starts_with(';').then_some(())?;
        let start = text[..at].rfind([';', '{', '}', ')', '\n']).map_or(0, |before| before + 1);
        let words = text[start..at].split_whitespace().filter(|word| *word != "extern");
        narrow(&words.collect::<Vec<_>>())
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
    }
}
