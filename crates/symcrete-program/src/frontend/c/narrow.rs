//! `memcpy` and its kin that a source declares with lengths of 32 bits (`typedef unsigned int size_t;`, as preprocessed programs
//! for other machines have it), where lengths have 64.
//!
//! The compiler copies structures with a `memcpy` of its own, which has the right type. One symbol cannot have two types in
//! an object, so the source's becomes a function of the runtime (`runtime/linux.c`).

/// The functions; their last parameter is the length.
const COPIES: &[&str] = &["memcpy", "memmove", "memset"];

const PREFIX: &str = "@__symcrete_narrow_";

/// The text of a file that calls these by other names; `None` if it declares none of them in that way.
pub(super) fn edit(text: &str) -> Option<String> {
    if !text.contains("target triple = \"wasm64") {
        return None;
    }
    let mut edited: Option<String> = None;
    for name in COPIES.iter().filter(|name| text.lines().any(|line| declares(line, name))) {
        edited = Some(renamed(edited.as_deref().unwrap_or(text), name));
    }
    edited
}

/// Whether a line declares this function with a length of 32 bits.
fn declares(line: &str, name: &str) -> bool {
    let Some((_, params)) = line.split_once(&format!(" @{name}(")) else { return false };
    let last = params.split(')').next().and_then(|params| params.rsplit(", ").next());
    line.starts_with("declare ") && last.is_some_and(|last| last.starts_with("i32"))
}

fn renamed(text: &str, name: &str) -> String {
    let symbol = format!("@{name}");
    let mut out = String::with_capacity(text.len() + 256);
    let mut rest = text;
    while let Some(at) = rest.find(&symbol) {
        let (before, behind) = (&rest[..at], &rest[at + symbol.len()..]);
        out.push_str(before);
        match behind.starts_with(|c: char| c.is_ascii_alphanumeric() || "_.$-".contains(c)) {
            true => out.push_str(&symbol),
            false => {
                out.push_str(PREFIX);
                out.push_str(name);
            }
        }
        rest = behind;
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_narrow_lengths_are_renamed() {
        let of = |length: &str| {
            format!(
                "target triple = \"wasm64-unknown-unknown\"\n\
                 declare ptr @memcpy(ptr noundef, ptr noundef, {length} noundef) #1\n\
                 declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)\n  %a = call ptr @memcpy(ptr %b, ptr %c, {length} %n)\n\
                 @memcpy_count = global i32 0\n"
            )
        };
        assert_eq!(edit(&of("i64")), None);
        assert_eq!(edit(&of("i32").replace("wasm64", "wasm32")), None);
        let edited = edit(&of("i32")).expect("a narrow length");
        assert_eq!(edited.matches("@__symcrete_narrow_memcpy(").count(), 2, "{edited}");
        assert!(edited.contains("@llvm.memcpy.") && edited.contains("@memcpy_count"), "{edited}");
    }
}
