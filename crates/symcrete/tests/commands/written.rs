//! Tests as people would write them: what a function leaves behind its pointers is compared, and objects are there for a reason.

use super::{Json, file, folder, symcrete};
use std::fs;

const SPLIT: &str = r"#include <string.h>
struct pair { char *key; char *value; char *spare; int n; };
int split(struct pair *pair, char *text)
{
    memset(pair, 0, sizeof *pair);
    pair->key = text;
    char *at = strchr(text, '=');
    if (!at) return 0;
    *at = 0;
    pair->value = at + 1;
    return 1;
}
int same(const char *a, const char *b)
{
    return a[0] == 'q' && a[1] == 'z' && strcmp(a, b) == 0;
}
";

/// What `gen` says, and the test file of one function.
#[expect(clippy::disallowed_methods, reason = "tests look at what was written")]
fn generated(name: &str, text: &str, function: &str) -> (Json, String) {
    let folder = folder();
    let source = file(&folder, name, text);
    let out = folder.path().join("out");
    let words =
        format!("gen {source} --function {function} --time 20 --json --out {}", out.display());
    let found = symcrete(&words).json();
    let tests = out.join("tests").join(format!("test_{function}.c"));
    (found, fs::read_to_string(tests).unwrap_or_default())
}

#[test]
fn pointers_that_a_function_sets_are_compared() {
    let (found, tests) = generated("split.c", SPLIT, "split");
    assert_eq!(found["native"]["failed"].as_array().map(Vec::len), Some(0), "{found}");
    for line in ["CHECK(pair.key == text);", "CHECK(pair.value == text + "] {
        assert!(tests.contains(line), "{line}\n{tests}");
    }
    // What is only written over needs no objects.
    assert!(!tests.contains("pair_spare") && tests.contains("struct pair pair = {0};"), "{tests}");
}

#[test]
fn equal_texts_are_two_objects() {
    let (_, tests) = generated("same.c", SPLIT, "same");
    assert!(tests.contains("= \"qz\""), "{tests}");
    assert!(!tests.contains("same(a, a)"), "{tests}");
}

/// A `*flag` that is no character does not look for the end of a text, and no caller passes a negative size.
#[test]
fn lengths_that_are_wrong_are_preconditions() {
    let text = r"#include <stdlib.h>
#include <string.h>
int count(const char *s, size_t n, int *flag)
{
    int found = 0;
    if (!*flag && s[0] == '[')
        for (size_t i = 0; i < n && found < 3; i++) found += s[i] == '[';
    return found;
}
char *keep(const char *key, int vsize)
{
    char *node = malloc(16 + vsize);
    if (!node) return NULL;
    memset(node, key[0], 16);
    return node;
}
";
    for (function, needs) in [("count", "`n` is"), ("keep", "`vsize` is -")] {
        let (found, _) = generated("lengths.c", text, function);
        let bugs = found["bugs"].as_array().expect("a list");
        assert!(!bugs.is_empty(), "{found}");
        for bug in bugs {
            assert_eq!(bug["rank"], "precondition", "{bug}");
            assert!(bug["needs"].as_str().is_some_and(|words| words.contains(needs)), "{bug}");
        }
    }
}

const BEHIND: &str = r#"#include <stddef.h>
/* Steps over the character that a percent sign is followed by, also if that is the end. */
int formats(const char *s)
{
    int n = 0;
    for (; *s; s++)
        if (*s == '%' && *++s != '%' && s[1] == 'd') n++;
    return n;
}
int words(const char *s)
{
    int n = 0;
    for (char last = ' '; *s; last = *s++) n += last == ' ' && *s != ' ';
    return n;
}
/* How much there is to read, only a caller knows. */
int total(const char *s, int amount)
{
    int n = 0;
    for (int i = 0; i < amount; i++) if (s[i]) n += s[i];
    return n == 7;
}
/* Each caller passes eight characters. */
typedef char label_t[8];
int tagged(const label_t name) { return name[0] && name[7] == 'x'; }
int label(const char name[8]) { return name[0] && name[7] == 'x'; }
"#;

#[test]
fn strings_are_as_long_as_their_text() {
    let (found, tests) = generated("behind.c", BEHIND, "words");
    assert_eq!(found["bugs"], Json::Array(vec![]), "{found}");
    assert!(tests.contains("char s[] = \"") && !tests.contains("char s[9]"), "{tests}");
    let (found, tests) = generated("behind.c", BEHIND, "formats");
    let [bug] = &found["bugs"].as_array().expect("a list")[..] else { panic!("{found}") };
    assert_eq!(bug["rank"], "native", "{bug}");
    assert!(bug["place"].as_str().is_some_and(|place| place.ends_with(":7")), "{bug}");
    assert_eq!(found["native"]["failed"], Json::Array(vec![]), "{found}");
    assert!(!tests.is_empty());
    for function in ["label", "tagged"] {
        let (found, tests) = generated("behind.c", BEHIND, function);
        assert_eq!(found["bugs"], Json::Array(vec![]), "{found}");
        assert!(tests.contains("char name[9]"), "{tests}");
    }
    let (found, _) = generated("behind.c", BEHIND, "total");
    let bugs = found["bugs"].as_array().expect("a list");
    assert!(bugs.iter().all(|bug| bug["rank"] == "precondition"), "{found}");
}
