//! The precondition of a failure: what about its input callers may never give.

use super::super::Tested;
use super::doubts::{
    earlier_call, gives_up, negative_number, other_arguments, returned_pointer, system_result,
};
use std::collections::BTreeMap;
use symcrete_emit::bugs;
use symcrete_emit::failures::{Object as Left, Sighting};
use symcrete_program::api::{Driver, Maker, Object, split_parameter};
use symcrete_program::shape::{
    Count, Leaf, Pointer, ShapeNode, is_length_name, is_length_named_after, is_plain_length,
};
use symcrete_program::types::{TypeId, TypeKind};
use symcrete_program::{Bug, CellKind, Input, Param, Program, Shape, SiteId, TrapKind};
use symcrete_term::Value;

/// An input with which this machine has seen a failure.
pub(super) struct FailingInput<'a> {
    program: &'a Program,
    tested: &'a Tested,
    bug: &'a Bug,
    seen: &'a Sighting,
    input: &'a Input,
    /// The pointers of the input by the variables of the program that showed the failure.
    variables: BTreeMap<String, String>,
    /// Objects that are null, where calls make them otherwise.
    null_objects: Vec<&'a str>,
}

impl<'a> FailingInput<'a> {
    pub(super) fn of(
        program: &'a Program,
        tested: &'a Tested,
        bug: &'a Bug,
        seen: &'a Sighting,
    ) -> FailingInput<'a> {
        let (unit, test) = (&program.units[tested.unit], &tested.suite.tests[bug.test]);
        let variables = bugs::variables(program, unit, &tested.shape, test);
        let null_objects = null_objects(program, &tested.shape, &test.input);
        FailingInput { program, tested, bug, seen, input: &test.input, variables, null_objects }
    }

    /// The precondition in words; `None` if any caller can give the input.
    pub(super) fn needs(&self) -> Option<String> {
        let (program, shape, seen) = (self.program, &self.tested.shape, self.seen);
        let drawn = &self.tested.suite.tests[self.bug.test].drawn;
        let nulls = || nulls(self.input, &self.null_objects);
        let needs = gives_up(self.bug, self.input)
            .or_else(|| no_enumerator(program, shape, self.input))
            .or_else(|| self.left_or_null())
            .or_else(|| self.unnamed_left())
            .or_else(|| asserted(program, self.bug, &nulls()))
            .or_else(|| earlier_call(program, self.tested, self.bug))
            .or_else(|| negative_number(program, self.tested, (self.bug, seen), self.input))
            .or_else(|| returned_pointer(program, drawn).filter(|_| seen.is_wild))
            .or_else(|| system_result(program, drawn))
            .or_else(|| other_arguments(program, self.tested, self.bug, seen));
        // The arguments of a program are not allocated.
        let frees_arguments = seen.is_free && program.units[self.tested.unit].name == "main";
        needs.filter(|_| !self.walks_over_end() && !frees_arguments)
    }

    /// That an object of the input is left, a pointer of it null, or a field such as only this input has.
    fn left_or_null(&self) -> Option<String> {
        let input = self.input;
        if self.seen.what.contains("-param-overlap") {
            // Nothing is left: what counts is whether the input has two pointers into one object.
            return shared(input).or_else(|| self.fields());
        }
        if let Some(needs) = self.no_index_of_address() {
            return Some(needs);
        }
        if let Some(Left { name: Some(variable), bytes, is_input: true }) =
            self.seen.object.as_ref().filter(|left| has_own_name(left))
        {
            if let Some(callback) = bugs::callback_of(self.program, &self.tested.shape, variable) {
                return Some(format!("`{callback}` returns what it returns in the reproducer"));
            }
            let pointer = self.variables.get(variable).unwrap_or(variable);
            return match self.seen.is_free {
                true => Some(format!("`{}` does not come from `malloc`", self.own_name(pointer))),
                false => self.too_small(pointer, *bytes),
            };
        }
        let null = self.nulls_of_address();
        if self.seen.is_wild && !null.is_empty() && !self.is_null_elsewhere() {
            return Some(format!("{} NULL", listed(&null)));
        }
        // An address that is far from all objects, but on the stack or the heap, says no more than a wild one.
        let is_nowhere = self.seen.object.is_none() && self.seen.what.contains("-buffer-");
        let first = self.arrays().next().filter(|_| self.seen.is_wild || is_nowhere);
        if let Some(needs) = first.and_then(|array| self.no_index(array, |_| true)) {
            return Some(needs);
        }
        self.fields()
    }

    /// Fields of structures that have values which only this input gives them.
    fn fields(&self) -> Option<String> {
        let fields = self.input.values.iter().filter(|(name, value)| {
            is_field(name) && !name.ends_with(" != NULL") && value.bits() != 0
        });
        let fields: Vec<&str> = fields.map(|(name, _)| name.as_str()).collect();
        (!fields.is_empty()).then(|| format!("{} as in the reproducer", listed(&fields)))
    }

    /// A text that is written where it is passed has no name, and compilers share equal ones.
    fn unnamed_left(&self) -> Option<String> {
        let left = self.seen.object.as_ref();
        let is_unnamed = |left: &Left| left.is_input && !has_own_name(left);
        let is_left = self.bug.kind == TrapKind::OutOfObject && !left.is_some_and(has_own_name);
        let is_left = is_left || left.is_some_and(is_unnamed);
        is_left.then(|| "a string or array of the input ends before the access".to_string())
    }

    /// Whether the function steps over the end of a string that it reads. A string that it writes should have had more room.
    fn walks_over_end(&self) -> bool {
        let texts = self.texts_left();
        !self.seen.is_write
            && !texts.is_empty()
            && looks_for_end(self.program, self.bug.site, &texts)
    }

    /// The strings of the input, with their terminators, that an access can have left.
    fn texts_left(&self) -> Vec<&str> {
        let Some(Left { name: Some(left), is_input: true, .. }) = &self.seen.object else {
            return Vec::new();
        };
        let name = self.variables.get(left).unwrap_or(left);
        let has_variable =
            |pointer: &Pointer| self.variables.values().any(|of| *of == pointer.name);
        let is_left = |pointer: &&Pointer| match left.starts_with(UNNAMED) {
            true => !has_variable(pointer),
            false => pointer.name == *name,
        };
        let left: Vec<&Pointer> = pointers(&self.tested.shape).filter(is_left).collect();
        match left.iter().all(|pointer| pointer.is_terminated) {
            true => left.iter().map(|pointer| self.own_name(&pointer.name)).collect(),
            false => Vec::new(),
        }
    }

    /// `buf` has 8 bytes, and `len` is 12. Nothing if `buf_len` says that it has 8, or `len` of something that is only read and
    /// comes just before it: no caller does better.
    fn too_small(&self, pointer: &str, bytes: u64) -> Option<String> {
        let (shape, input) = (&self.tested.shape, self.input);
        let name = self.own_name(pointer);
        let array = shape.params.iter().position(|slot| slot.name == pointer);
        let length = array.and_then(|array| shape.length_of(array));
        let length = length.map(|leaf| (self.own_name(&leaf.name), leaf.number(input)));
        let is_told = |(length, n): (&str, i64)| {
            let is_next = array.is_some_and(|array| self.is_read_before(array, length));
            n > 0 && (is_length_named_after(length, name) || is_next)
        };
        let size = match bytes {
            1 => format!("`{name}` has 1 byte"),
            n => format!("`{name}` has {n} bytes"),
        };
        if length.is_some_and(is_told) {
            // It may be another length that leads out: how much of the text an earlier call has seen.
            let (other, n) = self
                .numbers(pointer)
                .into_iter()
                .find(|&(other, n)| is_length_name(other) && !(0..=bytes as i64).contains(&n))?;
            return Some(format!("{size}, and `{other}` is {n}"));
        }
        if let Some((length, n)) = length {
            return Some(format!("{size}, and `{length}` is {n}"));
        }
        let mut lengths = self.numbers(pointer);
        lengths.retain(|_, value| !(0..=bytes as i64).contains(value));
        Some(match lengths.iter().next() {
            Some((length, value)) if lengths.len() == 1 => {
                format!("{size}, and `{length}` is {value}")
            }
            Some(_) | None => size,
        })
    }

    /// The numbers that the function is given which is given a pointer.
    fn numbers(&self, pointer: &str) -> BTreeMap<&'a str, i64> {
        let call = self.split(pointer).0;
        let others = self.tested.shape.params.iter().filter(|slot| self.is_number(slot.ty));
        let others = others.filter(|slot| self.split(&slot.name).0 == call);
        let numbers = others.filter_map(|slot| {
            let ShapeNode::Leaf(leaf) = &slot.node else { return None };
            Some((self.own_name(&slot.name), leaf.number(self.input)))
        });
        numbers.collect()
    }

    /// Whether an array of constants is left by reading, and the parameter behind it is a plain length: `const char *s, int len`.
    fn is_read_before(&self, array: usize, length: &str) -> bool {
        let params = &self.tested.shape.params;
        let kind = &self.program.types.get(params[array].ty).kind;
        let is_const = kind.pointee().is_some_and(|(_, is_const)| is_const);
        let next = params.get(array + 1).map(|slot| self.own_name(&slot.name));
        !self.seen.is_write && is_const && next == Some(length) && is_plain_length(length)
    }

    /// The cells that decide where the access went, if that is known.
    fn address_from(&self) -> &[String] {
        &self.tested.suite.tests[self.bug.test].address_from
    }

    /// An element that does not exist, where the model knows from which array the access started: what is there instead, another
    /// variable or nothing, is chance. A pointer may share the object of an earlier one, so the last one that decides is it.
    fn no_index_of_address(&self) -> Option<String> {
        let decides = |name: &str| self.address_from().iter().any(|cell| cell == name);
        let is_start = |array: &&Pointer| decides(array.present.as_ref().unwrap_or(&array.name));
        self.no_index(self.arrays().filter(is_start).last()?, decides)
    }

    /// The null pointers of the input that decide where the access went, or all of them if that is not known.
    fn nulls_of_address(&self) -> Vec<&str> {
        let all = nulls(self.input, &self.null_objects);
        let decides = |pointer: &&str| {
            let is_it = |cell: &String| cell.strip_suffix(" != NULL").unwrap_or(cell) == *pointer;
            self.address_from().iter().any(is_it)
        };
        let deciding: Vec<&str> = all.iter().copied().filter(decides).collect();
        if deciding.is_empty() { all } else { deciding }
    }

    /// Whether the access started from non-null pointers, so that null pointers are not the cause.
    fn is_null_elsewhere(&self) -> bool {
        let pointers = || self.address_from().iter().filter(|cell| cell.ends_with(" != NULL"));
        let is_there = |cell: &String| self.input.get(cell).is_none_or(|value| value.bits() != 0);
        pointers().next().is_some() && pointers().all(is_there)
    }

    /// The pointers that the function itself is given.
    fn arrays(&self) -> impl Iterator<Item = &Pointer> {
        pointers(&self.tested.shape).filter(|pointer| self.split(&pointer.name).0.is_none())
    }

    /// `count` is -5, and `tokens` has no such element. Only numbers count that can have to do with it.
    fn no_index(&self, array: &Pointer, counts: impl Fn(&str) -> bool) -> Option<String> {
        let shape = &self.tested.shape;
        let n_elements = array.count.of(array.items.len(), self.input);
        let is_length = |leaf: &Leaf| array.count == Count::Tied(leaf.clone());
        let (name, index) = shape.params.iter().find_map(|slot| {
            let ShapeNode::Leaf(leaf) = &slot.node else { return None };
            let CellKind::Int { bits, signed } = leaf.kind else { return None };
            let shift = 64 - u32::from(bits);
            let raw = leaf.bits(self.input) << shift;
            let value =
                if signed { i128::from(raw as i64 >> shift) } else { i128::from(raw >> shift) };
            let is_index = (0..=n_elements as i128).contains(&value);
            let is_one = !is_index
                && self.split(&slot.name).0.is_none()
                && counts(&leaf.name)
                && !is_length(leaf)
                && self.is_number(slot.ty);
            is_one.then_some((&slot.name, value))
        })?;
        Some(format!("`{name}` is {index}, and `{}` has no such element", array.name))
    }

    /// Whether a type has values that can be lengths. Enumerations have not: which calls make an object is one.
    fn is_number(&self, ty: TypeId) -> bool {
        !matches!(self.program.types.get(ty).kind, TypeKind::Enum { .. })
    }

    /// The name of a parameter in the function that it is passed to: drivers pass their parameters on to several.
    fn own_name<'n>(&self, name: &'n str) -> &'n str {
        self.split(name).1
    }

    /// The call that a parameter is for, if a driver makes several, and its name there.
    fn split<'n>(&self, name: &'n str) -> (Option<&'n str>, &'n str) {
        match self.program.driver(self.tested.shape.entered) {
            Some(_) => split_parameter(name),
            None => (None, name),
        }
    }
}

