//! Drivers: functions that make objects by calls of the program's own functions, and then call the function under test.
//!
//! Only debug information knows which functions make what, so the files are linked before the drivers are written
//! ([`crate::api::plan`]), and those that get some are compiled once more, with the drivers behind their last line: there
//! every type and function is known that a test of the file can use. Each driver is one line, so that a compiler that
//! refuses some of them says which. `docs/adr/0022-objects-through-the-api.md` has the reasons.

use crate::api::{
    Argument, Call, FollowUp, Found, Maker, Object, Plan, PlanParam, Stream, Way, plan,
};
use crate::debug::{ReadOptions, read_program};
use crate::declaration::declare;
use crate::program::Program;
use crate::runtime::OBJECTS_MAX;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Where drivers are, as the compiler's messages name it.
const FILE: &str = "symcrete-api";

/// The drivers of one file.
#[derive(Clone, Debug, Default)]
pub(super) struct Drivers {
    lines: Vec<String>,
}

/// The drivers of a linked program, by number of the file that they belong to.
pub(super) fn of_program(wasm: &[u8], files: &[PathBuf]) -> BTreeMap<usize, Drivers> {
    let load = |file: &Path| {
        let bytes = std::fs::read(file).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    };
    let options = ReadOptions { user_files: files.to_vec(), load: &load };
    let mut drivers: BTreeMap<usize, Drivers> = BTreeMap::new();
    // What cannot be read is refused later, in words for people.
    let Ok(program) = read_program(wasm.to_vec(), &options) else { return drivers };
    for plan in plan(&program) {
        let source = program.source_of(&program.units[plan.unit]);
        let path = &program.file(source).path;
        if let Some(number) = files.iter().position(|file| file == path) {
            drivers.entry(number).or_default().lines.push(Writer { program: &program }.text(&plan));
        }
    }
    drivers
}

impl Drivers {
    /// What is put behind the last line of the file.
    pub(super) fn text(&self) -> String {
        let mut text = String::from(
            "\n#pragma clang diagnostic ignored \"-Weverything\"\n\
             #pragma clang diagnostic error \"-Wimplicit-function-declaration\"\n\
             #pragma clang diagnostic error \"-Wint-conversion\"\n\
             #pragma clang diagnostic error \"-Wincompatible-pointer-types\"\n\
             __attribute__((import_module(\"symcrete\"), import_name(\"assume\"))) void __symcrete_api_assume(int);\n\
             extern unsigned __symcrete_api_look;\n\
             extern const volatile void *__symcrete_api_objects[];\n",
        );
        let _ = writeln!(text, "#line 1 \"{FILE}\"");
        self.lines.iter().for_each(|line| {
            let _ = writeln!(text, "{line}");
        });
        text
    }

    /// The drivers without those that a compiler complains of; `None` if it complains of none, or none is left.
    pub(super) fn without_refused(&self, message: &str) -> Option<Drivers> {
        let number = |line: &str| {
            let (_, rest) = line.split_once(&format!("{FILE}:"))?;
            rest.contains(" error: ").then(|| rest.split(':').next()?.parse::<usize>().ok())?
        };
        let refused: BTreeSet<usize> = message.lines().filter_map(number).collect();
        let lines = self.lines.iter().enumerate();
        // A removed driver leaves an empty line, so the others keep their line numbers.
        let lines: Vec<String> = lines
            .map(|(i, line)| if refused.contains(&(i + 1)) { String::new() } else { line.clone() })
            .collect();
        let is_any_left = lines.iter().any(|line| !line.is_empty());
        (!refused.is_empty() && is_any_left).then_some(Drivers { lines })
    }
}

/// Writes drivers as C.
struct Writer<'a> {
    program: &'a Program,
}

