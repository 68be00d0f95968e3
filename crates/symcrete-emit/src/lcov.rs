//! `lcov.info`: branch coverage for genhtml, Codecov, editors.
//!
//! The format is that of geninfo's manual page. Lines are those on which a function begins or a branch stands:
//! nothing is known of others.

use crate::Artifact;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use symcrete_program::{Branch, BranchKind, Edge, FileId, Program, SiteId, TestCase};

/// Its name in the output folder.
pub const FILE: &str = "lcov.info";

/// The coverage of all tests of these units, by index in the program.
pub fn lcov(program: &Program, tests: &BTreeMap<usize, Vec<&TestCase>>) -> Artifact {
    let mut hits: BTreeMap<Edge, u64> = BTreeMap::new();
    for test in tests.values().flat_map(|tests| tests.iter()) {
        for &edge in test.coverage.edges() {
            *hits.entry(edge).or_default() += 1;
        }
    }
    let calls = calls(program, tests);
    let mut text = String::from("TN:symcrete\n");
    for id in (0..program.files.len() as u32).map(FileId) {
        let file = File { program, id, calls: &calls, hits: &hits };
        if program.file(id).is_user && file.has_something() {
            file.write(&mut text);
        }
    }
    Artifact::text(FILE, text)
}

/// How many tests ran each unit: its own, and others as far as branches show it.
fn calls(program: &Program, tests: &BTreeMap<usize, Vec<&TestCase>>) -> BTreeMap<usize, u64> {
    let mut calls: BTreeMap<usize, u64> = BTreeMap::new();
    for (&tested, tests) in tests {
        for test in tests {
            let sites = test.coverage.edges().iter().map(|edge| &edge.site);
            let branches = sites.filter_map(|site| program.branches.get(site));
            let mut units: BTreeSet<usize> = branches.map(|branch| branch.unit).collect();
            units.insert(tested);
            for unit in units {
                *calls.entry(unit).or_default() += 1;
            }
        }
    }
    calls
}

struct File<'a> {
    program: &'a Program,
    id: FileId,
    calls: &'a BTreeMap<usize, u64>,
    hits: &'a BTreeMap<Edge, u64>,
}

impl File<'_> {
    fn has_something(&self) -> bool {
        self.program.units.iter().any(|unit| unit.position.file == self.id)
            || self.branches().next().is_some()
    }

    /// Branches that the source shows.
    fn branches(&self) -> impl Iterator<Item = (SiteId, &Branch)> {
        let shown = |kind| match kind {
            BranchKind::Condition | BranchKind::Case => true,
            BranchKind::Check(_) | BranchKind::Hidden | BranchKind::Target => false,
        };
        let all = self.program.branches.iter().map(|(&site, branch)| (site, branch));
        all.filter(move |(_, branch)| branch.position.file == self.id && shown(branch.kind))
    }

    fn hits(&self, site: SiteId, taken: bool) -> u64 {
        self.hits.get(&Edge { site, taken }).copied().unwrap_or(0)
    }

    fn write(&self, text: &mut String) {
        let _ = writeln!(text, "SF:{}", self.program.file(self.id).path.display());
        let mut lines: BTreeMap<u32, u64> = BTreeMap::new();
        let units = self.program.units.iter().enumerate();
        let units: Vec<_> = units.filter(|(_, unit)| unit.position.file == self.id).collect();
        for (_, unit) in &units {
            let _ = writeln!(text, "FN:{},{}", unit.position.line, unit.name);
        }
        let mut n_called = 0;
        for (index, unit) in &units {
            let calls = self.calls.get(index).copied().unwrap_or(0);
            let _ = writeln!(text, "FNDA:{calls},{}", unit.name);
            lines.insert(unit.position.line, calls);
            n_called += u32::from(calls > 0);
        }
        let _ = writeln!(text, "FNF:{}\nFNH:{n_called}", units.len());
        self.write_branches(text, &mut lines);
        for (line, hits) in &lines {
            let _ = writeln!(text, "DA:{line},{hits}");
        }
        let n_hit = lines.values().filter(|hits| **hits > 0).count();
        let _ = writeln!(text, "LF:{}\nLH:{n_hit}\nend_of_record", lines.len());
    }

    fn write_branches(&self, text: &mut String, lines: &mut BTreeMap<u32, u64>) {
        let mut blocks: BTreeMap<u32, u32> = BTreeMap::new();
        let (mut n_found, mut n_hit) = (0, 0);
        for (site, branch) in self.branches() {
            let line = branch.position.line;
            let block = blocks.entry(line).or_default();
            let evaluated = self.hits(site, true) + self.hits(site, false);
            let sides: &[bool] = match branch.kind {
                BranchKind::Case => &[true],
                BranchKind::Condition
                | BranchKind::Check(_)
                | BranchKind::Hidden
                | BranchKind::Target => &[true, false],
            };
            for (i, &holds) in sides.iter().enumerate() {
                let hits = self.hits(site, holds != branch.is_negated);
                let taken = if evaluated == 0 { "-".to_string() } else { hits.to_string() };
                let _ = writeln!(text, "BRDA:{line},{block},{i},{taken}");
                n_found += 1;
                n_hit += u32::from(hits > 0);
            }
            *block += 1;
            let hits = lines.entry(line).or_default();
            *hits = evaluated.max(*hits);
        }
        let _ = writeln!(text, "BRF:{n_found}\nBRH:{n_hit}");
    }
}
