//! How much a failure means: whether this machine shows it too, and whether it needs an input that callers may never give.

use super::doubts::{
    earlier_call, gives_up, meaningless, negative_length, of_input, other_arguments,
    returned_pointer, undeclared_pointer,
};
use super::{Tested, reachable_units};
use crate::native::cause;
use std::collections::{BTreeMap, BTreeSet};
use symcrete_emit::bugs;
use symcrete_emit::failures::{Object as Left, Shown, Sighting};
use symcrete_emit::native::NativeReport;
use symcrete_program::api::{Maker, Object};
use symcrete_program::cfg::CallGraph;
use symcrete_program::shape::{Pointer, ShapeNode, is_length_named_after};
use symcrete_program::types::TypeKind;
use symcrete_program::{Bug, CellKind, Input, Program, Shape, SiteId, TrapKind};
use symcrete_term::Value;

/// How much a failure means.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Rank {
    /// This machine shows it, on an input that any caller can give.
    Native { seen: String },
    /// This machine shows it; the input needs to be as these words say.
    Precondition { seen: String, needs: String },
    /// This machine does not show it.
    OnlyInModel { why: String },
    /// Nobody has looked.
    Unknown,
}

impl Rank {
    /// What the input must be like, where that is not for any caller to give.
    pub(super) fn needs(&self) -> Option<&str> {
        match self {
            Rank::Precondition { needs, .. } => Some(needs),
            Rank::Native { .. } | Rank::OnlyInModel { .. } | Rank::Unknown => None,
        }
    }
}

/// A failure of a function, with its rank.
#[derive(Clone, Debug)]
pub(super) struct Ranked {
    /// The function that was tested, by index of its unit.
    pub(super) unit: usize,
    /// What happens, in words.
    pub(super) kind: String,
    pub(super) site: Option<SiteId>,
    /// The test that shows it.
    pub(super) test: usize,
    pub(super) rank: Rank,
}

/// All failures in the order of their functions.
pub(super) fn ranked(
    program: &Program,
    calls: &CallGraph,
    all: &[Tested],
    native: Option<&NativeReport>,
) -> Vec<Ranked> {
    let whole = WholeProgram::of(program, calls, all);
    let of_unit = |tested: &Tested| {
        let rank = |bug: &Bug| Ranked {
            unit: tested.unit,
            kind: bug.kind.to_string(),
            site: bug.site,
            test: bug.test,
            rank: match (rank(program, tested, bug, native), &whole) {
                (Rank::Native { seen }, Some(whole)) if whole.excludes(program, tested, bug) => {
                    let name = &program.units[tested.unit].name;
                    let needs = format!("`{name}` is called as `main` never calls it");
                    Rank::Precondition { seen, needs }
                }
                (rank, _) => rank,
            },
        };
        let bugs = tested.suite.bugs();
        bugs.iter()
            .filter(|bug| !is_of_maker(program, tested, all, bug))
            .map(rank)
            .collect::<Vec<_>>()
    };
    all.iter().flat_map(of_unit).collect()
}

/// A program every path of which is known.
struct WholeProgram<'a> {
    main: &'a Tested,
    /// The functions that it calls, directly or not.
    called: BTreeSet<usize>,
}

impl WholeProgram<'_> {
    fn of<'a>(program: &Program, calls: &CallGraph, all: &'a [Tested]) -> Option<WholeProgram<'a>> {
        let is_main = |tested: &&Tested| {
            let unit = &program.units[tested.unit];
            unit.name == "main" && (tested.stats.is_complete || tested.suite.is_exhaustive)
        };
        let main = all.iter().find(is_main)?;
        Some(WholeProgram { main, called: reachable_units(program, calls, main.unit) })
    }

    /// Whether a failure of a function needs another caller than this program: no path of `main` fails there. What an
    /// assertion says, or a check that was asked for, is said of the calls that there are; a function without parameters can only fail by the state that it is
    /// called in. Where arguments decide, others may call the function with any.
    fn excludes(&self, program: &Program, tested: &Tested, bug: &Bug) -> bool {
        let is_about_calls = matches!(
            bug.kind,
            TrapKind::AssertionFailed | TrapKind::Abort | TrapKind::ReachError | TrapKind::Check(_)
        ) || program.units[tested.unit].params.is_empty();
        let fails = |other: &Bug| other.site == bug.site;
        tested.unit != self.main.unit
            && self.called.contains(&tested.unit)
            && is_about_calls
            && !self.main.suite.bugs().iter().any(fails)
    }
}

