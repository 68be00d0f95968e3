//! Functions that take a `va_list`: a test calls them through a function of its own that takes `...`.

use symcrete_program::Unit;
use symcrete_program::declaration::declare;
use symcrete_program::types::{TypeId, TypeKind, Types};

/// The call of a function that takes a list.
pub(crate) fn call(types: &Types, unit: &Unit, arguments: &[String]) -> String {
    let (declared, more) = arguments.split_at(unit.params.len().min(arguments.len()));
    let anchor = needs_anchor(types, unit).then(|| "0".to_string());
    let all: Vec<String> = declared.iter().cloned().chain(anchor).chain(more.to_vec()).collect();
    format!("{}({})", name(unit), all.join(", "))
}

/// The function that makes a list of its arguments; nothing for a function that takes none.
pub(crate) fn definition(types: &Types, unit: &Unit) -> String {
    if unit.list.is_none() {
        return String::new();
    }
    let mut names: Vec<String> = (0..unit.params.len()).map(|i| format!("argument_{i}")).collect();
    let params = unit.params.iter().zip(&names);
    let mut params: Vec<String> =
        params.map(|(param, name)| declare(types, param.ty, name)).collect();
    let passed = names.iter().map(|name| format!("{name}, ")).collect::<String>();
    if needs_anchor(types, unit) {
        params.push("int anchor".into());
        names.push("anchor".into());
    }
    let last = names.last().map_or("", String::as_str);
    let head = format!("{}({}, ...)", name(unit), params.join(", "));
    let call = format!("{}({passed}list)", unit.name);
    let (head, before, call, after) = match unit.result {
        Some(ty) => (
            declare(types, ty, &head),
            format!("    {};\n", declare(types, ty, "result")),
            format!("result = {call}"),
            "    return result;\n",
        ),
        None => (format!("void {head}"), String::new(), call, ""),
    };
    format!(
        "\n/* Hands its arguments on as a list. */\n\
         static {head}\n{{\n    va_list list;\n{before}\n    \
         va_start(list, {last});\n    {call};\n    va_end(list);\n{after}}}\n"
    )
}

fn name(unit: &Unit) -> String {
    format!("call_{}", unit.name)
}

/// Whether the last parameter cannot stand before `...`: there is none, or it is wider when it is passed.
fn needs_anchor(types: &Types, unit: &Unit) -> bool {
    let is_widened = |ty: TypeId| match types.get(ty).kind {
        TypeKind::Bool => true,
        TypeKind::Int { .. } | TypeKind::Float | TypeKind::Enum { .. } => types.get(ty).size < 4,
        TypeKind::Void
        | TypeKind::Struct { .. }
        | TypeKind::Union { .. }
        | TypeKind::Array { .. }
        | TypeKind::Pointer { .. }
        | TypeKind::Function
        | TypeKind::Unsupported { .. } => false,
    };
    let is_float =
        |ty: TypeId| matches!(types.get(ty).kind, TypeKind::Float) && types.get(ty).size == 4;
    unit.params.last().is_none_or(|last| is_widened(last.ty) || is_float(last.ty))
}
