//! The native proof of a suite: every test compiled and run on this machine.

use super::Tested;
use crate::failure::Failure;
use crate::native::{self, Settings, TestFile, Tools};
use crate::{defaults, load};
use std::path::Path;
use std::time::Duration;
use symcrete_emit::native::{BranchSide, NativeReport};
use symcrete_emit::{c_test, other_sources};
use symcrete_program::Program;

/// Compiles and runs the tests of a folder; `None` if this machine has no compiler for that.
pub(super) fn prove(
    program: &Program,
    folder: &Path,
    tested: &[Tested],
    flags: &[String],
) -> Result<Option<NativeReport>, Failure> {
    let Some(tools) = Tools::find(&load::path_directories()) else { return Ok(None) };
    let settings = Settings {
        flags: flags.to_vec(),
        time_max: Duration::from_secs(defaults::NATIVE_SECONDS),
        with_coverage: true,
    };
    let files: Vec<TestFile> =
        tested.iter().filter_map(|tested| test_file(program, folder, tested)).collect();
    Ok(Some(native::prove(&tools, &settings, &files)?))
}

/// The test file of a unit, if it has tests that can be repeated.
fn test_file(program: &Program, folder: &Path, tested: &Tested) -> Option<TestFile> {
    let unit = &program.units[tested.unit];
    let name = c_test::test_name(program, unit);
    let sides = |edges: &[symcrete_program::Edge]| -> Vec<BranchSide> {
        edges.iter().filter_map(|&edge| BranchSide::of(program, edge)).collect()
    };
    let repeatable = tested.explored.tests.iter().enumerate();
    let tests: Vec<(String, Vec<BranchSide>)> = repeatable
        .filter(|(_, test)| c_test::is_repeatable(&test.outcome))
        .map(|(i, test)| (format!("{name}_{}", i + 1), sides(test.coverage.edges())))
        .collect();
    let known: Vec<symcrete_program::Edge> = tested.explored.goals.keys().copied().collect();
    let link = other_sources(program, unit).into_iter();
    (!tests.is_empty()).then(|| TestFile {
        path: folder.join("tests").join(format!("{name}.c")),
        link: link.map(|(file, has_main)| (program.file(file).path.clone(), has_main)).collect(),
        tests,
        known: sides(&known),
        source: program.file(unit.position.file).text.clone().unwrap_or_default(),
    })
}
