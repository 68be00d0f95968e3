//! Tests of whole scripts, on small domains and with a text solver that only listens.

use super::*;
use crate::decorate::Checked;
use crate::enumerate::Enumerate;
use crate::{Attempt, Budget, Why};
use proptest::prelude::*;
use std::cell::RefCell;
use std::rc::Rc;

/// Remembers the scripts it was given and says `unsat`.
struct Listener(Rc<RefCell<Vec<String>>>);

impl TextSolver for Listener {
    fn check(&mut self, script: &TextScript, _: &mut Budget) -> TextVerdict {
        let texts: Vec<&str> =
            script.commands.iter().map(|command| command.text.as_str()).collect();
        self.0.borrow_mut().push(texts.join("\n"));
        TextVerdict::Unsat
    }

    fn credit(&self) -> &'static str {
        "listener"
    }

    fn attempts(&self) -> &[Attempt] {
        &[]
    }

    fn ask(&mut self, _: &str, _: &mut Budget) -> Result<String, Why> {
        Err(Why::GaveUp)
    }
}

/// What a script said, line by line, and what went to SMT solvers as text.
struct Said {
    lines: Vec<String>,
    texts: Vec<String>,
    n_terms: usize,
}

fn run(text: &str) -> Result<Said, Diagnostic> {
    let heard = Rc::new(RefCell::new(Vec::new()));
    let mut script = Script::new(Deciders {
        solver: Box::new(Checked::new(Enumerate)),
        text_solver: Box::new(Listener(Rc::clone(&heard))),
        budget: Box::new(|| Budget::of_steps(1 << 16)),
    });
    let mut reader = Reader::new();
    reader.feed(text.as_bytes())?;
    reader.end();
    let mut lines = Vec::new();
    while let Some(tree) = reader.next_command()? {
        match script.execute(tree)? {
            Response::Success if script.prints_success() => lines.push("success".to_owned()),
            Response::Success => {}
            Response::Text(text) => lines.push(text),
            Response::Checked(check) => lines.push(check.answer.word().to_owned()),
            Response::Exit => break,
        }
    }
    let texts = heard.borrow().clone();
    Ok(Said { lines, texts, n_terms: script.n_terms() })
}

fn lines(text: &str) -> Vec<String> {
    run(text).unwrap_or_else(|error| panic!("{error} in {text}")).lines
}

