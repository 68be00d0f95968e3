//! Memory that is no longer there, or given back when it cannot be. AddressSanitizer is the oracle.

mod oracle;

use super::{Json, folder, function, symcrete};
use std::path::Path;
use std::process::Command;

/// Functions of `memory.c` with the line that fails, what is said of it, and what AddressSanitizer says.
const FAILING: &[(&str, u32, &str, &str)] = &[
    ("read_after_free", 18, FREED, "heap-use-after-free"),
    ("write_after_free", 31, FREED, "heap-use-after-free"),
    ("walk_after_free", 48, FREED, "heap-use-after-free"),
    ("use_after_realloc", 64, FREED, "heap-use-after-free"),
    ("freed_twice", 74, TWICE, "double-free"),
    ("realloc_after_free", 83, TWICE, "double-free"),
    ("freed_inside", 94, INVALID, "bad-free"),
    ("freed_global", 103, INVALID, "bad-free"),
    ("freed_local", 111, INVALID, "bad-free"),
    ("use_after_return", 125, RETURNED, "stack-use-after-return"),
    ("look_after_return", 132, RETURNED, "stack-use-after-return"),
    ("use_after_scope", 149, ENDED, "stack-use-after-scope"),
    ("before_the_start", 158, OUTSIDE, "heap-buffer-overflow"),
    ("copied_string", 168, OUTSIDE, "heap-buffer-overflow"),
];
const FREED: &str = "use of memory after it was freed";
const TWICE: &str = "memory freed twice";
const INVALID: &str = "freed what is not the start of allocated memory";
const RETURNED: &str = "use of a local variable after its function returned";
const ENDED: &str = "use of a local variable after its block ended";
const OUTSIDE: &str = "access outside allocated memory";
const INNOCENT: &[&str] = &["list_is_freed", "grows", "passes_down", "reused_often", "aligned"];

#[test]
fn memory_that_is_gone_must_not_be_used_or_freed() {
    let folder = folder();
    let out = folder.path().join("out");
    let words = format!("gen --json --iterations 100 --jobs 2 --out {} memory.c", out.display());
    let found = symcrete(&words).json();
    let bugs = found["bugs"].as_array().expect("a list");
    for (name, line, kind, said) in FAILING {
        let place = format!("memory.c:{line}");
        let of_function: Vec<&Json> = bugs.iter().filter(|bug| bug["function"] == *name).collect();
        let [bug] = of_function[..] else { panic!("{name}: {of_function:?}") };
        assert_eq!(
            (&bug["kind"], &bug["place"]),
            (&Json::from(*kind), &Json::from(place)),
            "{name}"
        );
        assert_eq!(bug["rank"], "native", "{bug}");
        assert_eq!(function(&found, name)["branches"]["infeasible"], 0, "{name}");
        assert!(bug["seen"].as_str().is_some_and(|seen| seen.starts_with(said)), "{bug}");
    }
    assert_eq!(bugs.len(), FAILING.len(), "{bugs:?}");
    for name in INNOCENT {
        let branches = &function(&found, name)["branches"];
        let known = ["covered", "infeasible", "within_bounds"].map(|word| branches[word].as_u64());
        assert_eq!(known.iter().flatten().sum::<u64>(), branches["total"], "{name}: {branches}");
    }
    let native = &found["native"];
    assert_eq!(native["failed"], Json::from(Vec::<Json>::new()), "{native}");
    builds_as_printed(&out.join("bugs"));
}

/// Functions of `memory_sizes.c` with the line that leaves an object.
const LEAVING: &[(&str, u32, &str)] = &[
    ("table_by_index", 11, "access outside a global variable"),
    ("one_too_many", 18, "access outside a local variable"),
    ("written_by_index", 25, "access outside a local variable"),
    ("copied_by_size", 36, "access outside a local variable"),
    ("cleared_by_size", 47, OUTSIDE),
    ("allocated_by_size", 60, OUTSIDE),
    ("allocated_by_product", 73, OUTSIDE),
];

#[test]
fn exploration_looks_for_accesses_that_leave_their_object() {
    let folder = folder();
    let out = folder.path().join("out");
    let words = format!("gen --json --time 20 --jobs 2 --out {} memory_sizes.c", out.display());
    let found = symcrete(&words).json();
    let bugs = found["bugs"].as_array().expect("a list");
    let bugs: Vec<(&str, &str, &str)> = bugs
        .iter()
        .map(|bug| {
            assert_eq!(bug["rank"], "native", "{bug}");
            let word = |name: &str| bug[name].as_str().expect("a word");
            (word("function"), word("place"), word("kind"))
        })
        .collect();
    let places: Vec<String> =
        LEAVING.iter().map(|(_, line, _)| format!("memory_sizes.c:{line}")).collect();
    let expected = LEAVING.iter().zip(&places);
    let expected: Vec<(&str, &str, &str)> =
        expected.map(|((name, _, kind), place)| (*name, place.as_str(), *kind)).collect();
    assert_eq!(bugs, expected);
    for name in ["allocated_to_the_end", "duplicated"] {
        let branches = &function(&found, name)["branches"];
        assert_eq!(branches["open"], 0, "{name}: {branches}");
    }
}

#[test]
fn a_failure_is_found_on_a_path_that_covers_nothing_new() {
    let folder = folder();
    let out = folder.path().join("out");
    let words = format!("gen --json --time 30 --out {} memory_glob.c", out.display());
    let found = symcrete(&words).json();
    let bugs = found["bugs"].as_array().expect("a list");
    let [bug] = &bugs[..] else { panic!("{bugs:?}") };
    assert_eq!(
        (&bug["kind"], &bug["place"]),
        (&"access outside a local variable".into(), &"memory_glob.c:6".into())
    );
    assert_eq!(bug["rank"], "native");
    builds_as_printed(&out.join("bugs"));
}

