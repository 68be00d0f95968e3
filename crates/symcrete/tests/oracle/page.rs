//! A C file in two forms with the same lines: as the tool gets it, and with every condition marked, so that native
//! runs tell which sides they take.

use std::collections::BTreeMap;
use std::fmt::Write;

/// What stands on a line by itself and has sides.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Leaf {
    /// A condition with this text.
    Condition(String),
    /// A label of a `switch`, as the tool writes it: `case 3`, `default`.
    Label(String),
    /// A `switch` that may have no `default`: whatever no label takes.
    Switch,
}

/// Values of a `switch` that lead to a line; none for the default.
struct Label {
    switch: usize,
    range: Option<(i64, i64)>,
    line: u32,
}

/// The two forms of a file while they are written.
#[derive(Default)]
pub(super) struct Page {
    plain: String,
    marked: String,
    n_lines: u32,
    leaves: BTreeMap<u32, Leaf>,
    labels: Vec<Label>,
    n_switches: usize,
}

/// A finished file.
pub(super) struct Pages {
    pub(super) plain: String,
    pub(super) marked: String,
    pub(super) leaves: BTreeMap<u32, Leaf>,
    /// Number of the last line.
    pub(super) n_lines: u32,
}

impl Page {
    fn push(&mut self, plain: &str, marked: &str) -> u32 {
        debug_assert!(!plain.contains('\n') && !marked.contains('\n'), "one line at a time");
        let _ = writeln!(self.plain, "{plain}");
        let _ = writeln!(self.marked, "{marked}");
        self.n_lines += 1;
        self.n_lines
    }

    /// What the tool gets so far.
    pub(super) fn plain(&self) -> &str {
        &self.plain
    }

    /// A line without a condition.
    pub(super) fn line(&mut self, text: &str) {
        self.push(text, text);
    }

    /// Several of them.
    pub(super) fn lines(&mut self, text: &str) {
        text.lines().for_each(|line| self.line(line));
    }

    /// A condition, which must be a whole operand.
    pub(super) fn leaf(&mut self, text: &str) {
        let line = self.push(text, &format!("T({}, {text})", self.n_lines + 1));
        self.leaves.insert(line, Leaf::Condition(text.to_string()));
    }

    /// A variable that outlives a call: `static int n` and `= 3`.
    pub(super) fn kept(&mut self, declaration: &str, value: &str) {
        self.push(
            &format!("{declaration} {value};"),
            &format!("{declaration} ORACLE_KEPT {value};"),
        );
    }

    /// Opens a `switch`, which gets a number.
    pub(super) fn switch(&mut self, of: &str) -> usize {
        let number = self.n_switches;
        self.n_switches += 1;
        let line = self.push(
            &format!("switch ({of}) {{"),
            &format!("switch (oracle_switch({number}, {of})) {{"),
        );
        self.leaves.insert(line, Leaf::Switch);
        self.labels.push(Label { switch: number, range: None, line });
        number
    }

    /// A label of a `switch`.
    pub(super) fn case(&mut self, switch: usize, low: i64, high: i64) {
        let text =
            if low == high { format!("case {low}") } else { format!("case {low} ... {high}") };
        self.label(switch, text, Some((low, high)));
    }

    /// The `default` of a `switch`.
    pub(super) fn default_label(&mut self, switch: usize) {
        self.labels.retain(|label| label.switch != switch || label.range.is_some());
        self.label(switch, "default".to_string(), None);
    }

    fn label(&mut self, switch: usize, text: String, range: Option<(i64, i64)>) {
        let colon = format!("{text}:");
        let line = self.push(&colon, &colon);
        self.leaves.insert(line, Leaf::Label(text));
        self.labels.push(Label { switch, range, line });
    }

    /// The two files.
    pub(super) fn finish(mut self) -> Pages {
        self.marked.push_str("static const struct oracle_label oracle_labels[] = {{-1, 0, 0, 0},");
        for Label { switch, range, line } in &self.labels {
            let (low, high) = range.unwrap_or((1, 0));
            let _ = write!(self.marked, " {{{switch}, {low}, {high}, {line}}},");
        }
        self.marked.push_str("};\nORACLE_LABELS(oracle_labels)\n");
        let Page { plain, marked, leaves, n_lines, .. } = self;
        Pages { plain, marked, leaves, n_lines }
    }
}
