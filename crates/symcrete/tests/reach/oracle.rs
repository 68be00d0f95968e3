//! Every answer about random functions, compared with native runs of all inputs.

use super::answers;
use super::writer::Page;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

/// Functions in one file: compiling costs more than they do.
const FUNCTIONS: usize = 30;

/// Which places native runs of all inputs reach.
#[expect(clippy::disallowed_methods, reason = "the oracle is a native program")]
fn truth(folder: &Path, page: &Page) -> Vec<bool> {
    let n = page.lines.len();
    let mut driver = format!(
        "#include <stdio.h>\n#include \"page.c\"\nunsigned char hits[{}];\nint main(void) {{\n",
        n + 1
    );
    driver.push_str("for (int i = -128; i < 128; i++) for (int j = -128; j < 128; j++) {\n");
    for i in 0..FUNCTIONS {
        let _ = writeln!(driver, "level = 0; out = 0; f{i}(i, j);");
    }
    let _ =
        writeln!(driver, "}}\nfor (int k = 0; k < {n}; k++) putchar('0' + hits[k]);\nreturn 0; }}");
    std::fs::write(folder.join("driver.c"), driver).expect("the folder is ours");
    let run = |program: &str, words: &[&str]| {
        let output = Command::new(program).args(words).current_dir(folder).output();
        let output = output.unwrap_or_else(|error| panic!("{program}: {error}"));
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        output.stdout
    };
    run("cc", &["-w", "-O1", "-fwrapv", "-DNATIVE", "driver.c", "-o", "driver"]);
    let hits = run(folder.join("driver").to_str().expect("a plain name"), &[]);
    hits.iter().map(|digit| *digit == b'1').collect()
}

/// Asks for all places of some pages; gives how many there were and how many answers.
#[expect(clippy::disallowed_methods, reason = "tests write their input")]
fn compare(seeds: std::ops::Range<u64>, words: &[&str]) -> (usize, usize) {
    let (mut n_asked, mut n_decided) = (0, 0);
    for seed in seeds {
        let page = Page::write(seed, FUNCTIONS);
        let folder = tempfile::tempdir().expect("a temporary folder");
        std::fs::write(folder.path().join("page.c"), &page.text).expect("the folder is ours");
        let truth = truth(folder.path(), &page);
        let file = folder.path().join("page.c").display().to_string();
        let targets: Vec<String> = page.lines.iter().map(|line| format!("{file}:{line}")).collect();
        let targets: Vec<&str> =
            targets.iter().map(String::as_str).chain(words.iter().copied()).collect();
        let found = answers(&targets);
        assert_eq!(found.len(), truth.len());
        for (answer, is_reached) in found.iter().zip(truth) {
            n_asked += 1;
            let outcome = answer["outcome"].as_str().expect("an outcome");
            n_decided += usize::from(outcome != "unknown");
            // Every native run starts with the first values of variables, as the bound says.
            let bounds = answer["bounds"].as_array().cloned().unwrap_or_default();
            let is_checked = bounds.iter().all(|bound| bound == "first call");
            let is_wrong = match outcome {
                "reached" => !is_reached,
                "unreachable" => is_reached && is_checked,
                _ => false,
            };
            assert!(!is_wrong, "seed {seed}: {answer}\n{}", page.text);
        }
    }
    (n_asked, n_decided)
}

#[test]
fn answers_about_random_functions_are_true() {
    let (n_asked, n_decided) = compare(0..6, &["--segments", "20", "--time", "0.4"]);
    assert!(n_asked > 200 && n_decided > 0, "{n_decided} of {n_asked} decided");
}

#[test]
fn answers_are_true_without_slicing_merging_and_back_jumping_too() {
    let words = [
        "--segments",
        "60",
        "--time",
        "2",
        "--without",
        "slicing,merging,back-jumping,lazy-callees",
    ];
    let (n_asked, n_decided) = compare(6..10, &words);
    assert!(n_asked > 150 && n_decided > 0, "{n_decided} of {n_asked} decided");
}
