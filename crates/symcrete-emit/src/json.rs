//! Data as JSON.
//!
//! A string has one character per byte, so that any bytes survive; what JSON has no number for (`nan`, `inf`,
//! integers beyond 64 bits) is a string.

use serde_json::{Number, Value as Json};
use symcrete_program::Datum;

/// Data as JSON.
pub fn json_of(datum: &Datum) -> Json {
    match datum {
        Datum::Null => Json::Null,
        Datum::Bool(truth) => Json::Bool(*truth),
        Datum::Int(value) => match (i64::try_from(*value), u64::try_from(*value)) {
            (Ok(value), _) => value.into(),
            (Err(_), Ok(value)) => value.into(),
            (Err(_), Err(_)) => Json::String(value.to_string()),
        },
        Datum::Float(value) => match Number::from_f64(*value) {
            Some(number) => Json::Number(number),
            None if value.is_nan() => Json::String("nan".into()),
            None => Json::String(if *value > 0.0 { "inf" } else { "-inf" }.into()),
        },
        Datum::Text(bytes) => Json::String(bytes.iter().map(|&byte| char::from(byte)).collect()),
        Datum::Name(name) => Json::String(name.clone()),
        Datum::List(items) => Json::Array(items.iter().map(json_of).collect()),
        Datum::Record(members) => {
            let members = members.iter().map(|(name, value)| (name.clone(), json_of(value)));
            Json::Object(members.collect())
        }
    }
}

/// JSON as data; `None` for a number that is none of C's.
pub fn datum_of(json: &Json) -> Option<Datum> {
    Some(match json {
        Json::Null => Datum::Null,
        Json::Bool(truth) => Datum::Bool(*truth),
        Json::Number(number) => match (number.as_i64(), number.as_u64()) {
            (Some(value), _) => Datum::Int(i128::from(value)),
            (None, Some(value)) => Datum::Int(i128::from(value)),
            (None, None) => Datum::Float(number.as_f64()?),
        },
        Json::String(text) if text.chars().all(|c| u32::from(c) < 256) => {
            Datum::Text(text.chars().map(|c| c as u8).collect())
        }
        Json::String(text) => Datum::Text(text.clone().into_bytes()),
        Json::Array(items) => Datum::List(items.iter().map(datum_of).collect::<Option<_>>()?),
        Json::Object(members) => {
            let member = |(name, value): (&String, &Json)| Some((name.clone(), datum_of(value)?));
            Datum::Record(members.iter().map(member).collect::<Option<_>>()?)
        }
    })
}
