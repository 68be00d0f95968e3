//! A quick search where there are no terms: words and floats of any size.
//!
//! Few bits of input are all tried, which decides. Otherwise some hundred valuations are put together from values that are special in their
//! format, small numbers and draws. Each is evaluated, so an answer does not depend on where it came from.

use super::{Evaluated, evaluate, parse};
use crate::Budget;
use crate::smtlib::sexpr::{SexprId, Tree};
use crate::smtlib::text::TextScript;
use symcrete_term::{Rng, Seed};

/// What the search found.
#[derive(PartialEq, Eq, Debug)]
pub(crate) enum Searched {
    /// A model that was evaluated, as a solver would write it.
    Model(String),
    /// Every valuation was evaluated, and none is a model.
    NoModel,
    /// Neither.
    Open,
}

/// Inputs of so many bits are all tried.
const BITS_MAX: u64 = 12;
const DRAWS: u64 = 400;
/// Characters that all valuations together may read: each reads the script anew.
const READ_MAX: u64 = 1 << 21;
/// Inputs that are wider are left to the solvers.
const WIDTH_MAX: u64 = 1 << 10;
/// After so many valuations that we cannot evaluate, the others are not tried.
const BEYOND_MAX: u64 = 8;

/// See the module. Charges a step for each valuation.
pub(crate) fn search(script: &TextScript, budget: &mut Budget) -> Searched {
    let Some(inputs) = inputs(script) else { return Searched::Open };
    let length: usize = script.commands.iter().map(|command| command.text.len()).sum();
    let most = READ_MAX / (length as u64).max(1);
    let n_bits: u64 = inputs.iter().map(|input| input.sort.width()).sum();
    let tries_all = n_bits <= BITS_MAX && 1 << n_bits <= most;
    let n_tries = if tries_all { 1 << n_bits } else { DRAWS.min(most) };
    let mut rng = Seed(0).derive("text").rng();
    let mut n_beyond = 0;
    for number in 0..n_tries {
        if budget.charge(1).is_err() || n_beyond > BEYOND_MAX {
            return Searched::Open;
        }
        let model = if tries_all { numbered(&inputs, number) } else { drawn(&inputs, &mut rng) };
        match evaluate(script, &model) {
            Evaluated::Holds => return Searched::Model(model),
            Evaluated::Fails => {}
            Evaluated::Beyond => n_beyond += 1,
        }
    }
    if tries_all && n_beyond == 0 { Searched::NoModel } else { Searched::Open }
}

struct Input<'a> {
    /// As the script writes it.
    name: String,
    sort_text: &'a str,
    sort: InputSort,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum InputSort {
    Bool,
    Bits(u64),
    /// Bits of exponent and significand, of which one is not stored.
    Float(u64, u64),
}

/// The declared constants. `None` if one has another sort, or something is a function.
fn inputs(script: &TextScript) -> Option<Vec<Input<'_>>> {
    let declared = script.commands.iter().filter(|command| command.declares.is_some());
    let input = |text: &'_ str| -> Option<(String, usize, usize, InputSort)> {
        let tree = parse(text)?;
        let parts: Vec<SexprId> = tree.children(Tree::ROOT).collect();
        let (name, sort) = match parts[..] {
            [_, name, sort] => (name, sort),
            [_, name, params, sort] if tree.children(params).next().is_none() => (name, sort),
            _ => return None,
        };
        let at = tree.span(sort);
        let name = tree.text(name).to_owned();
        Some((name, at.start as usize, at.end as usize, input_sort(&tree, sort)?))
    };
    declared
        .map(|command| {
            let (name, start, end, sort) = input(&command.text)?;
            Some(Input { name, sort_text: command.text.get(start..end)?, sort })
        })
        .collect()
}

fn input_sort(tree: &Tree, sort: SexprId) -> Option<InputSort> {
    let found = if tree.is_list(sort) {
        let parts: Vec<SexprId> = tree.children(sort).collect();
        let index = |i: usize| parts.get(i).and_then(|&part| tree.numeral(part));
        match tree.symbol(*parts.get(1)?)? {
            "BitVec" => InputSort::Bits(index(2)?),
            "FloatingPoint" => InputSort::Float(index(2)?, index(3)?),
            _ => return None,
        }
    } else {
        match tree.symbol(sort)? {
            "Bool" => InputSort::Bool,
            "Float16" => InputSort::Float(5, 11),
            "Float32" => InputSort::Float(8, 24),
            "Float64" => InputSort::Float(11, 53),
            "Float128" => InputSort::Float(15, 113),
            _ => return None,
        }
    };
    let is_usual = match found {
        InputSort::Bool => true,
        InputSort::Bits(width) => (1..=WIDTH_MAX).contains(&width),
        InputSort::Float(exponent, significand) => {
            (2..=60).contains(&exponent) && (2..=WIDTH_MAX).contains(&significand)
        }
    };
    is_usual.then_some(found)
}

