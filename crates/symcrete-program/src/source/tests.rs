//! Conditions and labels of small texts.

use super::Source;

fn conditions(text: &str) -> Vec<String> {
    let source = Source::new(text, std::iter::empty());
    source.leaves.iter().map(|leaf| source.text_of(&leaf.tokens)).collect()
}

#[test]
fn logical_operators_are_split_in_order_of_evaluation() {
    for (text, expected) in [
        ("if (a < 3 && b || !(c == d)) x();", &["a < 3", "b", "!(c == d)"][..]),
        ("if (!(a && !(b || c))) ;", &["a", "b", "c"]),
        ("while ((p = next(p)) != 0 && *p) ;", &["(p = next(p)) != 0", "*p"]),
        ("for (int i = 0; i < n; i++) f(i && n);", &["i < n", "i", "n"]),
        ("do x--; while (x > 0);", &["x > 0"]),
        ("int z = a && b, y = c ? d : e;", &["a", "b", "c"]),
        ("return f(a || b) > 2 ? 1 : !q;", &["a", "b", "f(a || b) > 2"]),
        ("if (a, b) ;", &["a, b"]),
        ("x = a ? b ? 1 : 2 : c == 3 ? 4 : 5;", &["a", "b", "c == 3"]),
        ("int v[] = { a && b };", &["a", "b"]),
        ("y = ({ if (q) r(); s; });", &["q"]),
        ("f(\"a && b\", '&', /* c && d */ e); // g && h", &[]),
        ("while (1) ;", &[]),
    ] {
        assert_eq!(conditions(text), expected, "{text}");
    }
}

#[test]
fn macros_are_replaced_by_their_bodies() {
    let header = "#define LIMIT 10\n#define IN(x, low, high) \\\n ((x) >= (low) && (x) < (high))";
    for (text, expected) in [
        ("#define A (b && c)\nif (A) ;", &["b", "c"][..]),
        ("#define BIG(x) (x > LIMIT)\nif (BIG(n + 1)) ;", &["BIG(n + 1)"]),
        ("#define T(x) y = x + 1; \\\n if (x > 2) ;\nT(c)", &["c > 2"]),
        ("if (IN(a, 0, LIMIT)) ;", &["(a) >= (0)", "(a) < (LIMIT)"]),
        (
            "#define MAX(a, b) ((a) > (b) ? (a) : (b))\nx = MAX(p, MAX(q, r));",
            &["(q) > (r)", "(p) > (MAX(q, r))", "(q) > (r)"],
        ),
        ("#define CHECK(c) do { if (!(c)) return; } while (0)\nCHECK(f(a, b));", &["!(f(a, b))"]),
        ("#define IF(...) if (f(__VA_ARGS__)) g()\nIF(a, b);", &["f(a, b)"]),
        ("#define NAME(x) is_##x\nif (NAME(a) && b) ;", &["NAME(a)", "b"]),
        ("#define f(x) f(x + 1)\nif (f(2)) ;", &["f(2)"]),
        ("#if Q\n#define OK(x) (x != 0)\n#else\n#define OK(x)\n#endif\nif (OK(a)) ;", &["OK(a)"]),
        ("assert(a + b > 0 && c);", &["a + b > 0", "c"]),
    ] {
        let source = Source::new(text, [header].into_iter());
        let found: Vec<String> =
            source.leaves.iter().map(|leaf| source.text_of(&leaf.tokens)).collect();
        assert_eq!(found, expected, "{text}");
    }
}

#[test]
fn macros_that_grow_without_bound_stay_as_they_are() {
    let mut text = "#define M0(x) x && x\n".to_owned();
    for i in 1..40 {
        text += &format!("#define M{i}(x) M{}(x) && M{}(x)\n", i - 1, i - 1);
    }
    text += "if (M39(a)) ;";
    assert_eq!(conditions(&text), ["M39(a)"]);
}

#[test]
fn text_over_several_lines_is_made_single() {
    assert_eq!(conditions("if (a\n   >  /* why */ b) ;"), ["a > b"]);
}

#[test]
fn labels_have_values() {
    let text = "#define TOP (1 << 4)
        switch (x) { case 3: case 'a' ... 'z': case TOP + 1: case RED: case -2:
            switch (y) { case 7: ; } default: ; }";
    let source = Source::new(text, std::iter::empty());
    let constants = [("RED".to_owned(), 42)].into();
    let values: Vec<Option<i64>> = source.switches[0]
        .labels
        .iter()
        .map(|label| source.value(&label.values.as_ref()?.0, &constants))
        .collect();
    assert_eq!(values, [Some(3), Some(97), Some(17), Some(42), Some(-2), None]);
    assert_eq!(source.switches[1].labels.len(), 1);
}

#[test]
fn broken_text_does_no_harm() {
    for text in [
        "if (",
        "while (a && ) }",
        "switch (x) { case",
        "((((",
        "a ? b",
        "\"",
        "do",
        "for (;;",
        "x = {",
    ] {
        conditions(text);
    }
    conditions(&"if (a) ".repeat(5000));
    conditions(&"(".repeat(5000));
    conditions(&format!("x = {}a{};", "(".repeat(5000), ")".repeat(5000)));
    conditions(&"if (a) ; else ".repeat(5000));
}
