//! What a program does when its `main` returns: functions that it has registered with `atexit` run.
//!
//! Whoever calls `main` here is no start-up code that would call `exit` with the result. So `main` does that part itself.

use super::ir::{name_of, source_name};
use super::ir_text::push_line;

/// Runs what was registered (`runtime/environment.c`).
const RUN: &str = "@__symcrete_main_returns";

/// Whether a file registers functions.
pub(super) fn registers(text: &str) -> bool {
    text.lines().any(|line| line.starts_with("declare ") && line.contains(" @atexit("))
}

/// The text of a file whose `main` runs what was registered when it returns. One that the program calls itself stays as it is: not
/// every return of it ends the program.
pub(super) fn edit(text: &str) -> Option<String> {
    let is_main = |line: &&str| {
        let name = name_of(line).map(|name| source_name(name.trim_start_matches('@')));
        line.starts_with("define ") && name == Some("main")
    };
    let header = text.lines().find(is_main)?;
    let name = name_of(header)?;
    let is_used = |line: &str| {
        let mut uses = line.match_indices(name).map(|(at, _)| &line[at + name.len()..]);
        line.starts_with("  ") && uses.any(|rest| rest.starts_with(['(', ',', ')']))
    };
    if text.lines().any(is_used) {
        return None;
    }
    let (mut out, mut is_inside) = (String::with_capacity(text.len() + 256), false);
    for line in text.lines() {
        is_inside = line == header || is_inside && line != "}";
        if is_inside && line.starts_with("  ret ") {
            let place = line.find(", !dbg ").map_or("", |at| &line[at..]);
            push_line(&mut out, &format!("  call void {RUN}(){place}"));
        }
        push_line(&mut out, line);
    }
    push_line(&mut out, &format!("declare void {RUN}()"));
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAIN: &str = "define hidden i32 @__main_argc_argv(i32 noundef %0, ptr noundef %1) #0 !dbg !6 {\n  \
                        ret i32 %0, !dbg !27\n}\ndefine i32 @f() {\n  ret i32 1\n}\n";

    #[test]
    fn every_return_of_main_runs_what_was_registered() {
        let out = edit(MAIN).expect("it has a main");
        assert!(out.contains(
            "  call void @__symcrete_main_returns(), !dbg !27\n  ret i32 %0, !dbg !27\n}"
        ));
        assert!(out.contains("define i32 @f() {\n  ret i32 1\n}\n"));
        assert!(edit("define i32 @f() {\n  ret i32 1\n}\n").is_none());
    }

    #[test]
    fn a_main_that_is_called_stays() {
        let calls = "  %1 = call i32 @__main_argc_argv(i32 1, ptr null)\n  ret i32 1";
        assert!(edit(&MAIN.replace("  ret i32 1", calls)).is_none());
    }

    #[test]
    fn who_declares_atexit_may_call_it() {
        assert!(registers("declare !dbg !28 i32 @atexit(ptr noundef) #1\n"));
        assert!(!registers("declare i32 @exit(i32)\n"));
    }
}
