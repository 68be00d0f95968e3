//! Scripts whose answers are known, of formats that machines do not have.

use super::*;
use crate::smtlib::sexpr::Reader;
use crate::smtlib::text::TextCommand;

fn script(text: &str) -> TextScript {
    let mut reader = Reader::new();
    reader.feed(text.as_bytes()).unwrap();
    reader.end();
    let mut commands = Vec::new();
    while let Some(tree) = reader.next_command().unwrap() {
        let text = tree.text(Tree::ROOT).to_owned();
        let declares = text.starts_with("(declare").then(|| "declared".to_owned());
        commands.push(TextCommand { text, declares });
    }
    TextScript { logic: None, commands }
}

fn searched(text: &str) -> Searched {
    search(&script(text), &mut Budget::of_steps(1 << 20))
}

#[test]
fn few_bits_are_all_tried() {
    let tiny = "(declare-const f (_ FloatingPoint 3 4)) (declare-fun |a b| () (_ BitVec 3)) (declare-const p Bool)";
    let square = "(assert (fp.eq (fp.mul RNE f f) ((_ to_fp 3 4) RNE 2.25)))";
    let Searched::Model(model) =
        searched(&format!("{tiny} {square} (assert (= p (= |a b| #b101)))"))
    else {
        panic!("1.5 is a model")
    };
    assert!(model.contains("(fp #b0 #b011 #b100)") || model.contains("(fp #b1 #b011 #b100)"));
    let negative = "(assert (fp.lt (fp.mul RNE f f) ((_ to_fp 3 4) RNE (- 0.25))))";
    assert_eq!(searched(&format!("{tiny} {negative}")), Searched::NoModel);
    assert_eq!(searched("(assert false)"), Searched::NoModel, "no inputs");
}

#[test]
fn larger_formats_are_drawn() {
    for (sort, condition) in [
        ("(_ FloatingPoint 5 11)", "(fp.lt x (fp.mul RNE x x))"),
        ("Float128", "(and (fp.lt x y) (fp.isInfinite (fp.add RNE y y)))"),
        ("(_ FloatingPoint 15 64)", "(fp.isSubnormal x)"),
        ("(_ BitVec 200)", "(bvslt x y)"),
    ] {
        let text =
            format!("(declare-const x {sort}) (declare-const y {sort}) (assert {condition})");
        assert!(matches!(searched(&text), Searched::Model(_)), "{condition}");
    }
}

/// What is not evaluated, or was not all tried, proves nothing.
#[test]
fn nothing_is_proved_of_what_was_not_evaluated() {
    for text in [
        "(declare-const f (_ FloatingPoint 3 4)) (assert (= ((_ fp.to_ubv 8) RNE f) #xff))",
        "(declare-const x Int) (assert (< x 0))",
        "(declare-fun f (Bool) Bool) (assert (not (= (f true) (f true))))",
        "(declare-const x (_ BitVec 80)) (assert (= (bvmul x x) (_ bv2 80)))",
        "(declare-const x (_ BitVec 99999999999999999999)) (assert (= x x))",
        "(declare-const x (_ FloatingPoint 0 0)) (assert (= x x))",
    ] {
        assert_eq!(searched(text), Searched::Open, "{text}");
    }
    let few = script("(declare-const p Bool) (assert (and p (not p)))");
    assert_eq!(search(&few, &mut Budget::of_steps(1)), Searched::Open, "out of steps");
}
