//! Keeps what can fail: every read of memory and every division.
//!
//! Code generation drops a read whose result decides nothing, such as `int x = p->x;` with an unused `x`, or
//! `255u >= p->byte`, which always holds. A test is compiled without optimisation, and fails there if `p` is null; so does
//! a division by zero whose result nobody needs. Code generation also takes for granted that nothing is divided by zero, and
//! makes `10 / (c ? 2 : 0)` 5; so it is not shown where a divisor comes from.

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
        match definition(line).and_then(|(name, rest)| division(name, rest)) {
            Some(division) => push_line(&mut out, &division),
            None => push_line(&mut out, line),
        }
    }
    out
}

fn is_plain_load(rest: &str) -> bool {
    let is_other = |kind: &&str| rest.starts_with(*kind);
    rest.starts_with("load ") && !["load volatile ", "load atomic "].iter().any(is_other)
}

/// A division that can fail, between two pieces of assembly without text: one that gives the divisor, and one that needs the
/// result.
fn division(name: &str, rest: &str) -> Option<String> {
    let kind = DIVISIONS.iter().find(|division| rest.starts_with(**division))?;
    let operands = rest[kind.len()..].strip_prefix("exact ").unwrap_or(&rest[kind.len()..]);
    let parts = split(operands);
    let (ty, _) = parts[0].split_once(' ')?;
    let divisor = parts.get(1)?.trim();
    let is_safe = divisor.parse::<i64>().is_ok_and(|number| number != 0 && number != -1);
    // C divides nothing that is narrower, and registers hold nothing that is wider.
    if is_safe || !matches!(ty, "i32" | "i64") {
        return None;
    }
    let place = parts.iter().find(|part| part.trim().starts_with("!dbg "));
    let place = place.map_or(String::new(), |place| format!(", {}", place.trim()));
    let hidden = format!("%symcrete.divisor.{}", name.trim_start_matches('%'));
    Some(format!(
        "  {hidden} = call {ty} asm \"\", \"=r,0\"({ty} {divisor}){place}\n  \
         {name} = {kind}{}, {hidden}{place}\n  \
         call void asm sideeffect \"\", \"r\"({ty} {name}){place}",
        parts[0]
    ))
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
        let is_division = |line: &&str| line.contains(" asm ") || line.contains("div");
        let divisions: Vec<&str> = kept.lines().filter(is_division).collect();
        assert_eq!(
            divisions,
            [
                "  %symcrete.divisor.4 = call i32 asm \"\", \"=r,0\"(i32 %1), !dbg !8",
                "  %4 = sdiv i32 %3, %symcrete.divisor.4, !dbg !8",
                "  call void asm sideeffect \"\", \"r\"(i32 %4), !dbg !8",
                "  %6 = udiv i32 %5, 10",
                "  %symcrete.divisor.7 = call i64 asm \"\", \"=r,0\"(i64 -1)",
                "  %7 = srem i64 %8, %symcrete.divisor.7",
                "  call void asm sideeffect \"\", \"r\"(i64 %7)",
            ]
        );
    }
}
