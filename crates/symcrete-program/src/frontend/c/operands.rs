//! Gives each operand of `&&` and `||` a branch of its own.
//!
//! Where such an expression is a value, or the condition of a loop, clang merges its operands into one value,
//! `phi i1 [ false, %a ], [ %second, %b ]`: the last operand has no branch, or one that is passed even where it was not
//! evaluated. Here the block that evaluates it branches, so that only constants are merged; and where nothing but a
//! branch or a choice between constants follows, each constant goes where it leads. LLVM's own jump
//! threading does the latter too, but also removes conditions that follow from earlier ones.
//!
//! Values and blocks have numbers, which older versions of LLVM want without gaps. So nothing that has one is removed, and what
//! is added has a name.

use super::ir_text::{
    Block, Function, Incoming, Jump, read_phi, replace_label, with_functions, with_incoming,
};
use std::collections::BTreeMap;

/// Rewrites all functions of LLVM's text form.
pub(super) fn separate(text: &str) -> String {
    with_functions(text, Function::separate)
}

/// A block's first instruction, if it merges truth values of which some are constants.
struct Merge {
    line: usize,
    /// The merged value, with its `%`.
    name: String,
    incoming: Vec<Incoming>,
}

impl Function {
    fn separate(&mut self) {
        // Clang writes inner expressions first, and what is added here merges nothing.
        for block in 0..self.blocks.len() {
            let Some(merge) = self.blocks[block].merge() else { continue };
            let Some(incoming) = self.operands(block, &merge) else { continue };
            self.blocks[block].lines[merge.line] =
                with_incoming(&self.blocks[block].lines[merge.line], &incoming);
            if !self.thread(block, &merge, &incoming) {
                self.blocks[block].choose(&merge, &incoming);
            }
        }
    }

    /// Makes every operand of a merge branch: what is merged then, constants only. `None` if the code around it is of
    /// another kind than clang's; nothing is changed then.
    fn operands(&mut self, block: usize, merge: &Merge) -> Option<Vec<Incoming>> {
        let label = self.blocks[block].label.clone();
        let mut inner = Vec::new();
        for incoming in &merge.incoming {
            let from = *self.by_label.get(&incoming.from)?;
            let jump = self.blocks[from].jump()?;
            if incoming.constant().is_some() {
                continue;
            }
            if jump.targets.len() != 1 {
                return None;
            }
            inner.push(self.inner(from, &incoming.value));
        }
        let mut inner = inner.into_iter();
        let mut merged = Vec::new();
        for incoming in &merge.incoming {
            if incoming.constant().is_some() {
                merged.push(incoming.clone());
                continue;
            }
            let from = self.by_label[&incoming.from];
            match inner.next().flatten() {
                Some(operands) => {
                    let place = self.blocks[from].label.clone();
                    for operand in operands {
                        let from = self.redirect(&operand.from, &place, &label);
                        merged.push(Incoming { from, ..operand });
                    }
                    self.blocks[from].leave();
                }
                None => merged.extend(self.branch(from, &incoming.value, &label)),
            }
        }
        Some(merged)
    }

    /// The operands of an expression within the merged one, if its block does nothing else than to merge them.
    fn inner(&self, block: usize, value: &str) -> Option<Vec<Incoming>> {
        let merge = self.blocks[block].merge().filter(|merge| merge.name == value)?;
        let is_all = self.blocks[block].code().count() == 2;
        let is_constant = merge.incoming.iter().all(|incoming| incoming.constant().is_some());
        let can_turn = merge.incoming.iter().all(|incoming| self.jump_of(&incoming.from).is_some());
        (is_all && is_constant && can_turn).then_some(merge.incoming)
    }

    /// Makes a block that only jumps branch on a value, through two new blocks that tell the sides apart.
    fn branch(&mut self, block: usize, value: &str, to: &str) -> [Incoming; 2] {
        let place = self.blocks[block].place_of(value);
        let sides = [true, false]
            .map(|side| Incoming { value: side.to_string(), from: self.add_landing(&place, to) });
        let jump = self.blocks[block].jump().expect("checked by the caller");
        let [holds, fails] = sides.each_ref().map(|side| side.from.as_str());
        self.blocks[block].lines[jump.line] =
            format!("  br i1 {value}, label %{holds}, label %{fails}{place}");
        sides
    }

