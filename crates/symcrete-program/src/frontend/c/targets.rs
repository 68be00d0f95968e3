//! Places that somebody wants to reach, as sites of their own.
//!
//! Debug information of optimised code does not say when a line runs: its constants are computed before the branch that
//! leads to it, and its jumps are merged with others. In LLVM's text every statement still has its own instructions. So a
//! target is marked there, like a label of a `switch`: the mark is passed exactly when that code is.

use super::coverage_map::Region;
use super::ir::{number, quoted, reference};
use super::ir_text::{Function, is_code, read_phi};
use super::options::TargetPlace;
use crate::conditions::Span;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Where the instructions of a file's text belong, as far as targets need it.
pub(super) struct Places<'a> {
    targets: &'a [TargetPlace],
    /// The text behind `!7 = `, by `!7`.
    metadata: BTreeMap<&'a str, &'a str>,
}

/// A mark that is to be put before a line of a block.
pub(super) struct Wanted {
    pub(super) block: usize,
    pub(super) line: usize,
    /// Where in the source it belongs.
    pub(super) file: PathBuf,
    pub(super) position: (u32, u32),
}

impl<'a> Places<'a> {
    pub(super) fn of(text: &'a str, targets: &'a [TargetPlace]) -> Places<'a> {
        let is_place = |line: &&str| line.starts_with('!') && line.contains("!DI");
        let lines = if targets.is_empty() { "" } else { text };
        let metadata = lines.lines().filter(is_place).filter_map(|line| line.split_once(" = "));
        Places { targets, metadata: metadata.collect() }
    }

    /// The marks that a function needs, the last ones of each block first.
    pub(super) fn wanted(&self, header: &str, function: &Function) -> Vec<Wanted> {
        let mut wanted = Vec::new();
        if self.targets.is_empty() {
            return wanted;
        }
        wanted.extend(self.entry(header, function));
        for (number, block) in function.blocks.iter().enumerate() {
            let mut last = (PathBuf::new(), 0);
            for (line, text) in block.lines.iter().enumerate() {
                let Some((file, position)) = self.statement(text) else { continue };
                let place = (file, position.0);
                if place != last && self.is_target(&place.0, place.1) {
                    let file = place.0.clone();
                    wanted.push(Wanted { block: number, line, file, position });
                }
                last = place;
            }
        }
        wanted.sort_by_key(|mark| std::cmp::Reverse((mark.block, mark.line)));
        wanted
    }

    /// The mark of a function that is a target itself: before the first thing it does.
    fn entry(&self, header: &str, function: &Function) -> Option<Wanted> {
        let name = header.split_once(" @")?.1.split('(').next()?.trim_matches('"');
        let is_it = |target: &TargetPlace| matches!(target, TargetPlace::Function(wanted) if wanted == name);
        self.targets.iter().find(|target| is_it(target))?;
        let subprogram = self.metadata.get(reference(header, "!dbg ")?)?;
        let lines = &function.blocks.first()?.lines;
        let is_first = |text: &String| is_code(text) && !text.contains(" = alloca ");
        let line = lines.iter().position(is_first)?;
        let position = (number(subprogram, "line: ")?, 1);
        Some(Wanted { block: 0, line, file: self.file(subprogram)?, position })
    }

    /// Where an instruction belongs; `None` if it only says where variables live.
    fn statement(&self, text: &str) -> Option<(PathBuf, (u32, u32))> {
        if !is_code(text) || text.contains("@llvm.lifetime.") || read_phi(text).is_some() {
            return None;
        }
        let location = self.metadata.get(reference(text, ", !dbg ")?)?;
        let line = number(location, "line: ").filter(|line| *line > 0)?;
        let file = self.file(self.metadata.get(reference(location, "scope: ")?)?)?;
        Some((file, (line, number(location, "column: ").unwrap_or(1))))
    }

    /// The file of a scope.
    fn file(&self, scope: &str) -> Option<PathBuf> {
        let file = self.metadata.get(reference(scope, "file: ")?)?;
        let directory = Path::new(quoted(file, "directory: \"").unwrap_or_default());
        Some(directory.join(quoted(file, "filename: \"")?))
    }

    fn is_target(&self, file: &Path, wanted: u32) -> bool {
        self.targets.iter().any(|target| match target {
            TargetPlace::Line { file: own, line } => *line == wanted && is_same(own, file),
            TargetPlace::Function(_) => false,
        })
    }
}

impl Wanted {
    /// The mark as a condition's region.
    pub(super) fn region(&self, files: &mut Vec<String>) -> Region {
        let path = self.file.to_string_lossy().into_owned();
        let known = files.iter().position(|file| is_same(Path::new(file), &self.file));
        let file = known.unwrap_or(files.len());
        if known.is_none() {
            files.push(path);
        }
        let span = Span { file, start: self.position, end: self.position };
        Region { span, calls: Vec::new(), holds: BTreeMap::new(), fails: BTreeMap::new() }
    }
}

/// Whether two paths name one file, also through `..` or links.
fn is_same(a: &Path, b: &Path) -> bool {
    let real = |path: &Path| std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    a == b || (a.file_name() == b.file_name() && real(a) == real(b))
}
