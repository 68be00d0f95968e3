//! What was found for one function helps others: their tests make the same calls, or read texts of the same kind.
//!
//! Worth trying here are tests of another function that take a side which is open here, and those of functions that make the
//! objects here: they make objects of different forms. Where such a test calls a function that the driver here may call
//! too, the call is made with the same arguments; elsewhere the texts that it gives are given here. Inputs are only
//! proposed: each is run like any other first input.

use std::collections::{BTreeMap, BTreeSet};
use symcrete_explore::first::plain_input;
use symcrete_program::api::{Argument, Call, Driver, Maker};
use symcrete_program::shape::{Count, Pointer, ShapeNode, Slot, value_of};
use symcrete_program::{CellKind, Edge, Input, Program, Shape, TestCase};
use symcrete_term::Value;

/// Tests of others that are tried for one function.
const TESTS_MAX: usize = 64;
/// How many of them are looked for that take one side.
const TESTS_EACH: usize = 3;
/// How many tests of each function are tried that the driver may call.
const TESTS_OF_MAKER: usize = 24;
/// The inputs that are made of them.
const INPUTS_MAX: usize = 192;

/// What was found of a function.
pub(super) struct Giver<'a> {
    pub(super) unit: usize,
    pub(super) shape: &'a Shape,
    pub(super) tests: Vec<&'a TestCase>,
}

/// A test that is tried for another function.
#[derive(Clone, Copy)]
pub(super) struct Given<'a> {
    giver: &'a Giver<'a>,
    test: &'a TestCase,
}

/// Tests of other functions to be tried for one of which these sides are open.
pub(super) fn choose<'a>(
    program: &Program,
    (unit, shape): (usize, &Shape),
    open: &BTreeSet<Edge>,
    givers: &'a [Giver<'a>],
) -> Vec<Given<'a>> {
    let makers = program.driver(shape.entered).map(Driver::functions).unwrap_or_default();
    let makers = givers.iter().filter(|giver| giver.unit != unit && makers.contains(&giver.unit));
    let of_makers = makers.flat_map(|giver| {
        let tests = giver.tests.iter().filter(|test| test.outcome.is_repeatable());
        tests.take(TESTS_OF_MAKER).map(move |&test| Given { giver, test })
    });
    of_makers.chain(taking(unit, open, givers)).collect()
}

