//! Functions of harnesses that end the program where an assumption does not hold, and those that mark an error.
//!
//! Programs of the verification competition bring their own `assume_abort_if_not`, which calls `abort`. That is no
//! failure: an input for which it is called is none. Others bring a `reach_error` that does nothing: that it is called is
//! the error. So the body goes, and the runtime's takes its place.

/// What such functions are called.
const NAMES: &[&str] = &["__VERIFIER_assume", "assume_abort_if_not"];
/// What harnesses call where an error is reached.
pub const ERROR_FUNCTIONS: &[&str] = &["__VERIFIER_error", "reach_error"];
/// How they end the program.
const ENDS: &[&str] = &["@abort(", "@exit(", "@_Exit(", "@_exit("];
/// What else they call: marks of ours, and what the compiler adds.
const HARMLESS: &[&str] = &["@__symcrete_mark", "@llvm."];

/// Whether a function ends the program or does nothing, and is called like those that assume something.
pub(super) fn is_assumption(name: &str, body: &[&str]) -> bool {
    if !NAMES.contains(&name) {
        return false;
    }
    let has_one = |line: &str, names: &[&str]| names.iter().any(|name| line.contains(name));
    let calls = || body.iter().filter(|line| line.contains("call "));
    let is_expected = |line: &&&str| has_one(line, ENDS) || has_one(line, HARMLESS);
    calls().all(|line| is_expected(&line))
        && calls().any(|line| has_one(line, ENDS))
        && !body.iter().any(|line| changes(line))
}

/// Whether a function does nothing, and is called like those that mark an error.
pub(super) fn is_error(name: &str, body: &[&str]) -> bool {
    let calls = |line: &&&str| line.contains("call ");
    let is_harmless = |line: &&str| HARMLESS.iter().any(|name| line.contains(name));
    let ends = |line: &&str| line.trim_start().starts_with("unreachable");
    ERROR_FUNCTIONS.contains(&name)
        && body.iter().filter(calls).all(is_harmless)
        && !body.iter().any(ends)
        && !body.iter().any(|line| changes(line))
}

/// Whether a line writes a variable that is not the function's own.
fn changes(line: &str) -> bool {
    line.contains(" store ") && line.contains(", ptr @") && !line.contains("@__prof")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_ends_the_program_is_replaced() {
        let end = "  call void @abort() #3, !dbg !7";
        let body = ["  store i32 %0, ptr %2, align 4", end, "  unreachable"];
        assert!(is_assumption("assume_abort_if_not", &body));
        assert!(!is_assumption("check", &body));
        assert!(!is_assumption("__VERIFIER_assume", &["  ret void"]));
        let counting = ["  store i32 %1, ptr @n, align 4", end];
        assert!(!is_assumption("__VERIFIER_assume", &counting));
        assert!(!is_assumption("__VERIFIER_assume", &["  call void @log()", end]));
    }

    #[test]
    fn an_error_that_does_nothing_is_one() {
        assert!(is_error("reach_error", &["  ret void, !dbg !7"]));
        assert!(!is_error("reach", &["  ret void"]));
        assert!(!is_error("reach_error", &["  call void @abort()", "  unreachable"]));
        assert!(!is_error("reach_error", &["  store i32 1, ptr @n, align 4", "  ret void"]));
    }
}
