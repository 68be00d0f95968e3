//! Edits LLVM's text form of one file.
//!
//! The form is line oriented: a function is a line `define … {`, its body, and a line `}`; metadata has one
//! line each. Nothing here depends on more of the language than that and a few keywords.
//!
//! What is edited: bodies that WebAssembly cannot express or that are to be stubs are removed, C99's inline
//! functions get a body of their own, handlers of checks become calls of the runtime, and every function
//! is marked as used, so that the linker keeps it.

use super::assumptions;
use super::marks::is_counting;
use super::options::{Check, CompileOptions};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// A function whose body was left out.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct LeftOut {
    /// Its name; empty for assembly outside of functions.
    pub function: String,
    /// The file it is defined in.
    pub file: PathBuf,
    /// The line of what cannot be expressed; 0 if it is not known.
    pub line: u32,
    /// Why: `inline assembly`.
    pub why: String,
}

/// The text after all edits.
pub(super) struct Edited {
    pub(super) text: String,
    pub(super) left_out: Vec<LeftOut>,
    /// Functions that the file defines or declares, by their name in the source.
    pub(super) functions: BTreeSet<String>,
}

const INLINE_ASSEMBLY: &str = "inline assembly";
/// Keywords before a function's type that a declaration must not have.
const LINKAGE: &[&str] = &[
    "internal",
    "private",
    "hidden",
    "protected",
    "default",
    "linkonce_odr",
    "linkonce",
    "weak_odr",
    "weak",
    "available_externally",
    "dso_local",
    "external",
    "common",
];

/// Edits the text of `file`, one of several by its number.
pub(super) fn edit(text: &str, file: &Path, number: usize, options: &CompileOptions) -> Edited {
    let mut editor = Editor { metadata: Metadata::of(text), number, ..Editor::default() };
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if line.starts_with("define ") || line.starts_with("declare ") {
            editor.functions.extend(name_of(line).map(|name| source_name(plain(name)).to_owned()));
        }
        if line.starts_with("define ") {
            let body: Vec<&str> = lines.by_ref().take_while(|line| *line != "}").collect();
            editor.function(line, &body, options);
        } else if line.starts_with("module asm ") {
            editor.file_assembly(file);
        } else {
            editor.push(line);
        }
    }
    editor.finish()
}

#[derive(Default)]
struct Editor<'a> {
    metadata: Metadata<'a>,
    number: usize,
    text: String,
    /// Functions with a body, as the text spells their names: `@f`.
    kept: Vec<String>,
    /// Calls of functions that only this file sees.
    keeping: Vec<String>,
    removed: BTreeSet<String>,
    /// Metadata that describes removed functions.
    undefined: BTreeSet<&'a str>,
    left_out: Vec<LeftOut>,
    functions: BTreeSet<String>,
    has_checks: bool,
}

impl<'a> Editor<'a> {
    fn push(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn function(&mut self, header: &'a str, body: &[&'a str], options: &CompileOptions) {
        let Some(name) = name_of(header) else {
            self.push(header);
            body.iter().for_each(|line| self.push(line));
            return self.push("}");
        };
        let plain = plain(name);
        let subprogram = reference(header, "!dbg ");
        let assembly = body.iter().find(|line| is_assembly(line));
        if let Some(line) = assembly {
            let (file, defined) = self.metadata.place(subprogram);
            let line = reference(line, "!dbg ").and_then(|id| self.metadata.line(id));
            self.left_out.push(LeftOut {
                function: plain.to_owned(),
                file,
                line: line.unwrap_or(defined),
                why: INLINE_ASSEMBLY.to_owned(),
            });
        }
        let is_stub = options.stubs.iter().any(|stub| stub == source_name(plain));
        let is_replaced = assumptions::is_assumption(source_name(plain), body)
            || assumptions::is_error(source_name(plain), body);
        if assembly.is_some() || is_stub || is_replaced {
            self.removed.insert(name.to_owned());
            self.undefined.extend(subprogram);
            let declaration = declaration(header, name, subprogram);
            return self.push(&declaration);
        }
        if header.starts_with("define internal ") {
            self.keeping.push(call(header, name));
        } else {
            self.kept.push(name.to_owned());
        }
        self.push(&header.replacen("define available_externally ", "define weak_odr ", 1));
        for line in body {
            match check_call(line, &options.checks) {
                Some(call) => {
                    self.has_checks = true;
                    self.push(&call);
                }
                None => self.push(line),
            }
        }
        self.push("}");
    }

