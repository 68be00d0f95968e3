//! Failures at a line: `// TRAP KIND OUTCOME`, for `reach --trap KIND`.

use super::{answers, cases};

#[test]
#[expect(clippy::disallowed_methods, reason = "tests read cases")]
fn every_kind_of_failure_is_a_target() {
    let text = std::fs::read_to_string(cases().join("traps.c")).expect("a case");
    let mut kinds = std::collections::BTreeSet::new();
    for (line, number) in text.lines().zip(1..) {
        let Some((_, expected)) = line.split_once("// TRAP ") else { continue };
        let mut words = expected.split(' ');
        let (kind, outcome) = (words.next().expect("a kind"), words.next().expect("an outcome"));
        kinds.insert(kind.to_owned());
        let target = format!("traps.c:{number}");
        let mut words = vec![target.as_str(), "--trap", kind];
        if kind == "check" {
            words.extend(["--check", "overflow"]);
        }
        let found = &answers(&words)[0];
        assert_eq!(found["outcome"], outcome, "{target}: {found}");
    }
    assert_eq!(kinds.len(), 10, "{kinds:?}");
}
