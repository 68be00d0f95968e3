//! Red zones around local variables.
//!
//! All variables of a function that others can reach become parts of one, its frame. The function says on entry where
//! the stack has room for it and which parts of it are variables (`symcrete.enter`), and is told where its frame is; on return
//! it says that the frame is gone (`symcrete.leave`). Arrays whose length is known only at run time do so by themselves
//! (`symcrete.array`). Variables of a block that ends before the function does say so (`symcrete.scope_start`,
//! `symcrete.scope_end`).

use super::super::ir::{self, split};
use super::super::ir_text::push_line;
use super::super::locals::{Local, Locals, definition};
use super::super::machine;
use super::super::type_sizes::TypeSizes;
use super::{GROUP, ZONE, is_aggregate, zone_before, zone_behind};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// Functions of the engine: types of their results and parameters, `word` for integers as wide as a pointer.
const HOST: &[(&str, &str, &str)] = &[
    ("enter", "ptr", "ptr, ptr"),
    ("leave", "void", "ptr"),
    ("array", "ptr", "ptr, word"),
    ("scope_start", "void", "ptr"),
    ("scope_end", "void", "ptr"),
];
/// The value that is a frame.
pub(in super::super) const FRAME: &str = "%symcrete.frame";
/// More than the red zone behind an array, wherever it ends.
const ARRAY_ROOM: u32 = ZONE + GROUP;

/// Edits all functions of a file.
pub(super) fn guard(text: &str, sizes: &TypeSizes<'_>) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    let mut tables: Vec<String> = Vec::new();
    let word = machine::word(machine::of_text(text));
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        push_line(&mut out, line);
        if line.starts_with("define ") {
            let body: Vec<&str> = lines.by_ref().take_while(|line| *line != "}").collect();
            let locals = Locals::of(&body, sizes);
            match Frame::of(&locals, sizes).filter(|_| !has_tail_call(&body)) {
                Some(frame) => {
                    let table = format!("@__symcrete_frame.{}", tables.len());
                    frame.edit(&body, &locals, (&table, word), &mut out);
                    tables.push(frame.table(&table));
                }
                None => body.iter().for_each(|line| push_line(&mut out, line)),
            }
            push_line(&mut out, "}");
        }
    }
    tables.iter().for_each(|table| push_line(&mut out, table));
    for (name, result, params) in HOST {
        let symbol = format!("__symcrete_{name}");
        if out.contains(&format!("@{symbol}(")) {
            let params = params.replace("word", word);
            push_line(&mut out, &ir::host_function(&symbol, (result, &params), name));
        }
    }
    out
}

/// What must be the last call before a return cannot have another one behind it.
fn has_tail_call(body: &[&str]) -> bool {
    body.iter().any(|line| line.contains("musttail call"))
}

/// The variables of a function that have red zones.
struct Frame<'a> {
    /// Where each one is, by name.
    places: BTreeMap<&'a str, u32>,
    /// What the engine takes for variables, in order.
    objects: Vec<(u32, u32)>,
    size: u32,
    align: u32,
}