    /// Assembly outside of functions defines nothing that WebAssembly has.
    fn file_assembly(&mut self, file: &Path) {
        if self.left_out.iter().all(|left_out| !left_out.function.is_empty()) {
            self.left_out.push(LeftOut {
                function: String::new(),
                file: file.to_path_buf(),
                line: 0,
                why: INLINE_ASSEMBLY.to_owned(),
            });
        }
    }

    fn finish(mut self) -> Edited {
        if self.has_checks {
            self.push("declare void @__symcrete_check(i32)");
        }
        let mut used = self.kept.clone();
        if !self.keeping.is_empty() {
            // The linker forgets that a local function was marked as used, but it keeps what a
            // kept function calls.
            let name = format!("@__symcrete_keep_{}", self.number);
            let calls = self.keeping.join("\n");
            self.push(&format!("define hidden void {name}() {{\n{calls}\n  ret void\n}}"));
            used.push(name);
        }
        let text = std::mem::take(&mut self.text);
        for line in text.lines() {
            if line.starts_with("@llvm.used = ") {
                used.extend(names_in_used(line));
                continue;
            }
            let id = line.split_once(" = distinct !DISubprogram(").map(|(id, _)| id);
            match id {
                Some(id) if self.undefined.contains(id) => self.push(&undefined_subprogram(line)),
                _ => self.push(&without_blocks(line, &self.removed)),
            }
        }
        used.retain(|name| !self.removed.contains(name) && !is_counting(name));
        if !used.is_empty() {
            let names: Vec<String> = used.iter().map(|name| format!("ptr {name}")).collect();
            self.push(&format!(
                "@llvm.used = appending global [{} x ptr] [{}], section \"llvm.metadata\"",
                used.len(),
                names.join(", ")
            ));
        }
        Edited { text: self.text, left_out: self.left_out, functions: self.functions }
    }
}

/// `@f` of `define hidden i32 @f(i32 …`.
pub(super) fn name_of(header: &str) -> Option<&str> {
    let start = header.find('@')?;
    let length = match header[start + 1..].strip_prefix('"') {
        Some(quoted) => quoted.find('"')? + 3,
        None => header[start..].find('(')?,
    };
    Some(&header[start..start + length])
}

/// `f` of `@f` and `@"f"`.
fn plain(name: &str) -> &str {
    name.trim_start_matches('@').trim_matches('"')
}

/// The name in the source: `main` has another one in the object.
pub(super) fn source_name(name: &str) -> &str {
    if name == "__main_argc_argv" || name == "__original_main" { "main" } else { name }
}

/// `!7` of `… !dbg !7, …`.
pub(super) fn reference<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    let start = line.rfind(key)? + key.len();
    let rest = &line[start..];
    let length = rest[1..].find(|c: char| !c.is_ascii_digit()).map_or(rest.len(), |n| n + 1);
    Some(&rest[..length])
}

/// Whether a line of a body is part of the block that the lines before it belong to.
pub(super) fn is_instruction(line: &str) -> bool {
    let starts_block = !line.starts_with(' ') && line.contains(':');
    !starts_block && !line.trim_start().starts_with("br ")
}

/// Text of a compiler that was not told that arithmetic wraps, although it does here. Removing a promise is always right, so
/// all of them are removed, also those that do not follow from overflow.
pub(super) fn wrapping(text: &str) -> String {
    let mut wrapping = String::with_capacity(text.len());
    for line in text.lines() {
        match line.starts_with("  ") {
            true => wrapping.push_str(&outside_texts(line, without_promises)),
            false => wrapping.push_str(line),
        }
        wrapping.push('\n');
    }
    wrapping
}

/// Text of a compiler that assumed that null is not an object, although here it may be one.
pub(super) fn with_null(text: &str) -> String {
    let mut with_null = String::with_capacity(text.len());
    for line in text.lines() {
        let is_code = ["  ", "define ", "declare "].iter().any(|start| line.starts_with(start));
        if is_code {
            with_null.push_str(&outside_texts(line, |code| {
                code.replace(" nonnull ", " ")
                    .replace(" dereferenceable(", " dereferenceable_or_null(")
            }));
        } else if line.starts_with("attributes #") {
            with_null.push_str(&line.replacen('{', "{ null_pointer_is_valid", 1));
        } else {
            with_null.push_str(line);
        }
        with_null.push('\n');
    }
    with_null
}

