//! Files for programs: what is written can be read again, and counts agree.

use super::case::{Case, UnitCase};
use libtest_mimic::Failed;
use std::collections::{BTreeMap, BTreeSet};
use symcrete_emit::Framework;
use symcrete_emit::corpus::corpus;
use symcrete_emit::lcov::lcov;
use symcrete_emit::suite::{FORMAT, Suite, UnitEntry};
use symcrete_emit::testcomp::{self, Metadata, testcomp};
use symcrete_program::{Edge, TestCase};

/// Reading a suite gives back the tests that were written.
pub(crate) fn suite(case: &Case) -> Result<(), Failed> {
    let sites = case.program.branches.keys();
    let edges: Vec<Edge> = sites.map(|&site| Edge { site, taken: true }).collect();
    let entry = |unit_case: &UnitCase| {
        let unit = case.program.unit(&unit_case.name).expect("it was found before");
        UnitEntry::of(&case.program, unit, &unit_case.shape, &unit_case.tests, &edges)
    };
    let suite = Suite {
        format: FORMAT,
        tool: "symcrete 0.0.0".into(),
        program: "0123".into(),
        configuration: BTreeMap::from([("seed".to_string(), 7.into())]),
        framework: Framework::Cmocka,
        root: "..".into(),
        sources: vec!["a.c".into()],
        flags: vec!["-DX=1".into()],
        files: vec!["tests/test_a.c".into()],
        units: case.units.iter().map(entry).collect(),
    };
    let read = Suite::read(&suite.artifact().bytes)?;
    if read != suite {
        return Err("the suite is another one after reading".into());
    }
    for (entry, unit_case) in read.units.iter().zip(&case.units) {
        for (entry, test) in entry.tests.iter().zip(&unit_case.tests) {
            if entry.test_case()? != *test {
                return Err(format!("{} is another one after reading", entry.name).into());
            }
        }
    }
    let newer = Suite { format: FORMAT + 1, ..suite };
    match Suite::read(&newer.artifact().bytes) {
        Err(error) if error.to_string().contains("format") => Ok(()),
        other => Err(format!("a newer format is read as {other:?}").into()),
    }
}

/// The sides in `lcov.info` are those of the branches.
pub(crate) fn coverage(case: &Case) -> Result<(), Failed> {
    let mut tests: BTreeMap<usize, &[TestCase]> = BTreeMap::new();
    for (index, unit) in case.program.units.iter().enumerate() {
        if let Some(unit_case) = case.units.iter().find(|unit_case| unit_case.name == unit.name) {
            tests.insert(index, &unit_case.tests);
        }
    }
    let text = String::from_utf8(lcov(&case.program, &tests).bytes)?;
    let sides: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("BRDA:")).collect();
    let distinct: BTreeSet<&str> =
        sides.iter().filter_map(|side| side.rsplit_once(',')).map(|(place, _)| place).collect();
    let n_hit = sides.iter().filter(|side| !side.ends_with(",-") && !side.ends_with(",0")).count();
    let sum = |key: &str| -> usize {
        text.lines().filter_map(|line| line.strip_prefix(key)?.parse::<usize>().ok()).sum()
    };
    if distinct.len() != sides.len() || sum("BRF:") != sides.len() || sum("BRH:") != n_hit {
        return Err(format!("counts differ:\n{text}").into());
    }
    Ok(())
}

/// One element per cell, one file per test.
pub(crate) fn exchange(case: &Case) -> Result<(), Failed> {
    let metadata = Metadata {
        producer: "symcrete <&\"".into(),
        specification: testcomp::BRANCHES.into(),
        program_hash: "00".into(),
        creation_time: "2026-01-01T00:00:00Z".into(),
    };
    for unit_case in &case.units {
        let unit = case.program.unit(&unit_case.name).expect("it was found before");
        let files = testcomp(&case.program, unit, &unit_case.shape, &unit_case.tests, &metadata);
        let head = String::from_utf8(files[0].bytes.clone())?;
        if files.len() != unit_case.tests.len() + 1 || !head.contains("symcrete &lt;&amp;&quot;") {
            return Err(format!("{} files for {}\n{head}", files.len(), unit_case.name).into());
        }
        for (file, test) in files[1..].iter().zip(&unit_case.tests) {
            let text = String::from_utf8(file.bytes.clone())?;
            let n_cells = unit_case.shape.leaves(&test.input).len() + test.drawn.len();
            if text.matches("<input ").count() != n_cells {
                return Err(format!("{n_cells} cells, but\n{text}").into());
            }
        }
        let raw = corpus(&case.program, unit, &unit_case.shape, &unit_case.tests);
        if raw.is_empty() {
            return Err(format!("no corpus for {}", unit_case.name).into());
        }
    }
    Ok(())
}
