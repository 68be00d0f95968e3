//! Gives the strings of tests just the room that they need.
//!
//! While exploring, a string has room for the longest text: the search changes its characters, and then it may end anywhere. But
//! callers pass `"%"`, not `"%"` in an array of 33, and whoever looks behind the end of that reads what is not its own. So each
//! string of a finished test is cut behind its end. Mostly the run stays the same. If it fails then, a failure has been found.

use super::polish::{Keep, Polish, path};
use symcrete_exec::{ExecError, Executor, Trace};
use symcrete_program::shape::{Pointer, ShapeNode};
use symcrete_program::{CellKind, Input, Outcome, TestCase, Trap, TrapKind};
use symcrete_term::Value;

/// WebAssembly's operators that read memory.
const I32_LOAD: u8 = 0x28;
const I64_LOAD32_U: u8 = 0x35;
/// More numbers than this are not tried.
const NUMBERS_MAX: usize = 32;

impl Polish<'_> {
    /// The test with less room for its strings, and failures that this shows: the program reads behind the end of a string.
    pub(super) fn without_spare_room(
        &self,
        mut test: TestCase,
        executor: &mut dyn Executor,
    ) -> Result<(TestCase, Vec<TestCase>), ExecError> {
        let mut failures = Vec::new();
        if !test.outcome.is_repeatable() || (self.is_stopped)() {
            return Ok((test, failures));
        }
        let own = match self.keep {
            Keep::Sides => None,
            Keep::Path => Some(path(&self.run(&test, &test.input, executor)?.2)),
        };
        let rooms: Vec<(String, usize)> = self
            .shape
            .texts(&test.input)
            .into_iter()
            .filter_map(|text| needed(text, &test.input))
            .collect();
        for (name, room) in rooms {
            if (self.is_stopped)() {
                break;
            }
            let mut input = test.input.clone();
            input.set(name, Value::bv(32, room as u64));
            let (complete, image, trace) = self.run(&test, &input, executor)?;
            let is_same_path = own.as_ref().is_none_or(|own| *own == path(&trace));
            if self.is_same(&test, &trace) && is_same_path {
                test = self.test((complete, image, trace));
            } else if self.is_read_outside(&trace)
                && self.is_for_any_number(&test, &complete, &trace.outcome, executor)?
            {
                failures.push(self.test((complete, image, trace)));
            }
        }
        Ok((test, failures))
    }

    /// Whether a run ended where it read outside all objects.
    fn is_read_outside(&self, trace: &Trace) -> bool {
        let Outcome::Trapped(Trap { kind: TrapKind::OutOfObject, site: Some(site) }) =
            &trace.outcome
        else {
            return false;
        };
        let code = self.program.wasm.get(site.offset as usize);
        code.is_some_and(|code| (I32_LOAD..=I64_LOAD32_U).contains(code))
    }

    /// Whether a failing run fails like that for zero in the place of any number of the input: then none of them says how
    /// much may be read, which a caller would have to get right.
    fn is_for_any_number(
        &self,
        test: &TestCase,
        input: &Input,
        failure: &Outcome,
        executor: &mut dyn Executor,
    ) -> Result<bool, ExecError> {
        let is_number = |kind: CellKind, value: Value| {
            matches!(kind, CellKind::Int { bits: 16.., .. }) && value.bits() != 0
        };
        let mut numbers = self.shape.leaves(input);
        numbers.retain(|(_, kind, value)| is_number(*kind, *value));
        if numbers.len() > NUMBERS_MAX
            || test.drawn.iter().any(|drawn| is_number(drawn.kind, drawn.value))
        {
            return Ok(false);
        }
        for (name, _, value) in numbers {
            let mut other = input.clone();
            other.set(name, Value::zero(value.sort()));
            if self.run(test, &other, executor)?.2.outcome != *failure {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// The cell that says for how many characters a string has room, and how many there are before its end. `None` if all
/// that it has room for.
fn needed(text: &Pointer, input: &Input) -> Option<(String, usize)> {
    let is_end = |item: &ShapeNode| matches!(item, ShapeNode::Leaf(leaf) if leaf.bits(input) == 0);
    let end = text.elements(input).iter().position(is_end)?;
    Some((text.room.clone()?, end))
}
