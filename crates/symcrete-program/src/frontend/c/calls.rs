//! Calls and types in LLVM's text form.

use super::ir::closing;
use super::locals::{definition, name_length};

/// What a call calls.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Callee<'a> {
    /// A function, as the text spells its name: `@f`.
    Function(&'a str),
    /// What a pointer points to, or a function that is called through another type than its own.
    Pointer,
    /// Assembly, which calls nothing.
    Assembly,
}

/// A call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Call<'a> {
    /// The name of its result, with its `%`.
    pub(super) result: Option<&'a str>,
    pub(super) ty: &'a str,
    pub(super) callee: Callee<'a>,
    /// What is between the parentheses.
    pub(super) arguments: &'a str,
    /// Whether a return must follow.
    pub(super) is_last: bool,
}

impl<'a> Call<'a> {
    pub(super) fn read(line: &'a str) -> Option<Call<'a>> {
        let (result, rest) = match definition(line) {
            Some((result, rest)) => (Some(result), rest),
            None => (None, line.trim_start()),
        };
        let is_last = rest.starts_with("musttail ");
        let kinds = ["musttail ", "notail ", "tail "];
        let rest = kinds.iter().find_map(|kind| rest.strip_prefix(kind)).unwrap_or(rest);
        let (ty, rest) = type_behind_attributes(rest.strip_prefix("call ")?)?;
        // The types of parameters are there if their number is not fixed.
        let rest = match rest.starts_with('(') {
            true => rest[closing(rest, 0)? + 1..].trim_start(),
            false => rest,
        };
        let (callee, rest) = match rest.chars().next()? {
            '@' => {
                let end = 1 + name_length(&rest[1..]);
                (Callee::Function(&rest[..end]), &rest[end..])
            }
            '%' => (Callee::Pointer, &rest[1 + name_length(&rest[1..])..]),
            _ if rest.starts_with("asm ") => (Callee::Assembly, ""),
            // A constant expression, with a type of its own in brackets.
            _ => {
                let open = rest.find('(')?;
                (Callee::Pointer, rest[closing(rest, open)? + 1..].trim_start())
            }
        };
        let arguments = rest.strip_prefix('(').and_then(|_| rest.get(1..closing(rest, 0)?));
        Some(Call { result, ty, callee, arguments: arguments.unwrap_or_default(), is_last })
    }
}

/// The type that a text starts with, behind words such as `noundef` and `fastcc`; and what follows.
pub(super) fn type_behind_attributes(text: &str) -> Option<(&str, &str)> {
    let mut rest = text.trim_start();
    while !starts_type(rest) {
        let end = rest.find([' ', '('])?;
        let end = match rest[end..].starts_with('(') {
            true => closing(rest, end)? + 1,
            false => end,
        };
        rest = rest[end..].trim_start();
    }
    type_at(rest)
}

fn starts_type(text: &str) -> bool {
    const NAMED: &[&str] = &["void", "ptr", "half", "bfloat", "float", "double", "fp128"];
    let word = &text[..text.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(text.len())];
    let is_integer = word.strip_prefix('i').is_some_and(|bits| bits.parse::<u32>().is_ok());
    text.starts_with(['%', '{', '[', '<']) || is_integer || NAMED.contains(&word)
}

/// The type at the start of a text, and what follows. Older text has types behind pointers: `i32 (i8*)*`.
pub(super) fn type_at(text: &str) -> Option<(&str, &str)> {
    let mut end = match text.chars().next()? {
        '{' | '[' | '<' => bracketed(text)?,
        '%' => 1 + name_length(&text[1..]),
        _ => text.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(text.len()),
    };
    loop {
        let rest = &text[end..];
        if rest.starts_with('*') {
            end += 1;
        } else if rest.starts_with(" (") {
            let behind = end + closing(rest, 1)? + 1;
            if !text[behind..].starts_with('*') {
                break;
            }
            end = behind;
        } else {
            break;
        }
    }
    (end > 0).then(|| (&text[..end], text[end..].trim_start()))
}

/// How long the part in brackets is that a text starts with.
fn bracketed(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (i, byte) in text.bytes().enumerate() {
        match byte {
            b'(' | b'[' | b'{' | b'<' => depth += 1,
            b')' | b']' | b'}' | b'>' => depth = depth.checked_sub(1)?,
            _ => {}
        }
        if depth == 0 {
            return Some(i + 1);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::super::locals::global_names;
    use super::*;

    #[test]
    fn calls_are_read() {
        let read = |line| {
            let Call { result, ty, callee, arguments, is_last } = Call::read(line).unwrap();
            (result, ty, callee, arguments, is_last)
        };
        assert_eq!(
            read(
                "  %14 = call i32 @setjmp(ptr noundef getelementptr (i8, ptr @e, i64 8)) #10, !dbg !94"
            ),
            (
                Some("%14"),
                "i32",
                Callee::Function("@setjmp"),
                "ptr noundef getelementptr (i8, ptr @e, i64 8)",
                false
            )
        );
        assert_eq!(
            read("  %26 = tail call noundef signext i32 (ptr, ...) @printf(ptr @.str, i32 %25)"),
            (Some("%26"), "i32", Callee::Function("@printf"), "ptr @.str, i32 %25", false)
        );
        assert_eq!(
            read("  musttail call void %3(i32 noundef %4), !dbg !64"),
            (None, "void", Callee::Pointer, "i32 noundef %4", true)
        );
        assert_eq!(
            read(
                "  %2 = call dereferenceable(8) i32 (i8*)* bitcast (i8* ()* @\"a b\" to i32 (i8*)* (i32)*)(i32 1)"
            ),
            (Some("%2"), "i32 (i8*)*", Callee::Pointer, "i32 1", false)
        );
        assert_eq!(read("  call void asm sideeffect \"\", \"~{memory}\"()").2, Callee::Assembly);
        assert!(Call::read("  %3 = load i32, ptr @call, align 4").is_none());
    }

    #[test]
    fn types_are_read() {
        for (text, ty) in [
            ("i32 %0", "i32"),
            ("{ i32, i1 } %4", "{ i32, i1 }"),
            ("<{ i8 }> %4", "<{ i8 }>"),
            ("%struct.s* %4", "%struct.s*"),
            ("%\"struct a\" %4", "%\"struct a\""),
            ("i8 (i32, ...)** %4", "i8 (i32, ...)**"),
        ] {
            assert_eq!(type_at(text).map(|(ty, _)| ty), Some(ty), "{text}");
        }
        let header = "hidden noundef range(i32 0, 2) i32 @f(i32 %0) {";
        assert_eq!(type_behind_attributes(header), Some(("i32", "@f(i32 %0) {")));
    }

    #[test]
    fn names_of_globals_are_found() {
        let line = "@hook = internal global ptr @fail, align 8 ; @\"a b\"";
        assert!(global_names(line).eq(["@hook", "@fail", "@\"a b\""]));
    }
}