/// Whether a function whose calls make the objects of another one was tested itself and fails in the same way: the failure
/// is listed there.
fn is_of_maker(program: &Program, tested: &Tested, all: &[Tested], bug: &Bug) -> bool {
    let Some(driver) = program.driver(tested.shape.entered) else { return false };
    let is_it = |other: &Bug| other.kind == bug.kind && other.site == bug.site;
    let makers = driver.functions();
    let others = all.iter().filter(|other| other.unit != tested.unit);
    let mut makers = others.filter(|other| makers.contains(&other.unit));
    makers.any(|maker| maker.suite.bugs().iter().any(is_it))
}

fn rank(program: &Program, tested: &Tested, bug: &Bug, native: Option<&NativeReport>) -> Rank {
    let name = bugs::name(program, &program.units[tested.unit], &bug.kind, bug.site);
    let shown = native.and_then(|native| native.failures.get(&name));
    let drawn = &tested.suite.tests[bug.test].drawn;
    if let Some(function) = meaningless(program, drawn) {
        let why = format!("`{function}` means something to a verifier only");
        return Rank::OnlyInModel { why };
    }
    match shown {
        Some(Shown::Seen(seen)) => {
            let seen = &of_input(seen, bug);
            if let Some(function) = undeclared_pointer(program, drawn).filter(|_| seen.is_wild) {
                let why = format!("`{function}` returns a pointer, and nobody declares it");
                return Rank::OnlyInModel { why };
            }
            let input = &tested.suite.tests[bug.test].input;
            let null = null_objects(program, &tested.shape, input);
            // A text that is written where it is passed has no name, and compilers share equal ones.
            let left = (bug.kind == TrapKind::OutOfObject)
                .then(|| "a text or array of the input ends before the access".to_string());
            let has_name = seen.object.as_ref().is_some_and(has_own_name);
            let left = left.filter(|_| !has_name);
            let needs = precondition(seen, &tested.shape, input, &null).or(left);
            let needs = needs.or_else(|| asserted(program, bug, &nulls(input, &null)));
            let needs = no_enumerator(program, &tested.shape, input).or(needs);
            let needs = gives_up(bug, input).or(needs);
            let needs = needs.or_else(|| earlier_call(program, tested, bug));
            let needs = needs.or_else(|| negative_length(program, tested, seen, input));
            let needs = needs.or_else(|| returned_pointer(program, drawn).filter(|_| seen.is_wild));
            let needs = needs.or_else(|| other_arguments(&tested.shape, bug, seen));
            let texts = texts_left(seen, &tested.shape);
            let is_walked = !texts.is_empty() && looks_for_end(program, bug.site, &texts);
            // Nobody allocates the arguments of a program for it to free.
            let frees_arguments = seen.is_free && program.units[tested.unit].name == "main";
            match needs.filter(|_| !is_walked && !frees_arguments) {
                Some(needs) => Rank::Precondition { seen: seen.what.clone(), needs },
                None => Rank::Native { seen: seen.what.clone() },
            }
        }
        Some(Shown::Nothing) => Rank::OnlyInModel { why: "it ends without a failure here".into() },
        Some(Shown::NotCompiled(message)) => {
            let why = format!("its program does not compile: {}", cause(message));
            Rank::OnlyInModel { why }
        }
        Some(Shown::NotRun(_)) | None => Rank::Unknown,
    }
}

