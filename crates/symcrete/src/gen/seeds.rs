//! First inputs. Of functions whose objects are made by calls: most makers succeed with small, plain arguments, and zeros
//! are what many of them refuse. Of programs that read words with `scanf` or `gets`: a long one, which is more than many have room for.
//! Of programs that read numbers: small ones and the largest and smallest that there are, which a search digit by digit hardly finds.

use symcrete_explore::first::plain_input;
use symcrete_program::api::{Argument, Object};
use symcrete_program::shape::{ShapeNode, value_of};
use symcrete_program::{CellKind, Input, Program, Shape};
use symcrete_term::Value;

/// An input for each way to make the objects of a function, and texts for a program that reads words or numbers.
pub(super) fn inputs(program: &Program, shape: &Shape) -> Vec<Input> {
    let length = shape.sizes.bytes as usize;
    let mut inputs = Vec::new();
    if reads_words(program) {
        inputs.push(standard_input(&vec![b'a'; length]));
    }
    if reads_numbers(program) {
        let is_wide = ["long", "int64_t"].iter().any(|word| mentions(program, word));
        let n_numbers = if is_wide { NUMBERS.len() } else { NUMBERS.len() - 2 };
        inputs.extend(NUMBERS[..n_numbers].iter().map(|number| {
            let text = number.bytes().chain([b' ']).cycle().take(length);
            standard_input(&text.collect::<Vec<u8>>())
        }));
    }
    inputs.extend(ways_to_make(program, shape));
    inputs
}

/// A plain number, and the limits of `int` and `long`.
const NUMBERS: [&str; 5] =
    ["1", "2147483647", "-2147483648", "9223372036854775807", "-9223372036854775808"];

/// Whether a program makes numbers of its standard input.
fn reads_numbers(program: &Program) -> bool {
    const CONVERSIONS: &[&str] = &["atoi(", "atol(", "atoll(", "strtol(", "strtoll(", "strtoimax("];
    let mentions_one = |words: &[&str]| words.iter().any(|word| mentions(program, word));
    let reads = || mentions_one(&["stdin", "gets(", "getline("]);
    mentions(program, "scanf") || (reads() && mentions_one(CONVERSIONS))
}

fn mentions(program: &Program, word: &str) -> bool {
    program.user_texts().any(|text| text.contains(word))
}

/// Whether a program reads words without saying how much room there is for them. Elsewhere a long word only leads astray: each
/// of its letters is one more condition to turn.
fn reads_words(program: &Program) -> bool {
    let gets = |text: &str| text.match_indices("gets(").any(|(at, _)| !text[..at].ends_with('f'));
    program.user_texts().any(|text| text.contains("scanf") || gets(text))
}

/// An input with that text on standard input.
fn standard_input(text: &[u8]) -> Input {
    let mut input = Input::default();
    let byte = CellKind::Int { bits: 8, signed: false };
    let number = CellKind::Int { bits: 32, signed: false };
    input.set("stdin.length".to_string(), value_of(number, text.len() as u64));
    for (i, letter) in text.iter().enumerate() {
        input.set(format!("stdin[{i}]"), value_of(byte, u64::from(*letter)));
    }
    input
}

/// An input for each way to make the objects of a function; none if it is entered directly.
fn ways_to_make(program: &Program, shape: &Shape) -> Vec<Input> {
    let driver = program.driver(shape.entered).filter(|driver| driver.makes_objects());
    let Some(driver) = driver else { return Vec::new() };
    let mut plain = plain_input(program, shape);
    let objects = driver.call.arguments.iter().filter_map(|argument| match argument {
        Argument::Object(object) => Some(object),
        Argument::Parameter(_) | Argument::Itself | Argument::Earlier(_) => None,
    });
    let objects: Vec<&Object> = objects.map(|object| &**object).collect();
    for name in driver.call.objects().into_iter().flat_map(Object::files) {
        plain.set(format!("file \"{name}\""), Value::Bool(true));
    }
    let n_makers = objects.iter().map(|object| object.makers.len()).max().unwrap_or(0);
    let with_maker = |maker: usize| {
        let mut input = plain.clone();
        for object in objects.iter().filter(|object| object.makers.len() > 1) {
            let maker = maker.min(object.makers.len() - 1) as u64;
            let kind = CellKind::Int { bits: 32, signed: false };
            input.set(object.name.clone(), value_of(kind, maker));
        }
        input
    };
    let mut inputs: Vec<Input> = (0..n_makers).map(with_maker).collect();
    for keys in KEYS {
        for n_calls in [keys.len() / 2, keys.len()] {
            let mut input = plain.clone();
            objects
                .iter()
                .for_each(|object| add_calls(&mut input, shape, object, &keys[..n_calls]));
            inputs.push(input);
        }
    }
    inputs
}

/// Numbers for calls that build an object: a tree that gets them in this order leans to one side, to the other, or is
/// balanced.
const KEYS: [[u64; 8]; 3] = [
    [10, 20, 30, 40, 50, 60, 70, 80],
    [80, 70, 60, 50, 40, 30, 20, 10],
    [40, 20, 60, 10, 30, 50, 70, 80],
];

/// Makes the first of the possible calls in each step, if it takes numbers only, with these.
fn add_calls(input: &mut Input, shape: &Shape, object: &Object, keys: &[u64]) {
    for (follow_up, key) in object.follow_ups.iter().zip(keys) {
        let Some(first) = follow_up.calls.first() else { continue };
        let given = first.call.arguments.iter().filter(|argument| **argument != Argument::Itself);
        let Some(numbers) =
            given.map(|argument| number(shape, argument)).collect::<Option<Vec<_>>>()
        else {
            continue;
        };
        let kind = CellKind::Int { bits: 32, signed: false };
        input.set(follow_up.choice.clone(), value_of(kind, 1));
        for (name, kind) in numbers {
            input.set(name.to_string(), value_of(kind, *key));
        }
    }
}

/// The cell of an argument that is an integer.
fn number<'s>(shape: &'s Shape, argument: &Argument) -> Option<(&'s str, CellKind)> {
    let Argument::Parameter(name) = argument else { return None };
    let slot = shape.params.iter().find(|slot| slot.name == *name)?;
    let ShapeNode::Leaf(leaf) = &slot.node else { return None };
    matches!(leaf.kind, CellKind::Int { .. }).then_some((leaf.name.as_str(), leaf.kind))
}