/// The pointers of an input that are null, objects that calls make among them.
fn nulls<'a>(input: &'a Input, objects: &[&'a str]) -> Vec<&'a str> {
    let is_null = |(name, value): (&'a String, &Value)| {
        name.strip_suffix(" != NULL").filter(|_| value.bits() == 0)
    };
    objects.iter().copied().chain(input.values.iter().filter_map(is_null)).collect()
}

/// That two pointers of an input share an object.
fn shared(input: &Input) -> Option<String> {
    let mut chosen = input.values.iter().filter(|(_, value)| value.bits() != 0);
    let (one, other) = chosen.find_map(|(name, _)| name.split_once(" == "))?;
    Some(format!("`{one}` and `{other}` share an object"))
}

/// That a pointer is null of which an assertion says that it must not be: `assert(list && *list)`.
fn asserted(program: &Program, bug: &Bug, null: &[&str]) -> Option<String> {
    let position = bug.site.and_then(|site| program.position(site.offset));
    let position = position.filter(|_| bug.kind == TrapKind::AssertionFailed)?;
    let text = program.file(position.file).text.as_deref()?;
    let line = text.lines().nth(position.line.checked_sub(1)? as usize)?;
    let named: Vec<&str> = null.iter().copied().filter(|pointer| asks_for(line, pointer)).collect();
    (!named.is_empty()).then(|| format!("{} NULL", listed(&named)))
}

/// Whether an assertion asks for a pointer that is not null.
fn asks_for(assertion: &str, pointer: &str) -> bool {
    let text: String = assertion.chars().filter(|c| !c.is_whitespace()).collect();
    let first = pointer.strip_suffix("[0]").map(|array| format!("*{array}"));
    let mut names = [Some(pointer.to_owned()), first].into_iter().flatten();
    names.any(|name| {
        text.match_indices(&name).any(|(at, _)| {
            let (before, after) = (&text[..at], &text[at + name.len()..]);
            let opens = ["(", "&&", "NULL!=", "0!="];
            let closes = [")", "&&", "!=NULL", "!=0", "!=((void*)0)"];
            opens.iter().any(|text| before.ends_with(text))
                && closes.iter().any(|text| after.starts_with(text))
        })
    })
}

/// What clang calls texts and arrays that are written where they are passed, with numbers behind.
const UNNAMED: &str = ".compoundliteral";

/// Whether an object has a name that people know.
fn has_own_name(left: &Left) -> bool {
    left.name.as_ref().is_some_and(|name| !name.starts_with(UNNAMED))
}

/// The parameters that are pointers to objects of the input.
fn pointers(shape: &Shape) -> impl Iterator<Item = &Pointer> {
    shape.params.iter().filter_map(|slot| {
        let ShapeNode::Pointer(pointer) = &slot.node else { return None };
        Some(&**pointer)
    })
}

/// Whether the function that fails looks for the end of a string. Whoever does and leaves the string has stepped over that
/// end, and any caller can give such a string; whoever does not may expect more bytes than a string has.
fn looks_for_end(program: &Program, site: Option<SiteId>, texts: &[&str]) -> bool {
    const ENDS: &[&str] = &["'\\0'", "while (*", "while(*", "strlen(", "strchr(", "strcmp("];
    let Some(site) = site else { return false };
    let unit = program.unit_at(site.offset);
    let no_texts = unit.map_or(Vec::new(), |unit| no_texts(program, unit));
    let mut branches = program.branches.values().filter(|branch| Some(branch.unit) == unit);
    if branches.any(|branch| is_test_for_zero(&branch.text, texts, &no_texts)) {
        return true;
    }
    let Some(position) = program.position(site.offset) else { return false };
    let text = program.file(position.file).text.as_deref().unwrap_or_default();
    let line = text.lines().nth(position.line.saturating_sub(1) as usize).unwrap_or_default();
    ENDS.iter().any(|end| line.contains(end))
}

/// The parameters of a function that are pointers, and not to characters.
fn no_texts(program: &Program, unit: usize) -> Vec<&str> {
    let types = &program.types;
    let is_none = |param: &&Param| {
        let pointee = types.get(param.ty).kind.pointee();
        pointee.is_some_and(|(to, _)| types.get(to).size != 1)
    };
    program.units[unit].params.iter().filter(is_none).map(|param| param.name.as_str()).collect()
}

/// Whether a condition asks if a character is the last: `*p`, `!*p++`, `text[i]`, `c != '\0'`.
fn is_test_for_zero(condition: &str, texts: &[&str], no_texts: &[&str]) -> bool {
    let tested = condition.trim_matches(|c: char| "()! ".contains(c));
    let is_part = |c: char| c.is_ascii_alphanumeric() || "_+->.".contains(c);
    let is_character = |text: &&str| {
        let index = tested.strip_prefix(text).and_then(|rest| rest.strip_prefix('['));
        index.is_some_and(|index| index.find(']') == Some(index.len() - 1))
    };
    let is_end = |pointer: &str| pointer.chars().all(is_part) && !no_texts.contains(&pointer);
    condition.contains("'\\0'")
        || tested.strip_prefix('*').is_some_and(is_end)
        || texts.iter().any(is_character)
}

/// The objects of a function that are null, where they are made by calls otherwise.
fn null_objects<'p>(program: &'p Program, shape: &Shape, input: &Input) -> Vec<&'p str> {
    let Some(driver) = program.driver(shape.entered) else { return Vec::new() };
    let is_null = |object: &&Object| {
        let null = object.makers.iter().position(|maker| *maker == Maker::Null);
        let chosen = input.values.get(&object.name).map_or(0, |value| value.bits());
        null.is_some_and(|null| null as u64 == chosen)
    };
    let objects = driver.call.objects().into_iter();
    objects.filter(is_null).map(|object| object.short_name.as_str()).collect()
}

