//! Whether a program has its own `size_t`: then headers of the library, which a test includes behind the source, contradict it.
//!
//! Debug information leaves out types that nobody uses, and headers that lie elsewhere; so the files are read that the compiler
//! has read.

use std::path::Path;

/// How libraries write that type.
const OF_LIBRARIES: &[&str] = &[
    "__SIZE_TYPE__",
    "unsigned _Addr",
    "unsigned long",
    "unsigned long int",
    "long unsigned int",
    "__size_t",
];

/// Whether one of these files defines the type in its own way.
pub(super) fn is_in_any<'a>(mut files: impl Iterator<Item = &'a Path>) -> bool {
    files.any(|file| std::fs::read(file).is_ok_and(|text| is_in(&String::from_utf8_lossy(&text))))
}

fn is_in(text: &str) -> bool {
    text.split(';').any(|statement| {
        let definition = statement.trim_end().strip_suffix("size_t");
        let definition = definition.filter(|rest| rest.ends_with(char::is_whitespace));
        let ty = definition.and_then(|rest| Some(rest.rsplit_once("typedef ")?.1));
        ty.is_some_and(|ty| {
            let words: Vec<&str> = ty.split_whitespace().collect();
            !words.is_empty() && !OF_LIBRARIES.contains(&words.join(" ").as_str())
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_types_of_another_kind_are_own() {
        for text in ["typedef int size_t;", "int a;\ntypedef unsigned\tint size_t ;\n"] {
            assert!(is_in(text), "{text}");
        }
        for text in [
            "typedef __SIZE_TYPE__ size_t;",
            "typedef unsigned  long size_t;",
            "#define _Addr long\ntypedef unsigned _Addr size_t;",
            "typedef int my_size_t;",
            "size_t n; int x = sizeof size_t;",
        ] {
            assert!(!is_in(text), "{text}");
        }
    }
}
