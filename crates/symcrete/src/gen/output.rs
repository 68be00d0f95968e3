//! The output folder: valid at every moment, also if we are killed.
//!
//! Each file is written beside its place and renamed into it. While functions are explored, the tests found so
//! far are there; at the end they are replaced by the final, smaller suite and all that belongs to it.

use super::Tested;
use crate::args::GenArgs;
use crate::defaults;
use crate::failure::Failure;
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use symcrete_emit::suite::{FORMAT, Suite, UnitEntry};
use symcrete_emit::testcomp::{self, Metadata};
use symcrete_emit::{Artifact, EmitOptions, Framework, bugs, c_test, corpus, harness, lcov};
use symcrete_program::{Edge, Input, Program, Shape, TestCase};

/// What a folder of ours has.
const OURS: &[&str] = &["tests", "bugs", "corpus", "testcomp", "suite.json", "lcov.info"];

/// The output folder of one run.
pub(crate) struct Folder {
    path: PathBuf,
    options: EmitOptions,
    configuration: BTreeMap<String, Json>,
    /// From the folder to where paths of sources start.
    root: PathBuf,
    /// What an earlier run left: stays until this one has found as much.
    earlier: Vec<UnitEntry>,
    found: Mutex<Found>,
}

/// What was found so far.
#[derive(Default)]
struct Found {
    tests: BTreeMap<usize, (Shape, Vec<TestCase>)>,
    failure: Option<Failure>,
}

