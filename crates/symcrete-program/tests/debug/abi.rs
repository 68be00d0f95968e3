//! What a call does with a value of a C type is what clang does for WebAssembly.

use super::{build, trial};
use libtest_mimic::{Failed, Trial};
use std::fmt::Write as _;
use symcrete_program::frontend::c::abi::signature;

/// Scalars, each under a name that can be part of another.
const SCALARS: &[(&str, &str)] = &[
    ("bool", "_Bool"),
    ("char", "char"),
    ("short", "short"),
    ("int", "int"),
    ("long", "long"),
    ("llong", "long long"),
    ("float", "float"),
    ("double", "double"),
    ("pointer", "void *"),
    ("choice", "enum choice"),
    ("ldouble", "long double"),
    ("cfloat", "_Complex float"),
    ("cdouble", "_Complex double"),
    ("int128", "__int128"),
    ("function", "function"),
];

/// What can be made of a type `T`.
const FORMS: &[(&str, &str)] = &[
    ("one", "struct { T x; }"),
    ("two", "struct { T x, y; }"),
    ("nested", "struct { struct { struct { T x; } a; } b; }"),
    ("anonymous", "struct { struct { T x; }; }"),
    ("array1", "struct { T x[1]; }"),
    ("array11", "struct { T x[1][1]; }"),
    ("array2", "struct { T x[2]; }"),
    ("array0", "struct { int z[0]; T x; }"),
    ("array0_last", "struct { T x; int z[0]; }"),
    ("flexible", "struct { T x; int z[]; }"),
    ("empty_first", "struct { struct empty e; T x; }"),
    ("empty_last", "struct { T x; struct empty e; }"),
    ("empty_array", "struct { struct empty e[3]; T x; }"),
    ("empty_union", "struct { union nothing e; T x; }"),
    ("bits_unnamed", "struct { int : 5; T x; }"),
    ("bits_end", "struct { T x; int : 0; }"),
    ("aligned", "struct { _Alignas(16) T x; }"),
    ("aligned_whole", "struct __attribute__((aligned(8))) { T x; }"),
    ("packed", "struct __attribute__((packed)) { T x; }"),
    ("packed_two", "struct __attribute__((packed)) { char c; T x; }"),
    ("only", "union { T x; }"),
    ("either", "union { T x; int y; }"),
    ("same", "union { T x; T y; }"),
    ("either_inside", "struct { union { T x; } u; }"),
];

/// Types that are not made of another.
const OTHERS: &[(&str, &str)] = &[
    ("bits", "struct { int x : 3; }"),
    ("bits_char", "struct { unsigned char x : 3; }"),
    ("bits_llong", "struct { long long x : 40; }"),
    ("bits_two", "struct { int x : 3, y : 4; }"),
    ("bits_bool", "struct { _Bool x : 1; }"),
    ("bits_union", "union { int x : 3; }"),
    ("bits_packed", "struct __attribute__((packed)) { int x : 3; }"),
    ("bits_array", "struct { struct { int x : 3; } a[1]; }"),
    ("no_members", "struct {}"),
    ("no_values", "struct { int : 5; }"),
    ("nothing_twice", "struct { struct empty a, b; }"),
    ("nothing_wide", "struct { struct empty a[7]; union nothing b; }"),
];

pub(crate) fn trials() -> Vec<Trial> {
    vec![trial("abi: calls are those of clang", calls_are_those_of_clang)]
}

fn calls_are_those_of_clang() -> Result<(), Failed> {
    let mut types: Vec<(String, String)> = Vec::new();
    for (name, scalar) in SCALARS {
        types.push(((*name).to_owned(), (*scalar).to_owned()));
        for (form, text) in FORMS {
            let text = text.replace("T ", &format!("{name}_t "));
            types.push((format!("{name}_{form}"), text));
        }
    }
    types.extend(OTHERS.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())));
    let mut source = String::from(
        "struct empty {};\nunion nothing {};\nenum choice { A, B };\ntypedef int (*function)(int);\n",
    );
    for (name, text) in &types {
        let _ = writeln!(source, "typedef {text} {name}_t;");
        let _ =
            writeln!(source, "{name}_t give_{name}(int);\nint take_{name}({name}_t, int, ...);");
        let _ =
            writeln!(source, "int call_{name}(void) {{ return take_{name}(give_{name}(1), 2); }}");
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("types.c");
    #[expect(clippy::disallowed_methods, reason = "a test writes its sources")]
    std::fs::write(&file, source).unwrap();
    let program = build::program(&file, &[]);

    let mut wrong = Vec::new();
    for (name, text) in &types {
        for function in [format!("give_{name}"), format!("take_{name}")] {
            let undefined = &program.undefined[&function];
            assert!(undefined.has_prototype, "{function}");
            let (params, result) = (&undefined.params, undefined.result);
            let expected = signature(&program.types, params, result, undefined.is_variadic);
            if expected.as_ref() != Some(&undefined.machine) {
                let expected = expected.map_or("nothing".to_owned(), |known| known.to_string());
                wrong.push(format!("{function} of {text}: {expected}, but {}", undefined.machine));
            }
        }
    }
    match wrong.is_empty() {
        true => Ok(()),
        false => {
            Err(format!("{} of {}:\n{}", wrong.len(), 2 * types.len(), wrong.join("\n")).into())
        }
    }
}
