//! Gives each operand of `&&` and `||` in a loop's condition a branch of its own.
//!
//! Clang merges the operands of a loop's condition into one value, `phi i1 [ false, %a ], [ %second, %b ]`, and
//! branches on that. So the last operand's branch is passed even where it was not evaluated. Here a block that
//! comes with a constant goes where that constant leads. LLVM's own jump threading does the same, but
//! also removes conditions that follow from earlier ones.

use std::collections::{BTreeMap, BTreeSet};

/// Rewrites all functions of LLVM's text form.
pub(super) fn separate(text: &str) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_string).collect();
    let mut start = None;
    for i in 0..lines.len() {
        if lines[i].starts_with("define ") {
            start = Some(i + 1);
        } else if lines[i] == "}"
            && let Some(start) = start.take()
        {
            separate_in(&mut lines[start..i]);
        }
    }
    lines.push(String::new());
    lines.join("\n")
}

/// A block that only merges a condition and branches on it.
struct Merge {
    phi: usize,
    /// The values and where they come from.
    incoming: Vec<(String, String)>,
    /// Where true and false lead.
    targets: [String; 2],
}

fn separate_in(body: &mut [String]) {
    let blocks = blocks(body);
    let with_phi: BTreeSet<&String> = blocks
        .iter()
        .filter(|(_, range)| body[range.0..range.1].iter().any(|line| line.contains(" = phi ")))
        .map(|(label, _)| label)
        .collect();
    let mut edits: Vec<(usize, String)> = Vec::new();
    for (label, &(start, end)) in &blocks {
        let Some(merge) = merge(body, start, end) else { continue };
        if merge.targets.iter().any(|target| with_phi.contains(target)) {
            continue;
        }
        let mut kept = Vec::new();
        for (value, from) in &merge.incoming {
            let side = match value.as_str() {
                "true" => Some(&merge.targets[0]),
                "false" => Some(&merge.targets[1]),
                _ => None,
            };
            let jump = blocks.get(from).and_then(|&(start, end)| terminator(body, start, end));
            match (side, jump) {
                (Some(target), Some(jump)) => {
                    edits.push((jump, replace_label(&body[jump], label, target)))
                }
                _ => kept.push(format!("[ {value}, %{from} ]")),
            }
        }
        // Values are numbered: the phi stays, with what is left of it.
        let is_changed = !kept.is_empty() && kept.len() < merge.incoming.len();
        if is_changed {
            let line = &body[merge.phi];
            let head = &line[..line.find('[').expect("a phi has values")];
            let tail = line.rfind(']').map_or("", |end| &line[end + 1..]);
            edits.push((merge.phi, format!("{head}{}{tail}", kept.join(", "))));
            for (line, text) in edits.drain(..) {
                body[line] = text;
            }
        }
        edits.clear();
    }
}

/// The blocks of a body: label to first line and end. The first block has no label.
fn blocks(body: &[String]) -> BTreeMap<String, (usize, usize)> {
    let mut starts: Vec<(String, usize)> = Vec::new();
    for (i, line) in body.iter().enumerate() {
        if let Some((label, _)) = line.split_once(':')
            && !line.starts_with([' ', '\t', ';'])
        {
            starts.push((label.trim_matches('"').to_string(), i + 1));
        }
    }
    let ends = starts.iter().skip(1).map(|(_, start)| start - 1).chain([body.len()]);
    let ends: Vec<usize> = ends.collect();
    starts.into_iter().zip(ends).map(|((label, start), end)| (label, (start, end))).collect()
}

/// The line with which a block ends.
fn terminator(body: &[String], start: usize, end: usize) -> Option<usize> {
    (start..end).rev().find(|&i| body[i].trim_start().starts_with("br "))
}

fn merge(body: &[String], start: usize, end: usize) -> Option<Merge> {
    let mut code = (start..end).filter(|&i| is_code(&body[i]));
    let (phi, branch) = (code.next()?, code.next()?);
    if code.next().is_some() {
        return None;
    }
    let (name, rest) = body[phi].trim_start().split_once(" = phi i1 ")?;
    let branch = body[branch].trim_start().strip_prefix("br i1 ")?;
    let mut parts = branch.split(", ");
    if parts.next()? != name {
        return None;
    }
    let mut target = || Some(parts.next()?.strip_prefix("label %")?.trim_matches('"').to_string());
    let targets = [target()?, target()?];
    let incoming = rest
        .split('[')
        .skip(1)
        .map(|pair| {
            let (value, from) = pair.split(']').next()?.trim().split_once(", %")?;
            Some((value.to_string(), from.trim().trim_matches('"').to_string()))
        })
        .collect::<Option<Vec<_>>>()?;
    Some(Merge { phi, incoming, targets })
}

/// Whether a line is an instruction that does something; markers of lifetimes and debug records do not.
fn is_code(line: &str) -> bool {
    let line = line.trim_start();
    !(line.is_empty()
        || line.starts_with(';')
        || line.starts_with("#dbg")
        || line.contains("@llvm.dbg."))
}

/// A jump with one label in the place of another.
fn replace_label(line: &str, from: &str, to: &str) -> String {
    line.split(", ")
        .map(|part| {
            let is_it = [format!("label %{from}"), format!("label %\"{from}\"")]
                .iter()
                .any(|label| part == label || part.strip_prefix("br ") == Some(label));
            match (is_it, part.starts_with("br ")) {
                (true, true) => format!("  br label %{to}"),
                (true, false) => format!("label %{to}"),
                (false, _) => part.to_string(),
            }
        })
        .collect::<Vec<_>>()
        .join(", ")
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
  %6 = icmp ne i32 %1, 7
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
        assert!(text.contains("  %8 = phi i1 [ %6, %5 ], !dbg !9"), "{text}");
        assert_eq!(text.lines().count(), LOOP.lines().count());
    }

    #[test]
    fn merged_values_that_are_used_otherwise_stay() {
        let used = LOOP.replace("br i1 %8, label %9, label %10, !dbg !10", "ret i1 %8");
        assert_eq!(separate(&used), used);
        let target = LOOP.replace("  ret i32 0", "  %11 = phi i32 [ 1, %7 ]\n  ret i32 %11");
        assert_eq!(separate(&target), target, "its values would need an entry for the new way");
    }
}
