//! Says which counters of loops do not wrap.
//!
//! `for (int i = 0; i < n; i++)` cannot wrap, since the step follows a comparison that `i` has passed. Nothing in the text says so:
//! arithmetic wraps (`docs/adr/0005-c-front-end.md`), and LLVM does not see through the call that marks a condition. Where addresses are
//! wider than an `int`, code generation needs to know, or it widens the counter at each access instead of stepping a pointer.
//!
//! Only a step that nothing but its own counter uses gets the note, so that no condition can be decided by it.

use super::ir::split;
use super::ir_text::{Function, read_phi, with_functions};
use super::locals::{definition, is_remark, names};
use super::machine;
use super::marks::MARK;
use crate::cfg::{BlockId, Dominators};
use crate::data_model::DataModel;
use std::collections::BTreeMap;

/// Edits a file after its locals were lifted into registers.
pub(super) fn note(text: &str) -> String {
    if machine::of_text(text) != DataModel::Lp64 {
        return text.to_owned();
    }
    with_functions(text, note_steps)
}

fn note_steps(function: &mut Function) {
    let notes: Vec<(usize, usize, String)> = {
        let values = Values::of(function);
        let steps = values.steps(function);
        if steps.is_empty() {
            return;
        }
        let guards = values.guards(function);
        let dominators = Dominators::new(&guards.successors, &[BlockId::ENTRY]);
        let noted = steps.into_iter().filter_map(|step| {
            let known = guards.edges.iter().filter(|guard| {
                guard.bound.value == step.counter && dominators.dominates(guard.to, step.block)
            });
            let kept = known.filter_map(|guard| guard.bound.keeps(step.by)).next()?;
            let line = &function.blocks[step.block.index()].lines[step.line];
            let noted = line.replacen(" = add ", &format!(" = add {kept} "), 1);
            Some((step.block.index(), step.line, noted))
        });
        noted.collect()
    };
    for (block, line, noted) in notes {
        function.blocks[block].lines[line] = noted;
    }
}

/// A constant that is added to a counter in each iteration.
struct Step<'a> {
    block: BlockId,
    line: usize,
    counter: &'a str,
    by: i64,
}

/// What a comparison says about a value.
#[derive(PartialEq, Eq, Debug)]
struct Bound<'a> {
    value: &'a str,
    is_signed: bool,
    /// What it is at most, or at least.
    is_upper: bool,
    limit: i64,
}

impl Bound<'_> {
    /// What does not happen to the value if a number is added: wrapping as a signed or as an unsigned one.
    fn keeps(&self, by: i64) -> Option<&'static str> {
        let sum = self.limit + by;
        match (self.is_signed, self.is_upper) {
            (true, true) => (by > 0 && sum <= i64::from(i32::MAX)).then_some("nsw"),
            (true, false) => (by < 0 && sum >= i64::from(i32::MIN)).then_some("nsw"),
            (false, true) => (by > 0 && sum <= i64::from(u32::MAX)).then_some("nuw"),
            (false, false) => None,
        }
    }
}

/// A side of a branch that nothing else leads to, and what it says.
struct Guard<'a> {
    to: BlockId,
    bound: Bound<'a>,
}

struct Guards<'a> {
    edges: Vec<Guard<'a>>,
    successors: Vec<Vec<BlockId>>,
}

struct Values<'a> {
    definitions: BTreeMap<&'a str, &'a str>,
    /// How many lines other than phis use each value.
    uses: BTreeMap<&'a str, usize>,
}

