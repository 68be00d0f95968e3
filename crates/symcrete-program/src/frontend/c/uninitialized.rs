//! Gives uninitialised memory one unknown value.
//!
//! LLVM reads a variable that was not written as `undef`, which differs from use to use. So wherever the life of a
//! local variable starts, it is written here. A small one that only this function sees is copied from a place that
//! gives the engine another unknown value each time it is read (`__symcrete_uninitialized`): where every read comes
//! after a write nothing of that is left in the module. The bytes of any other are marked by a call. Functions that
//! allocate memory are replaced by those of our runtime that mark what they allocate.
//!
//! `docs/adr/0010-uninitialised-values.md` has the reasons.

use super::ir;
use super::ir_text::push_line;
use super::locals::{Local, Locals, is_name_part};
use super::machine;
use super::type_sizes::TypeSizes;
use crate::data_model::DataModel;
use std::fmt::Write as _;

/// Bytes of the runtime's `__symcrete_uninitialized`.
pub(crate) const SOURCE_BYTES: u32 = 16384;
/// Each variable of a function is read from a place of its own, since two reads of one place may become one.
const SOURCE_ALIGNMENT: u32 = 8;
/// Larger variables are marked.
const COPIED_MAX: u32 = 128;
/// Functions that allocate or free memory.
const ALLOCATORS: &[&str] = &[
    "malloc",
    "calloc",
    "realloc",
    "reallocarray",
    "aligned_alloc",
    "posix_memalign",
    "free",
    "malloc_usable_size",
];

/// Edits the text of one file.
pub(super) fn mark(text: &str) -> String {
    let sizes = TypeSizes::of(text);
    let model = machine::of_text(text);
    let out = String::with_capacity(text.len() + text.len() / 8);
    let mut marker = Marker { sizes: &sizes, word: machine::word(model), out };
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        marker.push(line);
        if line.starts_with("define ") {
            let body: Vec<&str> = lines.by_ref().take_while(|line| *line != "}").collect();
            marker.function(&body);
            marker.push("}");
        }
    }
    let mut out = with_allocators(&marker.out, model);
    if out.contains("@__symcrete_uninitialized") {
        let _ = writeln!(out, "@__symcrete_uninitialized = external global [{SOURCE_BYTES} x i8]");
    }
    if out.contains("call void @__symcrete_unwritten(") {
        push_line(&mut out, &unwritten(model));
    }
    if out.contains(COPY) && !out.contains(&format!("declare void {COPY}")) {
        let _ = writeln!(out, "declare void {COPY}ptr, ptr, i32, i1 immarg)");
    }
    out
}

const COPY: &str = "@llvm.memcpy.p0.p0.i32(";

/// The declaration of the function that marks bytes which nobody has written.
pub(super) fn unwritten(model: DataModel) -> String {
    let params = format!("ptr, {}", machine::word(model));
    ir::host_function("__symcrete_unwritten", ("void", &params), "uninitialized")
}

struct Marker<'a> {
    sizes: &'a TypeSizes<'a>,
    /// The type of sizes.
    word: &'static str,
    out: String,
}

/// Where a variable gets its unknown value from.
enum Origin {
    /// It is read there as one value.
    Read(u32),
    /// So many bytes are copied from there.
    Copy(u32, u32),
    /// Its bytes are marked.
    Mark,
}

impl Marker<'_> {
    fn push(&mut self, line: &str) {
        push_line(&mut self.out, line);
    }

    fn function(&mut self, body: &[&str]) {
        let locals = Locals::of(body, self.sizes);
        let mut source = 0;
        for (i, line) in body.iter().enumerate() {
            self.push(line);
            let Some(name) = locals.starts_at(line) else { continue };
            let is_empty = locals.all[name].size == Some(0);
            if is_empty || locals.is_written_first(name, &body[i + 1..], self.sizes) {
                continue;
            }
            let local = &locals.all[name];
            let origin = origin(local, &mut source);
            self.give_value(name, local, &origin, i);
        }
    }

    /// Writes code that gives a variable its unknown value; the line's number makes names of their own.
    fn give_value(&mut self, name: &str, local: &Local<'_>, origin: &Origin, line: usize) {
        let (ty, word) = (local.ty, self.word);
        let place = |offset: u32| {
            format!("ptr getelementptr (i8, ptr @__symcrete_uninitialized, i32 {offset})")
        };
        let code = match (origin, local.count) {
            (Origin::Read(offset), _) => {
                let value = format!("%symcrete.unknown.{line}");
                let place = place(*offset);
                format!("  {value} = load {ty}, {place}, align 1\n  store {ty} {value}, ptr {name}")
            }
            (Origin::Copy(offset, size), _) => {
                let place = place(*offset);
                format!("  call void {COPY}ptr {name}, {place}, i32 {size}, i1 false)")
            }
            (Origin::Mark, Some(count)) => {
                let (end, size) =
                    (format!("%symcrete.end.{line}"), format!("%symcrete.size.{line}"));
                format!(
                    "  {end} = getelementptr {ty}, ptr null, {count}\n  \
                     {size} = ptrtoint ptr {end} to {word}\n  \
                     call void @__symcrete_unwritten(ptr {name}, {word} {size})"
                )
            }
            (Origin::Mark, None) => {
                let size =
                    format!("ptrtoint (ptr getelementptr ({ty}, ptr null, i32 1) to {word})");
                format!("  call void @__symcrete_unwritten(ptr {name}, {word} {size})")
            }
        };
        self.push(&code);
    }
}

