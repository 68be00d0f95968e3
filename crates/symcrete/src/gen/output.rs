//! The output folder: valid at every moment, also if we are killed.
//!
//! While functions are explored, a thread writes the tests that were found as fast as the disk takes them. When a
//! function is done, its tests are replaced by the final, smaller suite and all that belongs to it.
//!
//! **Invariant:** every test that `suite.json` gives a file for is in that file. Where the tests of a file change
//! otherwise than by new ones at its end, the suite names no file in between.

mod earlier;
mod files;

use super::Tested;
use super::resume::{Earlier, Fingerprint, Resumed, digest, names, tool};
use crate::args::GenArgs;
use crate::failure::Failure;
use crate::names::Part;
use crate::watchdog::now;
use files::Files;
use serde_json::{Value as Json, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use symcrete_emit::suite::{FORMAT, SpentEntry, Suite, UnitEntry};
use symcrete_emit::testcomp::{self, Metadata};
use symcrete_emit::{Artifact, EmitOptions, bugs, harness, outputs};
use symcrete_program::frontend::Check;
use symcrete_program::{Coverage, Edge, Gap, Program, Shape, TestCase, Unit};

/// After files were written, for so many times as long as that took they are not written again.
const PAUSE: u32 = 4;

/// The output folder of one run.
pub(crate) struct Folder<'a> {
    program: &'a Program,
    files: Files,
    options: EmitOptions,
    metadata: Metadata,
    configuration: BTreeMap<String, Json>,
    /// From the folder to where paths of sources start.
    root: PathBuf,
    fingerprint: Fingerprint,
    /// What an earlier run left, by unit.
    earlier: BTreeMap<usize, Earlier>,
    /// What the suite says by unit. Locked while files are written, so that older contents never replace newer ones.
    written: Mutex<BTreeMap<usize, Written>>,
    found: Mutex<Found>,
    has_news: Condvar,
}

/// A unit as it is on disk.
struct Written {
    entry: UnitEntry,
    tests: Vec<TestCase>,
}

/// What was found so far.
#[derive(Default)]
struct Found {
    units: BTreeMap<usize, FoundUnit>,
    /// Units whose files are older than what is known.
    news: BTreeSet<usize>,
    is_closed: bool,
    failure: Option<Failure>,
}

/// What was found so far of a unit.
#[derive(Clone)]
struct FoundUnit {
    shape: Shape,
    tests: Vec<TestCase>,
    infeasible: BTreeMap<Edge, BTreeSet<Gap>>,
    /// What earlier runs and this one spent.
    spent: SpentEntry,
}

