//! Copies between memory that overlaps: before each `memcpy` the runtime is asked whether both places are apart
//! (`runtime/overlap.c`). The functions for strings ask for themselves (`runtime/string.c`).
//!
//! The compiler copies structures with an instruction of the same name. Assignments are left out, and so are copies between two
//! variables of which each has its own name here.

use super::ir::split;
use super::ir_text::push_line;
use super::red_zones::FRAME;
use std::collections::BTreeSet;

const APART: &str = "@__symcrete_apart";
const COPY: &str = "  call void @llvm.memcpy.";
/// What the compiler says of an assignment.
const ASSIGNMENT: &str = "!tbaa.struct";

/// The text of a file whose copies ask, if it has any; `word` is the type of lengths.
pub(super) fn edit(text: &str, word: &str) -> Option<String> {
    if !text.contains(COPY) {
        return None;
    }
    let (mut out, mut is_changed) = (String::with_capacity(text.len() + 256), false);
    let mut variables = Variables::default();
    for line in text.lines() {
        match line.starts_with("define ") {
            true => variables = Variables::default(),
            false => variables.read(line),
        }
        let asked = question(line, word, &variables);
        is_changed |= asked.is_some();
        asked.iter().for_each(|call| push_line(&mut out, call));
        push_line(&mut out, line);
    }
    push_line(&mut out, &format!("declare void {APART}(ptr, ptr, {word})"));
    is_changed.then_some(out)
}

/// The variables of one function: those that nobody else reaches, and those in its frame.
#[derive(Default)]
struct Variables<'a> {
    hidden: BTreeSet<&'a str>,
    in_frame: BTreeSet<&'a str>,
}

impl<'a> Variables<'a> {
    fn read(&mut self, line: &'a str) {
        let Some((name, rest)) = line.trim_start().split_once(" = ") else { return };
        if rest.starts_with("alloca ") {
            self.hidden.insert(name);
        } else if rest.starts_with(&format!("getelementptr inbounds i8, ptr {FRAME}, ")) {
            self.in_frame.insert(name);
        }
    }

    /// Whether nothing can be in both.
    fn are_apart(&self, to: &str, from: &str) -> bool {
        let is_one = |name: &str| name.starts_with('@') || self.in_frame.contains(name);
        let is_hidden = |name: &str| self.hidden.contains(name);
        to != from && (is_hidden(to) || is_hidden(from) || is_one(to) && is_one(from))
    }
}

/// The call that asks, before a line that copies.
fn question(line: &str, word: &str, variables: &Variables<'_>) -> Option<String> {
    let (_, rest) =
        line.strip_prefix(COPY).filter(|_| !line.contains(ASSIGNMENT))?.split_once('(')?;
    let (arguments, behind) = rest.rsplit_once(", i1 false)")?;
    let [to, from, length] = split(arguments)[..] else { return None };
    let (to, from, length) = (operand(to)?, operand(from)?, length.trim_start());
    if !length.starts_with(&format!("{word} ")) || variables.are_apart(to, from) {
        return None;
    }
    let place = behind.find(", !dbg ").map_or("", |at| &behind[at..]);
    Some(format!("  call void {APART}(ptr {to}, ptr {from}, {length}){place}"))
}

/// `%3` of `ptr align 4 %3`.
fn operand(argument: &str) -> Option<&str> {
    let rest = argument.trim_start().strip_prefix("ptr ")?;
    match rest.strip_prefix("align ") {
        Some(rest) => Some(rest.split_once(' ')?.1),
        None => Some(rest),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(body: &str) -> Option<String> {
        edit(&format!("define void @f(ptr %0) {{\n{body}\n}}\n"), "i64")
    }

    #[test]
    fn copies_ask_whether_places_are_apart() {
        let copy = "  call void @llvm.memcpy.p0.p0.i64(ptr align 1 %1, ptr getelementptr (i8, ptr @g, i64 4), \
                    i64 %2, i1 false), !tbaa !5, !dbg !7";
        let out = asked(copy).expect("it copies");
        let call = "  call void @__symcrete_apart(ptr %1, ptr getelementptr (i8, ptr @g, i64 4), i64 %2), !dbg !7\n";
        assert!(out.contains(call), "{out}");
        assert!(out.ends_with("declare void @__symcrete_apart(ptr, ptr, i64)\n"), "{out}");
    }

    #[test]
    fn assignments_and_variables_do_not_ask() {
        let copy = |to: &str, from: &str, rest: &str| {
            format!(
                "  call void @llvm.memcpy.p0.p0.i64(ptr align 4 {to}, ptr align 4 {from}, i64 8, i1 false){rest}"
            )
        };
        let frame = "  %2 = getelementptr inbounds i8, ptr %symcrete.frame, i32 32\n";
        assert_eq!(asked(&copy("%1", "%0", ", !tbaa.struct !5")), None);
        assert_eq!(asked(&format!("  %1 = alloca i64\n{}", copy("%1", "%0", ""))), None);
        assert_eq!(asked(&format!("{frame}{}", copy("%2", "@g", ""))), None);
        assert!(asked(&format!("{frame}{}", copy("%2", "%0", ""))).is_some());
        assert!(asked(&copy("%0", "%0", "")).is_some());
    }
}