    /// If a block does nothing else than to branch on its merged value: sends each constant where it leads.
    fn thread(&mut self, block: usize, merge: &Merge, incoming: &[Incoming]) -> bool {
        let label = self.blocks[block].label.clone();
        let Some(jump) = self.blocks[block].jump() else { return false };
        let is_all = self.blocks[block].code().count() == 2;
        let can_turn = incoming.iter().all(|incoming| self.jump_of(&incoming.from).is_some());
        if !is_all || !can_turn || jump.condition.as_deref() != Some(&merge.name) {
            return false;
        }
        let mut arrivals: [Vec<Incoming>; 2] = Default::default();
        for incoming in incoming {
            let holds = incoming.constant().expect("only constants are left");
            let target = &jump.targets[usize::from(!holds)];
            let from = self.redirect(&incoming.from, &label, target);
            arrivals[usize::from(!holds)].push(Incoming { from, ..incoming.clone() });
        }
        for (target, arrivals) in jump.targets.iter().zip(&arrivals) {
            self.replace_arrival(target, &label, &merge.name, arrivals);
        }
        self.blocks[block].leave();
        true
    }

    /// In the phis of a block: what came from `old` comes in several ways now.
    fn replace_arrival(&mut self, block: &str, old: &str, merged: &str, arrivals: &[Incoming]) {
        let Some(&block) = self.by_label.get(block) else { return };
        for line in &mut self.blocks[block].lines {
            let Some(mut incoming) = read_phi(line).map(|(_, _, incoming)| incoming) else {
                continue;
            };
            let Some(at) = incoming.iter().position(|incoming| incoming.from == old) else {
                continue;
            };
            let value = incoming.remove(at).value;
            incoming.extend(arrivals.iter().map(|arrival| {
                let value = if value == merged { &arrival.value } else { &value };
                Incoming { value: value.clone(), from: arrival.from.clone() }
            }));
            *line = with_incoming(line, &incoming);
        }
    }

    /// Lets a block jump to `new` where it jumped to `old`. The block from which `new` is reached then: a block
    /// that goes there already needs one in between, so that the two ways can bring different values.
    fn redirect(&mut self, from: &str, old: &str, new: &str) -> String {
        let block = self.by_label[from];
        let jump = self.blocks[block].jump().expect("checked by the caller");
        let goes_there = jump.targets.iter().any(|target| target == new);
        let landing = goes_there.then(|| self.add_landing("", new));
        let line = &mut self.blocks[block].lines[jump.line];
        *line = replace_label(line, old, landing.as_deref().unwrap_or(new));
        landing.unwrap_or_else(|| from.to_owned())
    }
}

impl Block {
    fn merge(&self) -> Option<Merge> {
        let line = self.code().next()?;
        let (name, kind, incoming) = read_phi(&self.lines[line])?;
        let is_logical = incoming.iter().any(|incoming| incoming.constant().is_some());
        let is_only = self.code().nth(1).is_none_or(|next| read_phi(&self.lines[next]).is_none());
        (kind == "i1" && is_logical && is_only).then_some(Merge { line, name, incoming })
    }

    /// The place of an instruction of this block, or of its end: `, !dbg !7`.
    fn place_of(&self, value: &str) -> String {
        let defined =
            self.lines.iter().rfind(|line| line.trim_start().starts_with(&format!("{value} = ")));
        let line = defined.or(self.lines.iter().rfind(|line| line.trim_start().starts_with("br ")));
        let place = line.and_then(|line| {
            let number = line.split_once(", !dbg !")?.1;
            Some(number.split(|c: char| !c.is_ascii_digit()).next().unwrap_or_default())
        });
        place.map_or(String::new(), |number| format!(", !dbg !{number}"))
    }