impl Writer<'_> {
    fn text(&self, plan: &Plan) -> String {
        let (program, types) = (self.program, &self.program.types);
        let (unit, name) = (&program.units[plan.unit], plan.name(program));
        let mut text = String::new();
        let mut params = Vec::new();
        for param in &plan.params {
            match param {
                PlanParam::Argument { name, ty } => params.push(declare(types, *ty, name)),
                PlanParam::Choice { name: choice, values } => {
                    let tag = format!("{name}_{choice}");
                    let values = (0..values.len()).map(|i| format!("{tag}_{i}"));
                    let values = values.collect::<Vec<_>>().join(", ");
                    let _ = write!(text, "enum {tag} {{ {values} }}; ");
                    params.push(format!("enum {tag} {choice}"));
                }
            }
        }
        let params = if params.is_empty() { "void".to_owned() } else { params.join(", ") };
        let declarator = format!("{name}({params})");
        let head = match unit.result {
            Some(ty) => declare(types, ty, &declarator),
            None => format!("void {declarator}"),
        };
        let before: String = plan.before.iter().map(|choice| self.one_of(choice, "")).collect();
        let looks = plan.call.passed().next().is_some();
        let end = |moment: u32| match looks {
            true => format!("if (__symcrete_api_look == {moment}) __symcrete_api_assume(0); "),
            false => String::new(),
        };
        let _ = write!(text, "static {head} {{ {before}{}", self.makes(&plan.call));
        let _ = write!(text, "{}{}", shows(&plan.call), end(1));
        let call = self.call(&plan.call, "");
        match unit.result {
            Some(ty) => {
                let result = declare(types, ty, "symcrete_result");
                let _ = write!(text, "{result} = {call}; {}{}", end(2), self.ends(&plan.call));
                text.push_str("return symcrete_result; }");
            }
            None => {
                let _ = write!(text, "{call}; {}{}}}", end(2), self.ends(&plan.call));
            }
        }
        text
    }

    /// Makes the objects that a call is given.
    fn makes(&self, call: &Call) -> String {
        call.passed().map(|object| self.object(object)).collect()
    }

    fn object(&self, object: &Object) -> String {
        let types = &self.program.types;
        let variable = variable(object);
        let pointer = match object.storage {
            Some(storage) => declare(types, storage, &format!("*{variable}")),
            None => declare(types, object.pointer, &variable),
        };
        let mut text = String::new();
        if let Some(storage) = object.storage {
            let _ = write!(text, "{}; ", declare(types, storage, &format!("{variable}_storage")));
        }
        let _ = write!(text, "{pointer} = 0; int {variable}_is_other = 0; ");
        let makers: Vec<String> =
            object.makers.iter().map(|maker| self.maker(object, maker)).collect();
        text.push_str(&match &makers[..] {
            [only] => only.clone(),
            _ => switch(&object.name, &makers),
        });
        let is_null = |maker: &Maker| matches!(maker, Maker::Null);
        let _ = match object.makers.iter().position(is_null) {
            // Whether what a caller fills in is null, the parameter says.
            None if !object.streams().is_empty() => Ok(()),
            Some(null) => write!(
                text,
                "__symcrete_api_assume({variable} != 0 || {} == {null}); ",
                object.name
            ),
            None => write!(text, "__symcrete_api_assume({variable} != 0); "),
        };
        for follow_up in &object.follow_ups {
            let calls = self.one_of(follow_up, &variable);
            let _ = write!(text, "if ({variable} != 0) {{ {calls}}} ");
        }
        text
    }

    /// One of several calls about an object, or about nothing, or none.
    fn one_of(&self, follow_up: &FollowUp, variable: &str) -> String {
        let mut calls = vec![String::new()];
        for option in &follow_up.calls {
            let (makes, call) = (self.makes(&option.call), self.call(&option.call, variable));
            calls.push(match option.is_next {
                true => format!(
                    "{makes}{variable} = {call}; {variable}_is_other = 1; __symcrete_api_assume({variable} != 0); "
                ),
                false => format!("{makes}{call}; "),
            });
        }
        switch(&follow_up.choice, &calls)
    }

    fn maker(&self, object: &Object, maker: &Maker) -> String {
        let variable = variable(object);
        let own = format!("{variable} = &{variable}_storage; ");
        let zero = format!("__builtin_memset(&{variable}_storage, 0, sizeof {variable}_storage); ");
        match (maker, object.storage) {
            (Maker::Null, _) => String::new(),
            (Maker::Zero, _) => zero + &own,
            (Maker::Found(found), _) => self.found(&variable, found),
            (Maker::Given(name), _) => format!("{variable} = {name}; "),
            (Maker::File(name), _) => format!("{variable} = (fopen)(\"{name}\", \"r+\"); "),
            (Maker::WithStreams { param, streams, can_be_null }, _) => {
                let opened: String =
                    streams.iter().map(|stream| opened(&variable, stream)).collect();
                // A pointer that the function compares with null may be null.
                let guard =
                    if *can_be_null { format!("if ({variable} != 0) ") } else { String::new() };
                format!("{variable} = {param}; {guard}{{ {opened}}} ")
            }
            (Maker::Call(call), Some(_)) => {
                let before = if call.can_fail(self.program) { &*zero } else { "" };
                format!("{before}{own}{}{}; ", self.makes(call), self.call(call, &variable))
            }
            (Maker::Call(call), None) => {
                format!("{}{variable} = {}; ", self.makes(call), self.call(call, ""))
            }
        }
    }

    /// What is inside an object that is not there is not there either.
    fn found(&self, variable: &str, found: &Found) -> String {
        let of = format!("{}_object", found.of);
        match &found.way {
            Way::Call(call) => {
                let (makes, call) = (self.makes(call), self.call(call, ""));
                format!("if ({of} != 0) {{ {makes}{variable} = {call}; }} ")
            }
            Way::Members(members) => {
                let all =
                    (0..members.len()).map(|n| [std::slice::from_ref(&of), &members[..n]].concat());
                let is_there: Vec<String> =
                    all.map(|way| format!("{} != 0", way.join("->"))).collect();
                let way = members.join("->");
                format!("if ({}) {variable} = {of}->{way}; ", is_there.join(" && "))
            }
        }
    }

    /// In parentheses a name is no macro's.
    fn call(&self, call: &Call, itself: &str) -> String {
        let argument = |argument: &Argument| match argument {
            Argument::Parameter(name) => name.clone(),
            Argument::Object(object) => variable(object),
            Argument::Earlier(name) => format!("{name}_object"),
            Argument::Itself => itself.to_owned(),
        };
        let arguments: Vec<String> = call.arguments.iter().map(argument).collect();
        format!("({})({})", self.program.units[call.unit].name, arguments.join(", "))
    }

    /// Calls the destructors of what a call was given.
    fn ends(&self, call: &Call) -> String {
        let mut text = String::new();
        for object in call.passed() {
            let Some(destructor) = object.destructor else { continue };
            let (variable, name) = (variable(object), &self.program.units[destructor].name);
            let _ = match object.replaces_itself(&self.program.types) {
                true => write!(text, "if ({variable} != 0) ({name})({variable}); "),
                false => write!(
                    text,
                    "if ({variable} != 0 && !{variable}_is_other) ({name})({variable}); "
                ),
            };
        }
        text
    }
}