impl InputSort {
    fn width(self) -> u64 {
        match self {
            InputSort::Bool => 1,
            InputSort::Bits(width) => width,
            InputSort::Float(exponent, significand) => exponent + significand,
        }
    }

    /// A value with these bits, the highest first.
    fn value(self, bits: &str) -> String {
        match self {
            InputSort::Bool => (bits == "1").to_string(),
            InputSort::Bits(_) => format!("#b{bits}"),
            InputSort::Float(exponent, significand) => {
                let (sign, rest) = bits.split_at(1);
                let (power, fraction) = rest.split_at(exponent as usize);
                if !power.contains('0') && fraction.contains('1') {
                    return format!("(_ NaN {exponent} {significand})");
                }
                format!("(fp #b{sign} #b{power} #b{fraction})")
            }
        }
    }

    fn draw(self, rng: &mut Rng) -> String {
        let width = self.width() as usize;
        let random = |rng: &mut Rng, n: usize| -> String {
            (0..n).map(|_| if rng.one_in(2) { '1' } else { '0' }).collect()
        };
        if rng.one_in(4) {
            return random(rng, width);
        }
        let InputSort::Float(exponent, significand) = self else {
            let size = rng.below(12);
            let bits = binary(rng.below(1 << size), width);
            let flipped = |bits: &str| bits.replace('0', "x").replace('1', "0").replace('x', "1");
            return match rng.below(3) {
                0 => flipped(&bits),
                1 => bits.chars().rev().collect(),
                _ => bits,
            };
        };
        let (power, fraction) = (exponent as usize, significand as usize - 1);
        let sign = random(rng, 1);
        let bias = (1_u64 << (exponent - 1)) - 1;
        let ones = if rng.one_in(2) { "1" } else { "0" };
        match rng.below(8) {
            0 => sign + &"0".repeat(power + fraction),
            1 => sign + &"1".repeat(power) + &"0".repeat(fraction),
            2 => sign + &binary(2 * bias, power) + &"1".repeat(fraction),
            3 => sign + &"0".repeat(power) + &binary(1, fraction),
            4 => sign + &binary(bias, power) + &ones.repeat(fraction),
            5 => {
                let near = bias.saturating_add(rng.below(12)).saturating_sub(4);
                let few = random(rng, fraction.min(4));
                sign + &binary(near, power) + &few + &"0".repeat(fraction - few.len())
            }
            _ => {
                let near = bias.saturating_add(rng.below(24)).saturating_sub(8);
                sign + &binary(near, power) + &random(rng, fraction)
            }
        }
    }
}

/// The lowest bits of a number.
fn binary(number: u64, width: usize) -> String {
    let bits = format!("{number:0width$b}");
    bits[bits.len() - width..].to_owned()
}

fn drawn(inputs: &[Input<'_>], rng: &mut Rng) -> String {
    let mut values: Vec<String> = Vec::new();
    for (i, input) in inputs.iter().enumerate() {
        // Inputs that are equal are worth a try.
        let before = i.checked_sub(1).filter(|&before| inputs[before].sort == input.sort);
        let value = match before {
            Some(before) if rng.one_in(6) => values[before].clone(),
            Some(_) | None => input.sort.value(&input.sort.draw(rng)),
        };
        values.push(value);
    }
    model(inputs, &values)
}

/// The valuation whose bits, all in a row, are a number.
fn numbered(inputs: &[Input<'_>], mut number: u64) -> String {
    let mut value = |input: &Input<'_>| {
        let width = input.sort.width();
        let bits = binary(number & ((1 << width) - 1), width as usize);
        number >>= width;
        input.sort.value(&bits)
    };
    let values: Vec<String> = inputs.iter().map(&mut value).collect();
    model(inputs, &values)
}

fn model(inputs: &[Input<'_>], values: &[String]) -> String {
    let mut text = String::from("(");
    for (Input { name, sort_text, .. }, value) in inputs.iter().zip(values) {
        text.push_str(&format!("\n  (define-fun {name} () {sort_text} {value})"));
    }
    text + "\n)"
}

#[cfg(test)]
mod tests;
