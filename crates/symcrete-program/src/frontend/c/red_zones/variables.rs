//! Red zones behind variables that are not local: globals, statics and strings.
//!
//! Each becomes a structure of itself and its red zone; a table, which the engine reads once, says where they are.

use super::super::ir_text::push_line;
use super::super::type_sizes::TypeSizes;
use super::exposed::exposed;
use super::reached::reached;
use super::{GROUP, ZONE, is_aggregate, zone_before, zone_behind};
use std::fmt::Write as _;

/// How the tables of variables are called; the number of the file follows.
pub(crate) const TABLE: &str = "__symcrete_variables_";
/// A row of it: how many bytes a variable has, how many with its red zone, whether another one may lie at its place, whether nobody
/// may write to it, and where it is. A row without bytes is a pointer in an initial value that may be read byte by byte.
const ROW: &str = "{ i32, i32, i32, i32, ptr }";
/// What compilers align arrays to.
const ALIGNMENT: u32 = 16;
/// Words before `global` or `constant` of a variable that others may define or lay out too.
const SHARED: &[&str] = &[
    "external",
    "extern_weak",
    "weak",
    "weak_odr",
    "linkonce",
    "linkonce_odr",
    "common",
    "appending",
    "available_externally",
    "thread_local",
    "addrspace",
];
/// What the instrumentation and the linker know by name.
const RESERVED: &[&str] = &["@llvm.", "@__symcrete", "@__llvm", "@__prof", "@__cov"];

/// Edits the variables of a file; whether there is a table of them.
pub(super) fn guard(text: &str, number: usize, sizes: &TypeSizes<'_>) -> (String, bool) {
    let variables: Vec<_> = text.lines().map(|line| (line, Variable::of(line, sizes))).collect();
    // What comes behind a variable is the linker's choice.
    let zones = variables.iter().flat_map(|(_, variable)| variable);
    let zone = zones.map(|variable| zone_before(variable.ty, sizes)).max().unwrap_or(ZONE);
    let with_pointers = variables.iter().flat_map(|(_, variable)| variable);
    let with_pointers = with_pointers.filter(|variable| variable.value.contains('@'));
    let exposed = exposed(text, &with_pointers.map(|variable| variable.name).collect());
    let numbers = variables.iter().flat_map(|(_, variable)| variable);
    let numbers = numbers.filter(|number| number.end_of_group() != number.size);
    let numbers = numbers.map(|number| (number.name, number.size)).collect();
    let reached = reached(text, &numbers, sizes);
    let (mut out, mut rows) = (String::with_capacity(text.len() + text.len() / 8), Vec::new());
    for (line, variable) in &variables {
        let Some(variable) = variable else {
            push_line(&mut out, line);
            continue;
        };
        let zone = match variable.is_string() {
            true => ZONE,
            false => zone.max(zone_behind(variable.ty, variable.size)),
        };
        let end = match reached.contains(variable.name) {
            true => variable.size,
            false => variable.end_of_group(),
        };
        rows.push(variable.row(end, zone));
        if exposed.contains(variable.name) {
            rows.extend(variable.pointers().iter().map(|place| pointer_row(place)));
        }
        push_line(&mut out, &variable.guarded(zone));
    }
    let n = rows.len();
    if n > 0 {
        let _ = writeln!(
            out,
            "@{TABLE}{number} = constant {{ i32, i32, [{n} x {ROW}] }} {{ i32 {n}, i32 0, [{n} x {ROW}] [{}] }}",
            rows.join(", ")
        );
    }
    (out, n > 0)
}

/// A definition: `@name = words type value, rest`.
struct Variable<'a> {
    name: &'a str,
    words: &'a str,
    ty: &'a str,
    value: &'a str,
    rest: &'a str,
    size: u32,
}

