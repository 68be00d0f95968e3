//! Errors that a source marks by calling a function that does nothing: `void reach_error() {}`.
//!
//! That it is called is the failure. The program that shows it is compiled so that every function tells that it is entered.

use crate::stubs::{has_body, has_word};
use std::fmt::Write;
use symcrete_program::frontend::ERROR_FUNCTIONS;
use symcrete_program::outcome::TrapKind;
use symcrete_program::{Program, Unit};

/// What the program that shows such an error is compiled with.
pub const FLAG: &str = "-finstrument-functions";

/// The functions of the sources whose call is the failure: if they did anything, that would be one.
pub(crate) fn marked(program: &Program, unit: &Unit, kind: &TrapKind) -> Vec<&'static str> {
    let text = program.file(program.source_of(unit)).text.as_deref().unwrap_or_default();
    let has_body = |name: &str| program.user_texts().any(|text| has_body(text, name));
    let is_marked = |name: &&str| has_word(text, name) && has_body(name);
    let names = ERROR_FUNCTIONS.iter().copied().filter(is_marked);
    names.filter(|_| *kind == TrapKind::ReachError).collect()
}

/// What ends the program where one of them is entered.
pub(crate) fn watch(names: &[&str]) -> String {
    if names.is_empty() {
        return String::new();
    }
    let mut text = format!(
        "\n/* {FLAG} calls these: that {} is called is the error. */\n",
        names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" or ")
    );
    for function in ["__cyg_profile_func_enter", "__cyg_profile_func_exit"] {
        let _ = writeln!(
            text,
            "__attribute__((no_instrument_function)) void {function}(void *function, void *caller);"
        );
    }
    text.push_str(
        "\nvoid __cyg_profile_func_enter(void *function, void *caller)\n{\n    (void)caller;\n",
    );
    for name in names {
        let _ = writeln!(text, "    if (function == (void *){name})\n        abort();");
    }
    text.push_str("}\n\nvoid __cyg_profile_func_exit(void *function, void *caller)\n{\n    (void)function;\n    (void)caller;\n}\n");
    text
}
