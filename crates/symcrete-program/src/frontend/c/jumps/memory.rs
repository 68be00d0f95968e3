//! Puts values that one block computes and another one uses into memory.
//!
//! A block behind a `setjmp` is entered in two ways, and on the second one what was computed before the call is not known any
//! more: a value must be computed on every way to its use. Clang has variables in memory, but not the addresses of arrays
//! whose length is known only at run time, nor what is computed in one expression with the call.

use super::super::calls::{Call, type_at, type_behind_attributes};
use super::super::ir::split;
use super::super::ir_text::{Function, Incoming, is_code, read_phi, with_incoming};
use super::super::locals::{definition, names};
use std::collections::{BTreeMap, BTreeSet};

/// A value that is kept in memory.
struct Kept {
    ty: String,
    slot: String,
}

/// How many blocks every way leads through: the one with the variables, and the one behind it.
const N_FIRST: usize = 2;

/// Edits a function. What its first blocks compute is known everywhere and stays as it is. Returns what makes room for the
/// others; `None` if a value has a type that we cannot read, and nothing is changed then.
pub(super) fn keep_values(function: &mut Function) -> Option<Vec<String>> {
    let mut defined: BTreeMap<String, (usize, String)> = BTreeMap::new();
    for (i, block) in function.blocks.iter().enumerate().skip(N_FIRST) {
        for line in &block.lines {
            if let Some((name, rest)) = definition(line) {
                defined.insert(name.to_owned(), (i, rest.to_owned()));
            }
        }
    }
    let mut kept: BTreeMap<String, Kept> = BTreeMap::new();
    for (name, (_, rest)) in used_elsewhere(function, &defined) {
        let slot = format!("%symcrete.kept.{}", kept.len());
        kept.insert(name.clone(), Kept { ty: type_of(rest)?, slot });
    }
    let rooms = kept.values().flat_map(|Kept { ty, slot }| {
        [format!("  {slot} = alloca {ty}"), format!("  store {ty} zeroinitializer, ptr {slot}")]
    });
    let rooms = rooms.collect();
    let mut keeping = Keeping { kept, n_reads: 0 };
    keeping.read_before_phis(function, &defined);
    for i in 0..function.blocks.len() {
        keeping.edit_block(function, i, &defined);
    }
    Some(rooms)
}

/// The values that another block uses than the one that computes them.
fn used_elsewhere<'d>(
    function: &Function,
    defined: &'d BTreeMap<String, (usize, String)>,
) -> BTreeMap<&'d String, &'d (usize, String)> {
    let mut found = BTreeMap::new();
    for (i, block) in function.blocks.iter().enumerate() {
        for line in block.lines.iter().filter(|line| is_code(line)) {
            match read_phi(line) {
                Some((_, _, incoming)) => {
                    for Incoming { value, from } in &incoming {
                        let from = function.by_label.get(from);
                        let known = defined.get_key_value(value);
                        found.extend(known.filter(|(_, (at, _))| Some(at) != from));
                    }
                }
                None => {
                    let known = names(line).filter_map(|name| defined.get_key_value(name));
                    found.extend(known.filter(|(_, (at, _))| *at != i));
                }
            }
        }
    }
    found
}

struct Keeping {
    kept: BTreeMap<String, Kept>,
    /// How often one was read, which makes names.
    n_reads: usize,
}

impl Keeping {
    /// Code that reads a value, and the name that it has then.
    fn read(&mut self, name: &str) -> (String, String) {
        let read = format!("%symcrete.read.{}", self.n_reads);
        self.n_reads += 1;
        let Kept { ty, slot } = &self.kept[name];
        (format!("  {read} = load {ty}, ptr {slot}"), read)
    }

    /// What a phi gets from another block is read at that block's end.
    fn read_before_phis(
        &mut self,
        function: &mut Function,
        defined: &BTreeMap<String, (usize, String)>,
    ) {
        for i in 0..function.blocks.len() {
            for j in 0..function.blocks[i].lines.len() {
                let Some((_, _, mut incoming)) = read_phi(&function.blocks[i].lines[j]) else {
                    continue;
                };
                for Incoming { value, from } in &mut incoming {
                    let Some(&from) = function.by_label.get(from.as_str()) else { continue };
                    let is_kept = self.kept.contains_key(value.as_str());
                    if is_kept && defined[value.as_str()].0 != from {
                        let (code, name) = self.read(value);
                        let lines = &mut function.blocks[from].lines;
                        lines.insert(end_of(lines), code);
                        *value = name;
                    }
                }
                let line = &mut function.blocks[i].lines[j];
                *line = with_incoming(line, &incoming);
            }
        }
    }

    fn edit_block(
        &mut self,
        function: &mut Function,
        i: usize,
        defined: &BTreeMap<String, (usize, String)>,
    ) {
        let mut lines = Vec::new();
        // What phis define is written behind the last of them.
        let mut waiting = Vec::new();
        for line in std::mem::take(&mut function.blocks[i].lines) {
            let is_phi = read_phi(&line).is_some();
            if !is_phi && is_code(&line) {
                lines.append(&mut waiting);
            }
            let mut used = line.clone();
            if !is_phi && is_code(&line) {
                let elsewhere =
                    |name: &&str| self.kept.contains_key(*name) && defined[*name].0 != i;
                let all: BTreeSet<&str> = names(&line).filter(elsewhere).collect();
                for name in all {
                    let (code, read) = self.read(name);
                    lines.push(code);
                    used = with_name(&used, name, &read);
                }
            }
            let kept = definition(&line).and_then(|(name, _)| self.kept.get_key_value(name));
            let write =
                kept.map(|(name, Kept { ty, slot })| format!("  store {ty} {name}, ptr {slot}"));
            lines.push(used);
            match is_phi {
                true => waiting.extend(write),
                false => lines.extend(write),
            }
        }
        function.blocks[i].lines = lines;
    }
}

