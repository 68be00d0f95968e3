//! Marks every branch of LLVM's text form with the condition of the source that it decides.
//!
//! Clang counts for its coverage mapping: the block that is entered when a condition holds, or when it does not,
//! increments a counter of its own. So the edge into that block is that side of that condition, and a block that counts for
//! a label of a `switch` is entered exactly when that label is taken. What is left of the counting is a mark, a call that
//! gives back the truth value it is given; the rest is taken out.
//!
//! A mark stands where a condition was evaluated, whatever code generation makes of the branch behind it; `mark_sites.rs`
//! finds the marks in the linked module. They call a function of another file, so nothing may be moved, dropped or
//! merged across them.

use super::counting::{Counting, Increment};
use super::coverage_map::{CoverageMap, Region, Sum};
use super::ir_text::{Function, Jump, push_line, read_phi, replace_label, with_incoming};
use super::labels::Sources;
use super::operands;
use super::options::TargetPlace;
use super::targets::{Places, Wanted};
use crate::conditions::{Condition, ConditionKind, Conditions};
use std::collections::BTreeSet;

/// The function that marks a truth value: `value, number`.
pub(super) const MARK: &str = "__symcrete_mark";
/// The function that marks the block of a label: `number`.
pub(super) const MARK_LABEL: &str = "__symcrete_mark_label";
/// Numbers of marks start here: from here on every one of them has the same length in WebAssembly.
pub(super) const FIRST: u32 = 1 << 27;
/// How many conditions one file can have, and how many files there can be; what is beyond has no marks.
const CONDITIONS_MAX: u32 = 1 << 17;
const FILES_MAX: u32 = 1 << 12;

/// A file with its marks.
pub(super) struct Marked {
    pub(super) text: String,
    /// The conditions that marks name, and no sites yet.
    pub(super) conditions: Conditions,
}

/// What a mark's number says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Mark {
    /// The number of the file.
    pub(super) file: usize,
    /// The condition, among those of its file.
    pub(super) condition: usize,
    /// Whether the marked value is the condition's opposite.
    pub(super) is_negated: bool,
}

impl Mark {
    fn number(self) -> u32 {
        let number = self.file as u32 * CONDITIONS_MAX + self.condition as u32;
        FIRST + 2 * number + u32::from(self.is_negated)
    }

    /// What a number says that a mark was called with.
    pub(super) fn of(number: u32) -> Option<Mark> {
        let number = number.checked_sub(FIRST)?;
        Some(Mark {
            file: (number / 2 / CONDITIONS_MAX) as usize,
            condition: (number / 2 % CONDITIONS_MAX) as usize,
            is_negated: number % 2 == 1,
        })
    }
}

/// Marks all functions of one file, one of several by its number.
pub(super) fn mark(text: &str, number: usize, targets: &[TargetPlace]) -> Marked {
    let places = Places::of(text, targets);
    let map = CoverageMap::read(text);
    let files = paths(&map);
    let sources = Sources::new(&files);
    let (list, files) = (Vec::new(), files.clone());
    let mut marker = Marker { map: &map, sources, file: number, list, files, n_values: 0 };
    let mut out = String::with_capacity(text.len());
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if is_instrumentation(line) {
            continue;
        }
        push_line(&mut out, line);
        if line.starts_with("define ") {
            let body = lines.by_ref().take_while(|line| *line != "}");
            let mut function = Function::read(line, body);
            marker.n_values = 0;
            marker.function(&mut function);
            let wanted = places.wanted(line, &function);
            marker.targets(&mut function, &wanted);
            function.write(&mut out);
            push_line(&mut out, "}");
        }
    }
    push_line(&mut out, &format!("declare i32 @{MARK}(i32, i32)"));
    push_line(&mut out, &format!("declare void @{MARK_LABEL}(i32)"));
    let (files, list) = (marker.files, marker.list);
    Marked { text: out, conditions: Conditions { files, list, ..Conditions::default() } }
}

/// Whether a line outside of functions is there for counting only.
fn is_instrumentation(line: &str) -> bool {
    match line.strip_prefix(['@', '$']) {
        Some(global) => is_counting(global),
        None => line.starts_with("declare void @llvm.instrprof."),
    }
}

/// Whether a variable is there for counting only.
pub(super) fn is_counting(name: &str) -> bool {
    let name = name.trim_start_matches(['@', '"']);
    ["__covrec_", "__profn_", "__llvm_coverage_", "__llvm_prf_"]
        .iter()
        .any(|start| name.starts_with(start))
}

