//! Which regions are labels of a `switch`, by what the source has there.
//!
//! Of a `switch` over a constant only the code of one label is left, without a `switch`: its counter then stands wherever
//! the code before it ends, and a branch that leads there decides something else.

use super::coverage_map::Region;
use std::collections::BTreeMap;

/// The source files of one compiled file, read when they are asked for.
pub(super) struct Sources<'f> {
    paths: &'f [String],
    /// Their lines, by index of the file.
    lines: BTreeMap<usize, Vec<Vec<u8>>>,
}

impl<'f> Sources<'f> {
    pub(super) fn new(paths: &'f [String]) -> Sources<'f> {
        Sources { paths, lines: BTreeMap::new() }
    }

    /// Whether a region is a label.
    pub(super) fn is_label(&mut self, region: &Region) -> bool {
        let (file, (line, column)) = (region.span.file, region.span.start);
        let Some(path) = self.paths.get(file) else { return false };
        let lines = self.lines.entry(file).or_insert_with(|| {
            let text = std::fs::read(path).unwrap_or_default();
            text.split(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect()
        });
        let line = lines.get((line as usize).saturating_sub(1));
        line.and_then(|line| line.get((column as usize).saturating_sub(1)..)).is_some_and(is_label)
    }
}

/// Whether some text starts with a label of a `switch`.
fn is_label(text: &[u8]) -> bool {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    ["case", "default"].iter().any(|word| {
        let rest = text.strip_prefix(word.as_bytes());
        rest.is_some_and(|rest| !rest.first().is_some_and(is_part))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_words() {
        for (text, expected) in [
            ("case 1:", true),
            ("case'x':", true),
            ("default:", true),
            ("cases[1] > 2", false),
            ("default_value", false),
            ("x == 1", false),
        ] {
            assert_eq!(is_label(text.as_bytes()), expected, "{text}");
        }
    }
}
