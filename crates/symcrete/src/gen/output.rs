//! The output folder: valid at every moment, also if we are killed.
//!
//! While functions are explored, a thread writes the tests that were found as fast as the disk takes them. When a
//! function is done, its tests are replaced by the final, smaller suite and all that belongs to it. Nobody who searches waits for that
//! thread, and of many functions it writes several at a time.
//!
//! **Invariant:** every test that `suite.json` gives a file for is in that file. Where the tests of a file change
//! otherwise than by new ones at its end, the suite names no file in between.

mod earlier;
mod files;

use super::reasons;
use super::resume::{Earlier, Resumed, digest, fingerprint, names, tool};
use crate::args::GenArgs;
use crate::failure::Failure;
use crate::names::Part;
use crate::watchdog::now;
use files::Files;
use serde_json::{Value as Json, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use symcrete_emit::outputs::{self, Found, Head, OfAllUnits, Written};
use symcrete_emit::suite::UnitEntry;
use symcrete_emit::testcomp::{self, Metadata};
use symcrete_emit::{Artifact, EmitOptions};
use symcrete_program::frontend::Check;
use symcrete_program::{Bounds, Edge, GoalState, Program, Shape, Sizes, Spent, Suite, TestCase};

/// After files were written, for so many times as long as that took they are not written again.
const PAUSE: u32 = 4;

/// The output folder of one run.
pub(crate) struct Folder<'a> {
    head: Head<'a>,
    files: Files,
    /// What an earlier run left, by unit.
    earlier: BTreeMap<usize, Earlier>,
    /// What is on disk, by unit. Locked while files are written, so that older contents never replace newer ones.
    written: Mutex<BTreeMap<usize, Written>>,
    news: Mutex<News>,
    has_news: Condvar,
}

/// What was found so far.
#[derive(Default)]
struct News {
    /// Suites that are not whole yet, with the shapes of their inputs.
    units: BTreeMap<usize, (Shape, Suite)>,
    /// Units whose files are older than what is known.
    unwritten: BTreeSet<usize>,
    is_closed: bool,
    failure: Option<Failure>,
}

/// What is about to be written of a unit.
struct New {
    unit: usize,
    written: Written,
    artifacts: Vec<Artifact>,
}

impl New {
    /// Whether a file is among what is written.
    fn has(&self, file: &str) -> bool {
        self.artifacts.iter().any(|artifact| shown(artifact) == file)
    }