/// The paths of files; relative ones start from the directory that stands before them.
fn paths(map: &CoverageMap) -> Vec<String> {
    let Some((directory, files)) = map.files.split_first() else { return Vec::new() };
    let whole =
        |file: &String| std::path::Path::new(directory).join(file).to_string_lossy().into_owned();
    std::iter::once(directory.clone()).chain(files.iter().map(whole)).collect()
}

struct Marker<'m> {
    map: &'m CoverageMap,
    sources: Sources<'m>,
    file: usize,
    list: Vec<Condition>,
    files: Vec<String>,
    /// Values that were added to the function at hand.
    n_values: u32,
}

/// A `switch` of LLVM, which may have comparisons behind it for long ranges of values.
struct Switch {
    block: usize,
    lines: std::ops::Range<usize>,
    value: String,
    default: String,
    cases: BTreeSet<String>,
}

impl Marker<'_> {
    fn function(&mut self, function: &mut Function) {
        let counting = Counting::of(function, self.map);
        if !counting.regions.is_empty() {
            operands::know_merged_values(function);
            let mut labels = BTreeSet::new();
            let mut ranges = BTreeSet::new();
            for switch in switches(function) {
                self.switch(function, &counting, &switch, &mut labels, &mut ranges);
            }
            let regions = counting.regions.iter().enumerate();
            labels.extend(regions.filter(|(_, it)| self.sources.is_label(it)).map(|(i, _)| i));
            for block in 0..function.blocks.len() {
                if !ranges.contains(&block) {
                    self.branch(function, &counting, block, &labels);
                }
                self.selects(function, &counting, block);
            }
        }
        for block in &mut function.blocks {
            block.lines.retain(|line| !line.contains("@llvm.instrprof."));
        }
    }

    /// Marks what somebody wants to reach. The last marks come first, so that the others keep their lines.
    fn targets(&mut self, function: &mut Function, wanted: &[Wanted]) {
        for place in wanted {
            let region = place.region(&mut self.files);
            let Some(mark) = self.new_mark(&region, ConditionKind::Target, false) else { return };
            let block = &mut function.blocks[place.block];
            let call = label_call(mark, &place_of(&block.lines[place.line]));
            block.lines.insert(place.line, call);
        }
    }

    /// A mark for a region; `None` if there are more conditions than numbers.
    fn new_mark(&mut self, region: &Region, kind: ConditionKind, is_negated: bool) -> Option<u32> {
        let condition = self.list.len();
        if condition >= CONDITIONS_MAX as usize || self.file >= FILES_MAX as usize {
            return None;
        }
        let (span, calls) = (region.span.clone(), region.calls.clone());
        self.list.push(Condition { kind, span, calls });
        Some(Mark { file: self.file, condition, is_negated }.number())
    }

    /// Marks the blocks that a `switch` leads to.
    fn switch(
        &mut self,
        function: &mut Function,
        counting: &Counting<'_>,
        switch: &Switch,
        labels: &mut BTreeSet<usize>,
        ranges: &mut BTreeSet<usize>,
    ) {
        let mut targets = switch.cases.clone();
        // The block from which the `switch` is left if no label fits, and where to.
        let (mut last, mut default) = (switch.block, switch.default.clone());
        while let Some((block, jump)) = range_at(function, &default, &switch.value)
            && counting.held_at(&jump.targets[0]).is_some()
        {
            ranges.insert(block);
            targets.insert(jump.targets[0].clone());
            (last, default) = (block, jump.targets[1].clone());
        }
        let held: BTreeSet<usize> = targets.iter().filter_map(|t| counting.held_at(t)).collect();
        if held.is_empty() && counting.held_at(&default).is_none() {
            return;
        }
        targets.insert(default.clone());
        for target in &targets {
            let Some(region) = counting.held_at(target) else { continue };
            if labels.insert(region) {
                let mark = self.new_mark(&counting.regions[region], ConditionKind::Label, false);
                let block = function.by_label[target];
                let block = &mut function.blocks[block];
                let at = block.lines.iter().position(|line| {
                    Increment::read(line).is_some_and(|increment| {
                        counting.sides.get(&increment.counter) == Some(&(region, true))
                    })
                });
                if let Some((at, mark)) = at.zip(mark) {
                    let place = place_of(&block.lines[at]);
                    block.lines[at] = label_call(mark, &place);
                }
            }
        }
        if counting.held_at(&default).is_none() {
            self.no_label(function, counting, switch, &held, last, &default);
        }
    }

    /// Gives a `switch` without `default` a block that is entered if no label fits.
    fn no_label(
        &mut self,
        function: &mut Function,
        counting: &Counting<'_>,
        switch: &Switch,
        held: &BTreeSet<usize>,
        last: usize,
        default: &str,
    ) {
        let regions = counting.regions;
        let mut all = Sum::new();
        for &region in held {
            regions[region].holds.iter().for_each(|(&k, &n)| *all.entry(k).or_default() += n);
        }
        // Clang 14 to 19 count the labels as its *false*, others as its *true*.
        let is_rest =
            |&i: &usize| !held.contains(&i) && (regions[i].fails == all || regions[i].holds == all);
        let Some(region) = (0..regions.len()).find(is_rest) else { return };
        let Some(mark) = self.new_mark(&regions[region], ConditionKind::NoLabel, false) else {
            return;
        };
        let landing = function.add_landing("", default);
        let own = function.by_label[&landing];
        let old = function.blocks[last].label.clone();
        let lines = match last == switch.block {
            true => switch.lines.clone(),
            false => {
                let line = function.blocks[last].jump().expect("a range ends with a jump").line;
                line..line + 1
            }
        };
        let first = lines.start;
        let place = lines.clone().map(|i| place_of(&function.blocks[last].lines[i])).next_back();
        let place = place.unwrap_or_default();
        function.blocks[own].lines[0].push_str(&place);
        function.blocks[own].lines.insert(0, label_call(mark, &place));
        let line = &mut function.blocks[last].lines[first];
        *line = match last == switch.block {
            true => with_default(line, &landing),
            false => replace_label(line, default, &landing),
        };
        rename_arrival(function, default, &old, &landing, switch.cases.contains(default));
    }

    /// Marks the branch at the end of a block, if it decides a condition.
    fn branch(
        &mut self,
        function: &mut Function,
        counting: &Counting<'_>,
        block: usize,
        labels: &BTreeSet<usize>,
    ) {
        let Some(jump) = function.blocks[block].jump() else { return };
        let [then, otherwise] = &jump.targets[..] else { return };
        let Some(condition) = jump.condition.filter(|c| c.starts_with('%') && then != otherwise)
        else {
            return;
        };
        let side = |target: &String, taken: bool| {
            let sides: Vec<_> = counting.sides_at(target).collect();
            sides.into_iter().map(move |(region, holds)| (region, holds != taken))
        };
        let found: BTreeSet<(usize, bool)> = side(then, true)
            .chain(side(otherwise, false))
            .filter(|(region, _)| !labels.contains(region))
            .collect();
        // If a branch led to the blocks of two conditions, nobody could say which it decides.
        let Some(&(region, is_negated)) = found.first().filter(|_| found.len() == 1) else {
            return;
        };
        let kind = ConditionKind::Condition;
        let Some(mark) = self.new_mark(&counting.regions[region], kind, is_negated) else { return };
        let line = function.blocks[block].lines[jump.line].clone();
        let (value, call) = self.marked(&condition, mark, &place_of(&line));
        let marked = line.replacen(&format!("br i1 {condition},"), &format!("br i1 {value},"), 1);
        function.blocks[block].lines[jump.line] = format!("{call}\n{marked}");
    }

    /// Marks the choices of a block that decide a condition: what they choose by is also what is counted.
    fn selects(&mut self, function: &mut Function, counting: &Counting<'_>, block: usize) {
        for i in 0..function.blocks[block].lines.len() {
            let line = &function.blocks[block].lines[i];
            let Some((head, rest)) = line.split_once(" = select i1 ") else { continue };
            let Some((condition, rest)) = rest.split_once(", ") else { continue };
            let widened = format!(" = zext i1 {condition} to i64");
            let steps = function.blocks[block].lines.iter().filter_map(|line| {
                let name = line.split_once(&widened)?.0.trim();
                counting.steps.get(name)
            });
            let sides = steps.flatten().filter_map(|counter| counting.sides.get(counter));
            let found: BTreeSet<(usize, bool)> = sides.copied().collect();
            let Some(&(region, holds)) = found.first().filter(|_| found.len() == 1) else {
                continue;
            };
            let kind = ConditionKind::Condition;
            let Some(mark) = self.new_mark(&counting.regions[region], kind, !holds) else { return };
            let (value, call) = self.marked(condition, mark, &place_of(line));
            let marked = format!("{call}\n{head} = select i1 {value}, {rest}");
            function.blocks[block].lines[i] = marked;
        }
    }

    /// The name of a marked truth value, and the code that marks it.
    fn marked(&mut self, condition: &str, mark: u32, place: &str) -> (String, String) {
        let n = self.n_values;
        self.n_values += 1;
        let value = format!("%symcrete.is.{n}");
        let code = format!(
            "  %symcrete.value.{n} = zext i1 {condition} to i32{place}\n  \
             %symcrete.mark.{n} = call i32 @{MARK}(i32 %symcrete.value.{n}, i32 {mark}) nomerge{place}\n  \
             {value} = icmp ne i32 %symcrete.mark.{n}, 0{place}"
        );
        (value, code)
    }
}

