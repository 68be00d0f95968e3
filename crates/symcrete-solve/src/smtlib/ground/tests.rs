//! Scripts of formats and widths beyond our terms, under models that fit and that do not.

use super::super::text::TextCommand;
use super::*;

fn script(text: &str) -> TextScript {
    let mut reader = Reader::new();
    reader.feed(text.as_bytes()).unwrap();
    reader.end();
    let mut commands = Vec::new();
    while let Some(tree) = reader.next_command().unwrap() {
        commands.push(TextCommand { text: tree.text(Tree::ROOT).to_owned(), declares: None });
    }
    TextScript { logic: None, commands }
}

const HALF: &str = "(declare-const x (_ FloatingPoint 5 11))
    (declare-fun w () (_ BitVec 200))
    (define-fun twice ((y (_ FloatingPoint 5 11))) (_ FloatingPoint 5 11) (fp.add RNE y y))
    (assert (let ((x x) (z (twice x))) (fp.lt x (twice z))))
    (assert (= ((_ to_fp 5 11) RNE 0.1) x))
    (assert (fp.eq (fp.neg x) ((_ to_fp 5 11) RNE (- (/ 1 10)))))
    (assert (= ((_ to_fp 5 11) RNE (- 0.0)) (_ +zero 5 11)))
    (assert (= ((_ extract 199 136) w) #xffffffffffffffff))
    (assert (bvslt w (_ bv0 200)))";

#[test]
fn other_formats_and_widths_are_evaluated() {
    let model = |x: &str, w: &str| {
        format!(
            "((define-fun x () (_ FloatingPoint 5 11) {x})
              (define-fun w () (_ BitVec 200) {w}))"
        )
    };
    let tenth = "(fp #b0 #b01011 #b1001100110)";
    let minus_one = "(bvnot (_ bv0 200))";
    let script = script(HALF);
    assert_eq!(evaluate(&script, &model(tenth, minus_one)), Evaluated::Holds);
    assert_eq!(evaluate(&script, &model("(_ NaN 5 11)", minus_one)), Evaluated::Fails);
    assert_eq!(evaluate(&script, &model(tenth, "(_ bv1 200)")), Evaluated::Fails);
    assert_eq!(evaluate(&script, "((define-fun x () Int 5))"), Evaluated::Beyond);
    assert_eq!(evaluate(&script, "garbage"), Evaluated::Beyond);
}

#[test]
fn what_the_standard_leaves_open_has_no_answer() {
    for open in [
        "(= ((_ fp.to_ubv 8) RNE (_ NaN 5 11)) #x00)",
        "(= ((_ fp.to_sbv 8) RNE (fp #b0 #b10111 #b0000000000)) #x00)",
        "(fp.isNegative (fp.min (_ -zero 5 11) (_ +zero 5 11)))",
        "(= (+ 1 2) 3)",
        "(= (select a 1) 3)",
    ] {
        let script = script(&format!("(assert {open})"));
        assert_eq!(evaluate(&script, "()"), Evaluated::Beyond, "{open}");
    }
}

/// Sorts that no machine has memory for are refused before any is taken, in scripts and in models.
#[test]
fn absurd_widths_have_no_answer() {
    for width in ["65537", "4294967296", "18446744073709551615", "99999999999999999999999"] {
        let words = format!("(= (_ bv1 {width}) (bvnot (_ bv0 {width})))");
        let repeated = format!("(= ((_ zero_extend {width}) #b1) ((_ repeat {width}) #b1))");
        let float = format!("(fp.isNaN (_ NaN 11 {width}))");
        let exponent = format!("(fp.isZero ((_ to_fp {width} 24) RNE 0.5))");
        for text in [words, repeated, float, exponent] {
            let script = script(&format!("(assert {text})"));
            assert_eq!(evaluate(&script, "()"), Evaluated::Beyond, "{text}");
        }
        let script = script("(declare-const w (_ BitVec 8)) (assert (= w w))");
        let model = format!("((define-fun w () (_ BitVec {width}) (_ bv1 {width})))");
        assert_eq!(evaluate(&script, &model), Evaluated::Beyond, "{width}");
    }
}

/// Every function of bit-vectors on four bits agrees with our evaluator, through the reader of scripts.
#[test]
fn bit_vectors_agree_with_the_evaluator() {
    use symcrete_term::eval::eval;
    use symcrete_term::{Op, Value};
    let rows = [
        ("bvadd", Op::BvAdd),
        ("bvsub", Op::BvSub),
        ("bvmul", Op::BvMul),
        ("bvudiv", Op::BvUdiv),
        ("bvurem", Op::BvUrem),
        ("bvsdiv", Op::BvSdiv),
        ("bvsrem", Op::BvSrem),
        ("bvsmod", Op::BvSmod),
        ("bvshl", Op::BvShl),
        ("bvlshr", Op::BvLshr),
        ("bvashr", Op::BvAshr),
        ("bvand", Op::BvAnd),
        ("bvor", Op::BvOr),
        ("bvxor", Op::BvXor),
        ("bvult", Op::BvUlt),
        ("bvslt", Op::BvSlt),
        ("bvule", Op::BvUle),
        ("bvsle", Op::BvSle),
        ("concat", Op::Concat),
    ];
    let mut text = String::new();
    for (name, op) in rows {
        for a in 0..16 {
            for b in 0..16 {
                let value = eval(op, [0, 0], &[Value::bv(4, a), Value::bv(4, b)]);
                let result = match value {
                    Value::Bool(truth) => truth.to_string(),
                    Value::Bv { .. } | Value::F32(_) | Value::F64(_) => {
                        format!("(_ bv{} {})", value.bits(), value.sort().bits())
                    }
                };
                text.push_str(&format!("(assert (= ({name} (_ bv{a} 4) (_ bv{b} 4)) {result}))\n"));
            }
        }
    }
    assert_eq!(evaluate(&script(&text), "()"), Evaluated::Holds);
}

#[test]
fn depth_is_no_problem() {
    let mut term = String::from("x");
    for _ in 0..50_000 {
        term = format!("(not {term}");
    }
    term.push_str(&")".repeat(50_000));
    let script = script(&format!("(declare-const x Bool)(assert {term})"));
    assert_eq!(evaluate(&script, "((define-fun x () Bool true))"), Evaluated::Holds);
}
