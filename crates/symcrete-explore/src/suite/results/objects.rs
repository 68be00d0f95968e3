//! What a function does to objects that calls have made: their members before and after its call.
//!
//! A driver frees its objects when the call has returned, so it is run twice more and ends before the call, and behind it. The
//! cells that differ are compared. What a new pointer leads to is new as a whole.

use super::{Bytes, CELLS_MAX, DEPTH_MAX, Found, Place, Results};
use std::collections::{BTreeMap, BTreeSet};
use symcrete_exec::{ExecError, Executor, Trace};
use symcrete_program::api::{Argument, Driver, Object};
use symcrete_program::runtime::{Look, OBJECTS_MAX, Runtime};
use symcrete_program::types::TypeId;
use symcrete_program::{Change, Outcome, TestCase};
use symcrete_term::Terms;

/// Longer arrays of numbers are not compared.
const ELEMENTS_MAX: u32 = 256;
/// So many cells that differ one test compares, and so many of each object where none does.
const CHANGES_MAX: usize = 16;
const SAME_MAX: usize = 2;

/// An object that a function is given.
struct Made<'d> {
    name: &'d str,
    pointer: TypeId,
    /// Which of the objects it is that the driver says.
    number: usize,
}

/// Runs that end before the call and behind it.
struct Runs {
    before: Trace,
    after: Trace,
    /// Where what is looked at begins in what is watched.
    first: usize,
}

impl Results<'_> {
    /// Adds what a test's function has done to objects that calls have made.
    pub(in super::super) fn look_at_objects(
        &self,
        test: &mut TestCase,
        executor: &mut dyn Executor,
    ) -> Result<(), ExecError> {
        let driver = self.program.driver(self.shape.entered);
        let (Some(driver), Some(runtime)) = (driver, &self.program.runtime) else { return Ok(()) };
        let made = self.made(driver);
        if made.is_empty() || !matches!(test.outcome, Outcome::Returned(_)) {
            return Ok(());
        }
        let bytes = self.program.types.address.bytes();
        let table = runtime.objects..runtime.objects + OBJECTS_MAX as u32 * bytes;
        let Some(runs) = self.runs(test, runtime, vec![table], executor)? else { return Ok(()) };
        let address = |made: &Made<'_>| {
            let at = made.number * bytes as usize;
            let address = runs.after.watched.get(runs.first)?.get(at..at + 4)?;
            Some(u32::from_le_bytes(address.try_into().ok()?))
        };
        let place = |made: &Made<'_>| self.place(made.name, made.pointer, address(made)?);
        let places: Vec<Place> = made.iter().filter_map(place).collect();
        let (changed, same) = self.compare(test, runtime, places, executor)?;
        let is_unchecked = self.program.units[driver.unit].result.is_none()
            && changed.is_empty()
            && test.changes.is_empty();
        test.changes.extend(changed);
        for made in made.iter().filter(|_| is_unchecked) {
            let is_own = |cell: &&Change| {
                let path = cell.name.strip_prefix(made.name);
                path.is_some_and(|path| path.starts_with("->") || path.starts_with('['))
            };
            test.changes.extend(same.iter().filter(is_own).take(SAME_MAX).cloned());
        }
        Ok(())
    }

    /// The objects that the function may change.
    fn made<'d>(&self, driver: &'d Driver) -> Vec<Made<'d>> {
        let types = &self.program.types;
        let params = &self.program.units[driver.unit].params;
        let arguments = driver.call.arguments.iter().zip(params);
        let objects = arguments.filter_map(|(argument, param)| match argument {
            Argument::Object(object) => Some((&**object, types.get(param.ty).kind.pointee())),
            Argument::Parameter(_) | Argument::Itself | Argument::Earlier(_) => None,
        });
        let made = |(number, (object, pointee)): (usize, (&'d Object, Option<_>))| {
            let is_const = pointee.is_none_or(|(_, is_const)| is_const);
            (!is_const).then(|| Made { name: &object.name, pointer: object.pointer, number })
        };
        objects.take(OBJECTS_MAX).enumerate().filter_map(made).collect()
    }

    /// Runs a test's input up to its call, and behind it; nothing if it does not get there.
    fn runs(
        &self,
        test: &TestCase,
        runtime: &Runtime,
        watched: Vec<std::ops::Range<u32>>,
        executor: &mut dyn Executor,
    ) -> Result<Option<Runs>, ExecError> {
        let mut image = self.image(test);
        let first = image.watched.len();
        image.watched.extend(watched);
        let mut run = |look| {
            let mut image = image.clone();
            image.writes.push(runtime.end_driver(look));
            executor.run(&mut Terms::new(), &image, self.fuel)
        };
        let (before, after) = (run(Look::Before)?, run(Look::After)?);
        let is_there = |trace: &Trace| matches!(trace.outcome, Outcome::Rejected(_));
        Ok((is_there(&before) && is_there(&after)).then_some(Runs { before, after, first }))
    }

    /// The cells that differ after a call, and those that are the same.
    fn compare(
        &self,
        test: &TestCase,
        runtime: &Runtime,
        mut places: Vec<Place>,
        executor: &mut dyn Executor,
    ) -> Result<(Vec<Change>, Vec<Change>), ExecError> {
        let (mut changed, mut same) = (Vec::new(), Vec::new());
        let (mut known, mut new) = (BTreeSet::new(), BTreeSet::new());
        for _ in 0..DEPTH_MAX {
            places.retain(|place| known.insert(place.address));
            if places.is_empty() {
                break;
            }
            let watched = places.iter().map(|place| self.range(place)).collect();
            let Some(runs) = self.runs(test, runtime, watched, executor)? else { break };
            let mut next = Vec::new();
            for (i, place) in places.iter().enumerate() {
                let [before, after] = [&runs.before, &runs.after].map(|trace| {
                    let bytes = Bytes::watched(trace, runs.first + i);
                    let mut found =
                        Found { cells: Vec::new(), next: Vec::new(), elements_max: ELEMENTS_MAX };
                    bytes.into_iter().for_each(|bytes| self.read(place, &bytes, &mut found));
                    found
                });
                let is_new = new.contains(&place.name);
                let pointers: BTreeMap<&String, u32> =
                    before.next.iter().map(|place| (&place.name, place.address)).collect();
                let moved = after
                    .next
                    .iter()
                    .filter(|place| is_new || pointers.get(&place.name) != Some(&place.address));
                new.extend(moved.map(|place| place.name.clone()));
                for cells in after.cells {
                    let is_same = !is_new && before.cells.contains(&cells);
                    let to = if is_same { &mut same } else { &mut changed };
                    to.extend(cells);
                }
                next.extend(after.next);
            }
            places = next;
        }
        changed.truncate(CHANGES_MAX.min(CELLS_MAX));
        Ok((changed, same))
    }
}