/// Where a block's last instruction starts.
fn end_of(lines: &[String]) -> usize {
    const LAST: &[&str] = &["br ", "switch ", "ret ", "unreachable", "indirectbr "];
    let is_last = |line: &String| LAST.iter().any(|word| line.trim_start().starts_with(word));
    lines.iter().rposition(is_last).unwrap_or(lines.len())
}

/// A line with another name for a value.
fn with_name(line: &str, name: &str, new: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = 0;
    for found in names(line) {
        if found == name {
            let at = found.as_ptr() as usize - line.as_ptr() as usize;
            out.push_str(&line[rest..at]);
            out.push_str(new);
            rest = at + found.len();
        }
    }
    out.push_str(&line[rest..]);
    out
}

/// The type of the value that an instruction computes.
fn type_of(instruction: &str) -> Option<String> {
    const POINTERS: &[&str] = &["alloca", "getelementptr"];
    const CASTS: &[&str] = &[
        "trunc",
        "zext",
        "sext",
        "fptrunc",
        "fpext",
        "fptoui",
        "fptosi",
        "uitofp",
        "sitofp",
        "ptrtoint",
        "inttoptr",
        "bitcast",
        "addrspacecast",
    ];
    const OPERATIONS: &[&str] = &[
        "load",
        "phi",
        "freeze",
        "fneg",
        "add",
        "sub",
        "mul",
        "udiv",
        "sdiv",
        "urem",
        "srem",
        "shl",
        "lshr",
        "ashr",
        "and",
        "or",
        "xor",
        "fadd",
        "fsub",
        "fmul",
        "fdiv",
        "frem",
        "insertvalue",
    ];
    if let Some(call) = Call::read(instruction) {
        return Some(call.ty.to_owned());
    }
    let (word, rest) = instruction.split_once(' ')?;
    if POINTERS.contains(&word) {
        return Some("ptr".to_owned());
    }
    let ty = match word {
        "icmp" | "fcmp" => "i1",
        "select" => type_at(split(rest).get(1)?.trim())?.0,
        "va_arg" => type_at(split(rest).get(1)?.trim())?.0,
        "extractvalue" => return element(rest),
        _ if CASTS.contains(&word) => type_at(rest.rsplit_once(" to ")?.1)?.0,
        // Words such as `nsw` and `volatile` come before the type.
        _ if OPERATIONS.contains(&word) => type_behind_attributes(rest)?.0,
        _ => return None,
    };
    Some(ty.to_owned())
}

/// The type of a part: `i1` of `{ i32, i1 } %4, 1`.
fn element(operands: &str) -> Option<String> {
    let (ty, rest) = type_at(operands)?;
    let index: usize = split(rest).get(1)?.trim().parse().ok()?;
    let fields = ty.strip_prefix('{')?.strip_suffix('}')?;
    Some(split(fields).get(index)?.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_of_values_are_known() {
        for (instruction, ty) in [
            ("load volatile i32, ptr %1, align 4", "i32"),
            (
                "call noundef { i32, i1 } @llvm.sadd.with.overflow.i32(i32 %1, i32 %2)",
                "{ i32, i1 }",
            ),
            ("extractvalue { i32, i1 } %4, 1, !dbg !7", "i1"),
            ("alloca i32, i64 %11, align 16", "ptr"),
            ("getelementptr inbounds i32, ptr %13, i64 0", "ptr"),
            ("add nsw i64 %1, 2", "i64"),
            ("icmp ne i32 %1, 0", "i1"),
            ("select i1 %1, double %2, double 0.0", "double"),
            ("zext i32 %10 to i64, !dbg !89", "i64"),
            ("phi ptr [ null, %2 ], [ %5, %4 ]", "ptr"),
            ("va_arg ptr %1, i32", "i32"),
        ] {
            assert_eq!(type_of(instruction).as_deref(), Some(ty), "{instruction}");
        }
        assert_eq!(
            type_of("shufflevector <2 x i32> %1, <2 x i32> %2, <2 x i32> zeroinitializer"),
            None
        );
    }

    #[test]
    fn what_another_block_uses_is_kept() {
        let body = "  br label %1\n\n1:\n  br label %2\n\n2:\n  %3 = add i32 1, 2\n  %4 = add i32 %3, 2\n  br label %5\n\n\
                    5:\n  %6 = phi i32 [ %4, %2 ], [ %3, %7 ]\n  %8 = add i32 %3, %6\n  br label %7\n\n\
                    7:\n  %9 = add i32 %8, %6\n  br label %5";
        let mut function = Function::read("define void @f() {", body.lines());
        let rooms = keep_values(&mut function).expect("all types are known");
        assert_eq!(rooms.len(), 6, "{rooms:?}");
        let mut text = String::new();
        function.write(&mut text);
        // `%4` is used by a phi that it comes to directly, and needs no room.
        for expected in [
            "  %3 = add i32 1, 2\n  store i32 %3, ptr %symcrete.kept.0\n  %4 = add i32 %3, 2\n  br label %5",
            "  %6 = phi i32 [ %4, %2 ], [ %symcrete.read.0, %7 ]\n  store i32 %6, ptr %symcrete.kept.1\n",
            "  %symcrete.read.0 = load i32, ptr %symcrete.kept.0\n  br label %5",
            "  %8 = add i32 %symcrete.read.1, %6\n",
        ] {
            assert!(text.contains(expected), "no {expected} in {text}");
        }
    }
}
