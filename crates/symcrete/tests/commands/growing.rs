//! Inputs grow where branches need larger ones, and bounds have the size that proofs were made for.

use super::{Json, file, folder, function, symcrete};

/// The functions that have few paths, whatever the length.
const SIMPLE: &str = "growing.c --function header --function long_word --function before_zero \
                      --function fifth --function too_long --function small";

/// The bounds of the sides of a function that are infeasible within some.
fn bounds<'a>(function: &'a Json) -> Vec<Vec<&'a str>> {
    let sides = function["within_bounds"].as_array().expect("a list").iter();
    let names = |side: &'a Json| -> Vec<&'a str> {
        let bounds = side["bounds"].as_array().expect("a list").iter();
        bounds.map(|bound| bound.as_str().expect("a name")).collect()
    };
    sides.map(names).collect()
}

#[test]
fn objects_are_as_large_as_branches_need_them() {
    let found = symcrete(&format!("gen --no-out --json --jobs 2 {SIMPLE}")).json();
    for name in ["header", "long_word", "before_zero", "fifth", "small"] {
        let branches = &function(&found, name)["branches"];
        assert_eq!(branches["covered"], branches["total"], "{name}: {branches}");
    }
    assert_eq!(bounds(function(&found, "too_long")), [["length 128"]]);
}

#[test]
fn a_proof_for_small_inputs_is_not_lost_where_larger_ones_have_too_many_paths() {
    let found =
        symcrete("gen --no-out --json --time 600 --iterations 2000 growing.c --function never")
            .json();
    let never = function(&found, "never");
    assert_eq!(never["branches"]["within_bounds"], 1, "{never}");
    assert!(bounds(never)[0][0].starts_with("length "), "{never}");
}

#[test]
fn inputs_stay_as_small_as_is_asked_for() {
    let words = "gen --no-out --json --length 3 --max-length 6 --max-pointer-depth 3";
    let found = symcrete(&format!("{words} {SIMPLE}")).json();
    assert_eq!(bounds(function(&found, "header")).concat()[..1], ["length 6"]);
    assert_eq!(bounds(function(&found, "long_word")), [["length 6"]]);
    assert_eq!(bounds(function(&found, "fifth")), [["pointer depth 3"]]);
    // A first length beyond the largest is the largest.
    let found =
        symcrete(&format!("gen --no-out --json --length 30 --max-length 6 {SIMPLE}")).json();
    let long_word = &function(&found, "long_word")["branches"];
    assert_eq!(long_word["covered"], long_word["total"], "{long_word}");
}

/// A unit that never meets a bound is explored as if there were no larger inputs.
#[test]
fn what_meets_no_bound_costs_nothing() {
    let runs = |more: &str| {
        let words = format!("gen --no-out --json {more} growing.c --function small");
        let found = symcrete(&words).json();
        let small = function(&found, "small");
        (small["executions"].clone(), small["queries"].clone())
    };
    assert_eq!(runs(""), runs("--max-length 8 --max-pointer-depth 3"));
}

#[test]
fn tests_of_grown_inputs_hold_natively_and_are_taken_over() {
    let out = tempfile::tempdir().expect("a folder");
    let folder = out.path().join("out");
    let words = format!("gen {SIMPLE} --json --jobs 2 --out {}", folder.display());
    let found = symcrete(&words).json();
    let native = &found["native"];
    assert_eq!(native["failed"], Json::Array(Vec::new()), "{native}");
    assert_eq!(native["sides_differ"], 0, "{native}");
    let again = symcrete(&format!("{words} --resume --no-native")).json();
    for name in ["header", "long_word", "before_zero", "fifth", "too_long"] {
        let (first, second) = (function(&found, name), function(&again, name));
        assert_eq!(second["branches"], first["branches"], "{name}");
        assert_eq!(second["taken_over"], true, "{name}");
        assert_eq!(bounds(second), bounds(first), "{name}");
    }
}

#[test]
fn files_have_as_many_bytes_as_branches_need() {
    let folder = super::folder();
    let out = folder.path().join("out").display().to_string();
    let words = "--json growing.c --function file_header";
    let found = symcrete(&format!("gen --out {out} {words}")).json();
    let branches = &function(&found, "file_header")["branches"];
    assert_eq!(branches["covered"], branches["total"], "{branches}");
    let native = &found["native"];
    assert_eq!((&native["failed"], &native["sides_differ"]), (&Json::Array(vec![]), &0.into()));
    // As few as are asked for.
    let found = symcrete(&format!("gen --no-out --max-input-bytes 128 {words}")).json();
    let file_header = function(&found, "file_header");
    assert_eq!(file_header["branches"]["open"], 0, "{file_header}");
    let bounds = bounds(file_header).concat();
    assert!(bounds.iter().any(|bound| bound.starts_with("input bytes ")), "{file_header}");
}

