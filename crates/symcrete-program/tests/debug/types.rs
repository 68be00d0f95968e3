//! Units, globals, undefined functions and types of C files, written out and compared with a snapshot.

use crate::{build, cases, compare, trial};
use libtest_mimic::Trial;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use symcrete_program::{Param, Program, TypeId, TypeKind};

pub(crate) fn trials() -> Vec<Trial> {
    let all = trial("types", || {
        let program = build::program(&cases("types").join("types.c"), &[]);
        compare(&describe(&program), &cases("types").join("types.txt"))
    });
    vec![all]
}

fn describe(program: &Program) -> String {
    let mut text = String::new();
    let mut named = BTreeSet::new();
    let mut params = |params: &[Param], result: Option<TypeId>| {
        named.extend(params.iter().map(|param| param.ty));
        named.extend(result);
        let name = |ty| &program.types.get(ty).name;
        let params: Vec<String> =
            params.iter().map(|param| format!("{}: {}", param.name, name(param.ty))).collect();
        let result = result.map_or("void", |ty| name(ty));
        format!("({}) -> {result}", params.join(", "))
    };
    for unit in &program.units {
        let file = program.file(unit.position.file).path.file_name().unwrap().display();
        let signature = params(&unit.params, unit.result);
        let marks = [(unit.is_static, " static"), (unit.is_variadic, " variadic")];
        let marks: String = marks.iter().filter(|mark| mark.0).map(|mark| mark.1).collect();
        let line = unit.position.line;
        writeln!(text, "{file}:{line}: {}{signature}{marks}", unit.name).unwrap();
    }
    for (name, undefined) in &program.undefined {
        let signature = params(&undefined.params, undefined.result);
        writeln!(text, "undefined {name}{signature}").unwrap();
    }
    for global in &program.globals {
        named.insert(global.ty);
        let ty = &program.types.get(global.ty).name;
        let is_static = if global.is_static { " static" } else { "" };
        assert!(global.address > 0, "{}", global.name);
        writeln!(text, "global {}: {ty}{is_static}, line {}", global.name, global.position.line)
            .unwrap();
    }
    describe_types(program, named, &mut text);
    text
}

/// Writes every type that can be reached, in order of discovery.
fn describe_types(program: &Program, named: BTreeSet<TypeId>, text: &mut String) {
    let mut done = BTreeSet::new();
    let mut open: Vec<TypeId> = named.into_iter().rev().collect();
    while let Some(id) = open.pop() {
        if !done.insert(id) {
            continue;
        }
        let ty = program.types.get(id);
        let name = |id: TypeId| program.types.get(id).name.clone();
        let kind = match &ty.kind {
            TypeKind::Struct { fields } | TypeKind::Union { fields } => {
                open.extend(fields.iter().rev().map(|field| field.ty));
                let fields: Vec<String> = fields
                    .iter()
                    .map(|field| {
                        let bits = field
                            .bits
                            .map_or(String::new(), |(low, width)| format!(" bits {low}+{width}"));
                        format!("{}: {} @{}{bits}", field.name, name(field.ty), field.offset)
                    })
                    .collect();
                let word =
                    if matches!(ty.kind, TypeKind::Struct { .. }) { "struct" } else { "union" };
                format!("{word} {{ {} }}", fields.join(", "))
            }
            TypeKind::Array { element, length } => {
                open.push(*element);
                format!("array of {length} {}", name(*element))
            }
            TypeKind::Pointer { to, is_const } => {
                open.push(*to);
                format!("pointer to {}{}", if *is_const { "const " } else { "" }, name(*to))
            }
            kind @ (TypeKind::Void
            | TypeKind::Bool
            | TypeKind::Int { .. }
            | TypeKind::Float
            | TypeKind::Enum { .. }
            | TypeKind::Function
            | TypeKind::Unsupported { .. }) => format!("{kind:?}"),
        };
        writeln!(text, "type {} ({} bytes): {kind}", ty.name, ty.size).unwrap();
    }
}