/// What about an input a caller may never give; `None` if there is nothing.
fn precondition(
    seen: &Sighting,
    shape: &Shape,
    input: &Input,
    null_objects: &[&str],
) -> Option<String> {
    if let Some(Left { name: Some(variable), bytes, is_input: true }) =
        seen.object.as_ref().filter(|left| has_own_name(left))
    {
        let name = expression(variable, input);
        return match seen.is_free {
            true => Some(format!("`{name}` does not come from `malloc`")),
            false => too_small(name, *bytes, shape, input),
        };
    }
    let null = nulls(input, null_objects);
    if seen.is_wild && !null.is_empty() {
        return Some(format!("{} NULL", listed(&null)));
    }
    if let Some(needs) = no_index(shape, input).filter(|_| seen.is_wild) {
        return Some(needs);
    }
    let fields = input
        .values
        .iter()
        .filter(|(name, value)| is_field(name) && !name.ends_with(" != NULL") && value.bits() != 0);
    let fields: Vec<&str> = fields.map(|(name, _)| name.as_str()).collect();
    (!fields.is_empty()).then(|| format!("{} as in its program", listed(&fields)))
}

/// The pointers of an input that are null, objects that calls make among them.
fn nulls<'a>(input: &'a Input, objects: &[&'a str]) -> Vec<&'a str> {
    let is_null = |(name, value): (&'a String, &Value)| {
        name.strip_suffix(" != NULL").filter(|_| value.bits() == 0)
    };
    objects.iter().copied().chain(input.values.iter().filter_map(is_null)).collect()
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

/// What clang calls texts and arrays that are written where they are passed.
const UNNAMED: &str = ".compoundliteral";

/// Whether an object has a name that people know.
fn has_own_name(left: &Left) -> bool {
    left.name.as_ref().is_some_and(|name| name != UNNAMED)
}

/// The parameters that are pointers to objects of the input.
fn pointers(shape: &Shape) -> impl Iterator<Item = &Pointer> {
    shape.params.iter().filter_map(|slot| {
        let ShapeNode::Pointer(pointer) = &slot.node else { return None };
        Some(&**pointer)
    })
}

/// The texts of the input that an access can have left: strings with their terminators.
fn texts_left<'s>(seen: &Sighting, shape: &'s Shape) -> Vec<&'s str> {
    let Some(Left { name: Some(left), is_input: true, .. }) = &seen.object else {
        return Vec::new();
    };
    let is_left = |pointer: &&Pointer| left == UNNAMED || pointer.name == *left;
    let left: Vec<&Pointer> = pointers(shape).filter(is_left).collect();
    match left.iter().all(|pointer| pointer.is_terminated) {
        true => left.iter().map(|pointer| pointer.name.as_str()).collect(),
        false => Vec::new(),
    }
}

/// Whether the function that fails looks for the end of a string. Whoever does and leaves the string has stepped over that
/// end, and any caller can give such a string; whoever does not may expect more bytes than a string has.
fn looks_for_end(program: &Program, site: Option<SiteId>, texts: &[&str]) -> bool {
    const ENDS: &[&str] = &["'\\0'", "while (*", "while(*", "strlen(", "strchr(", "strcmp("];
    let Some(site) = site else { return false };
    let unit = program.unit_at(site.offset);
    let mut branches = program.branches.values().filter(|branch| Some(branch.unit) == unit);
    if branches.any(|branch| is_test_for_zero(&branch.text, texts)) {
        return true;
    }
    let Some(position) = program.position(site.offset) else { return false };
    let text = program.file(position.file).text.as_deref().unwrap_or_default();
    let line = text.lines().nth(position.line.saturating_sub(1) as usize).unwrap_or_default();
    ENDS.iter().any(|end| line.contains(end))
}