/// Small variables have a place to be read from, as long as there is room.
fn origin(local: &Local<'_>, source: &mut u32) -> Origin {
    let size = local.size.filter(|&size| {
        local.is_private && local.count.is_none() && (1..=COPIED_MAX).contains(&size)
    });
    let Some(size) = size else { return Origin::Mark };
    let end = *source + size.next_multiple_of(SOURCE_ALIGNMENT);
    if end > SOURCE_BYTES {
        return Origin::Mark;
    }
    let start = std::mem::replace(source, end);
    match local.ty.starts_with(['%', '{', '[', '<']) {
        true => Origin::Copy(start, size),
        false => Origin::Read(start),
    }
}

/// Other functions of the library that allocate or free memory, or read what is an input, with the types of their results
/// and parameters; sizes are as wide as pointers.
const REPLACED: &[(&str, &str, &[&str])] = &[
    ("getdelim", WORD, &["ptr", "ptr", "i32", "ptr"]),
    ("getline", WORD, &["ptr", "ptr", "ptr"]),
    ("strdup", "ptr", &["ptr"]),
    ("strndup", "ptr", &["ptr", WORD]),
    ("vasprintf", "i32", &["ptr", "ptr", "ptr"]),
    ("asprintf", "i32", &["ptr", "ptr", "..."]),
    ("getenv", "ptr", &["ptr"]),
    ("setenv", "i32", &["ptr", "ptr", "i32"]),
    ("unsetenv", "i32", &["ptr"]),
    ("putenv", "i32", &["ptr"]),
    ("fopen", "ptr", &["ptr", "ptr"]),
    ("open", "i32", &["ptr", "i32", "..."]),
];

/// In the types above: the integer that is as wide as a pointer.
const WORD: &str = "word";

/// Functions that allocate memory and are not the file's own, by those of the runtime.
fn with_allocators(text: &str, model: DataModel) -> String {
    let mut text = text.to_owned();
    let spelled = |ty: &'static str| if ty == WORD { machine::word(model) } else { ty };
    let replaced = REPLACED.iter().map(|(name, result, params)| {
        let params: Vec<&str> = params.iter().map(|ty| spelled(ty)).collect();
        (*name, spelled(result), params)
    });
    let replaced: Vec<_> = replaced.collect();
    let headers = |text: &str, word: &str, spelled: &str| {
        let is_it = |line: &&str| line.starts_with(word) && ir::name_of(line) == Some(spelled);
        text.lines().find(is_it).map(str::to_owned)
    };
    for (name, result, params) in &replaced {
        // Of these programs have their own, with other parameters or with these.
        let own = headers(&text, "define ", &format!("@{name}"));
        if own.is_some_and(|header| params_of(&header) == *params) {
            let ty = params.join(", ");
            let _ = writeln!(text, "@__symcrete_{name} = alias {result} ({ty}), ptr @{name}");
        }
    }
    let declared = replaced.iter().filter_map(|(name, _, params)| {
        let header = headers(&text, "declare ", &format!("@{name}"))?;
        (params_of(&header) == *params).then_some(*name)
    });
    let renamed: Vec<&str> = ALLOCATORS.iter().copied().chain(declared).collect();
    for name in renamed {
        let spelled = format!("@{name}");
        if headers(&text, "declare ", &spelled).is_none() {
            continue;
        }
        let mut out = String::with_capacity(text.len());
        let mut rest = text.as_str();
        while let Some(at) = rest.find(&spelled) {
            let end = at + spelled.len();
            out.push_str(&rest[..at]);
            let is_whole = !rest[end..].starts_with(is_name_part);
            out.push_str(if is_whole { "@__symcrete_" } else { "@" });
            out.push_str(name);
            rest = &rest[end..];
        }
        out.push_str(rest);
        text = out;
    }
    text
}