    /// Chooses between constants where they come from, and not by the merged value.
    fn choose(&mut self, merge: &Merge, incoming: &[Incoming]) {
        let choice = format!(" = select i1 {}, ", merge.name);
        let chosen: Vec<usize> = self.code().filter(|&i| self.lines[i].contains(&choice)).collect();
        for i in chosen {
            let Some((head, rest)) = self.lines[i].split_once(&choice) else { continue };
            let mut parts = rest.split(", ");
            let Some((values, kind)) = parts.next().zip(parts.next()).and_then(constants) else {
                continue;
            };
            let incoming: Vec<Incoming> = incoming
                .iter()
                .map(|incoming| Incoming {
                    value: values[usize::from(incoming.value == "false")].to_owned(),
                    from: incoming.from.clone(),
                })
                .collect();
            let name = format!("%symcrete.choice.{}", head.trim().trim_start_matches('%'));
            let tail = parts.map(|part| format!(", {part}")).collect::<String>();
            let phi = with_incoming(&format!("  {name} = phi {kind} []"), &incoming);
            self.lines[i] = format!("{head} = bitcast {kind} {name} to {kind}{tail}");
            self.lines[merge.line].push('\n');
            self.lines[merge.line].push_str(&phi);
        }
    }

    /// Empties a block that nothing reaches any more.
    fn leave(&mut self) {
        for line in &mut self.lines {
            if let Some((name, _)) = line.trim_start().split_once(" = phi ") {
                *line = format!("  {name} = xor i1 false, false");
            } else if line.trim_start().starts_with("br ") {
                *line = "  unreachable".to_owned();
            }
        }
    }
}

/// Puts constants into phis of truth values where the way to them says the value: behind the branch on it.
pub(super) fn know_merged_values(function: &mut Function) {
    let mut before: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    let mut jumps: Vec<Option<Jump>> = Vec::new();
    for (i, block) in function.blocks.iter().enumerate() {
        for line in &block.lines {
            let labels = line.split("label %").skip(1);
            for label in labels.filter_map(|rest| rest.split([',', ' ', ']']).next()) {
                before.entry(label.trim_matches('"').to_owned()).or_default().push(i);
            }
        }
        jumps.push(block.jump());
    }
    // The value of a condition on the way from a block to a label.
    let on_way = |from: usize, to: &str, value: &str| {
        let jump = jumps[from].as_ref()?;
        let [then, otherwise] = &jump.targets[..] else { return None };
        let decides = jump.condition.as_deref() == Some(value) && then != otherwise;
        decides.then_some(then == to)
    };
    for block in 0..function.blocks.len() {
        let label = function.blocks[block].label.clone();
        for i in 0..function.blocks[block].lines.len() {
            let line = &function.blocks[block].lines[i];
            let Some((_, "i1", mut incoming)) = read_phi(line) else { continue };
            for incoming in incoming.iter_mut().filter(|incoming| incoming.constant().is_none()) {
                let Some(&from) = function.by_label.get(&incoming.from) else { continue };
                let known = on_way(from, &label, &incoming.value).or_else(|| {
                    let &[only] = &before.get(&incoming.from)?[..] else { return None };
                    on_way(only, &incoming.from, &incoming.value)
                });
                if let Some(known) = known {
                    incoming.value = known.to_string();
                }
            }
            function.blocks[block].lines[i] = with_incoming(line, &incoming);
        }
    }
}

