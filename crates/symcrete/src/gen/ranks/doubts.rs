//! What makes a failure that this machine shows doubtful: it hangs on what only others know.

use super::super::Tested;
use symcrete_emit::allocation;
use symcrete_emit::failures::Sighting;
use symcrete_emit::verifiers::is_declared;
use symcrete_program::api::split_parameter;
use symcrete_program::outcome::Storage;
use symcrete_program::shape::{ShapeNode, is_index_name, is_length_name, number};
use symcrete_program::types::TypeKind;
use symcrete_program::{Bug, Drawn, Input, Program, TrapKind, Undefined};
use symcrete_term::Value;

/// What was seen, without an object that the access did not leave: which one is next to a global variable of the program is the
/// compiler's choice.
pub(super) fn of_input(seen: &Sighting, bug: &Bug) -> Sighting {
    let is_next_to_any = bug.kind == TrapKind::OutOfVariable(Storage::Global);
    let object = seen.object.clone().filter(|_| !is_next_to_any);
    Sighting { object, ..seen.clone() }
}

/// A function of a verifier that nobody defines, if the failure may depend on what it returns.
pub(super) fn meaningless<'a>(program: &'a Program, drawn: &'a [Drawn]) -> Option<&'a str> {
    const OF_VERIFIERS: &[&str] = &["__CPROVER_", "__ESBMC_", "__VERIFIER_"];
    let is_known = |name: &str| OF_VERIFIERS.iter().any(|prefix| name.starts_with(prefix));
    undefined(program, drawn).map(|(name, ..)| name).find(|name| is_known(name))
}

/// A jump to a state that nobody has set in this call: whoever calls a function may have set it before.
pub(super) fn earlier_call(program: &Program, tested: &Tested, bug: &Bug) -> Option<String> {
    let is_part = program.units[tested.unit].name != "main";
    (bug.kind == TrapKind::UnsetJump && is_part)
        .then(|| "no caller has called `setjmp`".to_string())
}

/// A length or an index that is negative where memory is left: what a function is given as a length is a number of bytes, and no caller
/// gives fewer than none, nor an element before the first. A number is one by its name, or because this machine has seen it used as one.
pub(super) fn negative_number(
    program: &Program,
    tested: &Tested,
    (bug, seen): (&Bug, &Sighting),
    input: &Input,
) -> Option<String> {
    let is_part = program.units[tested.unit].name != "main";
    let is_seen = seen.what.starts_with("negative-size-param");
    let is_left = seen.is_wild || seen.what.contains("buffer-overflow");
    let address_from = &tested.suite.tests[bug.test].address_from;
    let negative = tested.shape.params.iter().filter_map(|slot| {
        let ShapeNode::Leaf(leaf) = &slot.node else { return None };
        let own_name = split_parameter(&leaf.name).1;
        let number = number(leaf.kind, input.get(&leaf.name)?.bits());
        let is_index = is_index_name(own_name) && address_from.contains(&leaf.name);
        let is_named = is_length_name(own_name) || is_index;
        let is_one = is_part && number < 0 && (is_seen || is_left && is_named);
        is_one.then(|| format!("`{own_name}` is {number}"))
    });
    let negative: Vec<String> = negative.collect();
    (!negative.is_empty()).then(|| negative.join(" and "))
}

/// A function that is neither defined nor declared: C takes its result for an `int`, but if an address is made of that, it returns
/// a pointer, and to what only those know who define it.
pub(super) fn undeclared_pointer<'a>(program: &'a Program, drawn: &'a [Drawn]) -> Option<&'a str> {
    let is_declared = |name: &str| program.user_texts().any(|text| is_declared(text, name));
    undefined(program, drawn)
        .find(|(name, function, _)| !function.has_declaration && !is_declared(name))
        .map(|(name, ..)| name)
}

/// A program that aborts because there is no memory left has decided to.
pub(super) fn gives_up(bug: &Bug, input: &Input) -> Option<String> {
    let is_failed =
        |(name, value): (&String, &Value)| name.starts_with(allocation::DRAW) && value.bits() != 0;
    let gives_up = bug.kind == TrapKind::Abort && input.values.iter().any(is_failed);
    gives_up.then(|| "an allocation fails, and the program aborts".to_string())
}

/// A variadic function that uses an address which belongs to nothing, or calls what is no function, may have taken it from a list
/// that nobody passes with this format.
pub(super) fn other_arguments(
    program: &Program,
    tested: &Tested,
    bug: &Bug,
    seen: &Sighting,
) -> Option<String> {
    let is_call = matches!(
        bug.kind,
        TrapKind::TableOutOfBounds | TrapKind::NullCall | TrapKind::CallTypeMismatch
    );
    let is_doubtful = program.units[tested.unit].is_variadic && (is_call || seen.is_wild);
    is_doubtful.then(|| "its variadic arguments are those of the reproducer".to_string())
}

/// An undefined function returns a pointer: whether that may be null, or how much is behind it, only those know who
/// define it. What is called an input may be anything.
pub(super) fn returned_pointer(program: &Program, drawn: &[Drawn]) -> Option<String> {
    let returned = |(name, function, drawn): (&str, &Undefined, &Drawn)| {
        let is_pointer = match function.result {
            Some(ty) if function.has_declaration => {
                matches!(program.types.get(ty).kind, TypeKind::Pointer { .. })
            }
            // Debug information says nothing of old-style declarations.
            Some(_) | None => is_declared_as_pointer(program, name),
        };
        is_pointer.then(|| match drawn.value.bits() {
            0 => format!("`{name}()` returns NULL"),
            _ => format!("`{name}()` returns what it returns in the reproducer"),
        })
    };
    undefined(program, drawn).find_map(returned)
}

/// A function of the system that our C library does not have returns something: what, the kernel decides, and no caller. Only a
/// header of the system declares it. Polishing makes a result zero that does not matter.
pub(super) fn system_result(program: &Program, drawn: &[Drawn]) -> Option<String> {
    let is_declared = |name: &str| program.user_texts().any(|text| is_declared(text, name));
    let returned = |(name, function, drawn): (&str, &Undefined, &Drawn)| {
        let is_of_system = function.has_declaration && !is_declared(name);
        (is_of_system && drawn.value.bits() != 0)
            .then(|| format!("`{name}()` returns what it returns in the reproducer"))
    };
    undefined(program, drawn).find_map(returned)
}

/// The undefined functions that a run has asked, except those that are inputs by their names.
fn undefined<'a>(
    program: &'a Program,
    drawn: &'a [Drawn],
) -> impl Iterator<Item = (&'a str, &'a Undefined, &'a Drawn)> {
    drawn.iter().filter_map(|drawn| {
        let name = drawn.name.split("()").next().filter(|name| !name.contains("nondet"))?;
        Some((name, program.undefined.get(name)?, drawn))
    })
}

/// Whether a source has `int *name(`.
fn is_declared_as_pointer(program: &Program, name: &str) -> bool {
    let mut texts = program.user_texts();
    texts.any(|text| text.match_indices(name).any(|(at, _)| text[..at].trim_end().ends_with('*')))
}