/// Says where the objects are that a call is given.
fn shows(call: &Call) -> String {
    let objects = call.passed().take(OBJECTS_MAX).enumerate();
    let show = |(i, object): (usize, &Object)| {
        format!("__symcrete_api_objects[{i}] = {}; ", variable(object))
    };
    objects.map(show).collect()
}

/// Opens a stream of an object, which may be constant for the function under test.
fn opened(variable: &str, stream: &Stream) -> String {
    let Stream { member, file, choice } = stream;
    let to = format!("*(FILE **)(void *)&{variable}->{member}");
    let open = format!("{to} = (fopen)(\"{file}\", \"r+\"); __symcrete_api_assume({to} != 0); ");
    match choice {
        Some(choice) => format!("if ({choice} == 1) {to} = 0; else {{ {open}}} "),
        None => open,
    }
}

fn variable(object: &Object) -> String {
    format!("{}_object", object.name)
}

/// One of several statements; the first if the choice says nothing else.
fn switch(choice: &str, cases: &[String]) -> String {
    let mut text = format!("switch ((int){choice}) {{ ");
    for (i, case) in cases.iter().enumerate().skip(1) {
        let _ = write!(text, "case {i}: {{ {case}break; }} ");
    }
    let first = cases.first().map_or("", String::as_str);
    let _ = write!(text, "default: {{ {first}break; }} }} ");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refused_drivers_leave_their_lines_empty() {
        let lines = ["one", "two", "three"].map(str::to_owned).to_vec();
        let drivers = Drivers { lines };
        let message = "x.c:1:1: warning: unused\nsymcrete-api:2:14: error: unknown type name 'x'\n";
        let left = drivers.without_refused(message).expect("two are left");
        assert_eq!(left.lines, ["one", "", "three"]);
        assert!(left.text().ends_with("#line 1 \"symcrete-api\"\none\n\nthree\n"));
        // A complaint about something else is not ours, and without drivers there is nothing to compile.
        assert!(drivers.without_refused("x.c:3:1: error: no\n").is_none());
        let all =
            "symcrete-api:1:1: error: a\nsymcrete-api:2:1: error: b\nsymcrete-api:3:1: error: c\n";
        assert!(drivers.without_refused(all).is_none());
    }

    #[test]
    fn a_choice_that_says_nothing_takes_the_first() {
        let cases = ["a(); ".to_owned(), "b(); ".to_owned()];
        let expected = "switch ((int)which) { case 1: { b(); break; } default: { a(); break; } } ";
        assert_eq!(switch("which", &cases), expected);
    }
}