impl<'a> Values<'a> {
    fn of(function: &'a Function) -> Values<'a> {
        let mut values = Values { definitions: BTreeMap::new(), uses: BTreeMap::new() };
        let lines = function.blocks.iter().flat_map(|block| &block.lines);
        for line in lines.filter(|line| !is_remark(line)) {
            let (name, rest) = definition(line).unwrap_or(("", line));
            if !name.is_empty() {
                values.definitions.insert(name, rest.split(", !").next().unwrap_or(rest));
            }
            if !rest.starts_with("phi ") {
                names(rest).for_each(|used| *values.uses.entry(used).or_default() += 1);
            }
        }
        values
    }

    /// The steps of all counters.
    fn steps(&self, function: &'a Function) -> Vec<Step<'a>> {
        let mut steps = Vec::new();
        for (i, block) in function.blocks.iter().enumerate() {
            for (line, text) in block.lines.iter().enumerate() {
                if let Some((name, rest)) = definition(text)
                    && let Some((counter, by)) = sum(rest)
                    && !self.uses.contains_key(name)
                    && self.is_counter(counter, name)
                {
                    steps.push(Step { block: BlockId(i as u32), line, counter, by });
                }
            }
        }
        steps
    }

    /// Whether a value is a phi that a step leads back to.
    fn is_counter(&self, value: &str, step: &str) -> bool {
        let phi = self.definitions.get(value).map(|rest| format!("{value} = {rest}"));
        let phi = phi.as_deref().and_then(read_phi);
        phi.is_some_and(|(_, _, incoming)| incoming.iter().any(|from| from.value == step))
    }

    /// What branches say of values.
    fn guards(&self, function: &'a Function) -> Guards<'a> {
        let block = |label: &str| function.by_label.get(label).map(|&i| BlockId(i as u32));
        let successors: Vec<Vec<BlockId>> = function
            .blocks
            .iter()
            .map(|block| block.lines.iter().filter(|line| !is_remark(line)))
            .map(|lines| lines.flat_map(|line| labels(line)).filter_map(block).collect())
            .collect();
        let mut n_ways = vec![0; function.blocks.len()];
        successors.iter().flatten().for_each(|to| n_ways[to.index()] += 1);
        let mut edges = Vec::new();
        for jump in function.blocks.iter().filter_map(|block| block.jump()) {
            let Some(condition) = jump.condition.as_deref() else { continue };
            for (target, holds) in jump.targets.iter().zip([true, false]) {
                let to = block(target).filter(|to| n_ways[to.index()] == 1);
                if let Some(to) = to {
                    edges.extend(self.bounds(condition, holds).map(|bound| Guard { to, bound }));
                }
            }
        }
        Guards { edges, successors }
    }

    /// What is known if a condition holds, or does not.
    fn bounds(&self, condition: &str, holds: bool) -> impl Iterator<Item = Bound<'a>> {
        let (comparison, holds) = self.comparison(condition, holds).unzip();
        let read = comparison.and_then(read_comparison).zip(holds);
        read.into_iter().flat_map(|((predicate, left, right), holds)| {
            let predicate = if holds { Some(predicate) } else { opposite(predicate) };
            let forward = predicate.and_then(|predicate| bound(predicate, left, right));
            let backward = predicate.and_then(|predicate| bound(turned(predicate)?, right, left));
            forward.into_iter().chain(backward)
        })
    }

    /// The comparison that a condition comes down to. Marks give back what they are given.
    fn comparison(&self, condition: &str, mut holds: bool) -> Option<(&'a str, bool)> {
        let mut value = *self.definitions.get_key_value(condition)?.0;
        loop {
            let rest = *self.definitions.get(value)?;
            let given = if let Some(rest) = rest.strip_prefix("zext i1 ") {
                rest.split(' ').next()
            } else if let Some((_, rest)) = rest.split_once(&format!("@{MARK}(i32 ")) {
                rest.split(',').next()
            } else if let Some(rest) = rest.strip_prefix("xor i1 ") {
                holds = !holds;
                rest.strip_suffix(", true")
            } else if let Some((number, "0")) =
                rest.strip_prefix("icmp ne i32 ").and_then(|rest| rest.split_once(", "))
            {
                Some(number)
            } else {
                return Some((rest, holds));
            };
            value = given?;
        }
    }
}

/// The counter and the constant of a sum that may wrap.
fn sum(rest: &str) -> Option<(&str, i64)> {
    let parts = split(rest.strip_prefix("add i32 ")?);
    Some((parts[0].trim(), parts.get(1)?.trim().parse().ok()?))
}

/// The labels that a line leads to.
fn labels(line: &str) -> impl Iterator<Item = &str> {
    line.split("label %").skip(1).filter_map(|rest| match rest.strip_prefix('"') {
        Some(quoted) => quoted.split('"').next(),
        None => rest.split(|c: char| !c.is_ascii_alphanumeric() && !"._-$".contains(c)).next(),
    })
}

/// Predicate and operands of a comparison of two `int`s.
fn read_comparison(rest: &str) -> Option<(&str, &str, &str)> {
    let (predicate, operands) = rest.strip_prefix("icmp ")?.split_once(" i32 ")?;
    let (left, right) = operands.split_once(", ")?;
    Some((predicate, left, right))
}

fn opposite(predicate: &str) -> Option<&'static str> {
    Some(match predicate {
        "slt" => "sge",
        "sle" => "sgt",
        "sgt" => "sle",
        "sge" => "slt",
        "ult" => "uge",
        "ule" => "ugt",
        "ugt" => "ule",
        "uge" => "ult",
        _ => return None,
    })
}

/// The predicate with its operands the other way round.
fn turned(predicate: &str) -> Option<&'static str> {
    Some(match predicate {
        "slt" => "sgt",
        "sle" => "sge",
        "sgt" => "slt",
        "sge" => "sle",
        "ult" => "ugt",
        "ule" => "uge",
        "ugt" => "ult",
        "uge" => "ule",
        _ => return None,
    })
}

