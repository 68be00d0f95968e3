//! Whether what `gen` claims of branch sides is true: every input of small functions is run, and no side that
//! is called infeasible may be among those that were taken, nor may a side be called covered that no input takes. (`tests/oracle` does this natively for random functions.)

mod oracle;

use super::symcrete;
use oracle::Oracle;
use serde_json::Value as Json;
use std::collections::BTreeSet;
use std::path::Path;
use symcrete_program::{Edge, SiteId};

/// The most elements of an array: few, as all their values are tried.
const LENGTH: u32 = 3;

/// What is wrong with the claims about a file, in words, and how many sides were called infeasible.
fn check(file: &str, oracle: &mut Oracle, words: &str) -> (Vec<String>, usize) {
    let size = format!("--length {LENGTH} --max-length {LENGTH} --max-pointer-depth 3");
    // With calls before the functions it would be another module, and other states than the first.
    let found =
        symcrete(&format!("gen --no-out --json --raw-structs {size} {words} {file}")).json();
    let (mut wrong, mut n_infeasible) = (Vec::new(), 0);
    for function in found["functions"].as_array().expect("a list") {
        let name = function["name"].as_str().expect("a name");
        let goals = oracle.goals(name);
        // All inputs that are tried are within bounds.
        let mut infeasible = sides(&function["infeasible"]);
        infeasible.extend(sides(&function["within_bounds"]));
        let mut truth = oracle.run_all(name);
        if infeasible.iter().any(|(edge, _)| truth.sides.contains(edge)) {
            truth = oracle.run_all_exactly(name);
        }
        n_infeasible += infeasible.len();
        for (edge, text) in &infeasible {
            if truth.sides.contains(edge) {
                wrong.push(format!("{name}: {text} is called infeasible"));
            }
        }
        let uncovered: BTreeSet<Edge> = sides(&function["uncovered"])
            .iter()
            .chain(&infeasible)
            .map(|(edge, _)| *edge)
            .collect();
        let covered = goals.difference(&uncovered).copied().collect::<BTreeSet<_>>();
        if truth.has_all_inputs && !covered.is_subset(&truth.sides) {
            let more: Vec<_> = covered.difference(&truth.sides).collect();
            wrong.push(format!("{name}: no input covers {more:?}"));
        }
    }
    (wrong, n_infeasible)
}

/// The sides of a list of the report.
fn sides(list: &Json) -> Vec<(Edge, String)> {
    let side = |side: &Json| {
        let number = |key: &str| side[key].as_u64().expect("a number");
        let site = SiteId { offset: number("offset") as u32, case: number("case") as u16 };
        let taken = side["taken"].as_bool().expect("a truth value");
        (Edge { site, taken }, side["branch"].as_str().expect("a text").to_string())
    };
    list.as_array().expect("a list").iter().map(side).collect()
}

#[test]
fn nothing_is_called_infeasible_that_an_access_outside_its_object_reaches() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/cases/commands/claims.c");
    let mut oracle = Oracle::of(Path::new(file), LENGTH);
    for words in ["--strategy auto", "--strategy dfs", "--strategy bfs"] {
        let (wrong, n_infeasible) = check(file, &mut oracle, words);
        assert_eq!(wrong, [""; 0], "{words}");
        assert!(n_infeasible >= 8, "{words}: {n_infeasible} sides are infeasible");
    }
    // A search that was cut short.
    for iterations in 1..6 {
        let words = format!("--strategy dfs --iterations {iterations}");
        assert_eq!(check(file, &mut oracle, &words).0, [""; 0], "{words}");
    }
}

#[test]
fn what_our_machine_cannot_do_proves_nothing() {
    let found =
        symcrete("gen --no-out --json --length 3 --max-length 3 --strategy dfs doubts.c").json();
    let expected = [
        ("deep", "runs were cut off before their end"),
        ("nan_bits", "the program looks at the bits of a computed NaN"),
        ("astray", "an access on the path may leave its object"),
    ];
    for (name, reason) in expected {
        let functions = found["functions"].as_array().expect("a list");
        let function = functions.iter().find(|function| function["name"] == name);
        let function = function.expect("the function was tested");
        assert_eq!(function["branches"]["infeasible"], 0, "{function}");
        let why = function["uncovered"][0]["why"].as_str().unwrap_or_default();
        assert!(why.contains(reason), "{function}");
    }
}
