//! Where lines of generated C break.

/// The longest line of a list before it is broken.
const WIDTH: usize = 88;

/// Whether an initialiser is one of the ways to write zero.
pub(crate) fn is_zero(value: &str) -> bool {
    matches!(value, "0" | "0.0" | "0.0f" | "{0}" | "{}" | "NULL" | "'\\0'" | "\"\"")
}

/// A list in braces, broken into lines if it is long. Lines after the first are indented by one step, the
/// closing brace is not.
pub(crate) fn braces(items: &[String]) -> String {
    let line = items.join(", ");
    if line.len() <= WIDTH && !line.contains('\n') {
        return format!("{{{line}}}");
    }
    let mut text = String::from("{\n");
    let mut width = 0;
    for item in items {
        let is_broken = item.contains('\n');
        if width > 0 && (is_broken || width + item.len() + 2 > WIDTH) {
            text.push('\n');
            width = 0;
        }
        text.push_str(if width == 0 { "    " } else { " " });
        text.push_str(&item.replace('\n', "\n    "));
        text.push(',');
        width += item.len() + 2;
        if is_broken {
            text.push('\n');
            width = 0;
        }
    }
    if width > 0 {
        text.push('\n');
    }
    text.push('}');
    text
}

/// Every line indented by one step.
pub(crate) fn indented(text: &str) -> String {
    let lines = text.lines().map(|line| match line.is_empty() {
        true => "\n".to_string(),
        false => format!("    {line}\n"),
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lists_break() {
        let short: Vec<String> = (0..3).map(|i: i32| i.to_string()).collect();
        assert_eq!(braces(&short), "{0, 1, 2}");
        let long: Vec<String> = (100_000_000..100_000_010).map(|i: i32| i.to_string()).collect();
        let text = braces(&long);
        assert_eq!(text.lines().count(), 4);
        assert!(text.lines().all(|line| line.len() <= WIDTH + 4));
    }
}