/// `color` is 7, which is none of its values: neither an enumerator nor several flags together.
fn no_enumerator(program: &Program, shape: &Shape, input: &Input) -> Option<String> {
    let is_made = program.driver(shape.entered).is_some_and(Driver::makes_objects);
    shape.params.iter().filter(|_| !is_made).find_map(|slot| {
        let ShapeNode::Leaf(leaf) = &slot.node else { return None };
        let TypeKind::Enum { values, .. } = &program.types.get(slot.ty).kind else { return None };
        let number = leaf.number(input);
        let flags = values.iter().map(|(_, value)| *value).filter(|value| *value != 0);
        // 0, 1 and 2 are numbers; with 4 they are flags.
        let are_flags = flags.clone().all(|value| value.count_ones() == 1)
            && flags.clone().any(|value| value >= 4);
        let mask = flags.fold(0, |all, value| all | value);
        let is_value =
            values.iter().any(|(_, value)| *value == number) || (are_flags && number & !mask == 0);
        (!is_value).then(|| format!("`{}` is {number}, which is none of its values", slot.name))
    })
}

/// Whether a cell is in a structure behind a pointer: what can be in there is for the program's own functions to say, or for
/// the function that writes it. What a buffer is filled with nobody has in his hands.
fn is_field(name: &str) -> bool {
    if let Some((_, written)) = name.rsplit_once("()->") {
        return written.contains('.') || !written.ends_with(']');
    }
    name.contains("->") || name.contains("].")
}

