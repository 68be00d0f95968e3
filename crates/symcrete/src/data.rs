//! Inputs and results as JSON.

use crate::failure::Failure;
use serde_json::Value as Json;
use std::collections::BTreeMap;
use symcrete_emit::json::datum_of;
use symcrete_program::Datum;

/// Reads `--input`: JSON, or the name of a file that has it.
#[expect(clippy::disallowed_methods, reason = "the binary is where files are read")]
pub(crate) fn read_json(text: &str) -> Result<BTreeMap<String, Datum>, Failure> {
    let wrong =
        |name: &str, why: &str| Failure::WrongInputText { message: format!("{name}: {why}") };
    let is_json = text.trim_start().starts_with(['{', '[', '"']) || text.trim().is_empty();
    let (name, text) = match is_json {
        true => ("--input", text.to_string()),
        false => {
            let unreadable = |source| Failure::UnreadableInput { file: text.into(), source };
            (text, std::fs::read_to_string(text).map_err(unreadable)?)
        }
    };
    let json: Json =
        serde_json::from_str(&text).map_err(|error| wrong(name, &error.to_string()))?;
    let Json::Object(members) = json else {
        let what = match json {
            Json::Array(_) => "a list",
            Json::String(_) => "a string",
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::Object(_) => "a single value",
        };
        return Err(wrong(
            name,
            &format!("an object with values by name was expected, not {what}"),
        ));
    };
    let read = |(name, json): (String, Json)| match datum_of(&json) {
        Some(datum) => Ok((name, datum)),
        None => Err(wrong(&name, &format!("{json} is no value of C"))),
    };
    members.into_iter().map(read).collect()
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
        Datum::Name(name) => name.clone(),
        Datum::List(items) => {
            format!("{{{}}}", items.iter().map(text).collect::<Vec<_>>().join(", "))
        }
        Datum::Record(members) => {
            let shown = members.iter().map(|(name, value)| format!(".{name} = {}", text(value)));
            format!("{{{}}}", shown.collect::<Vec<_>>().join(", "))
        }
    }
}
