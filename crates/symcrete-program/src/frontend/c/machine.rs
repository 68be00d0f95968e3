//! What a data model means to the compiler, and what it looks like in LLVM's text.

use crate::data_model::DataModel;

/// The machine that the compiler is told to compile for.
pub(super) fn triple(model: DataModel) -> &'static str {
    match model {
        DataModel::Lp64 => "wasm64-unknown-unknown",
        DataModel::Ilp32 => "wasm32-unknown-wasi",
    }
}

/// Macros that say which system a program is on, and that we are there. wasi-libc can emulate what it lacks.
pub(super) fn defines(model: DataModel) -> &'static [&'static str] {
    match model {
        DataModel::Lp64 => &["-D__SYMCRETE__=1", "-D__unix__=1", "-D__linux__=1"],
        DataModel::Ilp32 => &[
            "-D__SYMCRETE__=1",
            "-D__unix__=1",
            "-D_WASI_EMULATED_SIGNAL",
            "-D_WASI_EMULATED_MMAN",
            "-D_WASI_EMULATED_PROCESS_CLOCKS",
            "-D_WASI_EMULATED_GETPID",
        ],
    }
}

/// The data model of a file of LLVM's text.
pub(super) fn of_text(text: &str) -> DataModel {
    let mut lines = text.lines().map(|line| line.strip_prefix("target triple = \""));
    match lines.find_map(|machine| machine) {
        Some(machine) if machine.starts_with("wasm64") => DataModel::Lp64,
        Some(_) | None => DataModel::Ilp32,
    }
}

/// Bytes of a pointer.
pub(super) fn pointer_bytes(model: DataModel) -> u32 {
    match model {
        DataModel::Lp64 => 8,
        DataModel::Ilp32 => 4,
    }
}

/// The integer that is as wide as a pointer.
pub(super) fn word(model: DataModel) -> &'static str {
    match model {
        DataModel::Lp64 => "i64",
        DataModel::Ilp32 => "i32",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_says_what_it_was_compiled_for() {
        for &model in DataModel::ALL {
            let text =
                format!("; a\nsource_filename = \"a.c\"\ntarget triple = \"{}\"\n", triple(model));
            assert_eq!(of_text(&text), model);
        }
        assert_eq!(of_text("define void @f() {\n}\n"), DataModel::Ilp32);
    }
}