fn label_call(mark: u32, place: &str) -> String {
    format!("  call void @{MARK_LABEL}(i32 {mark}) nomerge{place}")
}

/// The place of an instruction: `, !dbg !7`.
fn place_of(line: &str) -> String {
    let number = line.rsplit_once(", !dbg !").map(|(_, rest)| rest);
    let number = number.and_then(|rest| rest.split(|c: char| !c.is_ascii_digit()).next());
    number.map_or(String::new(), |number| format!(", !dbg !{number}"))
}

/// All `switch`es of a function.
fn switches(function: &Function) -> Vec<Switch> {
    let mut found = Vec::new();
    for (block, of) in function.blocks.iter().enumerate() {
        let Some(first) = of.lines.iter().position(|line| line.starts_with("  switch ")) else {
            continue;
        };
        let end = of.lines[first..].iter().position(|line| line.trim_start().starts_with(']'));
        let Some(end) = end.map(|n| first + n + 1) else { continue };
        let target = |line: &String| {
            let (_, label) = line.split_once(", label %")?;
            Some(label.trim_end_matches(" [").trim_matches('"').to_owned())
        };
        let value = of.lines[first].split(' ').nth(4).unwrap_or_default().trim_end_matches(',');
        let Some(default) = target(&of.lines[first]) else { continue };
        found.push(Switch {
            block,
            lines: first..end,
            value: value.to_owned(),
            default,
            cases: of.lines[first + 1..end].iter().filter_map(target).collect(),
        });
    }
    found
}

