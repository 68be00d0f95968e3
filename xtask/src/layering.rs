//! Which crate may depend on which: the tables of ARCHITECTURE.md, enforced.

use std::path::Path;

/// Our crates and what each may use of the others and of the fenced dependencies.
const ALLOWED: &[(&str, &[&str])] = &[
    ("symcrete-term", &[]),
    ("symcrete-solve", &["symcrete-term"]),
    ("symcrete-program", &["symcrete-term"]),
    ("symcrete-exec", &["symcrete-term", "symcrete-program", "wasmtime"]),
    ("symcrete-explore", &["symcrete-term", "symcrete-solve", "symcrete-program", "symcrete-exec"]),
    ("symcrete-reach", &["symcrete-term", "symcrete-solve", "symcrete-program"]),
    ("symcrete-emit", &["symcrete-term", "symcrete-program", "serde", "serde_json"]),
    (
        "symcrete",
        &[
            "symcrete-term",
            "symcrete-solve",
            "symcrete-program",
            "symcrete-exec",
            "symcrete-explore",
            "symcrete-reach",
            "symcrete-emit",
            "anyhow",
            "clap",
            "miette",
            "serde",
            "serde_json",
        ],
    ),
];

/// Heavy or spreading dependencies that only the crates above may name.
const FENCED: &[&str] = &["wasmtime", "anyhow", "clap", "miette", "serde", "serde_json"];

#[test]
fn crates_depend_only_on_what_the_architecture_allows() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates");
    let mut n_seen = 0;
    for entry in std::fs::read_dir(crates).unwrap() {
        let folder = entry.unwrap().path();
        let name = folder.file_name().unwrap().to_str().unwrap().to_string();
        let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).unwrap();
        let (_, allowed) = ALLOWED
            .iter()
            .find(|(known, _)| *known == name)
            .unwrap_or_else(|| panic!("{name} is not in the table of layers"));
        for dependency in dependencies(&manifest) {
            let watched =
                dependency.starts_with("symcrete") || FENCED.contains(&dependency.as_str());
            assert!(
                !watched || allowed.contains(&dependency.as_str()),
                "{name} must not depend on {dependency}: a new edge needs an ADR"
            );
        }
        n_seen += 1;
    }
    assert!(n_seen >= 3, "the crates were not found");
}

/// Only the binary has a command line. Options of other programs stand in words of their own, without a blank before.
#[test]
fn inner_crates_name_no_option_of_the_command_line() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates");
    let mut n_lines = 0;
    for (name, _) in ALLOWED.iter().filter(|(name, _)| *name != "symcrete") {
        let mut pending = vec![crates.join(name).join("src")];
        while let Some(path) = pending.pop() {
            if path.is_dir() {
                let entries = std::fs::read_dir(&path).unwrap();
                pending.extend(entries.map(|entry| entry.unwrap().path()));
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = std::fs::read_to_string(&path).unwrap();
                let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
                for line in code {
                    assert!(!names_option(line), "{}: {line}", path.display());
                    n_lines += 1;
                }
            }
        }
    }
    assert!(n_lines > 10_000, "the sources were not found");
}

/// Whether a line of code has an option in running text: ` --depth`, `(--depth`, `` `--depth ``.
fn names_option(line: &str) -> bool {
    line.match_indices("--").any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + 2..].chars().next();
        line[..at].contains('"')
            && before.is_some_and(|c| matches!(c, ' ' | '(' | '`'))
            && after.is_some_and(|c| c.is_ascii_lowercase())
    })
}

#[test]
fn options_in_running_text_are_seen() {
    assert!(names_option(r#"        0 => "before the run limit (--iterations)","#));
    assert!(names_option(r#"    f.write_str("lower --length")"#));
    assert!(!names_option(r#"    call.word("--target=wasm32-wasi")"#));
    assert!(!names_option(r#"    "-Wl,--no-entry""#));
}

/// The names under `[dependencies]`; tests and benchmarks may use more.
fn dependencies(manifest: &str) -> Vec<String> {
    let section = manifest.split("\n[").find(|section| section.starts_with("dependencies]"));
    let lines = section.unwrap_or_default().lines().skip(1);
    let name = |line: &str| Some(line.split(['.', ' ', '=']).next()?.trim().to_string());
    lines
        .filter(|line| !line.starts_with('#'))
        .filter_map(name)
        .filter(|name| !name.is_empty())
        .collect()
}