#[test]
fn allocation_may_fail() {
    let folder = folder();
    let out = folder.path().join("out");
    let words = format!(
        "gen --json --check alloc --time 20 --jobs 2 --out {} memory_alloc.c",
        out.display()
    );
    let found = symcrete(&words).json();
    let bugs = found["bugs"].as_array().expect("a list");
    let places: Vec<(&str, &str)> = bugs
        .iter()
        .map(|bug| {
            assert_eq!(bug["rank"], "native", "{bug}");
            (bug["place"].as_str().expect("a place"), bug["kind"].as_str().expect("a kind"))
        })
        .collect();
    let null = "null pointer dereferenced";
    assert_eq!(places, [("memory_alloc.c:8", null), ("memory_alloc.c:20", null)]);
    for name in ["checked", "grows_or_stays"] {
        let branches = &function(&found, name)["branches"];
        assert_eq!(branches["covered"], branches["total"], "{name}: {branches}");
    }
    let native = &found["native"];
    assert_eq!(native["failed"], Json::from(Vec::<Json>::new()), "{native}");
    builds_as_printed(&out.join("bugs"));
    builds_as_printed(&out.join("tests"));
    // Without the option nothing of that is there, and proofs say so.
    let found = symcrete("gen --json --no-out --time 20 memory_alloc.c").json();
    assert_eq!(found["bugs"], Json::from(Vec::<Json>::new()));
    let bounds = function(&found, "checked")["within_bounds"].to_string();
    assert!(bounds.contains("allocation never fails"), "{bounds}");
}

#[test]
fn main_shall_free_what_nobody_else_can() {
    let folder = folder();
    let out = folder.path().join("out");
    let words = format!("gen --json --check leaks --time 20 --out {} memory_leak.c", out.display());
    let found = symcrete(&words).json();
    let bugs = found["bugs"].as_array().expect("a list");
    let [bug] = &bugs[..] else { panic!("{bugs:?}") };
    let kind = "memory that is allocated here is never freed";
    assert_eq!((&bug["kind"], &bug["place"]), (&kind.into(), &"memory_leak.c:7".into()));
    assert!(bug["rank"] == "native", "{bug}");
    let found = symcrete("gen --json --no-out --time 20 memory_leak.c").json();
    assert_eq!(found["bugs"], Json::from(Vec::<Json>::new()));
}

/// Every program of a folder is built by the command that it says, in that folder.
#[expect(clippy::disallowed_methods, reason = "the command is the one that people would type")]
fn builds_as_printed(folder: &Path) {
    let files =
        std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("one").path());
    let mut n_built = 0;
    for file in files.filter(|path| path.extension().is_some_and(|extension| extension == "c")) {
        let text = std::fs::read_to_string(&file).expect("text");
        let commands = text.lines().filter_map(|line| line.strip_prefix(" *     "));
        for command in commands.filter(|line| line.starts_with("cc ")) {
            let build = command.split(" && ").next().expect("a command");
            let done = Command::new("sh").args(["-c", build]).current_dir(folder).output();
            let done = done.expect("a shell");
            let said = String::from_utf8_lossy(&done.stderr);
            assert!(done.status.success(), "{}: {build}: {said}", file.display());
            n_built += 1;
        }
    }
    assert!(n_built > 0, "nothing in {}", folder.display());
}

/// Buffers that no input of eight characters leaves, behind branches that no longer input is needed for.
const LONG: &str = r#"
#include <stdio.h>
#include <string.h>
extern int in(void);
int copied(const char *s) { char b[32]; strcpy(b, s); return b[0] == 'x'; }
int printed(const char *s) { char t[32]; sprintf(t, "<%s>", s); return t[1] == 'x'; }
int word(const char *s) { char t[20]; int n = 0; while (*s && *s != ' ') t[n++] = *s++; return t[0] == 'q'; }
int moved(const int *v, int n) { int t[20]; for (int i = 0; i < n; i++) t[i] = v[i]; return n > 0 && t[0] == 7; }
int value(const char *s) { char t[64]; if (strncmp(s, "key=", 4)) return 0; strcpy(t, s + 4); return t[0] == 'v'; }
int asked(void) { char b[8]; int n = 0; for (int c = in(); c == 'a'; c = in()) b[n++] = c; return n; }
int fits(const char *s) { char t[20]; int n = 0; while (*s && n < 20) t[n++] = *s++; return n > 0 && t[0] == 'q'; }
int main(void) { char b[100]; int n = 0, c; while ((c = getchar()) != EOF && c != '\n') b[n++] = c; return n > 0 && b[0] == 'x'; }
"#;

#[test]
fn long_inputs_are_tried_where_no_branch_asks_for_them() {
    let folder = folder();
    let source = super::file(&folder, "long.c", LONG);
    let out = folder.path().join("out");
    let found = symcrete(&format!("gen {source} --json --time 20 --out {}", out.display())).json();
    let bugs = found["bugs"].as_array().expect("a list");
    let failing = |rank: &str| -> std::collections::BTreeSet<&str> {
        let of_rank = bugs.iter().filter(|bug| bug["rank"] == rank);
        of_rank.filter_map(|bug| bug["function"].as_str()).collect()
    };
    let expected = ["asked", "copied", "main", "moved", "printed", "value", "word"];
    assert_eq!(failing("native"), expected.into(), "{bugs:?}");
    assert_eq!(found["native"]["failed"], Json::Array(vec![]), "{found}");
    builds_as_printed(&out.join("bugs"));
}
