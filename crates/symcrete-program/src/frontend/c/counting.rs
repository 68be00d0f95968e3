//! What the counting that clang adds to a function says: which block counts which side of which condition.

use super::coverage_map::{CoverageMap, Region, Sum};
use super::ir_text::Function;
use std::collections::BTreeMap;

/// A call that counts.
pub(super) struct Increment<'t> {
    /// The variable with the function's name.
    pub(super) name: &'t str,
    pub(super) structure: u64,
    pub(super) counter: u32,
    /// What is added, if that is not 1.
    pub(super) step: Option<&'t str>,
}

impl<'t> Increment<'t> {
    /// Reads `call void @llvm.instrprof.increment(ptr @__profn_f, i64 24, i32 2, i32 1)`; older versions have the
    /// name within an expression, and a last argument if what is added is not 1.
    pub(super) fn read(line: &'t str) -> Option<Increment<'t>> {
        let (_, call) = line.split_once("@llvm.instrprof.increment")?;
        let is_step = call.starts_with(".step(");
        let name = &call[call.find('@')?..];
        let end = match name[1..].strip_prefix('"') {
            Some(quoted) => quoted.find('"')? + 3,
            None => name.find([',', ' ', ')'])?,
        };
        let (name, rest) = name.split_at(end);
        let mut words = rest[..rest.rfind(')')?].split(", ").skip_while(|w| !w.starts_with("i64 "));
        let structure = words.next()?.strip_prefix("i64 ")?;
        let structure = structure.parse::<i64>().map(|n| n as u64).or_else(|_| structure.parse());
        let counter = words.nth(1)?.strip_prefix("i32 ")?.parse().ok()?;
        let step = words.next().and_then(|word| word.strip_prefix("i64 ")).filter(|_| is_step);
        Some(Increment { name, structure: structure.ok()?, counter, step })
    }
}

/// What a function's counters say.
#[derive(Default)]
pub(super) struct Counting<'m> {
    pub(super) regions: &'m [Region],
    /// The counters that a block increments, by its label.
    blocks: BTreeMap<String, Vec<u32>>,
    /// The counters that add a value, by the value's name.
    pub(super) steps: BTreeMap<String, Vec<u32>>,
    /// Counters that count one side of one condition: the region, and whether it holds.
    pub(super) sides: BTreeMap<u32, (usize, bool)>,
}

impl<'m> Counting<'m> {
    pub(super) fn of(function: &Function, map: &'m CoverageMap) -> Counting<'m> {
        let mut counting = Counting::default();
        for block in &function.blocks {
            for increment in block.lines.iter().filter_map(|line| Increment::read(line)) {
                if counting.regions.is_empty() {
                    counting.regions = map.regions(increment.name, increment.structure);
                }
                let counters = match increment.step {
                    Some(step) => counting.steps.entry(step.to_owned()).or_default(),
                    None => counting.blocks.entry(block.label.clone()).or_default(),
                };
                counters.push(increment.counter);
            }
        }
        counting.sides = sides(counting.regions);
        counting
    }

    /// The sides of conditions that a block counts.
    pub(super) fn sides_at(&self, label: &str) -> impl Iterator<Item = (usize, bool)> {
        let counters = self.blocks.get(label).into_iter().flatten();
        counters.filter_map(|counter| self.sides.get(counter).copied())
    }

    /// The region whose *true* a block counts.
    pub(super) fn held_at(&self, label: &str) -> Option<usize> {
        self.sides_at(label).find(|&(_, holds)| holds).map(|(region, _)| region)
    }
}

/// For each counter that counts nothing but one side of one condition: which. A condition that is a constant has no
/// counters.
fn sides(regions: &[Region]) -> BTreeMap<u32, (usize, bool)> {
    let only = |sum: &Sum| match sum.iter().next() {
        Some((&counter, 1)) if sum.len() == 1 => Some(counter),
        _ => None,
    };
    let mut found: BTreeMap<u32, Vec<(usize, bool)>> = BTreeMap::new();
    for (i, region) in regions.iter().enumerate() {
        if region.holds.is_empty() || region.fails.is_empty() {
            continue;
        }
        if let Some(counter) = only(&region.holds) {
            found.entry(counter).or_default().push((i, true));
        }
    }
    for (i, region) in regions.iter().enumerate() {
        if region.holds.is_empty() || region.fails.is_empty() || only(&region.holds).is_some() {
            continue;
        }
        // Where no label of a `switch` fits is what its only label leaves.
        if let Some(counter) = only(&region.fails).filter(|counter| !found.contains_key(counter)) {
            found.entry(counter).or_default().push((i, false));
        }
    }
    let one = |(counter, sides): (u32, Vec<(usize, bool)>)| match sides[..] {
        [side] => Some((counter, side)),
        _ => None,
    };
    found.into_iter().filter_map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn increments_are_read_with_and_without_types() {
        let now =
            "  call void @llvm.instrprof.increment(ptr @__profn_f, i64 -24, i32 2, i32 1), !dbg !8";
        let before = "  call void @llvm.instrprof.increment.step(i8* getelementptr inbounds ([1 x i8], \
                      [1 x i8]* @\"__profn_a.c:f\", i32 0, i32 0), i64 24, i32 2, i32 3, i64 %9)";
        let read = |line| {
            let Increment { name, structure, counter, step } = Increment::read(line).unwrap();
            (name, structure, counter, step)
        };
        assert_eq!(read(now), ("@__profn_f", -24_i64 as u64, 1, None));
        assert_eq!(read(before), ("@\"__profn_a.c:f\"", 24, 3, Some("%9")));
        assert!(Increment::read("  call void @f(i32 2)").is_none());
    }

    #[test]
    fn a_counter_of_two_conditions_says_nothing() {
        let region = |holds: u32| Region {
            span: crate::conditions::Span { file: 1, start: (1, 1), end: (1, 2) },
            calls: Vec::new(),
            holds: Sum::from([(holds, 1)]),
            fails: Sum::from([(0, 1), (holds, -1)]),
        };
        let found = sides(&[region(1), region(2), region(2)]);
        assert_eq!(found, BTreeMap::from([(1, (0, true))]));
    }
}
