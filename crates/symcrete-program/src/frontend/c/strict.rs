//! Code under `#pragma STDC FENV_ACCESS ON`, without what clang writes for it.
//!
//! Under the pragma clang folds nothing, and writes intrinsics in place of instructions, so that nobody else does. Here nobody
//! does anyhow (`rounding.rs`), and everything else reads instructions: `%3 = call double
//! @llvm.experimental.constrained.fadd.f64(double %1, double %2, …)` becomes `%3 = fadd double %1, %2`.

use super::calls::{Call, Callee, type_behind_attributes};
use super::ir::{closing, name_of, split};
use super::ir_text::push_line;
use std::collections::BTreeSet;

const CONSTRAINED: &str = "@llvm.experimental.constrained.";

/// The text of a file with instructions again.
pub(super) fn relax(text: &str) -> String {
    if !text.contains(CONSTRAINED) && !text.contains(" strictfp ") {
        return text.to_owned();
    }
    let (mut out, mut declarations) = (String::with_capacity(text.len()), BTreeSet::new());
    for line in text.lines() {
        if line.starts_with("attributes #") {
            // A group must not be empty; nobody reads attributes in quotes.
            push_line(&mut out, &line.replacen(" strictfp ", " \"strictfp\" ", 1));
        } else if line.starts_with("declare ") && line.contains(CONSTRAINED) {
            // What is still called is declared below.
        } else if let Some(instruction) = line.contains(CONSTRAINED).then(|| plain(line)).flatten()
        {
            push_line(&mut out, &instruction);
            declarations.extend(intrinsic_declaration(&instruction));
        } else {
            push_line(&mut out, line);
        }
    }
    let declared: BTreeSet<&str> =
        text.lines().filter(|line| line.starts_with("declare ")).filter_map(name_of).collect();
    let is_new = |line: &&String| name_of(line).is_some_and(|name| !declared.contains(name));
    declarations.iter().filter(is_new).for_each(|line| push_line(&mut out, line));
    out
}

/// What an intrinsic stands for.
fn plain(line: &str) -> Option<String> {
    let call = Call::read(line)?;
    let Callee::Function(name) = call.callee else { return None };
    let name = name.strip_prefix(CONSTRAINED)?;
    let (operation, _) = name.split_once('.')?;
    let arguments: Vec<&str> = split(call.arguments).into_iter().map(str::trim).collect();
    let (notes, arguments): (Vec<&str>, Vec<&str>) =
        arguments.into_iter().partition(|argument| argument.starts_with("metadata "));
    let place = line.find(", !dbg ").map_or("", |at| &line[at..]);
    let (result, ty) = (call.result?, call.ty);
    let value = |i: usize| {
        let (ty, value) = type_behind_attributes(arguments.get(i)?)?;
        Some((ty, value))
    };
    let meaning = match operation {
        "fadd" | "fsub" | "fmul" | "fdiv" | "frem" => {
            format!("{operation} {ty} {}, {}", value(0)?.1, value(1)?.1)
        }
        "fptosi" | "fptoui" | "sitofp" | "uitofp" | "fptrunc" | "fpext" => {
            let (from, number) = value(0)?;
            format!("{operation} {from} {number} to {ty}")
        }
        "fcmp" | "fcmps" => {
            let predicate = notes.first()?.split('"').nth(1)?;
            let (compared, a) = value(0)?;
            format!("fcmp {predicate} {compared} {a}, {}", value(1)?.1)
        }
        _ => format!("call {ty} @llvm.{name}({})", arguments.join(", ")),
    };
    Some(format!("  {result} = {meaning}{place}"))
}

/// The declaration of what a line calls.
pub(super) fn intrinsic_declaration(line: &str) -> Option<String> {
    let call = Call::read(line)?;
    let Callee::Function(name) = call.callee else { return None };
    let types: Option<Vec<&str>> = split(call.arguments)
        .into_iter()
        .filter(|argument| !argument.trim().is_empty())
        .map(|argument| type_behind_attributes(argument).map(|(ty, _)| ty))
        .collect();
    Some(format!("declare {} {name}({})", call.ty, types?.join(", ")))
}

/// `declare i32 @f(i32)` of a declaration with attributes.
pub(super) fn without_attributes(declaration: &str) -> Option<&str> {
    let name = name_of(declaration)?;
    let open = declaration.find(name)? + name.len();
    Some(&declaration[..=closing(declaration, open)?])
}

#[cfg(test)]
mod tests {
    use super::*;

    const STRICT: &str = "metadata !\"round.dynamic\", metadata !\"fpexcept.strict\"";

    #[test]
    fn instructions_come_back() {
        let constrained = |result: &str, name: &str, arguments: &str| {
            format!("  %3 = call {result} {CONSTRAINED}{name}({arguments}, {STRICT}) #7, !dbg !9")
        };
        let rows = [
            (
                constrained("double", "fadd.f64", "double %1, double 0x3FB999999999999A"),
                "%3 = fadd double %1, 0x3FB999999999999A",
            ),
            (constrained("float", "sitofp.f32.i32", "i32 %1"), "%3 = sitofp i32 %1 to float"),
            (
                constrained("float", "fptrunc.f32.f64", "double %1"),
                "%3 = fptrunc double %1 to float",
            ),
            (
                constrained("<4 x float>", "fadd.v4f32", "<4 x float> %1, <4 x float> %2"),
                "%3 = fadd <4 x float> %1, %2",
            ),
            (
                constrained("double", "sqrt.f64", "double %1"),
                "%3 = call double @llvm.sqrt.f64(double %1)",
            ),
            (
                constrained("i64", "lrint.i64.f64", "double %1"),
                "%3 = call i64 @llvm.lrint.i64.f64(double %1)",
            ),
        ];
        for (before, after) in rows {
            assert_eq!(plain(&before).unwrap(), format!("  {after}, !dbg !9"));
        }
        let comparison = "  %3 = call i1 @llvm.experimental.constrained.fcmps.f32(float %1, float 0.0, \
                          metadata !\"olt\", metadata !\"fpexcept.strict\") #7";
        assert_eq!(plain(comparison).unwrap(), "  %3 = fcmp olt float %1, 0.0");
    }

    #[test]
    fn what_is_called_is_declared_once() {
        let text = format!(
            "  %3 = call double {CONSTRAINED}sqrt.f64(double %1, {STRICT}) #7\n\
             \x20 %4 = call double {CONSTRAINED}floor.f64(double %1, metadata !\"fpexcept.strict\") #7\n\
             declare double {CONSTRAINED}sqrt.f64(double, metadata, metadata) #4\n\
             declare double @llvm.floor.f64(double) #3\n\
             attributes #7 = {{ nounwind strictfp }}\n"
        );
        assert_eq!(
            relax(&text),
            "  %3 = call double @llvm.sqrt.f64(double %1)\n\
             \x20 %4 = call double @llvm.floor.f64(double %1)\n\
             declare double @llvm.floor.f64(double) #3\n\
             attributes #7 = { nounwind \"strictfp\" }\n\
             declare double @llvm.sqrt.f64(double)\n"
        );
    }
}
