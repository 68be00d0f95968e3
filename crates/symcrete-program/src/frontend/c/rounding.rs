//! Rounding directions: float operators of programs that can change the direction.
//!
//! Every operator that rounds becomes a call of the runtime, which looks at the direction (`runtime/rounding.c`). Code generation
//! knows nothing of what these calls do, so it computes nothing in advance and moves nothing. Before what is rounded to nearest
//! in every direction, the runtime is asked whether that is right. `docs/adr/0031-rounding-directions.md` has the reasons.

use super::calls::{Call, Callee, type_behind_attributes};
use super::ir::{closing, name_of, outside_texts, split};
use super::ir_text::push_line;
use super::locals::{definition, global_names, name_length};
use super::rounding_names::{self as names, Float};
use super::strict::{intrinsic_declaration, without_attributes};
use std::collections::{BTreeMap, BTreeSet};

/// Asks whether rounding to nearest is right.
const UNROUNDED: &str = "__symcrete_unrounded";
/// A program that calls one of these can change the direction.
const CHANGING: &[&str] = &["@fesetround", "@fesetenv", "@feupdateenv", "@llvm.set.rounding"];

/// What is known of a program that can change the direction.
pub(super) struct Directions {
    /// The functions that it defines for all of its files, as texts spell their names.
    defined: BTreeSet<String>,
    /// Whether it has pointers to functions of the library that round.
    has_pointers: bool,
}

/// A file of such a program.
struct File<'a> {
    directions: &'a Directions,
    /// The functions that it defines.
    own: BTreeSet<&'a str>,
}

/// What becomes of an instruction.
enum Edit {
    Keep,
    Call(String),
    /// It rounds to nearest.
    Unrounded,
}

impl Directions {
    /// Of the texts of all files; `None` if none of them can change the direction.
    pub(super) fn of(texts: &[&str]) -> Option<Directions> {
        let lines = || texts.iter().flat_map(|text| text.lines());
        let is_shared = |line: &&str| line.starts_with("define ") && !line.contains(" internal ");
        let defined: BTreeSet<String> =
            lines().filter(is_shared).filter_map(name_of).map(str::to_owned).collect();
        let is_changing = |name: &str| CHANGING.contains(&name) && !defined.contains(name);
        let mut declared = lines().filter(|line| line.starts_with("declare "));
        if !declared.any(|line| name_of(line).is_some_and(is_changing)) {
            return None;
        }
        let mut directions = Directions { defined, has_pointers: false };
        directions.has_pointers =
            texts.iter().any(|text| directions.file(text).points_to_library(text));
        Some(directions)
    }

    /// The text of a file whose operators follow the direction.
    pub(super) fn edit(&self, text: &str) -> String {
        self.file(text).edit(text)
    }

    fn file<'a>(&'a self, text: &'a str) -> File<'a> {
        let definitions = text.lines().filter(|line| line.starts_with("define "));
        File { directions: self, own: definitions.filter_map(name_of).collect() }
    }
}

