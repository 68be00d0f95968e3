//! Inputs and results as JSON.

#![expect(clippy::wildcard_enum_match_arm, reason = "most JSON does not fit")]

use crate::failure::Failure;
use serde_json::{Map, Value as Json};
use symcrete_emit::json::datum_of;
use symcrete_program::shape::WrongDatum;
use symcrete_program::{Datum, Input, Shape, Types};
use symcrete_term::Value;

/// Reads `--input`: JSON, or the name of a file that has it.
#[expect(clippy::disallowed_methods, reason = "the binary is where files are read")]
pub(crate) fn read_json(text: &str) -> Result<Map<String, Json>, Failure> {
    let (name, text) = match text.trim_start().starts_with('{') {
        true => ("--input".to_string(), text.to_string()),
        false => {
            let unreadable = |source| Failure::Unreadable { file: text.into(), source };
            (text.to_string(), std::fs::read_to_string(text).map_err(unreadable)?)
        }
    };
    let json: Json = serde_json::from_str(&text)
        .map_err(|error| Failure::Usage { message: format!("{name}: {error}") })?;
    match json {
        Json::Object(map) => Ok(map),
        _ => Err(Failure::Usage { message: format!("{name}: an object was expected") }),
    }
}

/// The longest list or string of an input: arrays must have room for it.
pub(crate) fn longest(json: &Map<String, Json>) -> u32 {
    let data = json.values().filter_map(datum_of);
    data.map(|datum| symcrete_program::shape::longest(&datum) as u32).max().unwrap_or(0)
}

/// The input that a JSON object describes. Besides parameters and globals it may have what the program asks
/// for while it runs: lists for functions without a body (`"read()": [1, 2]`), a string for `"stdin"`.
pub(crate) fn input(
    types: &Types,
    shape: &Shape,
    json: &Map<String, Json>,
) -> Result<Input, WrongDatum> {
    let mut given = Vec::new();
    let mut drawn = Input::default();
    for (name, value) in json {
        let is_slot = shape.slots().any(|slot| slot.name == *name);
        match value {
            Json::Array(items) if !is_slot && name.ends_with("()") => {
                draw_results(&mut drawn, name, items);
            }
            Json::String(text) if !is_slot && name == "stdin" => draw_stdin(&mut drawn, text),
            _ => {
                let found = || WrongDatum::Mismatch {
                    name: name.clone(),
                    expected: "a value that C has".to_string(),
                    found: value.to_string(),
                };
                given.push((name.clone(), datum_of(value).ok_or_else(found)?));
            }
        }
    }
    let mut input = shape.read(types, &given)?;
    input.values.extend(drawn.values);
    Ok(input)
}

fn draw_results(drawn: &mut Input, name: &str, items: &[Json]) {
    for (i, item) in items.iter().enumerate() {
        let cell = if i == 0 { name.to_string() } else { format!("{name}#{i}") };
        let value = match item {
            Json::Bool(truth) => Some(Value::Bool(*truth)),
            Json::Number(number) if number.is_f64() => number.as_f64().map(Value::f64),
            Json::Number(number) => number
                .as_i64()
                .map(|n| n as u64)
                .or_else(|| number.as_u64())
                .map(|bits| Value::bv(64, bits)),
            _ => None,
        };
        if let Some(value) = value {
            drawn.set(cell, value);
        }
    }
}

fn draw_stdin(drawn: &mut Input, text: &str) {
    drawn.set("stdin.length", Value::bv(32, text.len() as u64));
    for (i, byte) in text.bytes().enumerate() {
        drawn.set(format!("stdin[{i}]"), Value::bv(8, u64::from(byte)));
    }
}

/// Data in one line, as people write it.
pub(crate) fn text(datum: &Datum) -> String {
    match datum {
        Datum::Null => "NULL".to_string(),
        Datum::Bool(truth) => truth.to_string(),
        Datum::Int(value) => value.to_string(),
        Datum::Float(value) => format!("{value:?}"),
        Datum::Text(bytes) => {
            let shown: String = bytes.iter().map(|&byte| byte as char).collect();
            format!("{shown:?}")
        }
        Datum::List(items) => {
            format!("{{{}}}", items.iter().map(text).collect::<Vec<_>>().join(", "))
        }
        Datum::Record(members) => {
            let shown = members.iter().map(|(name, value)| format!(".{name} = {}", text(value)));
            format!("{{{}}}", shown.collect::<Vec<_>>().join(", "))
        }
    }
}