/// A block that does nothing but compare the value of a `switch` with a range: it is entered if no value of the
/// `switch` fits.
fn range_at(function: &Function, label: &str, value: &str) -> Option<(usize, Jump)> {
    let number = *function.by_label.get(label)?;
    let block = &function.blocks[number];
    let code: Vec<&str> = block.code().map(|i| block.lines[i].as_str()).collect();
    let [difference, comparison, _] = code[..] else { return None };
    let is_range = difference.contains(" = sub ")
        && difference.split([' ', ',']).any(|word| word == value)
        && comparison.contains(" = icmp ule ");
    let jump = block.jump().filter(|jump| is_range && jump.targets.len() == 2)?;
    Some((number, jump))
}

/// `switch i32 %1, label %new [`
fn with_default(line: &str, label: &str) -> String {
    let head = line.split_once(", label %").map_or(line, |(head, _)| head);
    format!("{head}, label %{label} [")
}

/// In the phis of a block: what came from `old` comes from `new` now, or from both.
fn rename_arrival(function: &mut Function, block: &str, old: &str, new: &str, both: bool) {
    let Some(&block) = function.by_label.get(block) else { return };
    for line in &mut function.blocks[block].lines {
        let Some((_, _, mut incoming)) = read_phi(line) else { continue };
        let Some(at) = incoming.iter().position(|incoming| incoming.from == old) else { continue };
        let mut arrival = incoming[at].clone();
        arrival.from = new.to_owned();
        match both {
            true => incoming.push(arrival),
            false => incoming[at] = arrival,
        }
        *line = with_incoming(line, &incoming);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_marks_say_what_they_mark() {
        for (file, condition, is_negated) in [(0, 0, false), (3, 7, true), (4095, 131_071, true)] {
            let mark = Mark { file, condition, is_negated };
            assert_eq!(Mark::of(mark.number()), Some(mark));
            assert!(i32::try_from(mark.number()).is_ok());
        }
        assert_eq!(Mark::of(FIRST - 1), None);
    }
}