/// `a` is, `a` and `b` are, `a`, `b` and 3 more are.
fn listed(names: &[&str]) -> String {
    const SHOWN: usize = 3;
    let quoted: Vec<String> = names.iter().take(SHOWN).map(|name| format!("`{name}`")).collect();
    match names.len() {
        1 => format!("{} is", quoted[0]),
        n @ 2..=SHOWN => {
            format!("{} and {} are", quoted[..n - 1].join(", "), quoted[n - 1])
        }
        n => format!("{} and {} more are", quoted.join(", "), n - SHOWN),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assertions_ask_for_pointers() {
        for (assertion, pointer) in [
            ("assert(rb && *rb);", "rb[0]"),
            ("    assert ( list );", "list"),
            ("assert(n > 0 && NULL != p->next)", "p->next"),
            ("assert(text != NULL && text[0] != 0);", "text"),
        ] {
            assert!(asks_for(assertion, pointer), "{assertion}");
        }
        for (assertion, pointer) in
            [("assert(rb->size > 0);", "rb"), ("assert(grb);", "rb"), ("assert(!p);", "p")]
        {
            assert!(!asks_for(assertion, pointer), "{assertion}");
        }
    }

    #[test]
    fn a_condition_that_is_a_character_asks_for_the_end() {
        for condition in ["*p", "!*p++", "(*list->text)", "s[i + 1]", "c == '\\0'"] {
            assert!(is_test_for_zero(condition, &["s"], &["q"]), "{condition}");
        }
        for condition in ["*p == 'a'", "flags[i]", "s[i] == s[j]", "s", "a * b", "s[]x[1]", "!*q"] {
            assert!(!is_test_for_zero(condition, &["s"], &["q"]), "{condition}");
        }
    }
}
