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

#[cfg(test)]
mod tests {
    use super::*;

    /// A file that declares what it needs, after the edit.
    fn edited(functions: &str) -> String {
        let text = format!(
            "{functions}declare i32 @setjmp(ptr) #1\ndeclare void @longjmp(ptr, i32) #0\n\
             attributes #0 = {{ noreturn }}\nattributes #1 = {{ returns_twice \"a\"=\"b\" }}\n"
        );
        edit(&text, 0, &Plan::of(&[&text]).expect("somebody jumps"))
    }

    #[test]
    fn a_jump_returns_and_callers_look() {
        let out = edited(
            "define internal ptr @throw(i32 %0) {\n  call void @longjmp(ptr @e, i32 %0) #0, !dbg !7\n  unreachable\n}\n\
             define void @between(i32 %0) {\n  %2 = call ptr @throw(i32 %0)\n  br label %3\n\n\
             3:\n  %4 = phi ptr [ %2, %1 ]\n  %5 = call i32 @quiet()\n  ret void\n}\n\
             define i32 @quiet() {\n  ret i32 1\n}\n",
        );
        let throw = "  call void @__symcrete_longjmp(ptr @e, i32 %0) #0, !dbg !7\n  \
                     %symcrete.flag.0 = load i32, ptr @__symcrete_unwinding, !dbg !7\n  \
                     %symcrete.leaves.0 = icmp ne i32 %symcrete.flag.0, 0, !dbg !7\n  \
                     br i1 %symcrete.leaves.0, label %symcrete.left, label %symcrete.on.0, !dbg !7\n\
                     symcrete.on.0:\n  unreachable\nsymcrete.left:\n  ret ptr zeroinitializer\n}\n";
        assert!(out.contains(throw), "{out}");
        // What follows comes from the second half of the block now.
        assert!(out.contains("%4 = phi ptr [ %2, %symcrete.on.0 ]"), "{out}");
        assert!(out.contains("symcrete.left:\n  ret void\n}"), "{out}");
        assert_eq!(out.matches("load i32, ptr @__symcrete_unwinding").count(), 2, "{out}");
        assert!(out.contains("attributes #0 = { nounwind }"), "{out}");
        assert!(out.contains("attributes #1 = { \"a\"=\"b\" }"), "{out}");
        assert!(out.contains("declare void @__symcrete_longjmp(ptr, i32)"), "{out}");
    }

    #[test]
    fn a_call_of_setjmp_has_a_second_way_in() {
        let out = edited(
            "define i32 @f(i32 %0) {\n  %2 = alloca i32, align 4\n  store i32 %0, ptr %2\n  br label %3\n\n\
             3:\n  %4 = getelementptr i8, ptr %2, i32 1\n  %5 = call i32 @setjmp(ptr noundef @e) #1, !dbg !7\n  \
             store i32 %5, ptr %4\n  %6 = call i32 @setjmp(ptr noundef @e) #1\n  ret i32 %6\n}\n",
        );
        for expected in [
            "  call void @__symcrete_setjmp(ptr @e, i32 %symcrete.jumps, i32 0), !dbg !7\n  br label %symcrete.again.0, !dbg !7\n",
            "symcrete.again.0:\n  %5 = phi i32 [ 0, %3 ], [ %symcrete.jump.value, %symcrete.arrived ]\n",
            "  %6 = phi i32 [ 0, %symcrete.again.0 ], [ %symcrete.jump.value, %symcrete.arrived ]\n",
            "symcrete.entered:\n  %symcrete.jumps = call i32 @__symcrete_enter_jumps()\n",
            "  call void @__symcrete_leave_jumps(i32 %symcrete.jumps)\n  ret i32 ",
            "  call void @__symcrete_leave_jumps(i32 %symcrete.jumps)\n  ret i32 zeroinitializer\n",
            "  switch i32 %symcrete.jump.site, label %symcrete.again.0 [\n    i32 1, label %symcrete.again.1\n  ]\n",
            // What was computed before the call is read from memory behind it.
            "  %symcrete.kept.0 = alloca ptr\n  store ptr zeroinitializer, ptr %symcrete.kept.0\n",
            "  %4 = getelementptr i8, ptr %2, i32 1\n  store ptr %4, ptr %symcrete.kept.0\n",
            "load ptr, ptr %symcrete.kept.0\n  store i32 %5, ptr %symcrete.read.",
        ] {
            assert!(out.contains(expected), "no {expected} in {out}");
        }
    }

    #[test]
    fn a_function_that_cannot_be_edited_keeps_a_setjmp_that_returns_once() {
        let tail = "define i32 @f(ptr %0) {\n  %2 = call i32 @setjmp(ptr %0)\n  \
                    %3 = musttail call i32 @f(ptr %0)\n  ret i32 %3\n}\n";
        assert!(edited(tail).contains("%2 = call i32 @setjmp(ptr %0)"), "{}", edited(tail));
    }

    #[test]
    fn what_the_library_calls_returns_at_once_while_functions_are_left() {
        let out = edited(
            "define i32 @compare(ptr %0) {\n  %2 = alloca ptr\n  store ptr %0, ptr %2\n  \
             call void @longjmp(ptr @e, i32 1)\n  unreachable\n}\n\
             define void @sort() {\n  call void @qsort(ptr @compare)\n  ret void\n}\ndeclare void @qsort(ptr)\n",
        );
        assert!(
            out.contains("label %symcrete.refused, label %symcrete.entered\nsymcrete.entered:\n  store ptr %0"),
            "{out}"
        );
        assert!(out.contains("symcrete.refused:\n  ret i32 zeroinitializer"), "{out}");
        assert!(out.contains("call void @qsort(ptr @compare)\n  %symcrete.flag.0 = load"), "{out}");
    }
}
