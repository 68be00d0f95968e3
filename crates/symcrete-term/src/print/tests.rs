use super::*;
use crate::op::{Op, Rounding};
use crate::value::Value;

#[test]
fn values_read_back() {
    let floats = [0.0, -0.0, 1.5, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 5e-324, -1e300];
    let doubles = floats.map(Value::f64);
    let singles = floats.map(|x| Value::f32(x as f32));
    let others = [Value::Bool(true), Value::bv(3, 5), Value::bv(64, u64::MAX), Value::bv(8, 17)];
    for value in doubles.into_iter().chain(singles).chain(others) {
        assert_eq!(value_from_smtlib(value.sort(), &value.to_string()), Some(value), "{value}");
    }
    assert_eq!(value_from_smtlib(Sort::Bv(8), "(_ bv255 8)"), Some(Value::bv(8, 255)));
    assert_eq!(value_from_smtlib(Sort::F64, "(_ -zero 11 53)"), Some(Value::f64(-0.0)));
    for wrong in ["#x1", "(_ bv256 8)", "#b", "#xzz", "", "(fp", "#b+1111111", "é"] {
        assert_eq!(value_from_smtlib(Sort::Bv(8), wrong), None, "{wrong}");
    }
}

#[test]
fn shared_terms_are_written_once_and_forgotten_with_their_scope() {
    let mut terms = Terms::new();
    let x = terms.var("x", Sort::Bv(8));
    let square = terms.app(Op::BvMul, &[x, x]);
    let fourth = terms.app(Op::BvMul, &[square, square]);
    let k = terms.bv(8, 16);
    let equal = terms.eq(fourth, k);
    let mut printer = Printer::new(Style::Solver);
    let checkpoint = printer.checkpoint();
    let mut out = String::new();
    let text = printer.term(&terms, equal, &mut out).unwrap();
    let name = term_name(square);
    assert_eq!(text, format!("(= (bvmul {name} {name}) #x10)"));
    assert_eq!(
        out,
        format!(
            "(declare-const v0 (_ BitVec 8))\n(define-fun {name} () (_ BitVec 8) (bvmul v0 v0))\n"
        )
    );
    let mut again = String::new();
    printer.term(&terms, equal, &mut again).unwrap();
    assert_eq!(again, "");
    printer.rollback(checkpoint);
    printer.term(&terms, equal, &mut again).unwrap();
    assert_eq!(again, out);
}

#[test]
fn deep_terms_stay_shallow_and_linear() {
    let mut terms = Terms::new();
    let (x, y) = (terms.var("x", Sort::Bv(32)), terms.var("y", Sort::Bv(32)));
    let mut deep = x;
    for _ in 0..100_000 {
        let sum = terms.app(Op::BvAdd, &[deep, y]);
        deep = terms.app(Op::BvXor, &[sum, x]);
    }
    let mut out = String::new();
    let text = Printer::new(Style::Solver).term(&terms, deep, &mut out).unwrap();
    assert!(text.len() < 2000);
    assert!(out.len() < 10_000_000);
    let nesting = |line: &str| {
        let mut depth = 0i32;
        line.chars().fold(0, |max, c| {
            depth += i32::from(c == '(') - i32::from(c == ')');
            max.max(depth)
        })
    };
    assert!(out.lines().all(|line| nesting(line) < 60));
}

#[test]
fn calls_go_into_files_but_not_to_solvers() {
    let mut terms = Terms::new();
    let sin = terms.function_named("sin").unwrap();
    let x = terms.var("a b", Sort::F64);
    let call = terms.call(sin, &[x]);
    let sum = terms.rounded(Op::FpAdd, Rounding::NearestEven, &[call, x]);
    let zero = terms.constant(Value::f64(0.0));
    let less = terms.app(Op::FpLt, &[zero, sum]);
    let solver = Printer::new(Style::Solver).term(&terms, less, &mut String::new());
    assert_eq!(solver, Err(Opaque(sin)));
    let file = script(&terms, &[Literal { term: less, expected: false }]);
    assert!(file.contains("(set-info :symcrete-opaque sin)\n(declare-fun sin"), "{file}");
    assert!(file.contains("(fp.add RNE |a b| (sin |a b|))"), "{file}");
}

#[test]
fn users_names_never_clash_with_ours() {
    let names =
        ["x", "t!1", "user!t!211", "user!t!1", "t!21", "a|b", "a!7cb", "1", "", "bits!t!3", "a b"];
    let symbols: BTreeSet<String> =
        names.iter().map(|name| quoted(name).trim_matches('|').to_string()).collect();
    assert_eq!(symbols.len(), names.len(), "{symbols:?}");
    assert!(symbols.iter().all(|symbol| !symbol.starts_with("t!") && !symbol.starts_with("bits!")));
}
