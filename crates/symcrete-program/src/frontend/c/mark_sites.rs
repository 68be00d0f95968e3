//! Finds the marks of conditions in a linked module, takes them out, and writes down which site decides what.
//!
//! Where the marked value goes straight to a branch or a `select`, that is the site; code generation may have turned
//! it round on the way, which the number of `i32.eqz` tells. Where it does not, because both sides do the same or the
//! truth value itself is all that is wanted, the mark becomes a site of its own: an `if` that gives back 1 or 0. So does
//! the mark of a label: an `if` that always holds.
//!
//! **Invariant:** the module keeps its length and the place of every other operator, so that debug information stays
//! true. What takes the place of a mark has no effect and costs no call.

use super::marks::{MARK, MARK_LABEL, Mark};
use crate::conditions::{Conditions, Decision, SECTION};
use crate::module::{Module, ModuleError};
use std::collections::BTreeMap;
use std::ops::Range;
use wasmparser::Operator;

/// `if (result i32) i32.const 1 else i32.const 0 end`
const AS_BRANCH: [u8; 8] = [0x04, 0x7f, 0x41, 1, 0x05, 0x41, 0, 0x0b];
/// `i32.const 1 if end`
const ALWAYS: [u8; 5] = [0x41, 1, 0x04, 0x40, 0x0b];
/// Where the `if` is in it.
const ALWAYS_SITE: u32 = 2;
const NOP: u8 = 0x01;
/// `i32.const 0 i32.lt_s` and the like.
const IS_NEGATIVE_32: [u8; 3] = [0x41, 0, 0x48];
const IS_NEGATIVE_64: [u8; 3] = [0x42, 0, 0x53];
/// `i32.const -1 i32.gt_s` and the like.
const IS_NOT_NEGATIVE_32: [u8; 3] = [0x41, 0x7f, 0x4a];
const IS_NOT_NEGATIVE_64: [u8; 3] = [0x42, 0x7f, 0x55];

/// Takes the marks out of a linked module and adds the section that says what they said. `files` has the conditions of each
/// compiled file, by its number.
pub(super) fn settle(mut wasm: Vec<u8>, files: &[Conditions]) -> Result<Vec<u8>, ModuleError> {
    let mut settling = Settling::new(files);
    let module = Module::parse(&wasm)?;
    settling.functions = module.names.iter().filter_map(|(&i, name)| marking(i, name)).collect();
    for (function, body) in module.defined() {
        let steps = module.operators(function);
        let code: Vec<_> = steps.map(|step| (step.raw, step.range.start as usize)).collect();
        settling.function(&code, body.end as usize);
    }
    for (range, code) in settling.edits {
        wasm[range.clone()].fill(NOP);
        wasm[range.start..range.start + code.len()].copy_from_slice(code);
    }
    add_section(&mut wasm, SECTION, settling.conditions.to_text().as_bytes());
    Ok(wasm)
}

/// A function that marks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Marking {
    Value,
    Label,
}

fn marking(function: u32, name: &str) -> Option<(u32, Marking)> {
    match name {
        MARK => Some((function, Marking::Value)),
        MARK_LABEL => Some((function, Marking::Label)),
        _ => None,
    }
}

struct Settling {
    functions: BTreeMap<u32, Marking>,
    conditions: Conditions,
    /// For each file, where its conditions start among all.
    starts: Vec<usize>,
    /// What is to stand in place of which bytes.
    edits: Vec<(Range<usize>, &'static [u8])>,
}

impl Settling {
    fn new(files: &[Conditions]) -> Settling {
        let mut all = Conditions::default();
        let mut starts = Vec::new();
        for file in files {
            starts.push(all.list.len());
            let n = all.files.len();
            all.files.extend(file.files.iter().cloned());
            all.list.extend(file.list.iter().cloned().map(|mut condition| {
                condition.span.file += n;
                condition.calls.iter_mut().for_each(|call| call.file += n);
                condition
            }));
        }
        Settling { functions: BTreeMap::new(), conditions: all, starts, edits: Vec::new() }
    }