/// The types of a function's parameters; older text has `i8*` for `ptr`.
fn params_of(header: &str) -> Vec<&str> {
    let start = header.find('(').map_or(header.len(), |at| at + 1);
    let end = header.rfind(')').filter(|&end| end > start).unwrap_or(start.min(header.len()));
    let params = ir::split(&header[start.min(end)..end]).into_iter();
    let types = params.map(|param| param.trim().split(' ').next().unwrap_or_default());
    types.map(|ty| if ty.ends_with('*') { "ptr" } else { ty }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The body of a function after the edit.
    fn marked(body: &str) -> String {
        let text = format!("%struct.s = type {{ i8, i32 }}\ndefine void @f() {{\n{body}\n}}\n");
        let out = mark(&text);
        let start = out.find("@f() {\n").expect("the function is there") + "@f() {\n".len();
        out[start..out.find("\n}\n").expect("it ends")].to_owned()
    }

    #[test]
    fn what_is_written_first_needs_nothing() {
        for body in [
            "  %1 = alloca i32, align 4\n  store i32 7, ptr %1, align 4",
            "  %1 = alloca i32, align 4\n  call void @llvm.lifetime.start.p0(i64 4, ptr %1)\n    \
             #dbg_declare(ptr %1, !1, !DIExpression(), !2)\n  store i32 7, ptr %1, align 4",
            "  %1 = alloca %struct.s, align 4\n  call void @llvm.memset.p0.i32(ptr align 4 %1, i8 0, i32 8, i1 false)",
        ] {
            assert_eq!(marked(body), body);
        }
    }

    #[test]
    fn a_small_variable_of_its_own_is_read_or_copied() {
        let read = marked("  %1 = alloca i32, align 4\n  %2 = load i32, ptr %1, align 4");
        assert!(read.contains("load i32, ptr getelementptr"), "{read}");
        assert!(read.contains(", ptr %1\n"), "{read}");
        let field = "  %1 = alloca %struct.s, align 4\n  \
                     %2 = getelementptr inbounds %struct.s, ptr %1, i32 0, i32 1\n  store i32 7, ptr %2, align 4";
        assert!(marked(field).contains(COPY), "{}", marked(field));
        // Half of it is written, the rest is not.
        let half = "  %1 = alloca i32, align 4\n  store i8 7, ptr %1, align 4";
        assert!(marked(half).contains("load i32"), "{}", marked(half));
    }

    #[test]
    fn what_others_can_reach_is_marked() {
        for body in [
            "  %1 = alloca i32, align 4\n  call void @g(ptr %1)",
            "  %1 = alloca i32, align 4\n  %2 = alloca ptr, align 4\n  store ptr %1, ptr %2, align 4",
            "  %1 = alloca [4 x i32], align 4\n  %3 = getelementptr inbounds [4 x i32], ptr %1, i32 0, i32 %2",
            "  %1 = alloca [400 x i32], align 4",
        ] {
            assert!(marked(body).contains("call void @__symcrete_unwritten(ptr %1, "), "{body}");
        }
        let dynamic = marked("  %2 = alloca i16, i32 %1, align 16, !dbg !3");
        assert!(dynamic.contains("getelementptr i16, ptr null, i32 %1\n"), "{dynamic}");
    }

    #[test]
    fn allocators_of_the_library_are_ours() {
        let text = "@hook = global ptr @malloc\ndefine void @f() {\n  call ptr @malloc(i32 4)\n  \
                    call ptr @malloc_usable(i32 4)\n}\ndeclare noalias ptr @malloc(i32)\n";
        let out = with_allocators(text, DataModel::Ilp32);
        assert!(out.contains("global ptr @__symcrete_malloc\n"));
        assert!(out.contains("call ptr @__symcrete_malloc(") && out.contains("@malloc_usable("));
        let own = "define ptr @malloc(i32 %0) {\n}\n";
        assert_eq!(with_allocators(own, DataModel::Ilp32), own);
        let line = "declare i32 @getline(ptr noundef, ptr noundef, ptr noundef) #1\n";
        assert!(with_allocators(line, DataModel::Ilp32).contains("@__symcrete_getline("));
        let other = "declare i32 @getline(ptr noundef, i32 noundef) #1\n";
        assert_eq!(with_allocators(other, DataModel::Ilp32), other);
        let wide = "declare i64 @getdelim(ptr, ptr, i32, ptr)\ndeclare ptr @strndup(ptr, i64)\n";
        let out = with_allocators(wide, DataModel::Lp64);
        assert!(out.contains("@__symcrete_getdelim(") && out.contains("@__symcrete_strndup("));
        let same = "define i32 @getline(ptr noundef %0, ptr noundef %1, ptr noundef %2) #0 {\n}\n";
        let alias = "@__symcrete_getline = alias i32 (ptr, ptr, ptr), ptr @getline\n";
        assert!(with_allocators(same, DataModel::Ilp32).ends_with(alias));
    }
}