/// A program that goes from one structure to the next is given a table of them, and its end is no failure.
#[test]
fn structures_that_are_walked_along_are_several() {
    let folder = super::folder();
    let text = "struct option { int type; char name; const char *help; };\n\
        struct parser { struct option *options; int n_found; };\n\
        int find(struct parser *parser, char name)\n\
        {\n\
            struct option *option = parser->options;\n\
            for (; option->type != 0; option++)\n\
                if (option->name == name)\n\
                    return option > parser->options && option->help ? 2 : 1;\n\
            return 0;\n\
        }\n";
    let source = super::file(&folder, "options.c", text);
    let out = folder.path().join("out").display().to_string();
    let found = symcrete(&format!("gen {source} --raw-structs --out {out} --json")).json();
    let branches = &function(&found, "find")["branches"];
    assert_eq!(branches["covered"], branches["total"], "{found}");
    assert_eq!(found["native"]["failed"], Json::Array(vec![]), "{}", found["native"]);
}

/// A key of a fixed size, where another array has a length of its own: the call that makes the object leaves it at once.
#[test]
fn what_makes_an_object_gets_arrays_as_long_as_it_reads() {
    let text = "struct cipher { unsigned char key[20]; };\n\
        void cipher_init(struct cipher *cipher, const unsigned char *key)\n\
        {\n\
            for (int i = 0; i < 20; i++)\n\
                cipher->key[i] = key[i] ^ i;\n\
        }\n\
        int cipher_crypt(const struct cipher *cipher, unsigned char *data, int length)\n\
        {\n\
            for (int i = 0; i < length; i++)\n\
                data[i] ^= cipher->key[i % 20];\n\
            return length > 0 && data[0] == 'x';\n\
        }\n";
    let folder = folder();
    let source = file(&folder, "cipher.c", text);
    let found = symcrete(&format!("gen --no-out --json --raw-structs {source}")).json();
    let raw = &function(&found, "cipher_crypt")["branches"];
    assert_eq!(raw["covered"], raw["total"], "{raw}");
    let found = symcrete(&format!("gen --no-out --json {source}")).json();
    let made = &function(&found, "cipher_crypt")["branches"];
    assert_eq!(
        (&made["covered"], &made["only_failing"]),
        (&made["total"], &Json::from(0)),
        "{made}"
    );
}

#[test]
fn a_fuzz_target_gets_as_many_bytes_as_it_wants() {
    let found = symcrete("gen --no-out --json --time 30 fuzzed.c").json();
    let target = function(&found, "LLVMFuzzerTestOneInput");
    assert_eq!(target["branches"]["covered"], target["branches"]["total"], "{target}");
}

/// A program gets as many arguments as its branches need.
#[test]
fn programs_get_more_than_two_arguments() {
    let folder = super::folder();
    let text = "#include <assert.h>\n\
        int main(int argc, char **argv)\n\
        {\n\
            if (argc <= 6)\n\
                return 0;\n\
            assert(argv[5][0] != 'x');\n\
            return argc == 8 ? 2 : 1;\n\
        }\n";
    let source = super::file(&folder, "arguments.c", text);
    let out = folder.path().join("out").display().to_string();
    let found = symcrete(&format!("gen {source} --out {out} --json --time 20")).json();
    let branches = &function(&found, "main")["branches"];
    assert_eq!(branches["covered"], branches["total"], "{found}");
    let bug = &found["bugs"][0];
    assert_eq!((&bug["kind"], &bug["rank"]), (&"assertion failed".into(), &"native".into()));
    assert_eq!(found["native"]["failed"], Json::Array(vec![]), "{}", found["native"]);
    // As few as are asked for.
    let words = format!("gen {source} --no-out --json --length 8 --max-length 8");
    let found = symcrete(&words).json();
    assert!(bounds(function(&found, "main")).concat().contains(&"length 8"), "{found}");
}

/// Whoever looks at `argv` without looking at `argc` is given arguments too.
#[test]
fn arguments_are_there_also_for_programs_that_do_not_count_them() {
    let folder = super::folder();
    let text = "#include <stdlib.h>\n\
        int main(int argc, char **argv)\n\
        {\n\
            (void)argc;\n\
            if (argv[1] && argv[1][0] == 'x')\n\
                abort();\n\
            return argv[1] && argv[2] ? 2 : 1;\n\
        }\n";
    let source = super::file(&folder, "uncounted.c", text);
    let out = folder.path().join("out").display().to_string();
    let found = symcrete(&format!("gen {source} --out {out} --json --time 20")).json();
    let branches = &function(&found, "main")["branches"];
    assert_eq!(branches["covered"], branches["total"], "{found}");
    let bug = &found["bugs"][0];
    assert_eq!((&bug["kind"], &bug["rank"]), (&"aborted".into(), &"native".into()), "{found}");
}