impl File<'_> {
    fn edit(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len() + text.len() / 4);
        let mut declarations: BTreeMap<String, String> = BTreeMap::new();
        for line in text.lines() {
            if line.starts_with("declare ") {
                match self.declaration(line) {
                    Some((name, line)) => _ = declarations.insert(name, line),
                    None => push_line(&mut out, line),
                }
                continue;
            }
            let edit = if line.starts_with("  ") { self.instruction(line) } else { Edit::Keep };
            let place = line.find(", !dbg ").map_or("", |at| &line[at..]);
            let call = match &edit {
                Edit::Keep => None,
                Edit::Call(call) => Some(self.renamed(call)),
                Edit::Unrounded => Some(format!("  call void @{UNROUNDED}()")),
            };
            if let Some(call) = &call {
                declarations.extend(declared(call));
                push_line(&mut out, &format!("{call}{place}"));
            }
            if !matches!(edit, Edit::Call(_)) {
                push_line(&mut out, &self.renamed(line));
            }
        }
        declarations.values().for_each(|line| push_line(&mut out, line));
        out
    }

    /// The declaration of a function that is called by another name from now on, with that name and without promises.
    fn declaration(&self, line: &str) -> Option<(String, String)> {
        let name = name_of(line)?;
        let new = format!("@{}", self.new_name(name)?);
        let line = without_attributes(line)?.replacen(name, &new, 1);
        Some((new, line))
    }

    /// Whether the program defines a function that the file calls by this name.
    fn is_defined(&self, name: &str) -> bool {
        self.own.contains(name) || self.directions.defined.contains(name)
    }

    /// The runtime's function in place of one of the library.
    fn new_name(&self, name: &str) -> Option<String> {
        if self.is_defined(name) {
            return None;
        }
        names::in_place_of(name.strip_prefix('@')?)
    }

    /// A line with other names of functions.
    fn renamed(&self, line: &str) -> String {
        if !global_names(line).any(|name| self.new_name(name).is_some()) {
            return line.to_owned();
        }
        outside_texts(line, |code| {
            let mut parts = code.split('@');
            let mut out = parts.next().unwrap_or_default().to_owned();
            for part in parts {
                let (name, rest) = part.split_at(name_length(part));
                let new = self.new_name(&format!("@{name}"));
                out.push('@');
                out.push_str(new.as_deref().unwrap_or(name));
                out.push_str(rest);
            }
            out
        })
    }

    fn instruction(&self, line: &str) -> Edit {
        if let Some(call) = Call::read(line) {
            return self.call(line, call);
        }
        let Some((name, rest)) = definition(line) else { return Edit::Keep };
        let (opcode, operands) = rest.split_once(' ').unwrap_or((rest, ""));
        let call = match opcode {
            "fadd" | "fsub" | "fmul" | "fdiv" => arithmetic(&opcode[1..], operands),
            "sitofp" | "uitofp" | "fptrunc" => match conversion(opcode, operands) {
                Some(Conversion::Exact) => return Edit::Keep,
                Some(Conversion::Call(call)) => Some(call),
                None => None,
            },
            "atomicrmw" if rest.contains(" fadd ") || rest.contains(" fsub ") => None,
            _ => return Edit::Keep,
        };
        call.map_or(Edit::Unrounded, |call| Edit::Call(format!("  {name} = {call}")))
    }

    fn call(&self, line: &str, call: Call<'_>) -> Edit {
        let has_floats = has_floats(call.ty) || has_floats(call.arguments);
        match call.callee {
            Callee::Function(name) if self.new_name(name).is_some() => {
                // Attributes of a call may promise that nothing else matters.
                let open = line.find(name).map(|at| at + name.len());
                let end = open.and_then(|open| closing(line, open));
                end.map_or(Edit::Unrounded, |end| Edit::Call(line[..=end].to_owned()))
            }
            Callee::Function(name) if self.is_library(name, has_floats) => Edit::Unrounded,
            Callee::Pointer if self.directions.has_pointers && has_floats => Edit::Unrounded,
            Callee::Function(_) | Callee::Pointer | Callee::Assembly => Edit::Keep,
        }
    }

    /// Whether somebody else's function rounds to nearest, in every direction.
    fn is_library(&self, name: &str, has_floats: bool) -> bool {
        let plain = name.trim_start_matches('@').trim_matches('"');
        !self.is_defined(name) && names::is_rounding(plain, has_floats)
    }

    /// Whether a file has a pointer to such a function.
    fn points_to_library(&self, text: &str) -> bool {
        let declarations = text.lines().filter(|line| line.starts_with("declare "));
        let is_pointed_to = |name: &str| {
            let others = text.lines().filter(|line| !line.starts_with("declare "));
            others.flat_map(|line| line.match_indices(name).map(move |(at, _)| &line[at..])).any(
                |found| {
                    let behind = found[name.len()..].chars().next();
                    name_length(&found[1..]) == name.len() - 1 && behind != Some('(')
                },
            )
        };
        declarations.filter_map(|line| Some((line, name_of(line)?))).any(|(line, name)| {
            let takes_floats = has_floats(line) || line.contains("...)");
            self.new_name(name).is_none()
                && self.is_library(name, takes_floats)
                && is_pointed_to(name)
        })
    }
}