/// A line edited outside string literals. A quote inside a string is written by its number, so every second part is a string.
pub(super) fn outside_texts(line: &str, edit: impl Fn(&str) -> String) -> String {
    let parts = line.split('"').enumerate();
    let parts = parts.map(|(i, part)| if i % 2 == 0 { edit(part) } else { part.to_owned() });
    parts.collect::<Vec<_>>().join("\"")
}

/// Instructions without the flags that promise that a result fits.
fn without_promises(code: &str) -> String {
    const PROMISES: &[&str] = &["nsw", "nuw", "nusw", "inbounds"];
    let words = code.split(' ').filter(|word| !PROMISES.contains(word));
    words.collect::<Vec<_>>().join(" ")
}

/// Whether a line of a body is assembly with instructions; an empty template is only a barrier.
fn is_assembly(line: &str) -> bool {
    let Some((before, after)) = line.split_once(" asm ") else { return false };
    if !before.contains("call") {
        return false;
    }
    let template = after.split_once('"').map_or("", |(_, template)| template);
    !template.starts_with('"')
}

/// A call of the runtime in place of a call of one of clang's handlers. Two of them are never merged, because
/// each stands for its own line.
fn check_call(line: &str, checks: &[Check]) -> Option<String> {
    let (before, rest) = line.split_once("call void @__ubsan_handle_")?;
    let open = rest.find('(')?;
    let after = &rest[closing(rest, open)? + 1..];
    let handler = rest[..open].strip_suffix("_abort")?;
    let handler = handler.strip_suffix("_minimal").unwrap_or(handler);
    let kind = Check::kind_of_handler(handler.strip_suffix("_v1").unwrap_or(handler), checks)?;
    Some(format!("{before}call void @__symcrete_check(i32 {kind}) nomerge{after}"))
}

/// `declare !dbg !2 i32 @f(i32 %0) #0` of `define internal i32 @f(i32 %0) #0 !dbg !2 {`.
fn declaration(header: &str, name: &str, subprogram: Option<&str>) -> String {
    let start = header.find(name).expect("the name was found in the header");
    let result: Vec<&str> = header["define ".len()..start]
        .split_whitespace()
        .filter(|word| !LINKAGE.contains(word))
        .collect();
    let rest = &header[start..];
    let params = &rest[..closing(rest, name.len()).map_or(rest.len(), |end| end + 1)];
    let attributes = rest[params.len()..].split_whitespace().find(|word| word.starts_with('#'));
    let debug = subprogram.map(|id| format!("!dbg {id} ")).unwrap_or_default();
    format!("declare {debug}{} {params} {}", result.join(" "), attributes.unwrap_or_default())
}

/// A call of a function whose arguments do not matter.
fn call(header: &str, name: &str) -> String {
    let declared = declaration(header, name, None);
    let (result, rest) =
        declared["declare ".len()..].split_once(name).expect("it declares the name");
    let params = &rest[1..closing(rest, 0).expect("a list of parameters closes")];
    let is_variadic = params.ends_with("...");
    let params: Vec<&str> = split(params)
        .into_iter()
        .map(str::trim)
        .filter(|param| !matches!(*param, "" | "..."))
        .collect();
    let arguments: Vec<String> = params.iter().map(|param| argument(param)).collect();
    let mut ty = String::new();
    if is_variadic {
        let types: Vec<&str> = params
            .iter()
            .filter_map(|param| param.split_whitespace().next())
            .chain(["..."])
            .collect();
        ty = format!("({}) ", types.join(", "));
    }
    format!("  call {result}{ty}{name}({})", arguments.join(", "))
}

/// `i32 noundef undef` of `i32 noundef %0`.
fn argument(param: &str) -> String {
    match param.rsplit_once(" %") {
        Some((ty, name)) if !name.contains([' ', ')']) => format!("{ty} undef"),
        _ => format!("{param} undef"),
    }
}

/// A declaration of a function that the engine provides, by its name there.
pub(super) fn host_function(symbol: &str, (result, params): (&str, &str), name: &str) -> String {
    format!(
        "declare {result} @{symbol}({params}) \"wasm-import-module\"=\"symcrete\" \
         \"wasm-import-name\"=\"{name}\""
    )
}

/// The parts between commas that are in no brackets.
pub(super) fn split(list: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0_i32, 0);
    for (i, byte) in list.bytes().enumerate() {
        match byte {
            b'(' | b'[' | b'{' | b'<' => depth += 1,
            b')' | b']' | b'}' | b'>' => depth -= 1,
            b',' if depth == 0 => {
                parts.push(&list[start..i]);
                start = i + 1;
            }
            _ => {}
        }
    }
    parts.push(&list[start..]);
    parts
}