/// The type and the two values of a choice between constants.
fn constants<'a>((holds, fails): (&'a str, &'a str)) -> Option<([&'a str; 2], &'a str)> {
    let (kind, holds) = holds.rsplit_once(' ')?;
    let (same, fails) = fails.rsplit_once(' ')?;
    let are_constants = kind == same && ![holds, fails].iter().any(|value| value.starts_with('%'));
    are_constants.then_some(([holds, fails], kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOOP: &str = "\
define i32 @f(i32 %0, i32 %1) {
  br label %3

3:                                                ; preds = %9, %2
  %4 = icmp slt i32 %0, 4, !dbg !7
  br i1 %4, label %5, label %7, !dbg !8

5:                                                ; preds = %3
  %6 = icmp ne i32 %1, 7, !dbg !11
  br label %7

7:                                                ; preds = %5, %3
  %8 = phi i1 [ false, %3 ], [ %6, %5 ], !dbg !9
  br i1 %8, label %9, label %10, !dbg !10

9:                                                ; preds = %7
  br label %3

10:                                               ; preds = %7
  ret i32 0
}
";

    #[test]
    fn a_constant_goes_where_it_leads() {
        let text = separate(LOOP);
        assert!(text.contains("  br i1 %4, label %5, label %10, !dbg !8"), "{text}");
        assert!(
            text.contains("  br i1 %6, label %symcrete.6, label %symcrete.7, !dbg !11"),
            "{text}"
        );
        assert!(text.contains("symcrete.6:\n  br label %9, !dbg !11"), "{text}");
        assert!(text.contains("symcrete.7:\n  br label %10, !dbg !11"), "{text}");
    }

    #[test]
    fn what_merged_before_merges_more() {
        let target = LOOP.replace("  ret i32 0", "  %11 = phi i32 [ 1, %7 ]\n  ret i32 %11");
        let text = separate(&target);
        assert!(text.contains("  %11 = phi i32 [ 1, %3 ], [ 1, %symcrete.7 ]"), "{text}");
    }

    #[test]
    fn the_last_operand_of_a_value_branches() {
        let text = separate(&LOOP.replace("br i1 %8, label %9, label %10, !dbg !10", "ret i1 %8"));
        let merged = "  %8 = phi i1 [ false, %3 ], [ true, %symcrete.6 ], [ false, %symcrete.7 ], !dbg !9\n  ret i1 %8";
        assert!(text.contains(merged), "{text}");
    }

    #[test]
    fn a_choice_of_constants_is_made_where_they_come_from() {
        let choice = "%9 = select i1 %8, i32 7, i32 9, !dbg !10\n  ret i32 %9";
        let text = separate(&LOOP.replace("br i1 %8, label %9, label %10, !dbg !10", choice));
        let phi =
            "  %symcrete.choice.9 = phi i32 [ 9, %3 ], [ 7, %symcrete.6 ], [ 9, %symcrete.7 ]";
        assert!(text.contains(phi), "{text}");
        assert!(text.contains("  %9 = bitcast i32 %symcrete.choice.9 to i32, !dbg !10"), "{text}");
    }

    #[test]
    fn inner_expressions_join_the_outer_one() {
        let text = separate(
            "\
define i1 @h(i32 %0, i32 %1, i32 %2) {
  %4 = icmp sgt i32 %0, 3
  br i1 %4, label %5, label %11

5:
  %6 = icmp eq i32 %1, 5
  br i1 %6, label %9, label %7

7:
  %8 = icmp eq i32 %2, 6
  br label %9

9:
  %10 = phi i1 [ true, %5 ], [ %8, %7 ]
  br label %11

11:
  %12 = phi i1 [ false, %3 ], [ %10, %9 ]
  ret i1 %12
}
",
        );
        assert!(text.contains("  br i1 %6, label %11, label %7"), "{text}");
        let merged = "%12 = phi i1 [ false, %3 ], [ true, %5 ], [ true, %symcrete.5 ], [ false, %symcrete.6 ]";
        assert!(text.contains(merged), "{text}");
    }

    #[test]
    fn a_value_behind_its_own_branch_is_known() {
        let text = "\
define i1 @f(i1 %0, i1 %1) {
  br i1 %0, label %3, label %6

3:
  br i1 %1, label %4, label %6

4:
  br label %6

6:
  %7 = phi i1 [ false, %2 ], [ %1, %3 ], [ %1, %4 ]
  ret i1 %7
";
        let mut lines = text.lines();
        let header = lines.next().unwrap();
        let mut function = Function::read(header, lines);
        know_merged_values(&mut function);
        let phi = "  %7 = phi i1 [ false, %2 ], [ false, %3 ], [ true, %4 ]";
        assert!(
            function.blocks[3].lines.iter().any(|line| line == phi),
            "{:?}",
            function.blocks[3].lines
        );
    }
}
