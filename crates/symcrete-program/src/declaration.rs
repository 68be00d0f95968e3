//! Declarations: a name and a type, put together as C wants them.

use crate::types::{TypeId, TypeKind, Types};

/// The declaration of `name`, which may carry dimensions of its own: `a[3]`.
pub fn declare(types: &Types, ty: TypeId, name: &str) -> String {
    let found = types.get(ty);
    let spelled = &found.name;
    match found.kind {
        TypeKind::Void => format!("unsigned char {name}"),
        TypeKind::Array { element, length } if spelled.contains('[') => {
            declare(types, element, &format!("{name}[{length}]"))
        }
        TypeKind::Pointer { .. } => match spelled.find("(*)") {
            Some(at) => {
                let (before, after) = spelled.split_at(at + "(*".len());
                format!("{before}{name}{after}")
            }
            None if spelled.ends_with('*') => format!("{spelled}{name}"),
            None => format!("{spelled} {name}"),
        },
        TypeKind::Bool
        | TypeKind::Int { .. }
        | TypeKind::Float
        | TypeKind::Enum { .. }
        | TypeKind::Struct { .. }
        | TypeKind::Union { .. }
        | TypeKind::Array { .. }
        | TypeKind::Function
        | TypeKind::Unsupported { .. } => format!("{} {name}", unqualified(spelled)),
    }
}

/// The type of a value, without `const`; the machine's types have C names.
pub fn unqualified(spelled: &str) -> &str {
    match spelled.trim_start_matches("const ") {
        "i32" => "int",
        "i64" => "long long",
        "f32" => "float",
        "f64" => "double",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Type;

    #[test]
    fn declarators_go_where_c_wants_them() {
        let mut types = Types::default();
        let mut add = |name: &str, kind| types.add(Type { name: name.into(), size: 4, kind });
        let int = add("int", TypeKind::Int { signed: true, is_char: false });
        let row = add("int[4]", TypeKind::Array { element: int, length: 4 });
        let rows = add("int (*)[4]", TypeKind::Pointer { to: row, is_const: false });
        let function = add("int (char)", TypeKind::Function);
        let callback = add("int (*)(char)", TypeKind::Pointer { to: function, is_const: false });
        let text = add("const char *", TypeKind::Pointer { to: int, is_const: true });
        let fixed = add("const int", TypeKind::Int { signed: true, is_char: false });
        let cases = [
            (int, "x", "int x"),
            (row, "x", "int x[4]"),
            (row, "x[3]", "int x[3][4]"),
            (rows, "x", "int (*x)[4]"),
            (callback, "x", "int (*x)(char)"),
            (text, "x[2]", "const char *x[2]"),
            (fixed, "x", "int x"),
        ];
        for (ty, name, expected) in cases {
            assert_eq!(declare(&types, ty, name), expected);
        }
    }
}