/// Whether a condition asks if a character is the last: `*p`, `!*p++`, `text[i]`, `c != '\0'`.
fn is_test_for_zero(condition: &str, texts: &[&str]) -> bool {
    let tested = condition.trim_matches(|c: char| "()! ".contains(c));
    let is_part = |c: char| c.is_ascii_alphanumeric() || "_+->.".contains(c);
    let is_character = |text: &&str| {
        let index = tested.strip_prefix(text).and_then(|rest| rest.strip_prefix('['));
        index.is_some_and(|index| index.find(']') == Some(index.len() - 1))
    };
    condition.contains("'\\0'")
        || tested.strip_prefix('*').is_some_and(|pointer| pointer.chars().all(is_part))
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

/// What a variable of a program that shows a failure is in the source: `list->next` for `list_next`.
fn expression<'a>(variable: &'a str, input: &'a Input) -> &'a str {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let joined = |name: &str| {
        let words = name.split(|c| !is_part(c)).filter(|word| !word.is_empty());
        words.collect::<Vec<_>>().join("_")
    };
    let pointers = input.values.keys().filter_map(|name| name.strip_suffix(" != NULL"));
    pointers.into_iter().find(|name| joined(name) == variable).unwrap_or(variable)
}

/// `count` is -5, and `tokens` has no such element: an access far from any object says nothing of which one was meant.
fn no_index(shape: &Shape, input: &Input) -> Option<String> {
    let array = pointers(shape).next()?;
    let (name, index) = shape.params.iter().find_map(|slot| {
        let ShapeNode::Leaf(leaf) = &slot.node else { return None };
        let CellKind::Int { bits, signed } = leaf.kind else { return None };
        let shift = 64 - u32::from(bits);
        let raw = leaf.bits(input) << shift;
        let value = if signed { i128::from(raw as i64 >> shift) } else { i128::from(raw >> shift) };
        let is_index = (0..=array.items.len() as i128).contains(&value);
        (!is_index).then_some((&slot.name, value))
    })?;
    Some(format!("`{name}` is {index}, and `{}` has no such element", array.name))
}

/// `color` is 7, which is none of its values: neither an enumerator nor several flags together.
fn no_enumerator(program: &Program, shape: &Shape, input: &Input) -> Option<String> {
    let is_made = program.driver(shape.entered).is_some();
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

/// `buf` has 8 bytes, and `len` is 12. Nothing if `buf_len` says that it has 8: no caller does better.
fn too_small(name: &str, bytes: u64, shape: &Shape, input: &Input) -> Option<String> {
    let array = shape.params.iter().position(|slot| slot.name == name);
    let length = array.and_then(|array| shape.length_of(array));
    if length.is_some_and(|leaf| is_length_named_after(&leaf.name, name) && leaf.number(input) > 0)
    {
        return None;
    }
    let size = match bytes {
        1 => format!("`{name}` has 1 byte"),
        n => format!("`{name}` has {n} bytes"),
    };
    if let Some(leaf) = length {
        return Some(format!("{size}, and `{}` is {}", leaf.name, leaf.number(input)));
    }
    let lengths: BTreeMap<&str, i64> = shape
        .params
        .iter()
        .filter_map(|slot| match &slot.node {
            ShapeNode::Leaf(leaf) => Some((slot.name.as_str(), leaf.number(input))),
            ShapeNode::Bits { .. }
            | ShapeNode::Record { .. }
            | ShapeNode::List { .. }
            | ShapeNode::Pointer(_)
            | ShapeNode::End(_)
            | ShapeNode::Text(_)
            | ShapeNode::Callback(_)
            | ShapeNode::Fixed { .. } => None,
        })
        .filter(|(_, value)| !(0..=bytes as i64).contains(value))
        .collect();
    Some(match lengths.iter().next() {
        Some((length, value)) if lengths.len() == 1 => format!("{size}, and `{length}` is {value}"),
        Some(_) | None => size,
    })
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
    fn objects_have_the_names_of_the_source() {
        let mut input = Input::default();
        for name in ["n != NULL", "n->parameters[0] != NULL", "n->parameters[0]->next != NULL"] {
            input.set(name.to_string(), Value::bv(1, 1));
        }
        assert_eq!(expression("n_parameters_0", &input), "n->parameters[0]");
        assert_eq!(expression("n_parameters_0_next", &input), "n->parameters[0]->next");
        assert_eq!(expression("other", &input), "other");
    }

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
            assert!(is_test_for_zero(condition, &["s"]), "{condition}");
        }
        for condition in ["*p == 'a'", "flags[i]", "s[i] == s[j]", "s", "a * b", "s[]x[1]"] {
            assert!(!is_test_for_zero(condition, &["s"]), "{condition}");
        }
    }
}