impl<'a> Folder<'a> {
    /// Makes the folder, unless there is one that must not be touched.
    pub(crate) fn open(
        args: &GenArgs,
        program: &'a Program,
        flags: &[String],
    ) -> Result<Folder<'a>, Failure> {
        let files = Files::open(&args.out)?;
        let is_taken = files.is_taken()?;
        earlier::may_use(&files, is_taken, args)?;
        let framework = args.framework;
        let fingerprint = Fingerprint::of(args, program);
        let earlier = match is_taken && args.resume {
            true => earlier::earlier(files.path(), program, &fingerprint, framework)?,
            false => BTreeMap::new(),
        };
        let written = earlier.iter().map(|(&unit, earlier)| {
            let Earlier { entry, tests, .. } = earlier;
            (unit, Written { entry: entry.clone(), tests: tests.clone() })
        });
        let folder = Folder {
            program,
            options: EmitOptions {
                framework,
                root: from_tests(root(files.path())),
                flags: flags.to_vec(),
            },
            metadata: metadata(program),
            configuration: configuration(args),
            root: root(files.path()),
            fingerprint,
            written: Mutex::new(written.collect()),
            earlier,
            found: Mutex::default(),
            has_news: Condvar::new(),
            files,
        };
        folder.files.remove_drafts();
        if is_taken && args.force {
            // From here on nothing is said of the files that go.
            folder.write_suite(&lock(&folder.written))?;
            earlier::tell_of_others(folder.files.path(), &folder.files.clear()?);
        }
        let headers = harness::headers(program);
        let paths = headers.iter().map(|header| header.path.as_path());
        folder.files.claim(paths)?;
        folder.files.claim(outputs::paths_of_all().map(Path::new))?;
        folder.write_suite(&lock(&folder.written))?;
        headers.iter().try_for_each(|header| folder.files.write(header))?;
        Ok(folder)
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        self.files.path()
    }

    /// What an earlier run left for the search of a unit with these goals.
    pub(crate) fn resume(&self, unit: usize, shape: &Shape, goals: &BTreeSet<Edge>) -> Resumed {
        let earlier = self.earlier.get(&unit);
        let resumed = earlier.map(|earlier| earlier.resumed(shape, goals)).unwrap_or_default();
        let found = FoundUnit {
            shape: shape.clone(),
            tests: Vec::new(),
            infeasible: resumed.infeasible.clone(),
            spent: resumed.spent,
        };
        lock(&self.found).units.insert(unit, found);
        resumed
    }

    /// Adds a test as soon as it is found.
    pub(crate) fn add(&self, unit: usize, test: &TestCase) {
        self.note(unit, |found| found.tests.push(test.clone()));
    }

    /// Adds sides that no input takes as soon as that is proved.
    pub(crate) fn add_infeasible(&self, unit: usize, sides: &[(Edge, BTreeSet<Gap>)]) {
        self.note(unit, |found| found.infeasible.extend(sides.iter().cloned()));
    }

    /// Notes what was spent, for the next time something is written.
    pub(crate) fn spend(&self, unit: usize, spent: SpentEntry) {
        if let Some(found) = lock(&self.found).units.get_mut(&unit) {
            found.spent = spent;
        }
    }

    fn note(&self, unit: usize, change: impl FnOnce(&mut FoundUnit)) {
        let mut found = lock(&self.found);
        if let Some(unit) = found.units.get_mut(&unit) {
            change(unit);
        }
        found.news.insert(unit);
        self.has_news.notify_all();
    }

    /// Whether a file could not be written: there is no point in going on.
    pub(crate) fn has_failed(&self) -> bool {
        lock(&self.found).failure.is_some()
    }

    /// Why a file could not be written.
    pub(crate) fn failure(&self) -> Result<(), Failure> {
        lock(&self.found).failure.take().map_or(Ok(()), Err)
    }

    /// Writes what is found until the folder is closed.
    pub(crate) fn keep_writing(&self) {
        loop {
            let mut found = lock(&self.found);
            while found.news.is_empty() && !found.is_closed {
                found = self.has_news.wait(found).unwrap_or_else(PoisonError::into_inner);
            }
            if found.news.is_empty() {
                return;
            }
            drop(found);
            let started = now();
            let result = self.write_news();
            self.remember(result);
            // Of thousands of tests every one makes the files longer: writing must not cost more than searching.
            let pause = PAUSE * started.elapsed();
            let found = lock(&self.found);
            drop(self.has_news.wait_timeout_while(found, pause, |found| !found.is_closed));
        }
    }

    /// Ends [`Folder::keep_writing`] when all that was found is written.
    pub(crate) fn close(&self) {
        lock(&self.found).is_closed = true;
        self.has_news.notify_all();
    }

    fn remember(&self, result: Result<(), Failure>) {
        if let Err(failure) = result {
            lock(&self.found).failure.get_or_insert(failure);
        }
    }

    fn write_news(&self) -> Result<(), Failure> {
        let mut written = lock(&self.written);
        let news: Vec<(usize, FoundUnit)> = {
            let mut found = lock(&self.found);
            let news = std::mem::take(&mut found.news);
            news.into_iter().filter_map(|i| Some((i, found.units.get(&i)?.clone()))).collect()
        };
        for (i, found) in news {
            let FoundUnit { shape, tests, infeasible, spent } = found;
            if !self.is_as_much_as_earlier(i, &tests) {
                continue;
            }
            let unit = &self.program.units[i];
            let mut entry = UnitEntry::of(self.program, unit, &shape, &tests, &[]);
            entry.search = Some(self.fingerprint.running(self.program, &infeasible, spent));
            let artifacts = outputs::early(&self.found_of(unit, &shape, &tests));
            entry.reproducers = reproducers(&artifacts);
            self.replace(&mut written, i, Written { entry, tests }, &artifacts)?;
        }
        Ok(())
    }

    /// What an earlier run left stays until this one has found as much.
    fn is_as_much_as_earlier(&self, unit: usize, tests: &[TestCase]) -> bool {
        let Some(earlier) = self.earlier.get(&unit) else { return true };
        if !earlier.is_same_question {
            return tests.len() >= earlier.tests.len();
        }
        let mut coverage = Coverage::default();
        for test in tests {
            coverage.absorb(&test.coverage);
        }
        earlier.tests.iter().all(|test| coverage.absorb(&test.coverage) == 0)
    }

    /// Writes the final suite of a unit and all that belongs to it.
    pub(crate) fn finish_unit(&self, tested: &Tested) {
        if self.has_failed() {
            return;
        }
        let result = self.try_finish_unit(tested);
        self.remember(result);
    }

    fn try_finish_unit(&self, tested: &Tested) -> Result<(), Failure> {
        let mut written = lock(&self.written);
        let spent = {
            let mut found = lock(&self.found);
            found.news.remove(&tested.unit);
            found.units.get(&tested.unit).map(|found| found.spent).unwrap_or_default()
        };
        let (program, unit) = (self.program, &self.program.units[tested.unit]);
        let Tested { shape, explored, .. } = tested;
        let tests = &explored.tests;
        let goals: Vec<Edge> = explored.goals.keys().copied().collect();
        let mut entry = UnitEntry::of(program, unit, shape, tests, &goals);
        entry.search = Some(self.fingerprint.ended(program, explored, spent));
        let artifacts = outputs::of_unit(&self.found_of(unit, shape, tests));
        entry.reproducers = reproducers(&artifacts);
        for folder in outputs::folders(program, unit) {
            self.files.keep_only(&folder, &artifacts);
        }
        let tests = tests.clone();
        self.replace(&mut written, tested.unit, Written { entry, tests }, &artifacts)?;
        let by_unit = written.iter().map(|(&unit, written)| (unit, &written.tests[..])).collect();
        outputs::of_all(program, &by_unit).iter().try_for_each(|file| self.files.write(file))
    }

    fn found_of<'b>(
        &'b self,
        unit: &'b Unit,
        shape: &'b Shape,
        tests: &'b [TestCase],
    ) -> outputs::Found<'b> {
        let (program, options, metadata) = (self.program, &self.options, &self.metadata);
        outputs::Found { program, unit, shape, tests, options, metadata }
    }

    /// Replaces what is on disk of a unit.
    fn replace(
        &self,
        written: &mut BTreeMap<usize, Written>,
        unit: usize,
        new: Written,
        artifacts: &[Artifact],
    ) -> Result<(), Failure> {
        let old = written.get_mut(&unit).map(|old| &mut old.entry);
        let mut stale: Vec<String> = Vec::new();
        if let Some(old) = old {
            stale.extend(old.test_file.clone());
            stale.extend(old.reproducers.iter().cloned());
            let goes_on = new.entry.tests.starts_with(&old.tests);
            let changes = artifacts.iter().any(|artifact| {
                Some(shown(artifact)) == old.test_file && !self.files.has(artifact)
            });
            if old.test_file.is_some() && (changes || new.entry.test_file.is_none()) && !goes_on {
                old.test_file = None;
                self.write_suite(written)?;
            }
        }
        if self.files.claim(artifacts.iter().map(|artifact| artifact.path.as_path()))? {
            self.write_suite(written)?;
        }
        artifacts.iter().try_for_each(|artifact| self.files.write(artifact))?;
        let file = new.entry.test_file.clone().unwrap_or_else(|| new.entry.name.clone());
        let n_tests = new.entry.tests.len();
        stale.retain(|path| !artifacts.iter().any(|artifact| shown(artifact) == *path));
        written.insert(unit, new);
        self.write_suite(written)?;
        stale.iter().for_each(|path| self.files.remove(Path::new(path)));
        tracing::info!("{file} has {n_tests} tests");
        Ok(())
    }

    fn write_suite(&self, written: &BTreeMap<usize, Written>) -> Result<(), Failure> {
        let user = self.program.files.iter().filter(|file| file.is_user);
        let suite = Suite {
            format: FORMAT,
            tool: tool(),
            program: digest(self.program),
            configuration: self.configuration.clone(),
            framework: self.options.framework,
            root: self.root.display().to_string(),
            sources: user.map(|file| file.path.display().to_string()).collect(),
            flags: self.options.flags.clone(),
            files: self.files.list(),
            units: written.values().map(|written| written.entry.clone()).collect(),
        };
        self.files.write(&suite.artifact())
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn shown(artifact: &Artifact) -> String {
    artifact.path.display().to_string()
}

/// The programs among some files that show a failure.
fn reproducers(artifacts: &[Artifact]) -> Vec<String> {
    let is_one = |artifact: &&Artifact| artifact.path.starts_with(bugs::FOLDER);
    artifacts.iter().filter(is_one).map(shown).collect()
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
        ("strategy", json!(args.strategy.name())),
        ("solver", json!(args.solver.name())),
        ("seed", json!(args.seed)),
        ("random_input", json!(args.random_input)),
        ("iterations", json!(args.iterations)),
        ("time", json!(args.time)),
        ("depth", json!(args.depth)),
        ("steps", json!(args.steps)),
        ("fuel", json!(args.fuel)),
        ("without", json!(names(&args.without, Part::name))),
        ("all", json!(args.all)),
        ("length", json!(args.shape.length)),
        ("pointer_depth", json!(args.shape.pointer_depth)),
        ("globals", json!(args.shape.globals)),
        ("check", json!(names(&args.source.check, Check::name))),
        ("stub", json!(args.source.stub)),
        ("opaque", json!(args.source.opaque)),
    ];
    pairs.into_iter().map(|(name, value)| (name.to_string(), value)).collect()
}

fn metadata(program: &Program) -> Metadata {
    Metadata {
        producer: tool(),
        specification: testcomp::BRANCHES.to_string(),
        program_hash: digest(program),
        // A fixed time: the same run writes the same files.
        creation_time: "1970-01-01T00:00:00Z".to_string(),
    }
}
