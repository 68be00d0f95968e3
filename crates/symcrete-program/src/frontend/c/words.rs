//! Tells the engine where a program reads a number out of a union that may hold a pointer.
//!
//! `union { char *p; uintptr_t n; } u; u.p = &x; if (u.n & 8) …` looks at an address as a number, and nothing in the
//! instructions says so: a word was stored, a word is read. The compiler's notes on aliasing do (type-based alias analysis,
//! `!tbaa`): what is read through a union may be anything, as if it were characters. Such a read of a whole word goes
//! through a call (`symcrete.word`), and the engine looks there whether the word is a pointer.
//!
//! The notes themselves are taken out: the program means what it says, whatever types it says it with.
//!
//! `docs/adr/0024-addresses-of-variables.md` has the reasons.

use super::ir;
use super::ir_text::push_line;
use super::locals::{definition, is_remark};
use super::machine;
use std::collections::{BTreeMap, BTreeSet};

const WORD: &str = "__symcrete_word";
const NOTES: &[&str] = &[", !tbaa !", ", !tbaa.struct !"];

/// Edits a file as the compiler wrote it.
pub(super) fn mark(text: &str) -> String {
    let metadata = Metadata::of(text);
    let anything = match metadata.has_union_with_pointer() {
        true => metadata.notes_on_anything(),
        false => BTreeSet::new(),
    };
    let word = machine::word(machine::of_text(text));
    let mut out = String::with_capacity(text.len());
    let mut n_marked = 0;
    for line in text.lines() {
        let plain = without_notes(line);
        let is_anything = note(line).is_some_and(|note| anything.contains(note));
        match read_word(&plain, word).filter(|_| is_anything) {
            Some((name, rest, place)) => {
                n_marked += 1;
                push_line(&mut out, &format!("  %symcrete.word.{n_marked} = {rest}"));
                let call =
                    format!("call {word} @{WORD}(ptr {place}, {word} %symcrete.word.{n_marked})");
                push_line(&mut out, &format!("  {name} = {call}"));
            }
            None => push_line(&mut out, &plain),
        }
    }
    if n_marked > 0 {
        let params = format!("ptr, {word}");
        push_line(&mut out, &ir::host_function(WORD, (word, &params), "word"));
    }
    out
}

/// The name, the instruction and the place of a read of a whole word.
fn read_word<'a>(line: &'a str, word: &str) -> Option<(&'a str, &'a str, &'a str)> {
    let (name, rest) = definition(line).filter(|_| !is_remark(line))?;
    let read = rest.strip_prefix("load ")?;
    let read = read.strip_prefix("volatile ").unwrap_or(read);
    let place = read.strip_prefix(word)?.strip_prefix(", ptr ")?;
    Some((name, rest, ir::split(place)[0].trim()))
}

/// The note on aliasing of an instruction.
fn note(line: &str) -> Option<&str> {
    let start = line.find(NOTES[0])? + NOTES[0].len() - 1;
    Some(line[start..].split(',').next().unwrap_or_default().trim())
}

fn without_notes(line: &str) -> String {
    let mut line = line.to_owned();
    for key in NOTES {
        while let Some(start) = line.find(key) {
            let behind = &line[start + key.len()..];
            let length = behind.find(|c: char| !c.is_ascii_digit()).unwrap_or(behind.len());
            line.replace_range(start..start + key.len() + length, "");
        }
    }
    line
}

/// What a file says about its types, by number: `!13 = …`.
struct Metadata<'a> {
    nodes: BTreeMap<&'a str, &'a str>,
}