impl<'a> Variable<'a> {
    fn of(line: &'a str, sizes: &TypeSizes<'_>) -> Option<Variable<'a>> {
        if !line.starts_with('@') || RESERVED.iter().any(|name| line.starts_with(name)) {
            return None;
        }
        let (name, definition) = line.split_at(name_end(line));
        let definition = definition.strip_prefix(" = ")?;
        let at = ["global ", "constant "].iter().find_map(|word| {
            let starts = |at: &usize| *at == 0 || definition[..*at].ends_with(' ');
            definition.find(word).filter(starts).map(|at| at + word.len())
        })?;
        let (words, typed) = definition.split_at(at);
        let is_shared = |word: &str| SHARED.iter().any(|shared| word.starts_with(shared));
        if words.split(' ').any(is_shared) {
            return None;
        }
        let (ty, value) = typed.split_at(part_end(typed, b' '));
        let value = value.strip_prefix(' ')?;
        let (value, rest) = value.split_at(part_end(value, b','));
        let size = sizes.size(ty).filter(|&size| size > 0)?;
        (!rest.contains(", section ")).then_some(Variable { name, words, ty, value, rest, size })
    }

    /// Where the engine takes it to end if nothing can leave it: a number has all of its group of bytes, so that access to it is
    /// quick.
    fn end_of_group(&self) -> u32 {
        if is_aggregate(self.ty) { self.size } else { self.size.next_multiple_of(GROUP) }
    }

    /// Strings are many.
    fn is_string(&self) -> bool {
        self.value.starts_with("c\"")
    }

    /// How many bytes it has with its red zone. Whatever comes next starts right behind, so that no padding lies before it which
    /// is no red zone; texts are many, and nobody looks for what is before them.
    fn room(&self, zone: u32) -> u32 {
        let room = self.size.next_multiple_of(GROUP) + zone;
        if self.is_string() { room } else { room.next_multiple_of(ALIGNMENT) }
    }

    fn guarded(&self, zone: u32) -> String {
        let Variable { name, words, ty, value, rest, size } = self;
        let zone = format!("[{} x i8]", self.room(zone) - size);
        let value = match *value {
            "zeroinitializer" => "zeroinitializer".to_owned(),
            value => format!("<{{ {ty} {value}, {zone} zeroinitializer }}>"),
        };
        format!("{name} = {words}<{{ {ty}, {zone} }}> {value}{rest}")
    }

    fn row(&self, end: u32, zone: u32) -> String {
        let (name, room) = (self.name, self.room(zone));
        // Compilers put constants without names at one place if they are the same.
        let has = |word: &str| i32::from(self.words.split(' ').any(|other| other == word));
        let (is_shared, is_constant) = (has("unnamed_addr"), has("constant"));
        format!("{ROW} {{ i32 {end}, i32 {room}, i32 {is_shared}, i32 {is_constant}, ptr {name} }}")
    }

    /// The places of pointers in its initial value.
    fn pointers(&self) -> Vec<String> {
        let (mut indices, mut found) = (Vec::new(), Vec::new());
        push_pointers(self.value, &mut indices, &mut found);
        let place = |indices: &String| {
            format!("getelementptr ({}, ptr {}, i32 0{indices})", self.ty, self.name)
        };
        found.iter().map(place).collect()
    }
}

fn pointer_row(place: &str) -> String {
    format!("{ROW} {{ i32 0, i32 0, i32 0, i32 0, ptr {place} }}")
}

/// Finds the addresses in an initial value, each as the indices that lead to it.
fn push_pointers(value: &str, indices: &mut Vec<usize>, found: &mut Vec<String>) {
    let brackets = [("[", "]"), ("<{", "}>"), ("{", "}")];
    let inside = brackets
        .iter()
        .find_map(|(open, close)| value.strip_prefix(open)?.trim_end().strip_suffix(close));
    let Some(mut members) = inside.map(str::trim) else {
        if value.contains('@') && !value.starts_with("c\"") {
            found.push(indices.iter().map(|index| format!(", i32 {index}")).collect());
        }
        return;
    };
    for index in 0.. {
        let (member, rest) = members.split_at(part_end(members, b','));
        let value = &member[part_end(member, b' ')..];
        indices.push(index);
        push_pointers(value.trim(), indices, found);
        indices.pop();
        let Some(rest) = rest.strip_prefix(',') else { return };
        members = rest.trim_start();
    }
}

/// Where the name that a line starts with ends.
fn name_end(line: &str) -> usize {
    match line[1..].strip_prefix('"') {
        Some(quoted) => quoted.find('"').map_or(line.len(), |end| end + 3),
        None => line.find(' ').unwrap_or(line.len()),
    }
}

