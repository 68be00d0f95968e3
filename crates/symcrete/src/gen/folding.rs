//! A report that fits on a screen: what is too long is folded, step by step, unless the user wants all of it.

/// The lines of a screen.
const SCREEN: usize = 50;
/// How much of each list is shown, the most first.
const STEPS: &[Folding] = &[
    Folding { sides: 24, rows: usize::MAX },
    Folding { sides: 12, rows: 16 },
    Folding { sides: 6, rows: 8 },
    Folding { sides: 4, rows: 4 },
];

/// How much of a list is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Folding {
    /// Of sides that are not covered.
    pub(crate) sides: usize,
    /// Of anything else.
    pub(crate) rows: usize,
}

impl Folding {
    /// Everything.
    pub(crate) const NONE: Folding = Folding { sides: usize::MAX, rows: usize::MAX };

    /// A text that fits on a screen, or else the shortest.
    pub(crate) fn to_screen(is_verbose: bool, text: impl Fn(Folding) -> String) -> String {
        if is_verbose {
            return text(Folding::NONE);
        }
        let mut texts = STEPS.iter().map(|&folding| text(folding));
        let fits = |text: &String| text.lines().count() <= SCREEN;
        texts.find(fits).unwrap_or_else(|| text(STEPS[STEPS.len() - 1]))
    }

    /// The first rows of a list; the others are counted.
    pub(crate) fn cut(self, mut lines: Vec<String>) -> Vec<String> {
        // A line that says "1 more" is no shorter than that one.
        if lines.len() > self.rows.saturating_add(1) {
            let n_more = lines.len() - self.rows;
            lines.truncate(self.rows);
            lines.push(format!("  and {n_more} more (-v lists them)"));
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_is_whole_and_what_does_not_is_cut() {
        let lines = |n: usize| (0..n).map(|i| format!("  {i}")).collect::<Vec<_>>();
        let shown = |n, is_verbose| {
            let text = Folding::to_screen(is_verbose, |folding| folding.cut(lines(n)).join("\n"));
            (text.lines().count(), text.ends_with("more (-v lists them)"))
        };
        assert_eq!(shown(50, false), (50, false));
        assert_eq!(shown(51, false), (17, true));
        assert_eq!(shown(51, true), (51, false));
        assert_eq!(Folding { sides: 4, rows: 4 }.cut(lines(5)).len(), 5, "nothing is gained");
    }
}
