//! Keeps what can fail: every read of memory and every division.
//!
//! Code generation drops a read whose result decides nothing, such as `int x = p->x;` with an unused `x`, or
//! `255u >= p->byte`, which always holds. A test is compiled without optimisation, and fails there if `p` is null; so does
//! a division by zero whose result nobody needs.

use super::ir::split;
use super::ir_text::push_line;
use super::locals::definition;

const DIVISIONS: &[&str] = &["sdiv ", "udiv ", "srem ", "urem "];

/// Edits a file after its locals were lifted into registers: what is still read is memory.
pub(super) fn keep(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    for line in text.lines() {
        let rest = definition(line).map_or("", |(_, rest)| rest);
        if is_plain_load(rest) {
            push_line(&mut out, &line.replacen(" = load ", " = load volatile ", 1));
            continue;
        }
        push_line(&mut out, line);
        if let Some(needed) = definition(line).and_then(|(name, rest)| needed(name, rest)) {
            push_line(&mut out, &needed);
        }
    }
    out
}

fn is_plain_load(rest: &str) -> bool {
    let is_other = |kind: &&str| rest.starts_with(*kind);
    rest.starts_with("load ") && !["load volatile ", "load atomic "].iter().any(is_other)
}

/// Assembly without text that needs the result of a division, if that can fail.
fn needed(name: &str, rest: &str) -> Option<String> {
    let operands = DIVISIONS.iter().find_map(|division| rest.strip_prefix(division))?;
    let parts = split(operands.strip_prefix("exact ").unwrap_or(operands));
    let (ty, _) = parts[0].split_once(' ')?;
    let divisor = parts.get(1)?.trim();
    let is_safe = divisor.parse::<i64>().is_ok_and(|number| number != 0 && number != -1);
    // C divides nothing that is narrower, and registers hold nothing that is wider.
    if is_safe || !matches!(ty, "i32" | "i64") {
        return None;
    }
    let place = parts.iter().find(|part| part.trim().starts_with("!dbg "));
    let place = place.map_or(String::new(), |place| format!(", {}", place.trim()));
    Some(format!("  call void asm sideeffect \"\", \"r\"({ty} {name}){place}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_fail_stays() {
        let text = "define i32 @f(ptr %0, i32 %1) {\n\
            \x20 %3 = load i32, ptr %0, align 4, !dbg !7\n\
            \x20 %4 = sdiv i32 %3, %1, !dbg !8\n\
            \x20 %5 = load atomic i32, ptr %0 seq_cst, align 4\n\
            \x20 %6 = udiv i32 %5, 10\n\
            \x20 %7 = srem i64 %8, -1\n\
            \x20 ret i32 %6\n\
            }\n";
        let kept = keep(text);
        assert!(kept.contains("%3 = load volatile i32, ptr %0"), "{kept}");
        assert!(kept.contains("%5 = load atomic i32"), "{kept}");
        let needed: Vec<&str> = kept.lines().filter(|line| line.contains(" asm ")).collect();
        assert_eq!(
            needed,
            [
                "  call void asm sideeffect \"\", \"r\"(i32 %4), !dbg !8",
                "  call void asm sideeffect \"\", \"r\"(i64 %7)",
            ]
        );
    }
}
