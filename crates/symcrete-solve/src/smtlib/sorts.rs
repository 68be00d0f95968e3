//! Sorts of SMT-LIB and which of them our terms have.

use super::diagnostic::{Failure, Problem, Suggestion};
use super::names::{Global, Names, SmtSort};
use super::sexpr::{SexprId, Tree};
use symcrete_term::Sort;

/// Sorts by name that we have, for suggestions.
const OURS: &[&str] = &["Bool", "RoundingMode", "Float32", "Float64", "BitVec", "FloatingPoint"];

/// Sorts of SMT-LIB's theories and of common solvers that we do not have.
const FOREIGN: &[&str] = &[
    "Int",
    "Real",
    "String",
    "RegLan",
    "Array",
    "Float16",
    "Float128",
    "Seq",
    "Set",
    "Bag",
    "Relation",
    "Tuple",
    "UnicodeChar",
    "Char",
    "FiniteField",
    "List",
    "Option",
];

/// The sort written at `sexpr`.
pub(crate) fn read_sort(tree: &Tree, sexpr: SexprId, names: &Names) -> Result<SmtSort, Failure> {
    if let Some(name) = tree.symbol(sexpr) {
        return named_sort(tree, sexpr, name, names);
    }
    if !tree.is_list(sexpr) {
        return Err(not_a_sort(tree, sexpr));
    }
    let parts: Vec<SexprId> = tree.children(sexpr).collect();
    let Some(&head) = parts.first() else { return Err(not_a_sort(tree, sexpr)) };
    if tree.is_word(head, "_") {
        return indexed_sort(tree, sexpr, &parts[1..]);
    }
    match tree.symbol(head) {
        Some(name) if is_uninterpreted(name, names) => {
            Err(Failure::unsupported("an uninterpreted sort", tree.span(sexpr)))
        }
        Some(name) if FOREIGN.contains(&name) => {
            Err(Failure::unsupported(format!("the sort {name}"), tree.span(sexpr)))
        }
        Some(name) => Err(unknown_sort(tree, head, name, names)),
        None => Err(not_a_sort(tree, sexpr)),
    }
}

fn named_sort(tree: &Tree, sexpr: SexprId, name: &str, names: &Names) -> Result<SmtSort, Failure> {
    if let Some(Global::Sort(sort)) = names.global(name) {
        return Ok(*sort);
    }
    match name {
        "Bool" => Ok(SmtSort::Term(Sort::Bool)),
        "Float32" => Ok(SmtSort::Term(Sort::F32)),
        "Float64" => Ok(SmtSort::Term(Sort::F64)),
        "RoundingMode" => Ok(SmtSort::RoundingMode),
        _ if is_uninterpreted(name, names) => {
            Err(Failure::unsupported("an uninterpreted sort", tree.span(sexpr)))
        }
        _ if FOREIGN.contains(&name) => {
            Err(Failure::unsupported(format!("the sort {name}"), tree.span(sexpr)))
        }
        _ => Err(unknown_sort(tree, sexpr, name, names)),
    }
}

fn is_uninterpreted(name: &str, names: &Names) -> bool {
    matches!(names.global(name), Some(Global::UninterpretedSort))
}

fn indexed_sort(tree: &Tree, sexpr: SexprId, parts: &[SexprId]) -> Result<SmtSort, Failure> {
    let span = tree.span(sexpr);
    let indices: Vec<Option<u64>> = parts.iter().skip(1).map(|&part| tree.numeral(part)).collect();
    match (parts.first().and_then(|&part| tree.symbol(part)), indices[..].as_ref()) {
        (Some("BitVec"), [Some(width)]) => {
            bit_vector(*width).map(SmtSort::Term).map_err(|limit| match limit {
                Limit::TooSmall => wrong_index("BitVec", "a width of at least 1").at(span).into(),
                Limit::TooLarge => wide(*width, tree, sexpr),
            })
        }
        (Some("FloatingPoint"), [Some(exponent), Some(significand)]) => {
            float(*exponent, *significand).map(SmtSort::Term).map_err(|limit| match limit {
                Limit::TooSmall => {
                    wrong_index("FloatingPoint", "two numbers of at least 2").at(span).into()
                }
                Limit::TooLarge => other_float(*exponent, *significand, tree, sexpr),
            })
        }
        (Some("BitVec"), _) => Err(wrong_index("BitVec", "one number").at(span).into()),
        (Some("FloatingPoint"), _) => {
            Err(wrong_index("FloatingPoint", "two numbers").at(span).into())
        }
        (Some("FiniteField"), _) => Err(Failure::unsupported("a finite field", span)),
        _ => Err(not_a_sort(tree, sexpr)),
    }
}

/// Why a size has no sort of ours.
pub(crate) enum Limit {
    /// No such sort exists.
    TooSmall,
    /// The sort exists, but not here.
    TooLarge,
}

pub(crate) fn bit_vector(width: u64) -> Result<Sort, Limit> {
    match width {
        0 => Err(Limit::TooSmall),
        1..=64 => Ok(Sort::Bv(width as u8)),
        _ => Err(Limit::TooLarge),
    }
}

pub(crate) fn float(exponent: u64, significand: u64) -> Result<Sort, Limit> {
    match (exponent, significand) {
        (8, 24) => Ok(Sort::F32),
        (11, 53) => Ok(Sort::F64),
        (0 | 1, _) | (_, 0 | 1) => Err(Limit::TooSmall),
        _ => Err(Limit::TooLarge),
    }
}

pub(crate) fn wide(width: u64, tree: &Tree, sexpr: SexprId) -> Failure {
    Failure::unsupported(format!("a bit-vector of {width} bits"), tree.span(sexpr))
}

pub(crate) fn other_float(exponent: u64, significand: u64, tree: &Tree, sexpr: SexprId) -> Failure {
    let what = format!("the sort (_ FloatingPoint {exponent} {significand})");
    Failure::unsupported(what, tree.span(sexpr))
}

fn wrong_index(symbol: &str, expected: &str) -> Problem {
    Problem::WrongIndex { symbol: symbol.to_owned(), expected: expected.to_owned() }
}

fn not_a_sort(tree: &Tree, sexpr: SexprId) -> Failure {
    let problem = Problem::Expected { expected: "a sort".to_owned(), found: tree.describe(sexpr) };
    problem.at(tree.span(sexpr)).into()
}

fn unknown_sort(tree: &Tree, sexpr: SexprId, name: &str, names: &Names) -> Failure {
    let defined =
        names.global_names().filter(|name| matches!(names.global(name), Some(Global::Sort(_))));
    let candidates = OURS.iter().chain(FOREIGN).copied().chain(defined);
    let near = Suggestion::near(name, candidates);
    Problem::UnknownSort(name.to_owned(), near).at(tree.span(sexpr)).into()
}
