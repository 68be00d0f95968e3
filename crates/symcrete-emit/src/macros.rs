//! The macros that a C text defines, as far as lines tell.

/// Each definition: the name, and what follows it on its line.
pub(crate) fn defined(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.lines().filter_map(|line| {
        let directive = line.trim_start().strip_prefix('#')?.trim_start();
        let definition = directive.strip_prefix("define")?.strip_prefix([' ', '\t'])?.trim_start();
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        Some(definition.split_at(definition.find(|c| !is_part(c)).unwrap_or(definition.len())))
    })
}

/// Whether a text defines a macro of that name.
pub(crate) fn defines(text: &str, name: &str) -> bool {
    text.contains(name) && defined(text).any(|(defined, _)| defined == name)
}

/// Whether a text has `#define name(`.
pub(crate) fn defines_with_parameters(text: &str, name: &str) -> bool {
    let has_parameters = |(defined, rest): (&str, &str)| defined == name && rest.starts_with('(');
    text.contains(name) && defined(text).any(has_parameters)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_are_told_from_other_lines() {
        let text = "#define strcpy USE_MEMCPY\n  #  define\tf(x) x\n#undef g\n#defined h\nint define;\n#define k\n";
        let names: Vec<&str> = defined(text).map(|(name, _)| name).collect();
        assert_eq!(names, ["strcpy", "f", "k"]);
        assert!(defines(text, "f") && defines(text, "k") && !defines(text, "str"));
        assert!(defines_with_parameters(text, "f") && !defines_with_parameters(text, "k"));
    }
}
