//! Gives what nobody has written one unknown value.
//!
//! LLVM reads a variable that was not written as `undef`, which differs from use to use. So wherever the life of a
//! local variable starts, it is written here. A small one that only this function sees is copied from a place that
//! gives the engine another unknown value each time it is read (`__symcrete_uninitialized`): where every read comes
//! after a write nothing of that is left in the module. The bytes of any other are marked by a call. Functions that
//! allocate memory are replaced by those of our runtime that mark what they allocate.
//!
//! `docs/adr/0010-uninitialised-values.md` has the reasons.

use super::ir::{self, split};
use super::type_sizes::TypeSizes;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// Bytes of the runtime's `__symcrete_uninitialized`.
pub(crate) const SOURCE_BYTES: u32 = 16384;
/// Each variable of a function is read from a place of its own, since two reads of one place may become one.
const SOURCE_ALIGNMENT: u32 = 8;
/// Larger variables are marked.
const COPIED_MAX: u32 = 128;
/// Functions that allocate memory without writing it.
const ALLOCATORS: &[&str] =
    &["malloc", "realloc", "reallocarray", "aligned_alloc", "posix_memalign"];

/// Edits the text of one file.
pub(super) fn mark(text: &str) -> String {
    let sizes = TypeSizes::of(text);
    let mut marker =
        Marker { sizes: &sizes, out: String::with_capacity(text.len() + text.len() / 8) };
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        marker.push(line);
        if line.starts_with("define ") {
            let body: Vec<&str> = lines.by_ref().take_while(|line| *line != "}").collect();
            marker.function(&body);
            marker.push("}");
        }
    }
    let mut out = with_allocators(&marker.out);
    if out.contains("@__symcrete_uninitialized") {
        let _ = writeln!(out, "@__symcrete_uninitialized = external global [{SOURCE_BYTES} x i8]");
    }
    if out.contains("call void @__symcrete_unwritten(") {
        let _ = writeln!(
            out,
            "declare void @__symcrete_unwritten(ptr, i32) \"wasm-import-module\"=\"symcrete\" \
             \"wasm-import-name\"=\"uninitialized\""
        );
    }
    if out.contains(COPY) && !out.contains(&format!("declare void {COPY}")) {
        let _ = writeln!(out, "declare void {COPY}ptr, ptr, i32, i1 immarg)");
    }
    out
}

const COPY: &str = "@llvm.memcpy.p0.p0.i32(";

struct Marker<'a> {
    sizes: &'a TypeSizes<'a>,
    out: String,
}

/// A local variable.
struct Local<'a> {
    ty: &'a str,
    /// How many of the type, if that is known only at run time.
    count: Option<&'a str>,
    size: Option<u32>,
    /// Whether nothing but this function's own reads and writes of constant places can reach it.
    is_private: bool,
    /// Whether the text says where its life starts.
    has_start: bool,
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
        self.out.push_str(line);
        self.out.push('\n');
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
        let ty = local.ty;
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
                     {size} = ptrtoint ptr {end} to i32\n  \
                     call void @__symcrete_unwritten(ptr {name}, i32 {size})"
                )
            }
            (Origin::Mark, None) => {
                let size = format!("ptrtoint (ptr getelementptr ({ty}, ptr null, i32 1) to i32)");
                format!("  call void @__symcrete_unwritten(ptr {name}, i32 {size})")
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

/// The local variables of a function by name, and the names of constant places in them.
struct Locals<'a> {
    all: BTreeMap<&'a str, Local<'a>>,
    places: BTreeMap<&'a str, &'a str>,
}

impl<'a> Locals<'a> {
    fn of(body: &[&'a str], sizes: &TypeSizes<'_>) -> Locals<'a> {
        let mut locals = Locals { all: BTreeMap::new(), places: BTreeMap::new() };
        for line in body {
            if let Some((name, local)) = allocated(line, sizes) {
                locals.all.insert(name, local);
                locals.places.insert(name, name);
            }
        }
        if locals.all.is_empty() {
            return locals;
        }
        // Blocks need not be in the order in which they run.
        while body.iter().filter(|line| locals.add_place(line)).count() > 0 {}
        let escaping: BTreeSet<&str> = body
            .iter()
            .flat_map(|line| names(line).map(move |name| (line, name)))
            .filter_map(|(line, name)| Some((line, name, *locals.places.get(name)?)))
            .filter(|(line, name, _)| !is_harmless(line, name))
            .map(|(_, _, root)| root)
            .collect();
        for (name, local) in &mut locals.all {
            local.is_private = !escaping.contains(name);
        }
        for line in body.iter().filter(|line| is_start(line)) {
            if let Some(local) = locals.root_in(line).and_then(|root| locals.all.get_mut(root)) {
                local.has_start = true;
            }
        }
        locals
    }

    /// Notes that a line names a constant place in a variable; whether that is news.
    fn add_place(&mut self, line: &'a str) -> bool {
        let Some((name, rest)) = definition(line) else { return false };
        let is_place = rest.starts_with("getelementptr ") || rest.starts_with("bitcast ");
        if !is_place || self.places.contains_key(name) {
            return false;
        }
        let root = names(rest).find_map(|name| self.places.get(name).copied());
        match root.filter(|_| names(rest).all(|name| is_harmless(line, name))) {
            Some(root) => self.places.insert(name, root).is_none(),
            None => false,
        }
    }

