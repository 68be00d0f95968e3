//! `setjmp` and `longjmp`, as returns.
//!
//! WebAssembly cannot leave several functions at once without exceptions. So `longjmp` says in variables of the runtime
//! where it goes, and returns; behind every call that may come back in this way the caller looks, and returns as well, until
//! the function is reached that called `setjmp`. There the call of `setjmp` has a second way in, from where the jump
//! arrives. What is made of it is ordinary code: whoever runs it, draws it or reasons about it needs to know nothing.
//!
//! A file is edited while its locals are in memory, before red zones are put around them: a function that is left gives them back
//! as on any other return. Programs without jumps stay as they are.
//!
//! `docs/adr/0028-jumps.md` has the reasons.

mod calls;
mod function;
mod memory;
mod plan;

pub(super) use plan::Plan;

use super::ir;
use super::ir_text::{Function, push_line};
use super::locals::is_name_part;
use function::Context;

/// Functions that return twice.
const SETTING: &[&str] = &["@setjmp", "@_setjmp", "@sigsetjmp", "@__sigsetjmp"];
/// Functions that jump.
const LEAVING: &[&str] = &["@longjmp", "@_longjmp", "@siglongjmp"];
/// What is no longer true of functions and calls.
const ATTRIBUTES: &[&str] = &[" noreturn", " returns_twice"];
/// What the runtime has, which is declared where it is used.
const RUNTIME: &[(&str, &str)] = &[
    ("@__symcrete_unwinding", "@__symcrete_unwinding = external global i32"),
    ("@__symcrete_jump_frame", "@__symcrete_jump_frame = external global i32"),
    ("@__symcrete_jump_site", "@__symcrete_jump_site = external global i32"),
    ("@__symcrete_jump_value", "@__symcrete_jump_value = external global i32"),
    ("@__symcrete_enter_jumps", "declare i32 @__symcrete_enter_jumps()"),
    ("@__symcrete_leave_jumps", "declare void @__symcrete_leave_jumps(i32)"),
    ("@__symcrete_setjmp", "declare void @__symcrete_setjmp(ptr, i32, i32)"),
];

/// Edits one file of a program in which somebody jumps, by the file's number.
pub(super) fn edit(text: &str, number: usize, plan: &Plan) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 4);
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if line.starts_with("attributes #") {
            push_line(&mut out, &with_returns(line));
            continue;
        }
        push_line(&mut out, line);
        if line.starts_with("define ") {
            let body = lines.by_ref().take_while(|line| *line != "}");
            let function = Function::read(line, body);
            Context { plan, file: number, header: line }.edit(function).write(&mut out);
            push_line(&mut out, "}");
        }
    }
    for name in LEAVING.iter().filter(|name| plan.is_library(number, name)) {
        out = with_ours(&out, name);
    }
    for (name, declaration) in RUNTIME {
        if out.contains(name) {
            push_line(&mut out, declaration);
        }
    }
    out
}

/// A group of attributes without those that are no longer true. It must not be empty, and no function throws.
fn with_returns(group: &str) -> String {
    let dropped = |group: String, word: &&str| group.replace(*word, "");
    let group = ATTRIBUTES.iter().fold(group.to_owned(), dropped);
    group.replace("{ }", "{ nounwind }")
}

/// A text with the runtime's function of a name in place of the library's.
fn with_ours(text: &str, name: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(name) {
        let end = at + name.len();
        out.push_str(&rest[..at]);
        let is_whole = !rest[end..].starts_with(is_name_part);
        out.push_str(if is_whole { "@__symcrete_" } else { "@" });
        out.push_str(&name[1..]);
        rest = &rest[end..];
    }
    out.push_str(rest);
    out
}

/// The place of an instruction in the source, as it stands at its end.
fn place_of(line: &str) -> String {
    match line.contains(", !dbg !") {
        true => ir::reference(line, "!dbg ").map_or(String::new(), |id| format!(", !dbg {id}")),
        false => String::new(),
    }
}