/// Where a separator comes first that is in no brackets and in no string.
fn part_end(text: &str, separator: u8) -> usize {
    let (mut depth, mut is_quoted) = (0_i32, false);
    for (i, byte) in text.bytes().enumerate() {
        match byte {
            b'"' => is_quoted = !is_quoted,
            _ if is_quoted => {}
            b'(' | b'[' | b'{' | b'<' => depth += 1,
            b')' | b']' | b'}' | b'>' => depth -= 1,
            _ if byte == separator && depth == 0 => return i,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guarded(line: &str) -> String {
        guard(line, 7, &TypeSizes::of("")).0
    }

    #[test]
    fn a_variable_becomes_a_structure_with_a_red_zone() {
        for (line, expected, row) in [
            (
                "@list = dso_local global [3 x i32] zeroinitializer, align 4, !dbg !3",
                "@list = dso_local global <{ [3 x i32], [36 x i8] }> zeroinitializer, align 4, !dbg !3\n",
                "{ i32 12, i32 48, i32 0, i32 0, ptr @list }",
            ),
            (
                "@.str = private unnamed_addr constant [6 x i8] c\"a\\22, (\\00\", align 1",
                "@.str = private unnamed_addr constant <{ [6 x i8], [18 x i8] }> \
                 <{ [6 x i8] c\"a\\22, (\\00\", [18 x i8] zeroinitializer }>, align 1\n",
                "{ i32 6, i32 24, i32 1, i32 1, ptr @.str }",
            ),
            (
                "@\"a b\" = internal global i32 7, align 4",
                "@\"a b\" = internal global <{ i32, [28 x i8] }> <{ i32 7, [28 x i8] zeroinitializer }>, align 4\n",
                "{ i32 8, i32 32, i32 0, i32 0, ptr @\"a b\" }",
            ),
            (
                "@c = internal global i8 7, align 1\n@p = external global ptr\n@q = alias ptr, ptr @c",
                "@c = internal global <{ i8, [31 x i8] }> <{ i8 7, [31 x i8] zeroinitializer }>, align 1\n",
                "{ i32 1, i32 32, i32 0, i32 0, ptr @c }",
            ),
        ] {
            let out = guarded(line);
            assert!(out.starts_with(expected), "{out}");
            assert!(out.contains(row) && out.contains("@__symcrete_variables_7 = "), "{out}");
        }
    }

    #[test]
    fn pointers_in_exposed_variables_have_rows() {
        let rows = "@rows = internal constant [2 x %E] [%E { ptr @x, i32 1, [4 x i8] c\"a,@\\00\" }, %E { ptr null, i32 2, [4 x i8] zeroinitializer }], align 8";
        let types = "%E = type { ptr, i32, [4 x i8] }";
        let text = |body: &str| format!("{types}\n{rows}\ndefine void @f() {{\n{body}\n}}\n");
        let (indexed, exposing) = (text("  ret void"), text("  call void @g(ptr @rows)"));
        let row = "{ i32 0, i32 0, i32 0, i32 0, ptr getelementptr ([2 x %E], ptr @rows, i32 0, i32 0, i32 0) }";
        for (text, n) in [(indexed, 1), (exposing, 2)] {
            let (out, _) = guard(&text, 7, &TypeSizes::of(types));
            assert!(out.contains(&format!("{{ i32 {n}, i32 0, [{n} x")), "{out}");
            assert_eq!(out.contains(row), n == 2, "{out}");
        }
    }

    #[test]
    fn what_others_lay_out_stays_as_it_is() {
        for line in [
            "@limit = external global i32, align 4",
            "@hook = weak global i32 1, align 4",
            "@last = internal thread_local global i32 0, align 4",
            "@row = internal global i32 3, section \"rows\", align 4",
            "@llvm.used = appending global [1 x ptr] [ptr @f], section \"llvm.metadata\"",
            "@other = alias i32, ptr @global",
            "@__symcrete_frame.0 = private unnamed_addr constant [1 x i32] [i32 1], align 4",
            "declare void @f()",
        ] {
            assert_eq!(guarded(line), format!("{line}\n"));
        }
    }
}