/// A declaration of what a line calls, by its name.
fn declared(line: &str) -> Option<(String, String)> {
    let declaration = intrinsic_declaration(line)?;
    Some((name_of(&declaration)?.to_owned(), declaration))
}

/// `add double %1, %2` as a call.
fn arithmetic(operation: &str, operands: &str) -> Option<String> {
    let (ty, operands) = type_behind_attributes(operands)?;
    let float = Float::of(ty).filter(|float| *float != Float::F128)?;
    let operands = split(operands);
    let (a, b) = (operands.first()?.trim(), operands.get(1)?.trim());
    Some(format!("call {ty} @{}({ty} {a}, {ty} {b})", names::helper(float, operation)))
}

enum Conversion {
    Exact,
    Call(String),
}

/// `i32 %1 to float` as a call, if it rounds; `None` if nobody computes it in every direction.
fn conversion(opcode: &str, operands: &str) -> Option<Conversion> {
    let (from, operands) = type_behind_attributes(operands)?;
    let (value, to) = operands.split_once(" to ")?;
    let to = split(to).first()?.trim();
    let float = Float::of(to)?;
    if opcode == "fptrunc" {
        let is_known = (from, float) == ("double", Float::F32);
        let narrowed =
            || format!("call float @{}(double {value})", names::helper(Float::F32, "demote_f64"));
        return is_known.then(narrowed).map(Conversion::Call);
    }
    let bits: u32 = from.strip_prefix('i')?.parse().ok()?;
    let (digits, sign) = if opcode == "sitofp" { (bits - 1, 's') } else { (bits, 'u') };
    if digits <= float.digits() {
        return Some(Conversion::Exact);
    }
    if !matches!((bits, float), (32, Float::F32) | (64, Float::F32 | Float::F64)) {
        return None;
    }
    let name = names::helper(float, &format!("convert_i{bits}_{sign}"));
    Some(Conversion::Call(format!("call {to} @{name}({from} {value})")))
}

