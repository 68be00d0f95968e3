//! Functions that pointers of the input point to: what tests call them.

use crate::stubs::has_word;
use std::collections::BTreeMap;
use symcrete_program::api::split_parameter;
use symcrete_program::shape::Callback;
use symcrete_program::{CallbackType, Program, Shape, Undefined};

/// The names of the functions by the pointers that point to them: `callback_settings_on_body` for `settings->on_body`, also where a
/// call that makes an object is given these settings. Nothing else in the sources has such a name.
pub(crate) fn names(program: &Program, shape: &Shape) -> BTreeMap<String, String> {
    let texts: Vec<&str> = program.files.iter().filter_map(|file| file.text.as_deref()).collect();
    let mut names: BTreeMap<String, String> = BTreeMap::new();
    for callback in shape.callbacks() {
        let own = match program.driver(shape.entered) {
            Some(_) => split_parameter(&callback.name).1,
            None => &callback.name,
        };
        let mut name = format!("callback_{}", identifier(own));
        while names.values().any(|other| *other == name)
            || texts.iter().any(|text| has_word(text, &name))
        {
            name.push('_');
        }
        names.insert(callback.name.clone(), name);
    }
    names
}

/// A callback as an undefined function.
pub(crate) fn as_undefined(program: &Program, callback: &Callback) -> Option<Undefined> {
    let signature = program.types.signature(callback.function)?;
    let CallbackType { machine, .. } =
        program.language.callback(&program.types, callback.function)?;
    Some(Undefined {
        params: signature.named_params(),
        result: signature.result,
        is_variadic: signature.is_variadic,
        has_declaration: true,
        has_prototype: true,
        machine,
    })
}

/// An expression of the source as a part of a name.
pub(crate) fn identifier(expression: &str) -> String {
    let mut name = String::new();
    for c in expression.replace("->", "_").chars() {
        match c {
            c if c.is_ascii_alphanumeric() || c == '_' => name.push(c),
            '.' | '[' => name.push('_'),
            _ => {}
        }
    }
    name
}
