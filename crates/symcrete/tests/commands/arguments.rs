//! Variadic functions, and inputs that are more than a value or an object of its own.

use super::other_tools::inputs;
use super::{Json, function, symcrete};

/// Whether every side of a function is covered.
fn assert_covered(found: &Json, name: &str) {
    let function = function(found, name);
    let branches = &function["branches"];
    assert_eq!(branches["covered"], branches["total"], "{name}: {function}");
}

/// Every test of a file is the same natively, and compiles without a warning.
fn assert_native(file: &str) -> Json {
    let out = tempfile::tempdir().expect("a folder");
    let folder = out.path().join("out");
    let words = format!("gen {file} --json --iterations 400 --jobs 2 --out {}", folder.display());
    let found = symcrete(&words).json();
    let native = &found["native"];
    assert_eq!(native["failed"], Json::Array(Vec::new()), "{native}");
    assert_eq!(native["sides_differ"], 0, "{native}");
    assert_eq!(native["warnings"], Json::Array(Vec::new()), "{native}");
    found
}

#[test]
fn variadic_functions_get_arguments_of_the_types_they_read() {
    let found = assert_native("arguments.c");
    for name in ["sum", "count_until_null", "option", "digits", "note"] {
        assert_covered(&found, name);
    }
    assert_eq!(found["bugs"], Json::Array(Vec::new()), "arguments of another type are no failure");
}

/// What a list of ours has in the place of a function says nothing of the program.
#[test]
fn a_variadic_function_that_calls_an_argument_needs_a_precondition() {
    let folder = super::folder();
    let text = "#include <stdarg.h>\n\
        typedef int (*callback)(int);\n\
        int print(const char *format, ...)\n\
        {\n\
            va_list list;\n\
            int n = 0;\n\
            va_start(list, format);\n\
            if (format[0] == 's')\n\
                n = *va_arg(list, const char *) == 'x';\n\
            if (format[0] == 'f') {\n\
                callback call = va_arg(list, callback);\n\
                n = call(3);\n\
            }\n\
            va_end(list);\n\
            return n;\n\
        }\n";
    let source = super::file(&folder, "print.c", text);
    let out = folder.path().join("out").display().to_string();
    let found = symcrete(&format!("gen {source} --out {out} --json")).json();
    let bugs = found["bugs"].as_array().expect("a list");
    assert!(bugs.iter().all(|bug| bug["rank"] != "native"), "{bugs:?}");
    assert!(bugs.iter().any(|bug| bug["rank"] == "precondition"), "{bugs:?}");
}

#[test]
fn pointers_and_lengths_belong_together() {
    let found = assert_native("shapes.c");
    for name in
        ["between", "apart", "next_byte", "checksum", "last_is", "is_diagonal", "options", "has_q"]
    {
        assert_covered(&found, name);
    }
}

/// No larger input helps where a function looks at what is before its object.
#[test]
fn what_is_before_an_object_is_a_bound_of_its_own() {
    let found = symcrete("gen --no-out --json --time 20 --function header shapes.c").json();
    let sides = &function(&found, "header")["within_bounds"];
    let bounds = sides[0]["bounds"].as_array().expect("a list");
    assert!(bounds.contains(&Json::from("pointers to first elements")), "{sides}");
    assert!(!bounds.iter().any(|bound| bound.as_str().unwrap_or("").starts_with("length")));
}

#[test]
fn files_variables_and_standard_input_are_inputs() {
    let found = assert_native("outside.c");
    for name in ["mode", "first_byte", "answer", "is_new"] {
        assert_covered(&found, name);
    }
    // Standard input is looked at up to a length, and no further.
    let longest = function(&found, "longest");
    assert_eq!(longest["branches"]["infeasible"], 0, "{longest}");
}

/// A run that leaves an array by another number says nothing of its length, however rarely that decides.
#[test]
fn a_length_that_is_looked_at_stays_one() {
    let text = "#include <stddef.h>\n\
        int has_end(const char *text, size_t len, size_t last_len)\n\
        {\n\
            const char *at = text, *end = text + len;\n\
            int n = 0;\n\
            if (last_len >= 3)\n\
                at += last_len - 3;\n\
            while (at != end) {\n\
                n = *at == '\\n' ? n + 1 : 0;\n\
                at++;\n\
                if (n == 2)\n\
                    return 1;\n\
            }\n\
            return len == 0xFFFFFFFFFFFFFFF0u ? 2 : 0;\n\
        }\n";
    let inputs = inputs("end.c", text);
    let lengths: Vec<u64> = inputs.iter().filter_map(|input| input["len"].as_u64()).collect();
    assert!(!lengths.is_empty() && lengths.iter().all(|&length| length <= 128), "{lengths:?}");
}
