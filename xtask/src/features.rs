//! One set of features: no cargo command builds Cranelift or Wasmtime again that another has built.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// The two sides of a build: what runs in our programs, and what also runs while they are built. A package may have
/// other features on each.
const SIDES: [&str; 2] = ["normal,dev,no-proc-macro", "normal,build,dev"];

/// Packages with their features, as a selection of crates wants them.
fn wanted(edges: &str, selection: &[&str]) -> BTreeSet<String> {
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--locked", "--edges", edges, "--prefix", "none"])
        .args(["--format", "{p} {f}"])
        .args(selection)
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(".."))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let line = |line: &str| line.trim_end_matches(" (*)").replace(" (proc-macro)", "");
    text.lines().map(line).collect()
}

/// Whether it would take long to build what depends on a package: proptest and its random numbers are used by tests alone.
fn is_heavy(line: &str) -> bool {
    !["regex-syntax ", "getrandom "].iter().any(|light| line.starts_with(light))
}

/// `cargo build -p symcrete` is in everybody's loop. Dev-dependencies do not count there.
#[test]
fn the_binary_is_built_from_what_tests_are_built_from() {
    for (built, tested) in ["normal,no-proc-macro", "normal,build"].into_iter().zip(SIDES) {
        let all = wanted(tested, &["--workspace"]);
        let binary = wanted(built, &["--package", "symcrete"]);
        let others: Vec<&String> = binary.difference(&all).filter(|line| is_heavy(line)).collect();
        assert!(others.is_empty(), "`cargo build -p symcrete` builds these anew: {others:#?}");
    }
}

#[test]
fn every_crate_alone_wants_what_the_workspace_wants() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates");
    for edges in SIDES {
        let all = wanted(edges, &["--workspace"]);
        for entry in std::fs::read_dir(&crates).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            let alone = wanted(edges, &["--package", &name]);
            let others: Vec<&String> =
                alone.difference(&all).filter(|line| is_heavy(line)).collect();
            assert!(
                others.is_empty(),
                "`cargo test -p {name}` builds these anew: list them in tools/features/Cargo.toml: {others:#?}"
            );
        }
    }
}
