//! Models as SMT-LIB writes them.

use super::names::{Declared, SmtSort, rounding_of_code};
use super::sexpr::{Reader, Tree};
use super::theory::rounding_long_name;
use std::fmt::Write;
use symcrete_term::{Terms, Valuation, Value};

/// One constant of a model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ModelEntry {
    /// Its name, in bars where SMT-LIB needs them.
    pub name: String,
    /// Its sort, as SMT-LIB writes it.
    pub sort: String,
    /// Its value, as SMT-LIB writes it.
    pub value: String,
    /// A float as the shortest decimal that reads back to it.
    pub decimal: Option<String>,
    /// The whole `(define-fun …)`, which a function's definition needs.
    pub definition: String,
}

/// The values of the declared constants, in order of declaration.
pub(crate) fn entries(
    terms: &Terms,
    declared: &[Declared],
    valuation: &Valuation,
) -> Vec<ModelEntry> {
    let entry = |declared: &Declared| {
        let value = terms.evaluate(declared.term, valuation);
        let (name, sort) = (quoted(&declared.name), declared.sort.to_string());
        let text = value_text(value, declared.sort);
        let definition = format!("(define-fun {name} () {sort} {text})");
        ModelEntry { name, sort, value: text, decimal: decimal(value), definition }
    };
    declared.iter().map(entry).collect()
}

/// The constants of a model that an SMT solver wrote; nothing if we cannot read it.
pub(crate) fn entries_of_text(text: &str) -> Vec<ModelEntry> {
    let mut reader = Reader::new();
    if reader.feed(text.as_bytes()).is_err() {
        return Vec::new();
    }
    reader.end();
    let Ok(Some(tree)) = reader.next_command() else { return Vec::new() };
    let mut entries = Vec::new();
    for item in tree.children(Tree::ROOT) {
        let parts: Vec<_> = tree.children(item).take(6).collect();
        if let [word, name, _, sort, value] = parts[..]
            && tree.is_word(word, "define-fun")
        {
            entries.push(ModelEntry {
                name: tree.text(name).to_owned(),
                sort: tree.text(sort).to_owned(),
                value: tree.text(value).to_owned(),
                decimal: None,
                definition: tree.text(item).to_owned(),
            });
        }
    }
    entries
}

/// The answer to `(get-model)`.
pub(crate) fn render(entries: &[ModelEntry]) -> String {
    let mut text = String::from("(\n");
    for entry in entries {
        writeln!(text, "  {}", entry.definition).expect("strings do not fail");
    }
    text.push(')');
    text
}

/// A value as SMT-LIB writes it.
pub(crate) fn value_text(value: Value, sort: SmtSort) -> String {
    match sort {
        SmtSort::RoundingMode => rounding_long_name(rounding_of_code(value)).to_owned(),
        SmtSort::Term(_) | SmtSort::Number => value.to_string(),
    }
}

fn decimal(value: Value) -> Option<String> {
    // Rust prints the shortest decimal that reads back, so a float32 must stay one.
    match value {
        Value::F32(bits) => Some(format!("{:?}", f32::from_bits(bits))),
        Value::F64(bits) => Some(format!("{:?}", f64::from_bits(bits))),
        Value::Bool(_) | Value::Bv { .. } => None,
    }
}

/// A symbol, in bars unless it is a simple one.
pub(crate) fn quoted(name: &str) -> String {
    let is_simple = |byte: u8| byte.is_ascii_alphanumeric() || b"~!@$%^&*_-+=<>.?/".contains(&byte);
    let starts_well = name.bytes().next().is_some_and(|byte| !byte.is_ascii_digit());
    let reserved = ["_", "!", "as", "let", "exists", "forall", "match", "par"].contains(&name);
    if starts_well && name.bytes().all(is_simple) && !reserved {
        name.to_owned()
    } else {
        format!("|{name}|")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_are_quoted_where_needed() {
        assert_eq!(quoted("x!1"), "x!1");
        assert_eq!(quoted("a b"), "|a b|");
        assert_eq!(quoted("1x"), "|1x|");
        assert_eq!(quoted("let"), "|let|");
        assert_eq!(quoted(""), "||");
    }

    #[test]
    fn models_of_solvers_are_read() {
        let entries = entries_of_text("(\n (define-fun x () Int (- 5))\n (declare-fun u () U)\n)");
        assert_eq!(entries.len(), 1);
        assert_eq!((entries[0].name.as_str(), entries[0].value.as_str()), ("x", "(- 5)"));
        assert!(entries_of_text("oops").is_empty());
    }

    #[test]
    fn floats_have_decimals() {
        assert_eq!(decimal(Value::f32(0.1)).as_deref(), Some("0.1"));
        assert_eq!(decimal(Value::f64(-0.0)).as_deref(), Some("-0.0"));
        assert_eq!(decimal(Value::f64(f64::NAN)).as_deref(), Some("NaN"));
        assert_eq!(decimal(Value::bv(8, 1)), None);
    }
}
