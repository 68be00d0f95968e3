//! `symcrete functions`: what can be tested.

use crate::args::FunctionsArgs;
use crate::failure::Failure;
use crate::run::{left_out_text, shape_options, unsupported_text};
use crate::{load, ui};
use serde_json::json;
use std::sync::Arc;
use symcrete_program::{Program, Shape, Unit};

/// Runs the command.
pub(crate) fn run(args: &FunctionsArgs) -> Result<(), Failure> {
    let loaded = load::load(&args.source, Arc::default())?;
    let options = shape_options(&args.shape);
    let program = &loaded.program;
    if program.units.is_empty() && loaded.left_out.is_empty() {
        return Err(Failure::NoFunctions);
    }
    for unit in &program.units {
        let shape = Shape::of(program, unit, &options);
        let line = match args.json {
            true => object(program, unit, &shape).to_string(),
            false => text(program, unit, &shape),
        };
        ui::say(&line)?;
    }
    for left in &loaded.left_out {
        ui::say(&match args.json {
            true => json!({
                "name": left.function, "file": left.file, "line": left.line,
                "supported": false, "reason": left.why.to_string(),
            })
            .to_string(),
            false => left_out_text(left),
        })?;
    }
    Ok(())
}

/// The function's declaration as the source might have it.
pub(crate) fn signature(program: &Program, unit: &Unit) -> String {
    let name = |ty| program.types.get(ty).name.clone();
    let declare = |ty: String, name: &str| match ty.find("(*)") {
        // The name of a pointer to a function or an array stands inside.
        Some(at) => format!("{}{name}{}", &ty[..at + 2], &ty[at + 2..]),
        None if ty.ends_with('*') => format!("{ty}{name}"),
        None => format!("{ty} {name}"),
    };
    let mut params: Vec<String> =
        unit.params.iter().map(|param| declare(name(param.ty), &param.name)).collect();
    match &unit.list {
        Some(list) => params.push(format!("va_list {list}")),
        None if unit.is_variadic => params.push("...".to_string()),
        None => {}
    }
    let result = unit.result.map_or("void".to_string(), name);
    let head = declare(result, &unit.name);
    let is_static = if unit.is_static { "static " } else { "" };
    format!(
        "{is_static}{head}({})",
        if params.is_empty() { "void".into() } else { params.join(", ") }
    )
}

fn text(
    program: &Program,
    unit: &Unit,
    shape: &Result<Shape, symcrete_program::Unsupported>,
) -> String {
    let mut text = format!("{}: {}", program.place(unit.position), signature(program, unit));
    match shape {
        Ok(shape) => shape.notes.iter().for_each(|note| text.push_str(&format!("\n    {note}"))),
        Err(reason) => {
            text.push_str(&format!("\n    not supported: {}", unsupported_text(reason)));
        }
    }
    text
}

fn object(
    program: &Program,
    unit: &Unit,
    shape: &Result<Shape, symcrete_program::Unsupported>,
) -> serde_json::Value {
    let params: Vec<_> = unit
        .params
        .iter()
        .map(|param| json!({"name": param.name, "type": program.types.get(param.ty).name}))
        .collect();
    json!({
        "name": unit.name,
        "file": program.file(unit.position.file).path,
        "line": unit.position.line,
        "static": unit.is_static,
        "params": params,
        "result": unit.result.map(|ty| program.types.get(ty).name.clone()),
        "supported": shape.is_ok(),
        "reason": shape.as_ref().err().map(unsupported_text),
        "notes": shape.as_ref().map(|shape| shape.notes.clone()).unwrap_or_default(),
    })
}
