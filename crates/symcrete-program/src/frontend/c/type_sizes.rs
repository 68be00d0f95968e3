//! How large types of LLVM's text form are on WebAssembly.

use super::ir::split;
use super::machine;
use std::collections::BTreeMap;

/// Types that have a name in the text: `%struct.s`.
pub(super) struct TypeSizes<'a> {
    named: BTreeMap<&'a str, &'a str>,
    pointer: u32,
}

impl<'a> TypeSizes<'a> {
    /// The types of a file.
    pub(super) fn of(text: &'a str) -> TypeSizes<'a> {
        let lines = text.lines().filter(|line| line.starts_with('%'));
        let named = lines.filter_map(|line| line.split_once(" = type ")).collect();
        TypeSizes { named, pointer: machine::pointer_bytes(machine::of_text(text)) }
    }

    /// Bytes of a type, padding included; `None` if it is a type that we do not know.
    pub(super) fn size(&self, ty: &str) -> Option<u32> {
        self.layout(ty).map(|(size, _)| size)
    }

    /// Size and alignment.
    fn layout(&self, ty: &str) -> Option<(u32, u32)> {
        let ty = ty.trim();
        if let Some(body) = self.named.get(ty) {
            return self.layout(body);
        }
        if ty == "ptr" || ty.ends_with('*') {
            return Some((self.pointer, self.pointer));
        }
        if let Some(fields) = inside(ty, "<{", "}>") {
            return self.structure(fields, true);
        }
        if let Some(fields) = inside(ty, "{", "}") {
            return self.structure(fields, false);
        }
        if let Some(array) = inside(ty, "[", "]") {
            let (length, element) = array.split_once(" x ")?;
            let (size, align) = self.layout(element)?;
            return Some((size.checked_mul(length.trim().parse().ok()?)?, align));
        }
        let size = match ty {
            "float" => 4,
            "double" => 8,
            "fp128" => 16,
            _ => {
                let bits: u32 = ty.strip_prefix('i')?.parse().ok()?;
                bits.div_ceil(8).checked_next_power_of_two()?
            }
        };
        Some((size, size.min(16)))
    }

    fn structure(&self, fields: &str, is_packed: bool) -> Option<(u32, u32)> {
        let (mut end, mut most) = (0_u32, 1);
        for field in split(fields).into_iter().filter(|field| !field.trim().is_empty()) {
            let (size, align) = self.layout(field)?;
            let align = if is_packed { 1 } else { align };
            end = end.checked_next_multiple_of(align)?.checked_add(size)?;
            most = most.max(align);
        }
        Some((end.checked_next_multiple_of(most)?, most))
    }
}

fn inside<'a>(ty: &'a str, open: &str, close: &str) -> Option<&'a str> {
    ty.strip_prefix(open)?.strip_suffix(close)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_those_of_the_machine() {
        let text = "%struct.s = type { i8, i32 }\n%union.u = type { double, [8 x i8] }\n";
        let sizes = TypeSizes::of(text);
        for (ty, size) in [
            ("i1", 1),
            ("i32", 4),
            ("ptr", 4),
            ("i8*", 4),
            ("fp128", 16),
            ("%struct.s", 8),
            ("[3 x %struct.s]", 24),
            ("%union.u", 16),
            ("{ float, float }", 8),
            ("<{ i8, i32 }>", 5),
            ("{ i8, i64 }", 16),
            ("{}", 0),
        ] {
            assert_eq!(sizes.size(ty), Some(size), "{ty}");
        }
        let wide = format!("target triple = \"wasm64-unknown-unknown\"\n{text}");
        assert_eq!(TypeSizes::of(&wide).size("{ i32, ptr }"), Some(16));
        assert_eq!(sizes.size("%struct.unknown"), None);
        assert_eq!(sizes.size("<4 x i32>"), None);
    }
}