    /// Whether the tests of a file change otherwise than by new ones at its end.
    fn changes_tests(&self, old: &UnitEntry, files: &Files) -> bool {
        let is_changed = |artifact: &Artifact| {
            old.test_file.as_ref() == Some(&shown(artifact)) && !files.has(artifact)
        };
        let entry = &self.written.entry;
        (entry.test_file.is_none() || self.artifacts.iter().any(is_changed))
            && !entry.tests.starts_with(&old.tests)
    }
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
        let head = head(args, program, flags, files.path());
        let earlier = match is_taken && args.resume {
            true => earlier::earlier(files.path(), &head)?,
            false => BTreeMap::new(),
        };
        let written = earlier.iter().map(|(&unit, earlier)| {
            let Earlier { entry, suite, .. } = earlier;
            (unit, Written { entry: entry.clone(), suite: suite.clone() })
        });
        let folder = Folder {
            head,
            written: Mutex::new(written.collect()),
            earlier,
            news: Mutex::default(),
            has_news: Condvar::new(),
            files,
        };
        folder.files.remove_drafts();
        if is_taken && args.force {
            // From here on nothing is said of the files that go.
            folder.write_suite(&lock(&folder.written))?;
            earlier::tell_of_others(folder.files.path(), &folder.files.clear()?);
        }
        let first = outputs::of_program(program);
        folder.files.claim(first.iter().map(|artifact| artifact.path.as_path()))?;
        folder.files.claim(outputs::paths_of_all().map(Path::new))?;
        folder.write_suite(&lock(&folder.written))?;
        first.iter().try_for_each(|artifact| folder.files.write(artifact))?;
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
        let proved = resumed.infeasible.iter();
        let suite = Suite {
            goals: proved.map(|(&edge, bounds)| (edge, GoalState::proved(bounds))).collect(),
            spent: resumed.spent,
            ..Suite::default()
        };
        lock(&self.news).units.insert(unit, (shape.clone(), suite));
        resumed
    }

    /// Whether an earlier run with the same question gave up making the objects of a unit by calls.
    pub(crate) fn was_raw(&self, unit: usize) -> bool {
        let earlier = self.earlier.get(&unit);
        earlier.is_some_and(|earlier| {
            earlier.is_same_question
                && earlier.entry.calls.is_empty()
                && !earlier.suite.tests.is_empty()
        })
    }

    /// How large the inputs of a unit were when an earlier run ended.
    pub(crate) fn sizes_before(&self, unit: usize) -> Option<Sizes> {
        self.earlier.get(&unit)?.sizes()
    }

    /// Inputs have another shape from now on, and these are the tests that were known before.
    pub(crate) fn replace_tests(&self, unit: usize, shape: &Shape, tests: &[TestCase]) {
        let mut news = lock(&self.news);
        if let Some((known, suite)) = news.units.get_mut(&unit) {
            *known = shape.clone();
            suite.tests = tests.to_vec();
        }
        news.unwritten.insert(unit);
        self.has_news.notify_all();
    }

    /// Adds a test as soon as it is found.
    pub(crate) fn add(&self, unit: usize, test: &TestCase) {
        self.note(unit, |suite| suite.tests.push(test.clone()));
    }

    /// Adds sides that no input takes as soon as that is proved.
    pub(crate) fn add_infeasible(&self, unit: usize, sides: &[(Edge, Bounds)]) {
        let proved = sides.iter().map(|(edge, bounds)| (*edge, GoalState::proved(bounds)));
        self.note(unit, |suite| suite.goals.extend(proved));
    }

    /// Notes what was spent, for the next time something is written.
    pub(crate) fn spend(&self, unit: usize, spent: Spent) {
        if let Some((_, suite)) = lock(&self.news).units.get_mut(&unit) {
            suite.spent = spent;
        }
    }

    fn note(&self, unit: usize, change: impl FnOnce(&mut Suite)) {
        let mut news = lock(&self.news);
        if let Some((_, suite)) = news.units.get_mut(&unit) {
            change(suite);
        }
        news.unwritten.insert(unit);
        self.has_news.notify_all();
    }

    /// Whether a file could not be written: there is no point in going on.
    pub(crate) fn has_failed(&self) -> bool {
        lock(&self.news).failure.is_some()
    }

    /// Why a file could not be written.
    pub(crate) fn failure(&self) -> Result<(), Failure> {
        lock(&self.news).failure.take().map_or(Ok(()), Err)
    }

    /// Writes what is found until the folder is closed.
    pub(crate) fn keep_writing(&self) {
        loop {
            let mut news = lock(&self.news);
            while news.unwritten.is_empty() && !news.is_closed {
                news = self.has_news.wait(news).unwrap_or_else(PoisonError::into_inner);
            }
            if news.unwritten.is_empty() {
                return;
            }
            drop(news);
            let started = now();
            let result = self.write_news();
            self.remember(result);
            // Of thousands of tests every one makes the files longer: writing must not cost more than searching.
            let pause = PAUSE * started.elapsed();
            let news = lock(&self.news);
            drop(self.has_news.wait_timeout_while(news, pause, |news| !news.is_closed));
        }
    }

    /// Ends [`Folder::keep_writing`] when all that was found is written.
    pub(crate) fn close(&self) {
        lock(&self.news).is_closed = true;
        self.has_news.notify_all();
    }

    fn remember(&self, result: Result<(), Failure>) {
        if let Err(failure) = result {
            lock(&self.news).failure.get_or_insert(failure);
        }
    }

    /// Writes all that is known and not written yet, at once: what is said of all functions is long, and written once for many.
    fn write_news(&self) -> Result<(), Failure> {
        let mut written = lock(&self.written);
        let found: Vec<(usize, Shape, Suite)> = {
            let mut news = lock(&self.news);
            let unwritten = std::mem::take(&mut news.unwritten);
            let units = unwritten.into_iter().filter_map(|unit| {
                let (shape, suite) = news.units.get(&unit)?;
                Some((unit, shape.clone(), suite.clone()))
            });
            units.collect()
        };
        let is_written =
            |unit, suite: &Suite| suite.ended.is_some() || self.is_as_much_as_earlier(unit, suite);
        let found = found.into_iter().filter(|(unit, _, suite)| is_written(*unit, suite));
        let new: Vec<New> =
            found.map(|(unit, shape, suite)| self.of_unit(unit, &shape, suite)).collect();
        let is_any_whole = new.iter().any(|new| new.written.suite.ended.is_some());
        self.replace(&mut written, new)?;
        if is_any_whole {
            let all = outputs::of_all(&self.all(&written));
            all.iter().try_for_each(|file| self.files.write(file))?;
        }
        Ok(())
    }

    /// What an earlier run left stays until this one has found as much.
    fn is_as_much_as_earlier(&self, unit: usize, suite: &Suite) -> bool {
        let Some(earlier) = self.earlier.get(&unit) else { return true };
        if !earlier.is_same_question {
            return suite.tests.len() >= earlier.suite.tests.len();
        }
        let mut coverage = suite.coverage();
        coverage.absorb(&earlier.suite.coverage()) == 0
    }

    /// Takes the final suite of a unit, which is written as soon as there is time for it.
    pub(crate) fn finish_unit(&self, unit: usize, shape: &Shape, suite: &Suite) {
        let mut news = lock(&self.news);
        news.units.insert(unit, (shape.clone(), suite.clone()));
        news.unwritten.insert(unit);
        self.has_news.notify_all();
    }

    /// Writes what has changed after the folder was closed.
    pub(crate) fn write_changes(&self) {
        if !self.has_failed() {
            self.remember(self.write_news());
        }
    }

    /// What there is to write of a unit. Takes away what is stale if the suite is whole.
    fn of_unit(&self, index: usize, shape: &Shape, suite: Suite) -> New {
        let (program, unit) = (self.head.program, &self.head.program.units[index]);
        let found = Found { head: &self.head, unit, shape, suite: &suite };
        let artifacts = outputs::of_unit(&found);
        let entry = UnitEntry::of(&found, &artifacts);
        if suite.ended.is_some() {
            for folder in outputs::folders(program, unit) {
                self.files.keep_only(&folder, &artifacts);
            }
        }
        New { unit: index, written: Written { entry, suite }, artifacts }
    }

    /// Replaces what is on disk of some units.
    fn replace(
        &self,
        written: &mut BTreeMap<usize, Written>,
        all: Vec<New>,
    ) -> Result<(), Failure> {
        let mut stale: Vec<String> = Vec::new();
        let mut is_suite_older = false;
        for new in &all {
            let Some(Written { entry: old, .. }) = written.get_mut(&new.unit) else { continue };
            let files = old.test_file.iter().chain(&old.reproducers);
            stale.extend(files.filter(|file| !new.has(file)).cloned());
            if old.test_file.is_some() && new.changes_tests(old, &self.files) {
                old.test_file = None;
                is_suite_older = true;
            }
        }
        let artifacts = || all.iter().flat_map(|new| &new.artifacts);
        is_suite_older |= self.files.claim(artifacts().map(|artifact| artifact.path.as_path()))?;
        if is_suite_older {
            self.write_suite(written)?;
        }
        artifacts().try_for_each(|artifact| self.files.write(artifact))?;
        let units: Vec<usize> = all.iter().map(|new| new.unit).collect();
        written.extend(all.into_iter().map(|new| (new.unit, new.written)));
        self.write_suite(written)?;
        for Written { entry, .. } in units.iter().map(|unit| &written[unit]) {
            let file = entry.test_file.as_ref().unwrap_or(&entry.name);
            tracing::info!("{file} has {} tests", entry.tests.len());
        }
        stale.iter().for_each(|path| self.files.remove(Path::new(path)));
        Ok(())
    }

    fn write_suite(&self, written: &BTreeMap<usize, Written>) -> Result<(), Failure> {
        self.files.write(&outputs::record(&self.all(written)))
    }

    fn all<'b>(&'b self, units: &'b BTreeMap<usize, Written>) -> OfAllUnits<'b> {
        OfAllUnits { head: &self.head, units, files: self.files.list() }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn shown(artifact: &Artifact) -> String {
    artifact.path.display().to_string()
}

/// What all files of a run in a folder have in common.
fn head<'a>(args: &GenArgs, program: &'a Program, flags: &[String], folder: &Path) -> Head<'a> {
    let root = root(folder);
    Head {
        program,
        options: EmitOptions {
            framework: args.framework,
            root: Path::new("..").join(&root),
            flags: flags.to_vec(),
        },
        root,
        metadata: metadata(program),
        configuration: configuration(args),
        fingerprint: fingerprint(args, program),
        wording: reasons::words,
    }
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
        ("max_length", json!(args.growth.max_length)),
        ("max_pointer_depth", json!(args.growth.max_pointer_depth)),
        ("max_input_bytes", json!(args.growth.max_input_bytes)),
        ("globals", json!(args.shape.globals)),
        ("raw_structs", json!(args.raw_structs)),
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
