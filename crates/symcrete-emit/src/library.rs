//! Functions of the C library for tests whose source has something of a header's names, without including that header.
//!
//! Such a header cannot be included after the source: its declarations may contradict those of the source (`void
//! *malloc(unsigned);`), or come too late (a call of `scanf` that nobody has declared). So what tests call gets names of its
//! own here, which stand for the library's symbols.

use std::fmt::Write;

/// A function or a variable of the library: its name, and its declaration with `@` for the name.
pub(crate) type Declared = (&'static str, &'static str);

pub(crate) const STDIO: &[Declared] = &[
    ("printf", "int @(const char *format, ...)"),
    ("snprintf", "int @(char *to, __SIZE_TYPE__ size, const char *format, ...)"),
    (
        "vsnprintf",
        "int @(char *to, __SIZE_TYPE__ size, const char *format, __builtin_va_list arguments)",
    ),
    ("fopen", "void *@(const char *path, const char *mode)"),
    ("freopen", "void *@(const char *path, const char *mode, void *file)"),
    (
        "fwrite",
        "__SIZE_TYPE__ @(const void *from, __SIZE_TYPE__ size, __SIZE_TYPE__ n, void *file)",
    ),
    ("fclose", "int @(void *file)"),
    ("fflush", "int @(void *file)"),
    ("rewind", "void @(void *file)"),
    ("tmpfile", "void *@(void)"),
    ("remove", "int @(const char *path)"),
    ("stdin", "extern void *@"),
    ("stdout", "extern void *@"),
];
pub(crate) const STDLIB: &[Declared] = &[
    ("system", "int @(const char *command)"),
    ("malloc", "void *@(__SIZE_TYPE__ size)"),
    ("calloc", "void *@(__SIZE_TYPE__ n, __SIZE_TYPE__ size)"),
    ("free", "void @(void *object)"),
    ("abort", "void @(void)"),
    ("exit", "void @(int status)"),
];
pub(crate) const STRING: &[Declared] = &[
    ("strcmp", "int @(const char *a, const char *b)"),
    ("strlen", "__SIZE_TYPE__ @(const char *text)"),
    ("memcmp", "int @(const void *a, const void *b, __SIZE_TYPE__ size)"),
    ("memcpy", "void *@(void *to, const void *from, __SIZE_TYPE__ size)"),
    ("memset", "void *@(void *to, int byte, __SIZE_TYPE__ size)"),
    ("strcpy", "char *@(char *to, const char *from)"),
];

/// How declarations name a symbol of the library.
const LABEL: &str = "
/* The source has something of these headers' names, so they are not included: what tests use of them gets names of its own. */
#define SYMCRETE_LABEL(prefix) SYMCRETE_LABEL_TEXT(prefix)
#define SYMCRETE_LABEL_TEXT(prefix) #prefix
#define SYMCRETE_LIBRARY(name) __asm__(SYMCRETE_LABEL(__USER_LABEL_PREFIX__) name)
";

/// Declares what a test uses of headers that are not included. What the source defines itself is declared already.
pub(crate) fn declarations(
    all: &[&[Declared]],
    own: &[&str],
    uses: impl Fn(&str) -> bool,
) -> String {
    let declared = all.iter().flat_map(|declared| declared.iter());
    let declared = declared.filter(|(name, _)| !own.contains(name) && uses(name));
    let mut text = String::new();
    for (name, declaration) in declared {
        let declaration = declaration.replace('@', &format!("library_{name}"));
        let _ = writeln!(text, "{declaration} SYMCRETE_LIBRARY(\"{name}\");");
        let _ = match is_function(&declaration) {
            // A member of a structure may have the same name.
            true => {
                writeln!(text, "#undef {name}\n#define {name}(...) library_{name}(__VA_ARGS__)")
            }
            false => writeln!(text, "#undef {name}\n#define {name} library_{name}"),
        };
    }
    let streams = all.iter().any(|declared| declared.iter().any(|(name, _)| *name == "fopen"));
    if streams && uses("FILE") {
        text.push_str("#undef FILE\n#define FILE void\n");
    }
    match text.is_empty() {
        true => text,
        false => format!("{LABEL}{text}"),
    }
}

fn is_function(declaration: &str) -> bool {
    declaration.contains('(')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_used_is_declared() {
        let uses = |name: &str| ["fopen", "FILE", "printf"].contains(&name);
        let text = declarations(&[STDIO, STRING], &["printf"], uses);
        assert!(text.contains(
            "void *library_fopen(const char *path, const char *mode) SYMCRETE_LIBRARY(\"fopen\");"
        ));
        assert!(
            text.contains("#define fopen(...) library_fopen(__VA_ARGS__)\n")
                && text.contains("#define FILE void\n")
        );
        assert!(!text.contains("printf") && !text.contains("memcpy"));
        assert_eq!(declarations(&[STRING], &[], uses), "");
    }
}