impl<'a> Frame<'a> {
    /// `None` if nothing needs one.
    fn of(locals: &Locals<'a>, sizes: &TypeSizes<'_>) -> Option<Frame<'a>> {
        let mut frame = Frame { places: BTreeMap::new(), objects: vec![], size: ZONE, align: 16 };
        let mut has_arrays = false;
        for (name, local) in &locals.all {
            has_arrays |= local.count.is_some();
            if let Some(size) = guarded_size(local) {
                frame.size = frame.size.checked_add(zone_before(local.ty, sizes) - ZONE)?;
                frame.add(name, local, size)?;
            }
        }
        (has_arrays || !frame.places.is_empty()).then_some(frame)
    }

    /// Puts a variable behind the others; `None` if it is too large.
    fn add(&mut self, name: &'a str, local: &Local<'_>, size: u32) -> Option<()> {
        let end = self.size.checked_add(size)?.checked_next_multiple_of(GROUP)?;
        let start = Some(end - size)
            .filter(|start| start.is_multiple_of(local.align))
            .or_else(|| self.size.checked_next_multiple_of(local.align))?;
        let end = start.checked_add(size)?;
        // Access to a number is quick only if the bytes before it count as its own.
        let first = if is_aggregate(local.ty) { start } else { start / GROUP * GROUP };
        self.places.insert(name, start);
        self.objects.push((first, end));
        self.size =
            end.checked_next_multiple_of(GROUP)?.checked_add(zone_behind(local.ty, size))?;
        self.align = self.align.max(local.align);
        Some(())
    }

    /// What the engine reads: the size of the frame, how many variables, where they start and end.
    fn table(&self, name: &str) -> String {
        let ends = self.objects.iter().flat_map(|&(start, end)| [start, end]);
        let numbers = [self.size, self.objects.len() as u32].into_iter().chain(ends);
        let numbers: Vec<String> = numbers.map(|number| format!("i32 {number}")).collect();
        let n = numbers.len();
        format!(
            "{name} = private unnamed_addr constant [{n} x i32] [{}], align 4",
            numbers.join(", ")
        )
    }

    fn edit(
        &self,
        body: &[&'a str],
        locals: &Locals<'a>,
        (table, word): (&str, &str),
        out: &mut String,
    ) {
        let mut is_entered = false;
        let scoped = self.scoped(body, locals);
        for (i, line) in body.iter().enumerate() {
            let allocated = definition(line).filter(|(_, rest)| rest.starts_with("alloca "));
            if allocated.is_some() && !is_entered {
                is_entered = true;
                let (size, align) = (self.size, self.align);
                let _ = write!(
                    out,
                    "  %symcrete.stack = alloca [{size} x i8], align {align}\n  \
                     %symcrete.stack.end = getelementptr i8, ptr %symcrete.stack, i32 {size}\n  \
                     {FRAME} = call ptr @__symcrete_enter(ptr %symcrete.stack, ptr {table})\n"
                );
            }
            if let Some((name, _)) = allocated {
                self.edit_variable((i, line), (name, &locals.all[name]), word, out);
                continue;
            }
            if let Some((root, event)) = self.scope(line, locals) {
                // What ends with the function needs no marks.
                if scoped.contains(root) {
                    let _ = writeln!(out, "  call void @__symcrete_{event}(ptr {root})");
                }
                continue;
            }
            if is_return(line) {
                push_line(out, "  call void @__symcrete_leave(ptr %symcrete.stack.end)");
            }
            push_line(out, line);
            if let Some(pointer) = restored(line) {
                let _ = writeln!(out, "  call void @__symcrete_leave({pointer})");
            }
        }
    }

    /// The variable of the frame whose block starts or ends with a line, and what is called for that.
    fn scope(&self, line: &str, locals: &Locals<'a>) -> Option<(&'a str, &'static str)> {
        let event = if line.contains(" @llvm.lifetime.start") {
            "scope_start"
        } else if line.contains(" @llvm.lifetime.end") {
            "scope_end"
        } else {
            return None;
        };
        let root = locals.root_in(line)?;
        self.places.contains_key(root).then_some((root, event))
    }

    /// The variables whose block ends somewhere before the function does.
    fn scoped(&self, body: &[&'a str], locals: &Locals<'a>) -> BTreeSet<&'a str> {
        let ends = body.iter().enumerate().filter_map(|(i, line)| {
            let (root, event) = self.scope(line, locals)?;
            (event == "scope_end" && !returns_next(&body[i..])).then_some(root)
        });
        ends.collect()
    }

    fn edit_variable(
        &self,
        (i, line): (usize, &str),
        (name, local): (&str, &Local<'_>),
        word: &str,
        out: &mut String,
    ) {
        if let Some(place) = self.places.get(name) {
            let _ = writeln!(out, "  {name} = getelementptr inbounds i8, ptr {FRAME}, i32 {place}");
            return;
        }
        let (Some(count), ty) = (local.count, local.ty) else {
            return push_line(out, line);
        };
        let align = local.align.max(GROUP);
        let _ = write!(
            out,
            "  %symcrete.end.of.{i} = getelementptr {ty}, ptr null, {count}\n  \
             %symcrete.bytes.{i} = ptrtoint ptr %symcrete.end.of.{i} to {word}\n  \
             %symcrete.room.{i} = add {word} %symcrete.bytes.{i}, {ARRAY_ROOM}\n  \
             %symcrete.array.{i} = alloca i8, {word} %symcrete.room.{i}, align {align}\n  \
             {name} = call ptr @__symcrete_array(ptr %symcrete.array.{i}, {word} %symcrete.bytes.{i})\n"
        );
    }
}

fn is_return(line: &str) -> bool {
    line.trim_start().starts_with("ret ")
}

/// Whether nothing happens any more but that blocks end and the result is read.
fn returns_next(lines: &[&str]) -> bool {
    let is_end = |line: &str| line.contains(" @llvm.lifetime.end");
    let is_read = |line: &str| definition(line).is_some_and(|(_, rest)| rest.starts_with("load "));
    let mut rest = lines.iter().skip_while(|line| is_end(line) || is_read(line));
    rest.next().is_some_and(|line| is_return(line))
}

/// The bytes of a variable that gets a red zone.
fn guarded_size(local: &Local<'_>) -> Option<u32> {
    let size = local.size.filter(|&size| size > 0)?;
    (!local.is_private && local.count.is_none()).then_some(size)
}

/// The stack pointer that a line goes back to, with its type.
fn restored(line: &str) -> Option<&str> {
    let at = line.find(" @llvm.stackrestore")?;
    let arguments = &line[at + line[at..].find('(')? + 1..];
    Some(split(&arguments[..arguments.find(')')?])[0].trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guarded(body: &str) -> String {
        guard(&format!("define void @f(i32 %0) {{\n{body}\n}}\n"), &TypeSizes::of(""))
    }

    #[test]
    fn a_variable_that_only_its_function_sees_stays_as_it_is() {
        let body = "  %2 = alloca [4 x i32], align 4\n  \
                    %3 = getelementptr inbounds [4 x i32], ptr %2, i32 0, i32 3\n  store i32 1, ptr %3\n  ret void";
        assert!(!guarded(body).contains("symcrete"));
        // One behind the last is not its own.
        assert!(guarded(&body.replace("i32 3\n", "i32 4\n")).contains("__symcrete_enter"));
        let long = "  %2 = alloca [4 x i8], align 1\n  \
                    call void @llvm.memset.p0.i32(ptr %2, i8 0, i32 5, i1 false)\n  ret void";
        assert!(guarded(long).contains("__symcrete_enter"));
        assert!(!guarded(&long.replace("i32 5", "i32 4")).contains("symcrete"));
    }

    #[test]
    fn variables_end_where_a_group_of_bytes_does() {
        let out = guarded(
            "  %2 = alloca [10 x i8], align 1\n  %3 = alloca i32, align 4\n  \
             call void @llvm.lifetime.start.p0(i64 10, ptr %2)\n  call void @g(ptr %2, ptr %3)\n  \
             call void @llvm.lifetime.end.p0(i64 10, ptr %2)\n  ret void",
        );
        // A zone, ten bytes that end at 48, a zone, a number that ends at 88 and counts from 80 on, a shorter zone.
        assert!(out.contains("[i32 104, i32 2, i32 38, i32 48, i32 80, i32 88]"), "{out}");
        assert!(out.contains("%2 = getelementptr inbounds i8, ptr %symcrete.frame, i32 38\n"));
        assert!(out.contains("%3 = getelementptr inbounds i8, ptr %symcrete.frame, i32 84\n"));
        assert!(!out.contains("@llvm.lifetime") && !out.contains("scope"), "{out}");
        assert!(out.contains("leave(ptr %symcrete.stack.end)\n  ret void"), "{out}");
    }

    #[test]
    fn blocks_that_end_before_the_function_does_are_marked() {
        let out = guarded(
            "  %2 = alloca [8 x i8], align 1\n  call void @llvm.lifetime.start.p0(i64 8, ptr %2)\n  \
             call void @g(ptr %2)\n  call void @llvm.lifetime.end.p0(i64 8, ptr %2)\n  \
             call void @h()\n  ret void",
        );
        assert!(out.contains("call void @__symcrete_scope_start(ptr %2)\n  call void @g"), "{out}");
        assert!(out.contains("call void @__symcrete_scope_end(ptr %2)\n  call void @h"), "{out}");
        assert!(out.contains("declare void @__symcrete_scope_end(ptr)"), "{out}");
    }

    #[test]
    fn alignment_comes_before_speed() {
        let out = guarded("  %2 = alloca [10 x i8], align 32\n  call void @g(ptr %2)\n  ret void");
        assert!(out.contains("i32 32, i32 42]") && out.contains("x i8], align 32"), "{out}");
    }

    #[test]
    fn arrays_of_unknown_length_end_with_their_scope() {
        let out = guarded(
            "  %2 = call ptr @llvm.stacksave.p0()\n  %3 = alloca i16, i32 %0, align 16\n  \
             call void @llvm.stackrestore.p0(ptr %2)\n  ret void",
        );
        assert!(out.contains("alloca i8, i32 %symcrete.room.1, align 16\n"), "{out}");
        assert!(out.contains("%3 = call ptr @__symcrete_array(ptr %symcrete.array.1, "), "{out}");
        assert!(out.contains("stackrestore.p0(ptr %2)\n  call void @__symcrete_leave(ptr %2)\n"));
        assert!(out.contains("[i32 16, i32 0]"), "{out}");
    }
}