/// Where the parenthesis that opens at `open` closes.
pub(super) fn closing(text: &str, open: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (i, byte) in text.bytes().enumerate().skip(open) {
        match byte {
            b'(' => depth += 1,
            b')' if depth == 1 => return Some(i),
            b')' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    None
}

/// The description of a function that is declared and not defined.
fn undefined_subprogram(line: &str) -> String {
    let line = line.replacen("distinct ", "", 1);
    let fields = line.trim_end_matches(')').split(", ").filter_map(|field| {
        let key = field.split(':').next().unwrap_or_default();
        match key {
            "unit" | "retainedNodes" | "scopeLine" | "declaration" => None,
            "spFlags" => Some("spFlags: DISPFlagOptimized"),
            "flags" => Some("flags: DIFlagPrototyped"),
            _ => Some(field),
        }
    });
    format!("{})", fields.collect::<Vec<_>>().join(", "))
}

/// The names in `@llvm.used = appending global [2 x ptr] [ptr @f, ptr @g], section …`; older text has
/// `i8* bitcast (i32* @f to i8*)`.
fn names_in_used(line: &str) -> Vec<String> {
    let list = line.split_once("] [").and_then(|(_, rest)| rest.rsplit_once("], section"));
    let list = list.map_or("", |(list, _)| list);
    let name = |item: &str| {
        let name = &item[item.find('@')?..];
        let end = match name[1..].strip_prefix('"') {
            Some(quoted) => quoted.find('"')? + 3,
            None => name.find([' ', ',', ')']).unwrap_or(name.len()),
        };
        Some(name[..end].to_owned())
    };
    split(list).into_iter().filter_map(name).collect()
}

/// The line without addresses of blocks whose function is gone.
fn without_blocks(line: &str, removed: &BTreeSet<String>) -> String {
    let mut text = line.to_owned();
    for name in removed {
        let start = format!("blockaddress({name}, ");
        while let Some(at) = text.find(&start) {
            let Some(length) = text[at..].find(')') else { break };
            text.replace_range(at..=at + length, "null");
        }
    }
    text
}

/// Lines of metadata by their id.
#[derive(Default)]
struct Metadata<'a> {
    lines: BTreeMap<&'a str, &'a str>,
}

impl<'a> Metadata<'a> {
    fn of(text: &'a str) -> Metadata<'a> {
        let places = ["DILocation(", "DISubprogram(", "DIFile("];
        let is_place = |line: &&str| places.iter().any(|place| line.contains(place));
        let lines = text.lines().filter(|line| line.starts_with('!')).filter(is_place);
        Metadata { lines: lines.filter_map(|line| line.split_once(" = ")).collect() }
    }

    fn line(&self, id: &str) -> Option<u32> {
        number(self.lines.get(id)?, "line: ")
    }

    /// File and line of a function.
    fn place(&self, subprogram: Option<&str>) -> (PathBuf, u32) {
        let Some(text) = subprogram.and_then(|id| self.lines.get(id)) else {
            return (PathBuf::new(), 0);
        };
        let file = reference(text, "file: ").and_then(|id| self.lines.get(id));
        let file = file.and_then(|file| quoted(file, "filename: \"")).unwrap_or_default();
        (PathBuf::from(file), number(text, "line: ").unwrap_or(0))
    }
}

/// The number behind a key.
pub(super) fn number(text: &str, key: &str) -> Option<u32> {
    let rest = &text[text.find(key)? + key.len()..];
    let length = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    rest[..length].parse().ok()
}

/// What is between a key, which ends with a quote, and the next quote.
pub(super) fn quoted<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    let rest = &text[text.find(key)? + key.len()..];
    Some(&rest[..rest.find('"')?])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_definition_becomes_a_declaration() {
        let header = "define internal zeroext i1 @f(ptr noundef byval(%struct.p) align 8 %0, ...) unnamed_addr #0 !dbg !6 {";
        let name = name_of(header).unwrap();
        assert_eq!(name, "@f");
        assert_eq!(
            declaration(header, name, reference(header, "!dbg ")),
            "declare !dbg !6 zeroext i1 @f(ptr noundef byval(%struct.p) align 8 %0, ...) #0"
        );
        assert_eq!(name_of("define void @\"a b\"(i32 %0) {"), Some("@\"a b\""));
    }

    #[test]
    fn arguments_of_a_kept_call_do_not_matter() {
        let header = "define internal noundef ptr @f(ptr noundef byval(%struct.p) align 8 %0, <2 x i64> %1) #0 {";
        assert_eq!(
            call(header, "@f"),
            "  call noundef ptr @f(ptr noundef byval(%struct.p) align 8 undef, <2 x i64> undef)"
        );
        let variadic = "define internal void @g(ptr noundef %0, ...) #0 {";
        assert_eq!(call(variadic, "@g"), "  call void (ptr, ...) @g(ptr noundef undef)");
        assert_eq!(call("define internal i32 @h() {", "@h"), "  call i32 @h()");
    }

    #[test]
    fn used_names_are_read_with_and_without_types() {
        let now = r#"@llvm.used = appending global [2 x ptr] [ptr @f, ptr @"a b"], section "llvm.metadata""#;
        assert_eq!(names_in_used(now), ["@f", "@\"a b\""]);
        let before = "@llvm.used = appending global [2 x i8*] [i8* bitcast ([2 x i32]* @t to i8*), \
                      i8* bitcast (i32 (i32, i8*)* @f to i8*)], section \"llvm.metadata\"";
        assert_eq!(names_in_used(before), ["@t", "@f"]);
    }

    #[test]
    fn an_empty_template_is_a_barrier() {
        assert!(is_assembly(r#"  %5 = call i32 asm "movl $1,$0", "=r,r"(i32 %4) #5, !dbg !36"#));
        assert!(is_assembly(r#"  call void asm sideeffect "nop", "~{memory}"() #4, !dbg !82"#));
        assert!(!is_assembly(r#"  call void asm sideeffect "", "~{memory}"() #4, !dbg !82"#));
    }

    #[test]
    fn nothing_promises_that_results_fit() {
        let rows = [
            ("  %3 = add nsw i32 %1, %2, !dbg !9", "  %3 = add i32 %1, %2, !dbg !9"),
            ("  %3 = add nuw nsw i32 %1, 1", "  %3 = add i32 %1, 1"),
            ("  %3 = mul nuw i64 4, %2", "  %3 = mul i64 4, %2"),
            ("  %3 = shl nuw i32 %1, 2", "  %3 = shl i32 %1, 2"),
            ("  %3 = trunc nuw nsw i64 %1 to i32", "  %3 = trunc i64 %1 to i32"),
            (
                "  %4 = getelementptr inbounds nuw i8, ptr %1, i64 %3",
                "  %4 = getelementptr i8, ptr %1, i64 %3",
            ),
            (
                "  store ptr getelementptr inbounds ([4 x i8], ptr @t, i64 1), ptr %2",
                "  store ptr getelementptr ([4 x i8], ptr @t, i64 1), ptr %2",
            ),
            // What is true without it stays, and so do names and texts.
            ("  %3 = zext nneg i32 %1 to i64", "  %3 = zext nneg i32 %1 to i64"),
            ("  %3 = or disjoint i32 %1, 1", "  %3 = or disjoint i32 %1, 1"),
            ("  %3 = icmp samesign ult i32 %1, %2", "  %3 = icmp samesign ult i32 %1, %2"),
            (
                "  call void asm sideeffect \"a nsw b\", \"\"(i32 add nsw (i32 1, i32 2))",
                "  call void asm sideeffect \"a nsw b\", \"\"(i32 add (i32 1, i32 2))",
            ),
            ("  store i8 1, ptr @nsw, align 1", "  store i8 1, ptr @nsw, align 1"),
            (
                "@t = private constant [6 x i8] c\"a nsw \"",
                "@t = private constant [6 x i8] c\"a nsw \"",
            ),
        ];
        for (before, after) in rows {
            assert_eq!(wrapping(before), format!("{after}\n"));
        }
    }

    #[test]
    fn a_handler_becomes_a_call_of_the_runtime() {
        let line = "  call void @__ubsan_handle_mul_overflow_minimal_abort() #4, !dbg !40";
        let call = check_call(line, &[Check::Overflow]).unwrap();
        assert_eq!(call, "  call void @__symcrete_check(i32 12) nomerge #4, !dbg !40");
        let line =
            "  call void @__ubsan_handle_type_mismatch_v1_abort(ptr @1, i32 %4) #7, !nosanitize !6";
        let call = check_call(line, &[Check::Null, Check::Conversion]).unwrap();
        assert_eq!(call, "  call void @__symcrete_check(i32 22) nomerge #7, !nosanitize !6");
    }
}