/// What a comparison says about its left side. Whatever the right side is, it is an `int`.
fn bound<'a>(predicate: &str, value: &'a str, other: &str) -> Option<Bound<'a>> {
    let (is_signed, is_upper, is_strict) = match predicate {
        "slt" => (true, true, true),
        "sle" => (true, true, false),
        "sgt" => (true, false, true),
        "sge" => (true, false, false),
        "ult" => (false, true, true),
        "ule" => (false, true, false),
        _ => return None,
    };
    let number = other.parse::<i32>().ok();
    let other = match (number, is_signed, is_upper) {
        (Some(number), true, _) => i64::from(number),
        (Some(number), false, _) => i64::from(number as u32),
        (None, true, true) => i64::from(i32::MAX),
        (None, true, false) => i64::from(i32::MIN),
        (None, false, _) => i64::from(u32::MAX),
    };
    let limit = match (is_strict, is_upper) {
        (true, true) => other - 1,
        (true, false) => other + 1,
        (false, _) => other,
    };
    value.starts_with('%').then_some(Bound { value, is_signed, is_upper, limit })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noted(condition: &str, step: &str, sides: &str) -> bool {
        let text = format!(
            "target triple = \"wasm64-unknown-unknown\"\n\
             define void @f(i32 %0) {{\n  br label %2\n\n\
             2:\n  %3 = phi i32 [ 0, %1 ], [ %9, %8 ]\n  %4 = icmp {condition}, !dbg !7\n\
             \x20 %5 = zext i1 %4 to i32\n  %6 = call i32 @__symcrete_mark(i32 %5, i32 7) #8\n\
             \x20 %7 = icmp ne i32 %6, 0\n  br i1 %7, {sides}\n\n\
             8:\n  %9 = {step}, !dbg !8\n  br label %2\n\n\
             10:\n  ret void\n}}\n"
        );
        let out = note(&text);
        assert_eq!(out.replace("add nsw ", "add ").replace("add nuw ", "add "), text);
        out != text
    }

    #[test]
    fn a_counter_that_was_compared_does_not_wrap() {
        let (stays, leaves) = ("label %8, label %10", "label %10, label %8");
        for (condition, step, sides, expected) in [
            ("slt i32 %3, %0", "add i32 %3, 1", stays, true),
            ("sgt i32 %0, %3", "add i32 %3, 1", stays, true),
            ("sge i32 %3, %0", "add i32 %3, 1", leaves, true),
            ("sgt i32 %3, 0", "add i32 %3, -1", stays, true),
            ("sge i32 %3, 0", "add i32 %3, -1", stays, true),
            ("slt i32 %3, 100", "add i32 %3, 7", stays, true),
            ("ult i32 %3, %0", "add i32 %3, 1", stays, true),
            ("slt i32 %3, %0", "add i32 %3, 2", stays, false),
            ("slt i32 %3, %0", "add i32 %3, 1", leaves, false),
            ("slt i32 %3, %0", "add i32 %3, -1", stays, false),
            ("sle i32 %3, %0", "add i32 %3, 1", stays, false),
            ("sgt i32 %3, %0", "add i32 %3, 1", stays, false),
            ("sge i32 %3, -2147483648", "add i32 %3, -1", stays, false),
            ("ne i32 %3, %0", "add i32 %3, 1", stays, false),
            ("ult i32 %3, -1", "add i32 %3, 1", stays, true),
            ("ult i32 %3, -1", "add i32 %3, 2", stays, false),
            ("slt i32 %0, %0", "add i32 %3, 1", stays, false),
        ] {
            assert_eq!(noted(condition, step, sides), expected, "{condition}: {step}");
        }
    }

    #[test]
    fn what_is_compared_elsewhere_may_wrap() {
        let text = "target triple = \"wasm64-unknown-unknown\"\n\
            define void @f(i32 %0) {\n  br label %2\n\n\
            2:\n  %3 = phi i32 [ 0, %1 ], [ %6, %5 ]\n  %4 = icmp slt i32 %3, %0\n\
            \x20 br i1 %4, label %9, label %5\n\n\
            9:\n  br label %5\n\n\
            5:\n  %6 = add i32 %3, 1\n  br label %2\n}\n";
        assert_eq!(note(text), text, "both sides lead to the step");
        let used = text.replace("label %5\n\n9", "label %7\n\n7:\n  ret void\n\n9");
        assert_ne!(note(&used), used);
        let used = used.replace("add i32 %3, 1\n", "add i32 %3, 1\n  call void @g(i32 %6)\n");
        assert_eq!(note(&used), used, "the sum itself is used");
    }
}