    fn root_in(&self, line: &str) -> Option<&'a str> {
        names(line).find_map(|name| self.places.get(name).copied())
    }

    /// The variable whose life starts with a line.
    fn starts_at(&self, line: &'a str) -> Option<&'a str> {
        if is_start(line) {
            return self.root_in(line);
        }
        let (name, rest) = definition(line)?;
        let local = self.all.get(name).filter(|_| rest.starts_with("alloca "))?;
        (!local.has_start).then_some(name)
    }

    /// Whether a variable is written as a whole before anything else happens to it.
    fn is_written_first(&self, name: &str, after: &[&'a str], sizes: &TypeSizes<'_>) -> bool {
        let local = &self.all[name];
        for line in after.iter().take_while(|line| ir::is_instruction(line)) {
            let is_about = names(line).any(|other| self.places.get(other) == Some(&name));
            let is_place = definition(line).is_some_and(|(name, _)| self.places.contains_key(name));
            if !is_about || is_place || is_remark(line) {
                continue;
            }
            let target = |operand: &str| names(operand).next() == Some(name);
            let operands = split(line.trim_start());
            if let Some(value) = operands[0].strip_prefix("store ") {
                let ty = value.rsplit_once(' ').map_or("", |(ty, _)| ty);
                let is_whole = local.size.is_some() && sizes.size(ty) == local.size;
                return is_whole && names(value).all(|other| other != name) && target(operands[1]);
            }
            let copied = ["@llvm.memcpy.", "@llvm.memset."].iter().any(|name| line.contains(name));
            let Some(start) = line.find('(').filter(|_| copied) else { return false };
            let arguments = split(&line[start + 1..]);
            let length = arguments.get(2).and_then(|length| length.trim().rsplit(' ').next());
            return target(arguments[0])
                && local.size.is_some()
                && length.and_then(|length| length.parse().ok()) == local.size;
        }
        false
    }
}

/// The variable that a line makes room for.
fn allocated<'a>(line: &'a str, sizes: &TypeSizes<'_>) -> Option<(&'a str, Local<'a>)> {
    let (name, rest) = definition(line)?;
    let operands = split(rest.strip_prefix("alloca ")?);
    let ty = operands[0].trim();
    let count = operands.get(1).map(|count| count.trim());
    let count = count.filter(|count| !count.starts_with(['a', '!']));
    let size = sizes.size(ty);
    Some((name, Local { ty, count, size, is_private: false, has_start: false }))
}

/// `%3` and the rest of `  %3 = alloca i32`.
fn definition(line: &str) -> Option<(&str, &str)> {
    line.trim_start().split_once(" = ").filter(|(name, _)| name.starts_with('%'))
}

/// Whether a line says that the life of a variable starts.
fn is_start(line: &str) -> bool {
    line.contains(" @llvm.lifetime.start.")
}

/// Whether a line does nothing to memory.
fn is_remark(line: &str) -> bool {
    line.trim_start().starts_with("#dbg_")
        || line.contains(" @llvm.dbg.")
        || line.contains(" @llvm.lifetime.")
}

/// Whether a line that names a place in a variable only reads it, writes it, or names a constant place in it.
fn is_harmless(line: &str, name: &str) -> bool {
    if is_remark(line) {
        return true;
    }
    let (defined, rest) = definition(line).unwrap_or(("", line.trim_start()));
    if defined == name || rest.starts_with("alloca ") {
        return true;
    }
    let operands = split(rest);
    if rest.starts_with("load ") || rest.starts_with("bitcast ") {
        return true;
    }
    if rest.starts_with("getelementptr ") {
        return operands.iter().skip(2).all(|index| !index.contains('%'));
    }
    if let Some(value) = operands[0].strip_prefix("store ") {
        return names(value).all(|other| other != name);
    }
    let is_bulk =
        ["memcpy", "memmove", "memset"].iter().any(|bulk| rest.contains(&format!("@llvm.{bulk}.")));
    let arguments = rest.find('(').map(|start| split(&rest[start + 1..])).unwrap_or_default();
    is_bulk && arguments.get(2).is_some_and(|length| !length.contains('%'))
}

/// The names of values in a line, as the text spells them; also those of types and blocks.
fn names(line: &str) -> impl Iterator<Item = &str> {
    line.match_indices('%').map(|(start, _)| {
        let rest = &line[start + 1..];
        let length = match rest.strip_prefix('"') {
            Some(quoted) => quoted.find('"').map_or(rest.len(), |end| end + 2),
            None => rest.find(|c: char| !is_name_part(c)).unwrap_or(rest.len()),
        };
        &line[start..=start + length]
    })
}

fn is_name_part(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '$' | '-')
}

/// Functions that allocate memory and are not the file's own, by those of the runtime.
fn with_allocators(text: &str) -> String {
    let mut text = text.to_owned();
    for name in ALLOCATORS {
        let spelled = format!("@{name}");
        let is_declared = text.lines().any(|line| {
            line.starts_with("declare ") && ir::name_of(line) == Some(spelled.as_str())
        });
        if !is_declared {
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
        let out = with_allocators(text);
        assert!(out.contains("global ptr @__symcrete_malloc\n"));
        assert!(out.contains("call ptr @__symcrete_malloc(") && out.contains("@malloc_usable("));
        let own = "define ptr @malloc(i32 %0) {\n}\n";
        assert_eq!(with_allocators(own), own);
    }
}
