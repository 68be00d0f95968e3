//! Every answer about random functions, compared with native runs of all inputs.

use super::answers;
use super::writer::Page;
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// Functions in one file: compiling costs more than they do.
const FUNCTIONS: usize = 30;

/// What native runs of all inputs reach.
struct Truth {
    /// With pointers to different objects.
    is_reached: bool,
    /// With two pointers to one object.
    is_reached_aliased: bool,
}

/// What native runs of all inputs reach, place by place.
#[expect(clippy::disallowed_methods, reason = "the oracle is a native program")]
fn truth(folder: &Path, page: &Page) -> Vec<Truth> {
    std::fs::write(folder.join("driver.c"), page.driver()).expect("the folder is ours");
    let run = |program: &str, words: &[&str]| {
        let output = Command::new(program).args(words).current_dir(folder).output();
        let output = output.unwrap_or_else(|error| panic!("{program}: {error}"));
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        output.stdout
    };
    run("cc", &["-w", "-O1", "-fwrapv", "-DNATIVE", "driver.c", "-o", "driver"]);
    let hits = run(folder.join("driver").to_str().expect("a plain name"), &[]);
    let of = |digit: &u8| Truth {
        is_reached: (digit - b'0') & 1 != 0,
        is_reached_aliased: (digit - b'0') & 2 != 0,
    };
    hits.iter().map(of).collect()
}

/// Bounds that every native run keeps: variables have their first values, indices are masked, arrays are short, loops
/// have fewer passes and calls are less deep than the least of these.
const KEPT: &[&str] = &[
    "first call",
    "every access stays in its object",
    "length",
    "pointer depth",
    "at most 10 iterations of a loop",
    "calls at most 8 deep",
];

/// How many places were asked for, how many answers there were, and how many of them were proofs that native runs could
/// refute. How many there are depends on the clock, so only mistakes fail a test.
#[derive(Clone, Copy, Default, Debug)]
struct Tally {
    asked: usize,
    decided: usize,
    proved: usize,
}

/// Asks for all places of a page.
#[expect(clippy::disallowed_methods, reason = "tests write their input")]
fn compare_page(seed: u64, words: &[&str]) -> Tally {
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
    let mut tally = Tally::default();
    for (answer, truth) in found.iter().zip(truth) {
        tally.asked += 1;
        let outcome = answer["outcome"].as_str().expect("an outcome");
        tally.decided += usize::from(outcome != "unknown");
        let bounds = answer["bounds"].as_array().cloned().unwrap_or_default();
        let bounds: Vec<&str> = bounds.iter().filter_map(|bound| bound.as_str()).collect();
        let is_unaliased = bounds.contains(&"no aliasing");
        let is_kept = |bound: &&str| KEPT.contains(bound) || *bound == "no aliasing";
        let is_checked = bounds.iter().all(is_kept);
        let is_wrong = match outcome {
            "reached" => !truth.is_reached && !truth.is_reached_aliased,
            "unreachable" if is_checked => {
                tally.proved += 1;
                truth.is_reached || truth.is_reached_aliased && !is_unaliased
            }
            _ => false,
        };
        assert!(!is_wrong, "seed {seed}: {answer}\n{}", page.text);
    }
    tally
}

/// Asks for all places of some pages, several at a time.
fn compare(seeds: std::ops::Range<u64>, words: &[&str]) -> Tally {
    let next = AtomicU64::new(seeds.start);
    let all = Mutex::new(Tally::default());
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= seeds.end {
                        return;
                    }
                    let tally = compare_page(seed, words);
                    let mut all = all.lock().expect("nobody panics with it");
                    all.asked += tally.asked;
                    all.decided += tally.decided;
                    all.proved += tally.proved;
                }
            });
        }
    });
    all.into_inner().expect("nobody panics with it")
}

#[test]
fn answers_about_random_functions_are_true() {
    let tally = compare(0..6, &["--segments", "20", "--time", "0.25"]);
    assert!(tally.asked > 200 && tally.decided > 0, "{tally:?}");
}

#[test]
fn answers_are_true_without_slicing_merging_and_back_jumping_too() {
    let words = [
        "--segments",
        "60",
        "--time",
        "0.5",
        "--without",
        "slicing,merging,back-jumping,lazy-callees",
    ];
    let tally = compare(6..10, &words);
    assert!(tally.asked > 150 && tally.decided > 0, "{tally:?}");
}
