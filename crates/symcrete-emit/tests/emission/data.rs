//! Files for programs: what is written can be read again, and counts agree.

use super::case::{Case, UnitCase};
use libtest_mimic::Failed;
use std::collections::{BTreeMap, BTreeSet};
use symcrete_emit::corpus::corpus;
use symcrete_emit::lcov::lcov;
use symcrete_emit::outputs::sides::sides;
use symcrete_emit::outputs::{Found, Head, OfAllUnits, Written};
use symcrete_emit::suite::{FORMAT, Fingerprint, SuiteFile, UnitEntry};
use symcrete_emit::testcomp::{self, Metadata, testcomp};
use symcrete_emit::{EmitOptions, Framework};
use symcrete_program::{
    Bounds, Edge, Ended, Gap, GoalState, OpenSide, Reason, Spent, Suite, TestCase, Unit,
};

/// Reading a suite gives back what was written.
pub(crate) fn suite(case: &Case) -> Result<(), Failed> {
    let head = Head {
        program: &case.program,
        options: EmitOptions {
            framework: Framework::Cmocka,
            root: "../..".into(),
            flags: vec!["-DX=1".into()],
        },
        root: "..".into(),
        metadata: metadata(),
        configuration: BTreeMap::from([("seed".to_string(), 7.into())]),
        fingerprint: Fingerprint { question: "4567".into(), method: "89ab".into() },
        wording: |open| {
            let Reason::Said(text) = &open.reason else { panic!("{open:?} is not of this test") };
            text.clone()
        },
    };
    let mut units: BTreeMap<usize, Written> = BTreeMap::new();
    for unit_case in &case.units {
        let is_it = |unit: &Unit| unit.name == unit_case.name;
        let at = case.program.units.iter().position(is_it).ok_or("it was found before")?;
        let (unit, suite) = (&case.program.units[at], suite_of(case, unit_case));
        let found = Found { head: &head, unit, shape: &unit_case.shape, suite: &suite };
        let entry = UnitEntry::of(&found, &[]);
        units.insert(at, Written { entry, suite });
    }
    let all = OfAllUnits { head: &head, units: &units, files: vec!["tests/test_a.c".into()] };
    check_sides(&all)?;
    let file = SuiteFile::of(&all);
    let read = SuiteFile::read(&file.artifact().bytes)?;
    if read != file {
        return Err("the suite is another one after reading".into());
    }
    for (entry, written) in read.units.iter().zip(units.values()) {
        let (suite, errors) = entry.suite();
        if suite != written.suite || !errors.is_empty() {
            return Err(format!("{} is another one after reading: {errors:?}", entry.name).into());
        }
    }
    let newer = SuiteFile { format: FORMAT + 1, ..file };
    match SuiteFile::read(&newer.artifact().bytes) {
        Err(error) if error.to_string().contains("format") => Ok(()),
        other => Err(format!("a newer format is read as {other:?}").into()),
    }
}

/// `sides.csv` has a row for every side that the source shows, with all of its fields.
fn check_sides(all: &OfAllUnits<'_>) -> Result<(), Failed> {
    let text = String::from_utf8(sides(all).bytes)?;
    let shown = |written: &Written| written.entry.branches.len();
    let n_rows: usize = all.units.values().map(shown).sum();
    let mut rows = text.lines().map(fields);
    let head = rows.next().ok_or("no head")?;
    let rows: Vec<Vec<String>> = rows.collect();
    let is_whole = |row: &Vec<String>| row.len() == head.len() && row[2].parse::<u32>().is_ok();
    match rows.len() == n_rows && rows.iter().all(is_whole) {
        true => Ok(()),
        false => Err(format!("{n_rows} sides, but\n{text}").into()),
    }
}

/// The fields of a row, as RFC 4180 has them.
fn fields(row: &str) -> Vec<String> {
    let (mut fields, mut is_quoted) = (vec![String::new()], false);
    for c in row.chars() {
        match c {
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => fields.push(String::new()),
            _ => fields.last_mut().expect("there is always one").push(c),
        }
    }
    fields
}

/// The tests of a unit, and a side of every state.
fn suite_of(case: &Case, unit_case: &UnitCase) -> Suite {
    let open = OpenSide::from(Reason::Said("nobody tried".to_string()));
    let states = [
        GoalState::Covered,
        GoalState::Infeasible,
        GoalState::WithinBounds(Bounds::of([Gap::Length, Gap::Callback], unit_case.shape.sizes)),
        GoalState::Open(open),
    ];
    let sites = case.program.branches.keys();
    let edges = sites.map(|&site| Edge { site, taken: true });
    Suite {
        tests: unit_case.tests.clone(),
        goals: edges.zip(states.iter().cycle().cloned()).collect(),
        is_exhaustive: false,
        ended: Some(Ended::Time),
        spent: Spent { executions: 4, burst_runs: 3, queries: 2, solver_calls: 1 },
    }
}

/// The sides in `lcov.info` are those of the branches.
pub(crate) fn coverage(case: &Case) -> Result<(), Failed> {
    let mut tests: BTreeMap<usize, Vec<&TestCase>> = BTreeMap::new();
    for (index, unit) in case.program.units.iter().enumerate() {
        if let Some(unit_case) = case.units.iter().find(|unit_case| unit_case.name == unit.name) {
            tests.insert(index, unit_case.tests.iter().collect());
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
    let metadata = metadata();
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

fn metadata() -> Metadata {
    Metadata {
        producer: "symcrete <&\"".into(),
        specification: testcomp::BRANCHES.into(),
        program_hash: "00".into(),
        creation_time: "2026-01-01T00:00:00Z".into(),
    }
}