    fn function(&mut self, code: &[(Operator<'_>, usize)], body_end: usize) {
        for i in 1..code.len() {
            let Operator::Call { function_index } = code[i].0 else { continue };
            let Some(&marking) = self.functions.get(&function_index) else { continue };
            let Operator::I32Const { value } = code[i - 1].0 else { continue };
            let Some(mark) = Mark::of(value as u32) else { continue };
            let Some(&start) = self.starts.get(mark.file) else { continue };
            let end = code.get(i + 1).map_or(body_end, |(_, offset)| *offset);
            let place = code[i - 1].1..end;
            let (site, edit, is_turned) = match marking {
                Marking::Label => (place.start as u32 + ALWAYS_SITE, &ALWAYS[..], false),
                Marking::Value => match consumer(code, i + 1) {
                    Some((offset, is_turned)) => (offset as u32, &[][..], is_turned),
                    None => (place.start as u32, &AS_BRANCH[..], false),
                },
            };
            // Numbers of marks are long enough for that.
            if edit.len() <= place.len() {
                let condition = start + mark.condition;
                let is_negated = mark.is_negated != is_turned;
                self.conditions.sites.insert(site, Decision { condition, is_negated });
                self.edits.push((place.clone(), edit));
                if let Some((from, comparison)) = sign_as_shift(&code[..i - 1]) {
                    self.edits.push((from..place.start, comparison));
                }
            }
        }
    }
}

/// Where a truth value is wanted, code generation computes `x < 0` as a shift of the sign to the lowest bit. A comparison
/// of the same length says more to everyone who reads conditions: where the shift starts, and what to put there.
fn sign_as_shift(before: &[(Operator<'_>, usize)]) -> Option<(usize, &'static [u8])> {
    match before {
        [
            ..,
            (Operator::I32Const { value: -1 }, at),
            (Operator::I32Xor, _),
            (Operator::I32Const { value: 31 }, _),
            (Operator::I32ShrU, _),
        ] => Some((*at, &IS_NOT_NEGATIVE_32)),
        [.., (Operator::I32Const { value: 31 }, at), (Operator::I32ShrU, _)] => {
            Some((*at, &IS_NEGATIVE_32))
        }
        [
            ..,
            (Operator::I64Const { value: -1 }, at),
            (Operator::I64Xor, _),
            (Operator::I64Const { value: 63 }, _),
            (Operator::I64ShrU, _),
            (Operator::I32WrapI64, _),
        ] => Some((*at, &IS_NOT_NEGATIVE_64)),
        [
            ..,
            (Operator::I64Const { value: 63 }, at),
            (Operator::I64ShrU, _),
            (Operator::I32WrapI64, _),
        ] => Some((*at, &IS_NEGATIVE_64)),
        _ => None,
    }
}

/// The branch or `select` that decides on the value which was put on the stack before `at`, and nothing else does: its
/// offset, and whether it decides on the opposite. Only straight code is followed, so that the one is passed whenever the
/// other was.
fn consumer(code: &[(Operator<'_>, usize)], at: usize) -> Option<(usize, bool)> {
    let mut is_turned = false;
    for (i, (operator, offset)) in code.iter().enumerate().skip(at) {
        #[expect(clippy::wildcard_enum_match_arm, reason = "the value is used for something else")]
        match operator {
            Operator::I32Eqz => is_turned = !is_turned,
            Operator::LocalTee { .. } => {}
            Operator::BrIf { .. }
            | Operator::If { .. }
            | Operator::Select
            | Operator::TypedSelect { .. } => return Some((*offset, is_turned)),
            Operator::LocalSet { local_index } => {
                let get = next_get(code, i + 1, *local_index)?;
                let (offset, is_turned_later) = consumer(code, get + 1)?;
                return Some((offset, is_turned != is_turned_later));
            }
            _ => return None,
        }
    }
    None
}

/// The next operator that reads a local, in straight code.
fn next_get(code: &[(Operator<'_>, usize)], from: usize, local: u32) -> Option<usize> {
    for (i, (operator, _)) in code.iter().enumerate().skip(from) {
        #[expect(clippy::wildcard_enum_match_arm, reason = "the rest goes straight on")]
        match operator {
            Operator::LocalGet { local_index } if *local_index == local => return Some(i),
            Operator::LocalSet { local_index } | Operator::LocalTee { local_index }
                if *local_index == local =>
            {
                return None;
            }
            Operator::Loop { .. }
            | Operator::If { .. }
            | Operator::Else
            | Operator::End
            | Operator::Br { .. }
            | Operator::BrIf { .. }
            | Operator::BrTable { .. }
            | Operator::Return
            | Operator::Unreachable => return None,
            _ => {}
        }
    }
    None
}

/// Adds a custom section at the end of a module.
fn add_section(wasm: &mut Vec<u8>, name: &str, data: &[u8]) {
    let mut content = leb128(name.len());
    content.extend(name.as_bytes());
    content.extend(data);
    wasm.push(0);
    wasm.extend(leb128(content.len()));
    wasm.extend(content);
}

fn leb128(mut number: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    loop {
        let byte = (number & 0x7f) as u8;
        number >>= 7;
        if number == 0 {
            bytes.push(byte);
            return bytes;
        }
        bytes.push(byte | 0x80);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conditions::{Condition, ConditionKind, Span};

    /// One function with this body, with marks numbered from the first on.
    fn settled(body: &str) -> (Vec<u8>, Conditions) {
        let wasm = wat::parse_str(format!(
            "(module
               (func $__symcrete_mark (param i32 i32) (result i32) local.get 0)
               (func $__symcrete_mark_label (param i32))
               (func (param i32) (result i32) (local i32) {body}))"
        ))
        .unwrap();
        let span = Span { file: 0, start: (1, 1), end: (1, 2) };
        let condition = Condition { kind: ConditionKind::Condition, span, calls: vec![] };
        let of_file = Conditions {
            files: vec!["a.c".into()],
            list: vec![condition],
            ..Conditions::default()
        };
        let length = wasm.len();
        let settled = settle(wasm.clone(), &[of_file]).unwrap();
        wasmparser::validate(&settled).unwrap();
        let section = Module::parse(&settled).unwrap().section(SECTION).to_vec();
        let section = Conditions::from_text(std::str::from_utf8(&section).unwrap());
        // Nothing but the marks changed, and nothing moved.
        assert!(settled.len() > length);
        (settled, section.unwrap())
    }

    /// The operator of the only site, with what is said of it.
    fn site(body: &str) -> (String, bool) {
        let (wasm, conditions) = settled(body);
        let &[(&offset, decision)] = &conditions.sites.iter().collect::<Vec<_>>()[..] else {
            panic!("{conditions:?}")
        };
        let module = Module::parse(&wasm).unwrap();
        for step in module.defined().flat_map(|(function, _)| module.operators(function)) {
            assert!(!matches!(step.raw, Operator::Call { .. }), "a mark is left");
            if step.range.start == offset {
                let name = format!("{:?}", step.raw);
                let name = name.split(|c: char| !c.is_alphanumeric()).next().unwrap();
                return (name.to_owned(), decision.is_negated);
            }
        }
        panic!("no operator is at {offset}")
    }

    const PLAIN: &str = "local.get 0 i32.const 134217728 call 0";

    #[test]
    fn a_branch_on_a_marked_value_is_the_site() {
        let negated = "local.get 0 i32.const 134217729 call 0";
        for (code, expected) in [
            (format!("block {PLAIN} br_if 0 end i32.const 3"), ("BrIf", false)),
            (format!("block {PLAIN} i32.eqz br_if 0 end i32.const 3"), ("BrIf", true)),
            (format!("block {negated} i32.eqz br_if 0 end i32.const 3"), ("BrIf", false)),
            (format!("{PLAIN} i32.eqz i32.eqz if end i32.const 3"), ("If", false)),
            (format!("i32.const 1 i32.const 2 {negated} select"), ("Select", true)),
            (format!("{PLAIN} local.tee 1 i32.eqz if end local.get 1"), ("If", true)),
            (
                format!("{PLAIN} i32.eqz local.set 1 i32.const 1 i32.const 2 local.get 1 select"),
                ("Select", true),
            ),
        ] {
            let (operator, is_negated) = site(&code);
            assert_eq!((operator.as_str(), is_negated), expected, "{code}");
        }
    }

    #[test]
    fn a_value_that_no_branch_decides_on_becomes_a_branch() {
        // The last one is read behind a place that other ways lead to.
        for code in [
            PLAIN.to_owned(),
            format!("{PLAIN} drop i32.const 1"),
            format!("{PLAIN} i32.const 2 i32.add"),
            format!("block {PLAIN} local.set 1 end i32.const 1 i32.const 2 local.get 1 select"),
        ] {
            assert_eq!(site(&code), ("If".to_owned(), false), "{code}");
        }
    }

    #[test]
    fn a_sign_that_was_shifted_is_compared() {
        let mark = "i32.const 134217728 call 0";
        let wide = "local.get 0 i64.extend_i32_s";
        for (code, comparison) in [
            ("local.get 0 i32.const 31 i32.shr_u".to_owned(), "I32LtS"),
            ("local.get 0 i32.const -1 i32.xor i32.const 31 i32.shr_u".to_owned(), "I32GtS"),
            (format!("{wide} i64.const 63 i64.shr_u i32.wrap_i64"), "I64LtS"),
            (format!("{wide} i64.const -1 i64.xor i64.const 63 i64.shr_u i32.wrap_i64"), "I64GtS"),
        ] {
            let (wasm, _) = settled(&format!("block {code} {mark} br_if 0 end i32.const 1"));
            let text = operators_of(&wasm);
            assert!(text.contains(comparison) && !text.contains("ShrU"), "{text}");
        }
    }

    /// All operators of a module, in words.
    fn operators_of(wasm: &[u8]) -> String {
        let module = Module::parse(wasm).unwrap();
        let steps = module.defined().flat_map(|(function, _)| module.operators(function));
        steps.map(|step| format!("{:?} ", step.raw)).collect()
    }

    #[test]
    fn a_label_has_a_site_that_always_holds() {
        assert_eq!(site("i32.const 134217728 call 1 i32.const 7"), ("If".to_owned(), false));
    }
}