/// Whether a text has a type of floats in it.
fn has_floats(text: &str) -> bool {
    let is_inside = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '%' | '@' | '-');
    let words = text.split(|c: char| !is_inside(c));
    words.into_iter().any(|word| matches!(word, "half" | "bfloat" | "float" | "double" | "fp128"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SETS: &str = "declare i32 @fesetround(i32 noundef) #1\n";

    /// Lines of a function of a program that can change the direction, as they become.
    fn edited(lines: &str) -> Vec<String> {
        let directions = Directions::of(&[SETS]).expect("it can change the direction");
        directions.edit(lines).lines().map(|line| line.trim().to_owned()).collect()
    }

    #[test]
    fn operators_that_round_become_calls() {
        let rows = [
            (
                "%3 = fadd double %1, 1.000000e+00",
                "call double @__symcrete_f64_add(double %1, double 1.000000e+00)",
            ),
            (
                "%3 = fdiv nnan contract float %1, %2",
                "call float @__symcrete_f32_div(float %1, float %2)",
            ),
            ("%3 = sitofp i32 %1 to float", "call float @__symcrete_f32_convert_i32_s(i32 %1)"),
            (
                "%3 = uitofp nneg i64 %1 to double",
                "call double @__symcrete_f64_convert_i64_u(i64 %1)",
            ),
            ("%3 = fptrunc double %1 to float", "call float @__symcrete_f32_demote_f64(double %1)"),
            (
                "%3 = call double @llvm.sqrt.f64(double %1)",
                "call double @__symcrete_f64_sqrt(double %1)",
            ),
            (
                "%3 = tail call i64 @llvm.llrint.i64.f32(float %1) #4",
                "tail call i64 @__symcrete_f32_llrint(float %1)",
            ),
            (
                "%3 = call fp128 @llvm.nearbyint.f128(fp128 %1)",
                "call fp128 @__symcrete_f128_rint(fp128 %1)",
            ),
            (
                "%3 = call double @rint(double noundef %1) #4",
                "call double @__symcrete_f64_rint(double noundef %1)",
            ),
            ("%3 = call i32 @llvm.get.rounding()", "call i32 @__symcrete_flt_rounds()"),
        ];
        for (before, after) in rows {
            let lines = edited(&format!("  {before}, !dbg !7\n"));
            assert_eq!(lines[0], format!("%3 = {after}, !dbg !7"));
            assert_eq!(lines.len(), 2, "one declaration: {lines:?}");
        }
    }

    #[test]
    fn what_is_exact_stays() {
        for line in [
            "%3 = fcmp olt double %1, %2",
            "%3 = fneg float %1",
            "%3 = frem double %1, %2",
            "%3 = sitofp i32 %1 to double",
            "%3 = uitofp i16 %1 to float",
            "%3 = sitofp i64 %1 to fp128",
            "%3 = fptosi double %1 to i32",
            "%3 = fpext float %1 to double",
            "%3 = call double @llvm.floor.f64(double %1)",
            "%3 = call double @fmod(double noundef %1, double noundef %2)",
            "%3 = call double @__VERIFIER_nondet_double()",
            "%3 = call i32 (ptr, ...) @printf(ptr noundef @.str, i32 noundef %1)",
            "%3 = call double %2(double noundef %1)",
        ] {
            assert_eq!(edited(&format!("  {line}\n")), [line]);
        }
    }

    #[test]
    fn what_rounds_to_nearest_says_so() {
        for line in [
            "%3 = fadd fp128 %1, %2",
            "%3 = fmul <4 x float> %1, %2",
            "%3 = fptrunc fp128 %1 to double",
            "%3 = uitofp i128 %1 to double",
            "%3 = atomicrmw fadd ptr %1, double %2 seq_cst, align 8",
            "%3 = call double @llvm.sin.f64(double %1)",
            "%3 = call double @llvm.fmuladd.f64(double %1, double %2, double %2)",
            "%3 = call double @strtod(ptr noundef %1, ptr noundef null)",
            "%3 = call i32 (ptr, ...) @printf(ptr noundef @.str, double noundef %1)",
            "%3 = call i32 (ptr, ptr, ...) @sscanf(ptr noundef %1, ptr noundef @.str, ptr noundef %2)",
        ] {
            let lines = edited(&format!("  {line}\n"));
            assert_eq!(lines[..2], ["call void @__symcrete_unrounded()", line]);
        }
    }

    #[test]
    fn pointers_to_functions_of_the_library_are_noticed() {
        let call = "  %3 = call double %2(double noundef %1)\n";
        let table = "@t = global [2 x ptr] [ptr @rint, ptr @sin]\n";
        let declared = "declare double @rint(double) #3\ndeclare double @sin(double) #3\n";
        let text = format!("{table}{call}{SETS}{declared}");
        let edited = Directions::of(&[&text]).map(|directions| directions.edit(&text));
        let edited = edited.expect("it can change the direction");
        assert!(edited.contains("call void @__symcrete_unrounded()\n  %3 = call"), "{edited}");
        assert!(edited.contains("[ptr @__symcrete_f64_rint, ptr @sin]"), "{edited}");
        assert!(edited.contains("declare double @__symcrete_f64_rint(double)\n"), "{edited}");
    }

    #[test]
    fn only_programs_that_can_change_the_direction_are_edited() {
        let tells = "declare i32 @fegetround() #1\n";
        assert!(Directions::of(&[tells]).is_none());
        assert!(Directions::of(&[tells, SETS]).is_some());
        let own = "define i32 @fesetround(i32 %0) {\n  ret i32 0\n}\n";
        assert!(Directions::of(&[SETS, own]).is_none(), "it is the program's own");
        let hidden = own.replace("define", "define internal");
        assert!(Directions::of(&[SETS, &hidden]).is_some(), "it is another file's own");
    }
}
