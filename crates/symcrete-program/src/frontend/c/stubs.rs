//! Functions that `--stub` names: nobody defines them, also if the C library does.
//!
//! The linker would take the library's function for one that is only declared. So the text calls another symbol, which says
//! that it is imported under the function's own name.

use super::ir::outside_texts;
use super::locals::name_length;

/// What symbols of such functions begin with.
const SYMBOL: &str = "__symcrete_stub_";

/// The text of a file in which these functions are imported, as far as it declares them.
pub(super) fn imported(text: String, stubs: &[String]) -> String {
    let is_declared = |stub: &&String| {
        let called = format!(" @{stub}(");
        text.lines().any(|line| line.starts_with("declare ") && line.contains(&called))
    };
    let stubs: Vec<&String> = stubs.iter().filter(is_declared).collect();
    if stubs.is_empty() {
        return text;
    }
    let mut out = String::with_capacity(text.len() + text.len() / 16);
    for line in text.lines() {
        out.push_str(&outside_texts(line, |code| renamed(code, &stubs)));
        let declared = |stub: &&&String| line.contains(&format!(" @{stub}("));
        if let Some(stub) = stubs.iter().find(declared).filter(|_| line.starts_with("declare ")) {
            out.push_str(&format!(
                " \"wasm-import-module\"=\"env\" \"wasm-import-name\"=\"{stub}\""
            ));
        }
        out.push('\n');
    }
    out
}

/// Code with other symbols for these functions.
fn renamed(code: &str, stubs: &[&String]) -> String {
    let (mut out, mut rest) = (String::with_capacity(code.len()), code);
    while let Some(at) = rest.find('@') {
        let (before, behind) = rest.split_at(at + 1);
        let (name, behind) = behind.split_at(name_length(behind));
        out.push_str(before);
        if stubs.iter().any(|stub| *stub == name) {
            out.push_str(SYMBOL);
        }
        out.push_str(name);
        rest = behind;
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_that_are_named_are_imported() {
        let text = "define i32 @f() {\n  %1 = call i32 @rand(), !dbg !3\n  ret i32 %1\n}\n\
                    declare i32 @rand() #1\ndeclare i32 @rand_r(ptr)\n";
        let expected = "define i32 @f() {\n  %1 = call i32 @__symcrete_stub_rand(), !dbg !3\n  ret i32 %1\n}\n\
                        declare i32 @__symcrete_stub_rand() #1 \"wasm-import-module\"=\"env\" \"wasm-import-name\"=\"rand\"\n\
                        declare i32 @rand_r(ptr)\n";
        assert_eq!(imported(text.to_owned(), &["rand".to_owned(), "time".to_owned()]), expected);
        assert_eq!(imported(text.to_owned(), &["time".to_owned()]), text);
    }
}
