//! `errno` after functions that leave it alone in musl and set it in glibc: those of the math library, and `atoi`.
//!
//! A program that knows `errno`, or `signgam`, may look at it, so there calls go through functions of ours that set it too
//! (`runtime/library_errors.c`). The host computes `log(x)`; what it leaves in `errno`, an opaque function says. Where `errno` is never
//! mentioned nothing changes.

use super::ir::name_of;
use super::ir_text::push_line;
use std::collections::BTreeSet;

/// The functions that may set it: with `f` behind the name for `float`, with `l` for `long double`.
const NAMES: &[&str] = &[
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "cos",
    "cosh",
    "erf",
    "erfc",
    "exp",
    "exp2",
    "expm1",
    "fdim",
    "fmod",
    "hypot",
    "ilogb",
    "ldexp",
    "lgamma",
    "log",
    "log10",
    "log1p",
    "log2",
    "logb",
    "nextafter",
    "pow",
    "remainder",
    "scalbln",
    "scalbn",
    "sin",
    "sinh",
    "sqrt",
    "tan",
    "tanh",
    "tgamma",
];
/// Others that may.
const MORE: &[&str] = &["atoi", "atol", "atoll", "nexttoward", "nexttowardf"];
/// What our functions start with.
const PREFIX: &str = "__symcrete_errno_";
/// LLVM's float types, and what is behind the names of their functions.
const TYPES: &[(&str, &str, &str)] =
    &[("f64", "double", ""), ("f32", "float", "f"), ("f128", "fp128", "l")];

/// How the files of a program that knows `errno` set it.
pub(super) struct LibraryErrors {
    /// Functions of such names that are the program's own.
    own: BTreeSet<String>,
}

impl LibraryErrors {
    /// Of a program's files; `None` if none of them knows `errno`.
    pub(super) fn of(texts: &[&str]) -> Option<LibraryErrors> {
        let is_known = |text: &&str| {
            // A function that returns its place, or a variable; the variable that `lgamma` sets.
            text.contains("@__errno_location(")
                || text.lines().any(|line| {
                    ["@errno =", "@signgam =", "@__signgam ="]
                        .iter()
                        .any(|name| line.starts_with(name))
                })
        };
        texts.iter().any(is_known).then(|| {
            let defined = texts.iter().flat_map(|text| text.lines());
            let defined = defined.filter(|line| line.starts_with("define ")).filter_map(name_of);
            LibraryErrors {
                own: defined.map(|name| name.trim_start_matches('@').to_owned()).collect(),
            }
        })
    }

    /// The text of a file in which these functions set `errno`.
    pub(super) fn edit(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len() + text.len() / 16);
        let (mut declared, mut needed) = (BTreeSet::new(), BTreeSet::new());
        for line in text.lines() {
            let line = match remainder(line) {
                Some((line, function)) => {
                    needed.insert(function);
                    line
                }
                None => self.renamed(line),
            };
            // `log` and `llvm.log.f64` are one now.
            let name = name_of(&line).filter(|_| line.starts_with("declare "));
            if name.is_none_or(|name| declared.insert(name.to_owned())) {
                push_line(&mut out, &line);
            }
        }
        for (name, ty) in needed {
            if !declared.contains(&name) {
                push_line(&mut out, &format!("declare {ty} {name}({ty}, {ty})"));
            }
        }
        out
    }

    /// A line with our functions in the place of the library's. Theirs have attributes by which they change nothing.
    fn renamed(&self, line: &str) -> String {
        let mut out = String::with_capacity(line.len() + PREFIX.len());
        let (mut rest, mut is_changed) = (line, false);
        while let Some(at) = rest.find('@') {
            let (before, after) = rest.split_at(at + 1);
            out.push_str(before);
            let is_part = |c: char| c.is_ascii_alphanumeric() || "_.$".contains(c);
            let end = after.find(|c| !is_part(c)).unwrap_or(after.len());
            let (name, behind) = after.split_at(end);
            match self.function(name) {
                Some(function) => {
                    out.push_str(PREFIX);
                    out.push_str(&function);
                    is_changed = true;
                }
                None => out.push_str(name),
            }
            rest = behind;
        }
        out.push_str(rest);
        if is_changed { without_attributes(&out) } else { out }
    }

    /// The library's function that a name of LLVM's stands for, if that may set `errno`: `log`, `llvm.log.f32`.
    fn function(&self, name: &str) -> Option<String> {
        let function = match name.strip_prefix("llvm.") {
            Some(intrinsic) => {
                let (base, ty) = intrinsic.split_once('.')?;
                let (_, _, suffix) = TYPES.iter().find(|(known, _, _)| *known == ty)?;
                format!("{base}{suffix}")
            }
            None => name.to_owned(),
        };
        let bare = function.strip_suffix(['f', 'l']);
        let sets_errno = NAMES.contains(&function.as_str())
            || bare.is_some_and(|bare| NAMES.contains(&bare))
            || MORE.contains(&function.as_str());
        (sets_errno && !self.own.contains(&function)).then_some(function)
    }
}

/// A remainder, which C has no operator for, as a call of `fmod`, with the function and its type.
fn remainder(line: &str) -> Option<(String, (String, &'static str))> {
    let (result, rest) = line.split_once(" = frem ")?;
    let (_, ty, suffix) =
        TYPES.iter().find(|(_, ty, _)| rest.split_once(' ').is_some_and(|(own, _)| own == *ty))?;
    let (left, rest) = rest[ty.len() + 1..].split_once(", ")?;
    let (right, place) = match rest.split_once(", !") {
        Some((right, place)) => (right, format!(", !{place}")),
        None => (rest, String::new()),
    };
    let function = format!("@{PREFIX}fmod{suffix}");
    let call = format!("{result} = call {ty} {function}({ty} {left}, {ty} {right}){place}");
    Some((call, (function, ty)))
}

/// A line without references to groups of attributes: ` #3`.
fn without_attributes(line: &str) -> String {
    let mut parts = line.split(" #");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        out.push_str(part.trim_start_matches(|c: char| c.is_ascii_digit()));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_and_pointers_lead_to_ours_unless_the_program_has_the_function() {
        let text = "@kept = global ptr @log, align 4\n\
            %1 = tail call double @llvm.log.f64(double %0) #4, !dbg !7\n\
            %2 = call float @acoshf(float %1) #4\n%3 = frem double %1, %2, !dbg !9\n\
            %4 = call double @logistic(double %1) #4\n\
            declare double @llvm.log.f64(double) #1\ndeclare double @floor(double) #1\n\
            declare double @log(double)\ndeclare ptr @__errno_location()\n";
        let out = LibraryErrors::of(&[text]).expect("it knows errno").edit(text);
        let expected = "@kept = global ptr @__symcrete_errno_log, align 4\n\
            %1 = tail call double @__symcrete_errno_log(double %0), !dbg !7\n\
            %2 = call float @__symcrete_errno_acoshf(float %1)\n\
            %3 = call double @__symcrete_errno_fmod(double %1, double %2), !dbg !9\n\
            %4 = call double @logistic(double %1) #4\n\
            declare double @__symcrete_errno_log(double)\ndeclare double @floor(double) #1\n\
            declare ptr @__errno_location()\n\
            declare double @__symcrete_errno_fmod(double, double)\n";
        assert_eq!(out, expected);
        let own = "define double @log(double %0) {\n  %1 = call double @log(double %0)\n}\n";
        assert!(LibraryErrors::of(&[own]).is_none());
        let with_variable = [own, "@errno = external thread_local global i32\n"];
        assert_eq!(LibraryErrors::of(&with_variable).expect("it knows errno").edit(own), own);
    }
}