impl<'a> Metadata<'a> {
    fn of(text: &'a str) -> Metadata<'a> {
        let lines = text.lines().filter(|line| line.starts_with('!'));
        Metadata { nodes: lines.filter_map(|line| line.split_once(" = ")).collect() }
    }

    /// The notes on reads and writes that may be of anything: `!{!33, !33, i64 0}` where `!33` are characters.
    fn notes_on_anything(&self) -> BTreeSet<&'a str> {
        let is_anything = |node: &str| node.starts_with("!{!\"omnipotent char\"");
        let read = |node: &'a str| {
            let accessed = node.strip_prefix("!{")?.split(", ").nth(1)?;
            self.nodes.get(accessed).copied()
        };
        let notes = self.nodes.iter().filter(|(_, node)| read(node).is_some_and(is_anything));
        notes.map(|(number, _)| *number).collect()
    }

    /// Whether a union of the file has a pointer in it.
    fn has_union_with_pointer(&self) -> bool {
        let mut unions = self.nodes.iter().filter(|(_, node)| node.contains("DW_TAG_union_type"));
        unions.any(|(number, _)| self.has_pointer(number))
    }

    fn has_pointer(&self, number: &'a str) -> bool {
        let (mut open, mut seen) = (vec![number], BTreeSet::new());
        while let Some(number) = open.pop() {
            let Some(node) = self.nodes.get(number).filter(|_| seen.insert(number)) else {
                continue;
            };
            if node.contains("DW_TAG_pointer_type") {
                return true;
            }
            let of_key = |key: &str| {
                let at = node.find(key)? + key.len();
                Some(node[at..].split([',', ')']).next().unwrap_or_default().trim())
            };
            let is_list = node.starts_with("!{");
            let list = node.trim_start_matches("!{").trim_end_matches('}').split(", ");
            open.extend(list.filter(|_| is_list));
            open.extend(["baseType: ", "elements: "].into_iter().filter_map(of_key));
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file with a union of a member of this type and a number, after the edit.
    fn marked(member: &str, body: &str) -> String {
        let metadata = "!1 = !{!2, !2, i64 0}\n!2 = !{!\"omnipotent char\", !3, i64 0}\n\
                        !4 = !{!5, !5, i64 0}\n!5 = !{!\"int\", !2, i64 0}\n\
                        !6 = distinct !DICompositeType(tag: DW_TAG_union_type, name: \"u\", size: 32, elements: !7)\n\
                        !7 = !{!8, !9}\n!8 = !DIDerivedType(tag: DW_TAG_member, name: \"n\", baseType: !10, size: 32)\n\
                        !9 = !DIDerivedType(tag: DW_TAG_member, name: \"p\", baseType: !11, size: 32)\n\
                        !10 = !DIBasicType(name: \"int\", size: 32)\n";
        mark(&format!("define i32 @f(ptr %0) {{\n{body}\n}}\n{metadata}!11 = {member}\n"))
    }

    const POINTER: &str = "!DIDerivedType(tag: DW_TAG_pointer_type, baseType: !10, size: 32)";
    const FLOAT: &str = "!DIBasicType(name: \"float\", size: 32)";
    const READ: &str = "  %2 = load i32, ptr %0, align 4, !dbg !7, !tbaa !1";

    #[test]
    fn numbers_out_of_unions_with_pointers_go_through_a_call() {
        let out = marked(POINTER, READ);
        let read = "  %symcrete.word.1 = load i32, ptr %0, align 4, !dbg !7\n";
        let call = "  %2 = call i32 @__symcrete_word(ptr %0, i32 %symcrete.word.1)\n";
        assert!(out.contains(&format!("{read}{call}")), "{out}");
        assert!(out.contains("declare i32 @__symcrete_word(ptr, i32)"), "{out}");
    }

    #[test]
    fn other_reads_are_as_they_were_without_their_notes() {
        for (member, line) in [
            (FLOAT, READ),
            (POINTER, "  %2 = load i32, ptr %0, align 4, !dbg !7, !tbaa !4"),
            (POINTER, "  %2 = load i8, ptr %0, align 1, !tbaa !1, !dbg !7"),
            (POINTER, "  store i32 1, ptr %0, align 4, !tbaa !1"),
        ] {
            let out = marked(member, line);
            let plain = without_notes(line);
            assert!(out.contains(&plain) && !out.contains(WORD), "{out}");
            assert!(!plain.contains("tbaa"), "{plain}");
        }
    }
}