impl Folder {
    /// Makes the folder, unless there is one that must not be touched.
    pub(crate) fn open(
        args: &GenArgs,
        program: &Program,
        flags: &[String],
    ) -> Result<Folder, Failure> {
        let path = args.out.clone();
        let is_taken = read_dir(&path).is_some_and(|mut entries| entries.next().is_some());
        if is_taken && !args.force && !args.resume {
            let message = format!(
                "`{}` exists: continue it with --resume, replace it with --force, or name another with --out",
                path.display()
            );
            return Err(Failure::Usage { message });
        }
        let earlier = match is_taken && args.resume {
            true => earlier(&path, program)?,
            false => Vec::new(),
        };
        let folder = Folder {
            options: EmitOptions {
                framework: framework(&args.framework)?,
                root: from_tests(root(&path)),
                flags: flags.to_vec(),
            },
            configuration: configuration(args),
            root: root(&path),
            earlier,
            found: Mutex::default(),
            path,
        };
        if is_taken && args.force {
            folder.clear()?;
        }
        folder.write(&folder.suite_so_far(program, &BTreeMap::new()).artifact())?;
        Ok(folder)
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The inputs that an earlier run left of a function.
    pub(crate) fn earlier_inputs(&self, function: &str) -> Vec<Input> {
        let units = self.earlier.iter().filter(|unit| unit.name == function);
        let tests = units.flat_map(|unit| &unit.tests);
        tests.filter_map(|test| test.test_case().ok()).map(|test| test.input).collect()
    }

    /// Adds a test as soon as it is found.
    pub(crate) fn add(&self, program: &Program, unit: usize, shape: &Shape, test: &TestCase) {
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = found.tests.entry(unit).or_insert_with(|| (shape.clone(), Vec::new()));
        entry.1.push(test.clone());
        let unit = &program.units[unit];
        let test_file = c_test::c_test(program, unit, &entry.0, &entry.1, &self.options);
        let suite = self.suite_so_far(program, &found.tests).artifact();
        let mut artifacts = test_file.iter().chain([&suite]);
        let written = artifacts.try_for_each(|artifact| self.write(artifact));
        if let (Err(failure), None) = (written, &found.failure) {
            found.failure = Some(failure);
        }
    }

    /// Whether a file could not be written: there is no point in going on.
    pub(crate) fn has_failed(&self) -> bool {
        self.found.lock().unwrap_or_else(PoisonError::into_inner).failure.is_some()
    }

    /// Writes the final suite and all that belongs to it.
    pub(crate) fn finish(&self, program: &Program, tested: &[Tested]) -> Result<(), Failure> {
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(failure) = found.failure.take() {
            return Err(failure);
        }
        let tests: BTreeMap<usize, (Shape, Vec<TestCase>)> = tested
            .iter()
            .map(|tested| (tested.unit, (tested.shape.clone(), tested.explored.tests.clone())))
            .collect();
        let mut artifacts = harness::headers(program);
        for (&unit, (shape, tests)) in &tests {
            let unit = &program.units[unit];
            let metadata = metadata(program);
            artifacts.extend(c_test::c_test(program, unit, shape, tests, &self.options));
            artifacts.extend(bugs::bugs(program, unit, shape, tests, &self.options));
            artifacts.extend(corpus::corpus(program, unit, shape, tests));
            artifacts.extend(testcomp::testcomp(program, unit, shape, tests, &metadata));
        }
        let by_unit = tests.iter().map(|(&unit, (_, tests))| (unit, &tests[..])).collect();
        artifacts.push(lcov::lcov(program, &by_unit));
        let goals = |tested: &Tested| tested.explored.goals.keys().copied().collect();
        let goals = tested.iter().map(|tested| (tested.unit, goals(tested))).collect();
        artifacts.push(self.suite(program, &tests, &goals).artifact());
        artifacts.iter().try_for_each(|artifact| self.write(artifact))
    }

    fn suite(
        &self,
        program: &Program,
        tests: &BTreeMap<usize, (Shape, Vec<TestCase>)>,
        goals: &BTreeMap<usize, Vec<Edge>>,
    ) -> Suite {
        let user = program.files.iter().filter(|file| file.is_user);
        Suite {
            format: FORMAT,
            tool: format!("symcrete {}", env!("CARGO_PKG_VERSION")),
            program: digest(program),
            configuration: self.configuration.clone(),
            framework: self.options.framework,
            root: self.root.display().to_string(),
            sources: user.map(|file| file.path.display().to_string()).collect(),
            flags: self.options.flags.clone(),
            units: tests
                .iter()
                .map(|(&unit, (shape, tests))| {
                    let edges = goals.get(&unit).map_or(&[][..], Vec::as_slice);
                    UnitEntry::of(program, &program.units[unit], shape, tests, edges)
                })
                .collect(),
        }
    }

    /// What was found so far, and what an earlier run left and this one has not come to yet.
    fn suite_so_far(
        &self,
        program: &Program,
        tests: &BTreeMap<usize, (Shape, Vec<TestCase>)>,
    ) -> Suite {
        let mut suite = self.suite(program, tests, &BTreeMap::new());
        for unit in &self.earlier {
            match suite.units.iter_mut().find(|found| found.name == unit.name) {
                Some(found) if found.tests.len() < unit.tests.len() => *found = unit.clone(),
                Some(_) => {}
                None => suite.units.push(unit.clone()),
            }
        }
        suite
    }

    /// Takes away what an earlier run of ours wrote, and nothing else.
    fn clear(&self) -> Result<(), Failure> {
        for name in OURS {
            let path = self.path.join(name);
            let removed = match path.is_dir() {
                true => std::fs::remove_dir_all(&path),
                false if path.exists() => std::fs::remove_file(&path),
                false => Ok(()),
            };
            removed.map_err(|source| Failure::Unwritable { file: path, source })?;
        }
        Ok(())
    }

    /// Writes a file whole or not at all.
    #[expect(clippy::disallowed_methods, reason = "the binary is where files are written")]
    fn write(&self, artifact: &Artifact) -> Result<(), Failure> {
        let file = self.path.join(&artifact.path);
        let unwritable = |source| Failure::Unwritable { file: file.clone(), source };
        let folder = file.parent().unwrap_or(&self.path);
        std::fs::create_dir_all(folder).map_err(unwritable)?;
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let draft = folder.join(format!(".{name}.draft"));
        let written =
            std::fs::write(&draft, &artifact.bytes).and_then(|()| std::fs::rename(&draft, &file));
        written.map_err(|source| {
            let _ = std::fs::remove_file(&draft);
            unwritable(source)
        })
    }
}

/// The units of a suite that an earlier run left.
fn earlier(folder: &Path, program: &Program) -> Result<Vec<UnitEntry>, Failure> {
    let file = folder.join(defaults::SUITE_FILE);
    let unreadable = |source| Failure::Unreadable { file: file.clone(), source };
    let bytes = std::fs::read(&file).map_err(unreadable)?;
    let wrong = |message: String| Failure::Usage { message };
    let suite =
        Suite::read(&bytes).map_err(|error| wrong(format!("{}: {error}", file.display())))?;
    if suite.program != digest(program) {
        return Err(wrong(format!(
            "`{}` is about another version of the program: start anew with --force",
            folder.display()
        )));
    }
    Ok(suite.units)
}

fn read_dir(path: &Path) -> Option<std::fs::ReadDir> {
    std::fs::read_dir(path).ok()
}

fn framework(name: &str) -> Result<Framework, Failure> {
    let all = [Framework::Plain, Framework::Unity, Framework::Cmocka];
    all.into_iter().find(|framework| framework.name() == name).ok_or_else(|| Failure::Usage {
        message: format!("no framework is called `{name}`; there is plain, unity, cmocka"),
    })
}

/// From the output folder to the working directory, to which paths of sources are relative. Below the working
/// directory that is a relative path, so that both can be moved or cloned together.
fn root(out: &Path) -> PathBuf {
    let here = std::env::current_dir().unwrap_or_default();
    let out = out.strip_prefix(&here).unwrap_or(out);
    let parts = || out.components().filter(|part| !matches!(part, Component::CurDir));
    match parts().all(|part| matches!(part, Component::Normal(_))) {
        true => parts().map(|_| "..").collect(),
        false => here,
    }
}

/// The same from the folder of the tests.
fn from_tests(root: PathBuf) -> PathBuf {
    Path::new("..").join(root)
}

/// What the suite says of how it was made.
fn configuration(args: &GenArgs) -> BTreeMap<String, Json> {
    let pairs = [
        ("strategy", json!(args.strategy)),
        ("solver", json!(args.solver)),
        ("seed", json!(args.seed)),
        ("iterations", json!(args.iterations)),
        ("time", json!(args.time)),
        ("length", json!(args.shape.length)),
        ("pointer_depth", json!(args.shape.pointer_depth)),
        ("check", json!(args.source.check)),
        ("stub", json!(args.source.stub)),
        ("opaque", json!(args.source.opaque)),
    ];
    pairs.into_iter().map(|(name, value)| (name.to_string(), value)).collect()
}

/// Names a program: another module has another name.
fn digest(program: &Program) -> String {
    let mut hasher = DefaultHasher::new();
    program.wasm.hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

fn metadata(program: &Program) -> Metadata {
    Metadata {
        producer: format!("symcrete {}", env!("CARGO_PKG_VERSION")),
        specification: testcomp::BRANCHES.to_string(),
        program_hash: digest(program),
        // A fixed time: the same run writes the same files.
        creation_time: "1970-01-01T00:00:00Z".to_string(),
    }
}