/// Tests of other functions that take these sides.
fn taking<'a>(unit: usize, open: &BTreeSet<Edge>, givers: &'a [Giver<'a>]) -> Vec<Given<'a>> {
    let others = givers.iter().filter(|giver| giver.unit != unit);
    let all = others.flat_map(|giver| giver.tests.iter().map(move |&test| Given { giver, test }));
    let takes = |given: Given<'_>| -> Vec<Edge> {
        let edges = given.test.coverage.edges().iter();
        edges.filter(|edge| open.contains(edge)).copied().collect()
    };
    let mut left: Vec<(Vec<Edge>, Given<'a>)> = all
        .filter(|given| given.test.outcome.is_repeatable())
        .map(|given| (takes(given), given))
        .filter(|(taken, _)| !taken.is_empty())
        .collect();
    let mut counts: BTreeMap<Edge, usize> = BTreeMap::new();
    let mut chosen = Vec::new();
    while chosen.len() < TESTS_MAX {
        let is_wanted = |edge: &&Edge| counts.get(edge).is_none_or(|&count| count < TESTS_EACH);
        let gain = |taken: &[Edge]| taken.iter().filter(is_wanted).count();
        let gains = left.iter().enumerate().map(|(i, (taken, _))| (gain(taken), i));
        // Of those that take as many the first one.
        let best = gains.max_by_key(|&(gain, i)| (gain, std::cmp::Reverse(i)));
        let Some((_, best)) = best.filter(|(gain, _)| *gain > 0) else { break };
        let (taken, given) = left.remove(best);
        taken.into_iter().for_each(|edge| *counts.entry(edge).or_default() += 1);
        chosen.push(given);
    }
    chosen
}

/// The length of the longest text that these tests give.
pub(super) fn longest(program: &Program, given: &[Given<'_>]) -> u32 {
    let texts = given.iter().flat_map(|given| texts(program, *given));
    texts.map(|(_, text)| text.len() as u32).max().unwrap_or(0)
}

/// Inputs of a shape that do what these tests do, and are otherwise plain, or like the test of the function's own that comes
/// farthest.
pub(super) fn inputs(
    program: &Program,
    (unit, shape): (usize, &Shape),
    own: &[TestCase],
    given: &[Given<'_>],
) -> Vec<Input> {
    let taking = calls(program, unit, shape);
    let repeatable = own.iter().enumerate().filter(|(_, test)| test.outcome.is_repeatable());
    let farthest = repeatable
        .max_by_key(|(i, test)| (test.coverage.edges().len(), std::cmp::Reverse(*i)))
        .map(|(_, test)| test.whole_input());
    let bases: Vec<Input> = farthest.into_iter().chain([plain_input(program, shape)]).collect();
    let mut inputs: Vec<Input> = Vec::new();
    for &given in given {
        for base in &bases {
            let same = same_calls((base, &taking), (given, &calls_of(program, given)));
            let made = match same {
                Some(input) => vec![input],
                None => same_texts((base, &taking), &texts(program, given)),
            };
            for input in made {
                if !inputs.contains(&input) && inputs.len() < INPUTS_MAX {
                    inputs.push(input);
                }
            }
        }
    }
    inputs
}

/// A call that an input may make.
struct PossibleCall<'a> {
    /// The function, by index of its unit.
    unit: usize,
    /// What has to be chosen so that it is made.
    choices: Vec<(&'a str, u64)>,
    /// The arguments that are inputs, by index.
    slots: Vec<(usize, &'a Slot)>,
}

impl PossibleCall<'_> {
    fn is_made(&self, input: &Input) -> bool {
        let chosen = |name: &str| input.get(name).map_or(0, Value::bits);
        self.choices.iter().all(|(name, value)| chosen(name) == *value)
    }

    fn make(&self, input: &mut Input) {
        let kind = CellKind::Int { bits: 32, signed: false };
        for &(name, value) in &self.choices {
            input.set(name, value_of(kind, value));
        }
    }

    /// The arguments that are texts.
    fn texts(&self) -> impl Iterator<Item = (&Slot, &Pointer)> {
        self.slots.iter().filter_map(|&(_, slot)| Some((slot, text_pointer(slot)?)))
    }
}

/// All calls that inputs of a function may make: first its own, then those that make its objects.
fn calls<'a>(program: &'a Program, unit: usize, shape: &'a Shape) -> Vec<PossibleCall<'a>> {
    let Some(driver) = program.driver(shape.entered) else {
        let slots = shape.params.iter().enumerate().collect();
        return vec![PossibleCall { unit, choices: Vec::new(), slots }];
    };
    let mut found = Vec::new();
    add_calls(&mut found, shape, &driver.call, &[]);
    for before in &driver.before {
        for (option, number) in before.calls.iter().zip(1..) {
            add_calls(&mut found, shape, &option.call, &[(&before.choice, number)]);
        }
    }
    found
}

fn add_calls<'a>(
    found: &mut Vec<PossibleCall<'a>>,
    shape: &'a Shape,
    call: &'a Call,
    choices: &[(&'a str, u64)],
) {
    let slot = |(at, argument): (usize, &Argument)| match argument {
        Argument::Parameter(name) => {
            shape.params.iter().find(|slot| slot.name == *name).map(|slot| (at, slot))
        }
        Argument::Object(_) | Argument::Itself | Argument::Earlier(_) => None,
    };
    let slots = call.arguments.iter().enumerate().filter_map(slot).collect();
    found.push(PossibleCall { unit: call.unit, choices: choices.to_vec(), slots });
    let also = |choice: Option<(&'a str, u64)>| -> Vec<(&'a str, u64)> {
        choices.iter().copied().chain(choice).collect()
    };
    for object in call.passed() {
        let is_choice = object.makers.len() > 1;
        for (maker, number) in object.makers.iter().zip(0..) {
            if let Maker::Call(maker) = maker {
                let choice = is_choice.then_some((object.name.as_str(), number));
                add_calls(found, shape, maker, &also(choice));
            }
        }
        for follow_up in &object.follow_ups {
            for (option, number) in follow_up.calls.iter().zip(1..) {
                let choice = Some((follow_up.choice.as_str(), number));
                add_calls(found, shape, &option.call, &also(choice));
            }
        }
    }
}

/// The calls that a test makes.
fn calls_of<'a>(program: &'a Program, given: Given<'a>) -> Vec<PossibleCall<'a>> {
    let mut calls = calls(program, given.giver.unit, given.giver.shape);
    calls.retain(|call| call.is_made(&given.test.input));
    calls
}

/// The input that makes calls of the same functions as a test, with the same arguments, as far as it can make them; `None` if
/// it can make none.
fn same_calls(
    (base, taking): (&Input, &[PossibleCall<'_>]),
    (given, giving): (Given<'_>, &[PossibleCall<'_>]),
) -> Option<Input> {
    let cells = given.giver.shape.leaves(&given.test.input);
    let mut input = base.clone();
    let mut chosen: BTreeMap<&str, u64> = BTreeMap::new();
    let mut n_made: BTreeMap<usize, usize> = BTreeMap::new();
    for taker in taking {
        let n_before = n_made.get(&taker.unit).copied().unwrap_or(0);
        let is_possible =
            taker.choices.iter().all(|(name, n)| chosen.get(name).is_none_or(|known| known == n));
        let same = giving.iter().filter(|giver| giver.unit == taker.unit).nth(n_before);
        let Some(giver) = same.filter(|_| is_possible) else { continue };
        n_made.insert(taker.unit, n_before + 1);
        chosen.extend(taker.choices.iter().copied());
        taker.make(&mut input);
        for (at, slot) in &taker.slots {
            let Some((_, from)) = giver.slots.iter().find(|(known, _)| known == at) else {
                continue;
            };
            let moved = cells.iter().filter_map(|(name, _, value)| {
                Some((renamed(name, &from.name, &slot.name)?, *value))
            });
            input.values.extend(moved);
        }
    }
    (!n_made.is_empty()).then_some(input)
}

/// The name that a cell of one parameter has as that of another: `*p`, `p[3].x`, `p != NULL`.
fn renamed(cell: &str, from: &str, to: &str) -> Option<String> {
    let start = cell.find(|c| !matches!(c, '*' | '(' | '&'))?;
    let rest = cell[start..].strip_prefix(from)?;
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let is_about_two = rest.contains(" == ") || rest.contains(" in ");
    let is_other = rest.starts_with(is_part) || is_about_two;
    (!is_other).then(|| format!("{}{to}{rest}", &cell[..start]))
}

/// The texts that a test gives, each with the name of its parameter.
fn texts(program: &Program, given: Given<'_>) -> Vec<(String, Vec<u8>)> {
    let input = &given.test.input;
    let calls = calls_of(program, given);
    let texts = calls.iter().flat_map(PossibleCall::texts);
    let texts = texts.map(|(slot, pointer)| (own_name(slot), text_of(pointer, input)));
    texts.filter(|(_, text)| !text.is_empty()).collect()
}

/// What the function that is called calls its parameter.
fn own_name(slot: &Slot) -> String {
    symcrete_program::api::split_parameter(&slot.name).1.to_owned()
}

/// Inputs that give these texts: to the function's own parameters, or else to those that make its objects.
fn same_texts(
    (base, taking): (&Input, &[PossibleCall<'_>]),
    texts: &[(String, Vec<u8>)],
) -> Vec<Input> {
    let Some(call) = taking.iter().find(|call| call.texts().next().is_some()) else {
        return Vec::new();
    };
    let mut inputs = Vec::new();
    for (name, text) in texts {
        let same: Vec<&Pointer> = call
            .texts()
            .filter(|(slot, _)| own_name(slot) == *name)
            .map(|(_, pointer)| pointer)
            .collect();
        let all = || call.texts().map(|(_, pointer)| pointer).collect();
        for pointer in if same.is_empty() { all() } else { same } {
            let mut input = base.clone();
            call.make(&mut input);
            give_text(&mut input, pointer, text);
            inputs.push(input);
        }
    }
    inputs
}

/// The pointer to characters that a parameter is, if it is one.
fn text_pointer(slot: &Slot) -> Option<&Pointer> {
    let ShapeNode::Pointer(pointer) = &slot.node else { return None };
    let is_character = |item: &ShapeNode| matches!(item, ShapeNode::Leaf(leaf) if matches!(leaf.kind, CellKind::Int { bits: 8, .. }));
    (pointer.items.len() > 1 && pointer.items.iter().all(is_character)).then_some(pointer)
}

/// The characters that a pointer points to, up to the first zero of a string, and of an array as many as its length says.
fn text_of(pointer: &Pointer, input: &Input) -> Vec<u8> {
    let is_there = pointer.present.as_ref().and_then(|present| input.get(present));
    if !is_there.map_or(pointer.present_default, |value| value.bits() != 0) {
        return Vec::new();
    }
    let characters = pointer.items.iter().filter_map(|item| match item {
        ShapeNode::Leaf(leaf) => {
            Some(input.get(&leaf.name).map_or(leaf.default, Value::bits) as u8)
        }
        ShapeNode::Bits { .. }
        | ShapeNode::Record { .. }
        | ShapeNode::List { .. }
        | ShapeNode::Pointer(_)
        | ShapeNode::End(_)
        | ShapeNode::Text(_)
        | ShapeNode::Callback(_)
        | ShapeNode::Fixed { .. } => None,
    });
    let n_there = pointer.count.of(pointer.items.len(), input);
    let characters = characters.take(n_there);
    match pointer.count {
        Count::Tied(_) => characters.collect(),
        Count::All => characters.take_while(|&character| character != 0).collect(),
    }
}

fn give_text(input: &mut Input, pointer: &Pointer, text: &[u8]) {
    if let Some(present) = &pointer.present {
        input.set(present.clone(), Value::Bool(true));
    }
    let characters = text.iter().copied().chain(std::iter::repeat(0));
    for (item, character) in pointer.items.iter().zip(characters) {
        if let ShapeNode::Leaf(leaf) = item {
            input.set(leaf.name.clone(), value_of(leaf.kind, u64::from(character)));
        }
    }
    if let Count::Tied(length) = &pointer.count {
        let n = text.len().min(pointer.items.len()) as u64;
        input.set(length.name.clone(), value_of(length.kind, n));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_renamed_by_whole_words() {
        let renamed = |cell| renamed(cell, "text", "o_parse__text");
        assert_eq!(renamed("text[3]").as_deref(), Some("o_parse__text[3]"));
        assert_eq!(renamed("*text").as_deref(), Some("*o_parse__text"));
        assert_eq!(renamed("text != NULL").as_deref(), Some("o_parse__text != NULL"));
        assert_eq!(renamed("text_length"), None);
        assert_eq!(renamed("text == other"), None);
        assert_eq!(renamed("context[0]"), None);
    }
}
