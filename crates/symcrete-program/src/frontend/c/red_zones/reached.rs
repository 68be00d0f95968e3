//! Which numbers are reached in other ways than by reads and writes of their own type.
//!
//! A number that shares its group of eight bytes with a red zone costs a call of the host for each access, and most numbers
//! cannot be left: what reads and writes them says their name and their type. Only where an address goes somewhere, or
//! another type is used, must the end of the number be the end of its bytes.

use super::super::ir::split;
use super::super::locals::{global_names, is_remark};
use super::super::type_sizes::TypeSizes;
use std::collections::{BTreeMap, BTreeSet};

/// Those of these numbers of a file, by name with their size, that something may leave.
pub(super) fn reached<'a>(
    text: &'a str,
    numbers: &BTreeMap<&'a str, u32>,
    sizes: &TypeSizes<'_>,
) -> BTreeSet<&'a str> {
    let mut reached = BTreeSet::new();
    if numbers.is_empty() {
        return reached;
    }
    // Lists of the compiler's own (`@llvm.used`) touch nothing.
    let lines = text.lines().filter(|line| line.contains('@') && !line.starts_with("@llvm."));
    for line in lines.filter(|line| !is_remark(line)) {
        // A variable is not reached by its own definition.
        let code = match line.starts_with('@') {
            true => line.split_once(" = ").map_or("", |(_, value)| value),
            false => line,
        };
        let named = global_names(code).filter(|name| numbers.contains_key(name));
        reached.extend(named.filter(|name| !is_within(code, name, numbers[name], sizes)));
    }
    reached
}

/// Whether a line only reads or writes as many bytes of a number as it has.
fn is_within(code: &str, name: &str, size: u32, sizes: &TypeSizes<'_>) -> bool {
    let code = code.trim_start();
    let access = code.split_once(" = ").map_or(code, |(_, access)| access);
    let operands = split(access);
    let [first, second, ..] = operands[..] else { return false };
    let words = |access: &'static str| {
        first.strip_prefix(access).map(|rest| rest.trim_start_matches("volatile "))
    };
    let ty = words("load ").or_else(|| {
        // The number is where something is written, not what is written.
        let stored = words("store ").filter(|stored| !global_names(stored).any(|n| n == name))?;
        stored.rsplit_once(' ').map(|(ty, _)| ty)
    });
    let is_place = second.trim().strip_prefix("ptr ").is_some_and(|place| place == name);
    is_place && ty.and_then(|ty| sizes.size(ty)).is_some_and(|accessed| accessed <= size)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_reached_by_their_address_and_by_other_types() {
        for (body, expected) in [
            ("  ret void", false),
            ("  %1 = load i16, ptr @n, align 2, !dbg !3", false),
            ("  store volatile i8 7, ptr @n, align 1", false),
            ("  #dbg_value(ptr @n, !1, !DIExpression(), !2)", false),
            ("  %1 = load i32, ptr @n, align 2", true),
            ("  store i32 7, ptr @n, align 2", true),
            ("  store ptr @n, ptr %p, align 8", true),
            ("  store i16 ptrtoint (ptr @n to i16), ptr @n, align 2", true),
            ("  call void @use(ptr @n)", true),
            ("  %1 = load i16, ptr getelementptr (i8, ptr @n, i64 1), align 1", true),
            ("  ret void\n}\n@p = global ptr @n, align 8\ndefine void @g() {", true),
        ] {
            let text =
                format!("@n = global i16 1, align 2\ndefine void @f(ptr %p) {{\n{body}\n}}\n");
            let numbers = BTreeMap::from([("@n", 2)]);
            let found = reached(&text, &numbers, &TypeSizes::of(""));
            assert_eq!(found.contains("@n"), expected, "{body}");
        }
    }
}