#[test]
fn models_list_declared_constants_in_order() {
    let text =
        "(declare-const |b b| (_ BitVec 3)) (declare-fun a () Bool) (declare-const r RoundingMode)
        (define-fun c () Bool (not a))
        (assert (and c (= |b b| #b101) (= r RTN))) (check-sat) (get-model)";
    let model = "(\n  (define-fun |b b| () (_ BitVec 3) #b101)\n  (define-fun a () Bool false)\n  \
                 (define-fun r () RoundingMode roundTowardNegative)\n)";
    assert_eq!(lines(text), ["sat", model]);
}

#[test]
fn values_of_terms_are_echoed_as_written() {
    let text = "(declare-const x (_ BitVec 4)) (assert (= x #x5)) (check-sat)
        (get-value (x (bvadd x  #x1) (= x #x5) RNE ((_ to_fp 8 24) RNE 0.5)))";
    let values = "((x #x5)\n ((bvadd x  #x1) #x6)\n ((= x #x5) true)\n (RNE roundNearestTiesToEven)\n \
                  (((_ to_fp 8 24) RNE 0.5) (fp #b0 #b01111110 #b00000000000000000000000)))";
    assert_eq!(lines(text), ["sat", values]);
}

#[test]
fn open_cases_keep_their_value_after_the_answer() {
    let text = "(declare-const b Bool)
        (define-fun nan () Float32 (ite b (_ NaN 8 24) (_ +oo 8 24)))
        (assert (and b (= ((_ fp.to_sbv 2) RTZ nan) #b10))) (check-sat)
        (get-value (((_ fp.to_sbv 2) RTZ (ite b (_ NaN 8 24) (_ -oo 8 24)))))";
    let value = "((((_ fp.to_sbv 2) RTZ (ite b (_ NaN 8 24) (_ -oo 8 24))) #b10))";
    assert_eq!(lines(text), ["sat", value]);
}

#[test]
fn names_that_look_like_ours_or_come_back_share_no_variable() {
    let text = "(push) (declare-const x Bool) (pop) (declare-const x (_ BitVec 2))
        (declare-const x!2 (_ BitVec 2)) (declare-const |symcrete.open.1| (_ BitVec 2))
        (declare-const b Bool)
        (assert (distinct x x!2 |symcrete.open.1|
                          ((_ fp.to_ubv 2) RTZ (ite b (_ NaN 8 24) (_ +oo 8 24)))))
        (declare-const |symcrete.open.2| (_ BitVec 2)) (assert (= x |symcrete.open.2|))
        (check-sat)";
    assert_eq!(lines(text), ["sat"]);
}

#[test]
fn commands_answer_by_the_standard() {
    let text =
        "(set-option :print-success true) (set-logic QF_BV) (set-option :print-success false)
        (echo \"a \"\"b\"\"\") (get-info :name) (get-info :no-such) (get-option :print-success)
        (set-option :no-such 1) (push 2) (get-info :assertion-stack-levels) (exit) (nonsense)";
    let expected = [
        "success",
        "success",
        "a \"b\"",
        "(:name \"symcrete\")",
        "unsupported",
        "false",
        "unsupported",
        "(:assertion-stack-levels 2)",
    ];
    assert_eq!(lines(text), expected);
}

#[test]
fn cores_are_the_named_assertions() {
    let text = "(declare-const p Bool) (assert (! p :named one)) (assert (! (not p) :named |t wo|))
        (check-sat) (get-unsat-core) (check-sat-assuming (p (not p))) (get-unsat-assumptions)";
    assert_eq!(lines(text), ["unsat", "(one |t wo|)", "unsat", "(p (not p))"]);
}

#[test]
fn what_is_beyond_terms_goes_out_as_text_until_it_is_popped() {
    let text = "(declare-const x (_ BitVec 4)) (assert (= x #x3)) (push)
        (declare-const n Int) (assert (> n 0)) (push) (assert (< n 0)) (check-sat) (pop)
        (check-sat-assuming ((> n 5))) (pop) (check-sat) (check-sat-assuming ((= 1 2)))";
    let said = run(text).unwrap();
    assert_eq!(said.lines, ["unsat", "unsat", "sat", "unsat"]);
    let base = "(declare-const x (_ BitVec 4))\n(assert (= x #x3))";
    let inner = format!("{base}\n(declare-const n Int)\n(assert (> n 0))");
    let expected = [
        format!("{inner}\n(assert (< n 0))"),
        format!("{inner}\n(assert (> n 5))"),
        format!("{base}\n(assert (= 1 2))"),
    ];
    assert_eq!(said.texts, expected);
}

#[test]
fn every_construct_that_is_not_ours_is_passed_on() {
    for construct in [
        "(declare-const x (_ BitVec 65))",
        "(declare-const x Int)",
        "(declare-const x (Array Int Int))",
        "(declare-const x Float16)",
        "(declare-const x (_ FloatingPoint 15 113))",
        "(declare-sort S 0)\n(declare-const x S)",
        "(declare-sort S 1)\n(declare-const x (S Bool))",
        "(declare-fun f (Bool) Bool)",
        "(declare-datatype T ((a)))",
        "(define-fun-rec f ((x Bool)) Bool x)",
        "(define-sort S (T) T)",
        "(assert (forall ((x Bool)) x))",
        "(assert (= (concat #xffffffffffffffff #xf) #xfffffffffffffffff))",
        "(assert (= \"a\" \"b\"))",
        "(assert (< 1 2))",
        "(assert (= (fp.to_real (_ +zero 8 24)) 0.0))",
        "(assert (= ((_ zero_extend 64) #b1) ((_ zero_extend 64) #b1)))",
    ] {
        let said = run(&format!("{construct} (check-sat)"));
        let said = said.unwrap_or_else(|error| panic!("{construct} was called wrong: {error}"));
        assert_eq!(said.texts, [construct]);
    }
}

#[test]
fn opaque_functions_are_named_in_any_form() {
    for names in ["sin", "|sin cos|", "\"sin cos\"", "(sin cos)"] {
        let script = format!(
            "(set-info :symcrete-opaque {names}) (declare-fun sin (Float64) Float64)
             (assert (fp.isNaN (sin (_ NaN 11 53)))) (check-sat)"
        );
        let said = run(&script).unwrap();
        assert_eq!((said.lines.join(" "), said.texts.len()), ("sat".to_owned(), 0), "{names}");
    }
}

#[test]
fn wrong_text_is_told_with_its_place() {
    let x = "(declare-const x (_ BitVec 8)) ";
    for (wrong, place, message) in [
        ("(asert true)", "asert", "unknown command `asert`"),
        ("(assert (= y #x00))", "y", "unknown symbol `y`"),
        ("(assert (bvad x x))", "bvad", "unknown symbol `bvad`"),
        ("(assert x)", "x", "`assert` expects Bool here, found (_ BitVec 8)"),
        ("(assert (and true x))", "x", "`and` expects Bool here, found (_ BitVec 8)"),
        ("(assert (= x #x000))", "#x000", "`=` expects (_ BitVec 8) here, found (_ BitVec 12)"),
        ("(assert (bvult x 5))", "5", "`bvult` expects (_ BitVec 8) here, found a number"),
        ("(assert (bvult x))", "(bvult x)", "`bvult` takes 2 arguments, found 1"),
        ("(assert (not))", "(not)", "expected arguments after the function, found `(not)`"),
        ("(assert ((_ extract 8 0) x))", "(_ extract 8 0)", "out of range"),
        ("(assert ((_ extract 1) x))", "(_ extract 1)", "expected two numbers"),
        ("(assert (= (_ bv256 8) x))", "(_ bv256 8)", "a number that fits the width"),
        ("(assert (fp.add x x x))", "x", "`fp.add` expects RoundingMode here"),
        ("(assert (let ((y x) (y x)) true))", "y", "`y` is already declared"),
        ("(assert (let () true))", "()", "at least one binding"),
        ("(assert (let ((y)) true))", "(y)", "a binding (symbol term)"),
        ("(assert (x x))", "x", "expected a function, found `x`, which is a constant"),
        ("(assert bvadd)", "bvadd", "arguments for the function `bvadd`"),
        ("(assert)", "(assert)", "`assert` takes 1 argument, found 0"),
        ("(assert ())", "()", "expected a term, found `()`"),
        ("(assert (! true))", "(! true)", "expected an attribute"),
        ("(assert (! true :named))", ":named", "a symbol after `:named`"),
        ("(declare-const x Bool)", "x", "`x` is already declared"),
        ("(declare-const bvadd Bool)", "bvadd", "`bvadd` is already declared"),
        ("(declare-const z Boole)", "Boole", "unknown sort `Boole`"),
        ("(declare-const z (_ BitVec 0))", "(_ BitVec 0)", "a width of at least 1"),
        ("(define-fun f ((a Bool)) Bool x)", "x", "`f` expects Bool here, found (_ BitVec 8)"),
        ("(define-fun f ((a Bool) (a Bool)) Bool a)", "a", "`a` is already declared"),
        ("(pop 1)", "(pop 1)", "pop 1 with only 0 levels open"),
        ("(push x)", "x", "a number of levels"),
        ("(get-model)", "(get-model)", "no model"),
        ("(set-info :symcrete-opaque sine)", "sine", "not a function of the math library"),
        ("(set-info :symcrete-opaque sin) (declare-fun sin (Float32) Float32)", "sin", "but the"),
        ("(echo x)", "x", "expected a string"),
        ("(check-sat", "(", "the script ends inside the list that opens here"),
        ("(assert #b2)", "#b2", "digits 0 and 1 after #b"),
    ] {
        let text = format!("{x}{wrong}");
        let error = run(&text).err().unwrap_or_else(|| panic!("{wrong} was accepted"));
        assert!(error.to_string().contains(message), "{wrong}: {error}");
        let found = &text[error.span.range()];
        assert_eq!(found, place, "{wrong}: {error}");
        assert!(error.span.start as usize >= x.len(), "{wrong}: {error}");
    }
}

/// Runs on a small stack, as many threads have.
fn on_small_stack<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let thread = std::thread::Builder::new().stack_size(256 << 10).spawn(work);
    thread.expect("a thread can be started").join().expect("the work does not panic")
}

#[test]
fn nesting_costs_neither_stack_nor_quadratic_time() {
    let scripts: [fn(usize) -> String; 4] = [
        |n| format!("(assert {}p{})", "(not ".repeat(n), ")".repeat(n)),
        |n| format!("(assert (= {}x{} x))", "(bvadd #x1 ".repeat(n), ")".repeat(n)),
        |n| format!("(assert {}p{})", "(let ((p (xor p q))) ".repeat(n), ")".repeat(n)),
        |n| format!("(assert {}p{})", "(ite q false (! ".repeat(n), " :a))".repeat(n)),
    ];
    let declarations =
        "(declare-const p Bool) (declare-const q Bool) (declare-const x (_ BitVec 4)) ";
    for script in scripts {
        let n_terms = |n: usize| {
            let text = format!("{declarations}{}", script(n));
            on_small_stack(move || run(&text).expect("the text is right").n_terms)
        };
        let (once, twice) = (n_terms(100_000), n_terms(200_000));
        assert!(twice < 4 * once, "{once} terms, then {twice}");
    }
}

const SAMPLE: &str = "(set-logic QF_BVFP) (define-sort W () (_ BitVec 8)) (declare-const x W)
    (define-fun f ((a W) (r RoundingMode)) Float32 ((_ to_fp 8 24) r a)) (push 1)
    (assert (! (let ((y (bvadd x #x01)) (|z| #b1)) (and (= y x) (fp.lt (f x RNE) (f y RTZ)))) :named n))
    (assert (= ((_ fp.to_sbv 4) RTZ ((_ to_fp 11 53) RNE (/ 1 (- 3.0)))) ((_ extract 3 0) x)))
    (check-sat) (get-info :status) (pop 1) (check-sat-assuming ((not (= x x))))
    (echo \"it is \"\"over\"\"\") ; comment
    (get-unsat-assumptions) (reset)";

proptest! {
    /// Whatever a script has become, it is read without a panic.
    #[test]
    fn mutated_scripts_do_not_panic(
        edits in prop::collection::vec((0..SAMPLE.len(), 0..6usize, 0..SAMPLE.len()), 1..6)
    ) {
        let mut bytes = SAMPLE.as_bytes().to_vec();
        for (at, kind, from) in edits {
            let at = at.min(bytes.len().saturating_sub(1));
            let word = SAMPLE[from..].split_inclusive([' ', ')']).next().unwrap_or("x");
            match kind {
                0 => bytes.truncate(at),
                1 => { bytes.splice(at..at, word.bytes()); }
                2 => { bytes.drain(at..(at + 3).min(bytes.len())); }
                3 => { bytes.splice(at..at, *b"("); }
                4 => { bytes.splice(at..at, *b"99"); }
                _ => { bytes.splice(at..at, *b" |\xc3\xa9\" "); }
            }
            if bytes.is_empty() {
                bytes.push(b' ');
            }
        }
        if let Ok(text) = String::from_utf8(bytes) {
            let _ = run(&text);
        }
    }

    /// Cut anywhere, a script is over or incomplete; it never surprises.
    #[test]
    fn truncated_scripts_do_not_panic(end in 0..SAMPLE.len()) {
        let _ = run(&SAMPLE[..end]);
    }
}
