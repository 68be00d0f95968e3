//! One minimal C program per distinct fault.
//!
//! Two faults are the same if they are of one kind and happen on one line of one function.

use crate::c_test::{self, Writer};
use crate::drawn::Answers;
use crate::layout::indented;
use crate::noting::Noting;
use crate::objects::{Object, Objects};
use crate::replaced::Replaced;
use crate::sources::external_definitions;
use crate::stubs::Stubs;
use crate::suite::mirror::trap_name;
use crate::{
    Artifact, EmitOptions, Framework, callbacks, environment, errors, framework, harness, headers,
    words,
};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::PathBuf;
use symcrete_program::frontend::Check;
use symcrete_program::outcome::{Trap, TrapKind};
use symcrete_program::{Outcome, Program, Shape, SiteId, TestCase, Unit};

/// Where programs that show a failure are.
pub const FOLDER: &str = "bugs";

/// A reproducer for the first test of each fault, in order.
pub fn bugs(
    program: &Program,
    unit: &Unit,
    shape: &Shape,
    tests: &[TestCase],
    options: &EmitOptions,
) -> Vec<Artifact> {
    if !c_test::has_source(program, unit) {
        return Vec::new();
    }
    let mut seen = BTreeSet::new();
    let mut files: Vec<Artifact> = Vec::new();
    for test in tests {
        let Outcome::Trapped(trap) = &test.outcome else { continue };
        let name = name(program, unit, &trap.kind, trap.site);
        if !seen.insert(name.clone()) {
            continue;
        }
        let text = Reproducer { program, unit, shape, options, name: &name }.text(test, trap);
        files.push(Artifact::text(PathBuf::from(FOLDER).join(format!("{name}.c")), text));
    }
    files
}

/// The name of the program that shows a failure of a unit, without extension.
pub fn name(program: &Program, unit: &Unit, kind: &TrapKind, site: Option<SiteId>) -> String {
    let (kind, detail) = trap_name(kind);
    let word = detail.unwrap_or_else(|| kind.to_string());
    let position = site.and_then(|site| program.position(site.offset));
    let place = position.map_or(String::new(), |position| {
        let file = &program.file(position.file).path;
        // The same line of another file is another failure.
        let other = (position.file != unit.position.file).then(|| file.file_name()).flatten();
        let other = other.map_or(String::new(), |name| format!("_{}", name.to_string_lossy()));
        format!("{other}_line_{}", position.line)
    });
    let name = format!("{}_{word}{place}", unit.name);
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}

/// The pointer to a function whose calls a variable of the program that shows a failure is for: it keeps what they return or write.
pub fn callback_of(program: &Program, shape: &Shape, variable: &str) -> Option<String> {
    let names = callbacks::names(program, shape).into_iter();
    let is_part = |name: &str| {
        let rest = variable.strip_prefix(name);
        rest.is_some_and(|rest| rest.starts_with('_'))
    };
    names.filter(|(_, name)| is_part(name)).map(|(pointer, _)| pointer).next()
}

/// The pointers of the input by the variables that hold what they point to in the program that shows a failure.
pub fn variables(
    program: &Program,
    unit: &Unit,
    shape: &Shape,
    test: &TestCase,
) -> BTreeMap<String, String> {
    let objects = Objects::of(program, unit, shape, test).objects;
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let variable = |object: &Object| {
        let words = object.pointer.split(|c| !is_part(c));
        words.into_iter().find(|word| !word.is_empty()).unwrap_or_default().to_string()
    };
    objects.into_iter().map(|object| (variable(&object), object.name)).collect()
}

/// LeakSanitizer takes what calls have left on the stack for pointers that lead to objects. What AddressSanitizer puts around an
/// array would keep some of them.
const CLEAR_STACK: &str = "
/* Overwrites pointers that calls have left on the stack: they lead nowhere any more. */
__attribute__((no_sanitize(\"address\")))
static void clear_stack(void)
{
    volatile char room[16384];

    for (size_t i = 0; i < sizeof room; i++)
        room[i] = 0;
}
";

struct Reproducer<'a> {
    program: &'a Program,
    unit: &'a Unit,
    shape: &'a Shape,
    options: &'a EmitOptions,
    name: &'a str,
}

impl Reproducer<'_> {
    fn text(&self, test: &TestCase, trap: &Trap) -> String {
        let answers = Answers::of(test);
        let marked = errors::marked(self.program, self.unit, &trap.kind);
        let mut options = EmitOptions { framework: Framework::Plain, ..self.options.clone() };
        options.flags.extend(marked.first().map(|_| errors::FLAG.to_string()));
        let writer = Writer {
            program: self.program,
            unit: self.unit,
            shape: self.shape,
            options: &options,
            stubs: Stubs::of(
                self.program,
                self.shape,
                Noting::default(),
                std::slice::from_ref(&answers),
                &options,
            ),
            name: self.name.to_string(),
        };
        let objects = Objects::of(self.program, self.unit, self.shape, test);
        let call = writer.call(&objects);
        let mut declarations = objects.lines.clone();
        let mut lines = writer.stubs.prepare(&answers);
        lines.extend(environment::prepare(self.name, &answers));
        if self.program.driver(self.shape.entered).is_some() {
            // What makes objects may ask for something already.
            declarations.splice(0..0, std::mem::take(&mut lines));
        }
        match self.unit.result {
            Some(_) => lines.push(format!("(void){call};")),
            None => lines.push(format!("{call};")),
        }
        lines.extend(objects.after.iter().cloned());
        let is_leak = trap.kind == TrapKind::Leak;
        if is_leak {
            lines.push("clear_stack();".into());
        }
        lines.push("return 0;".into());
        let mut body = String::new();
        declarations.iter().for_each(|line| body.push_str(&indented(line)));
        if !declarations.is_empty() {
            body.push('\n');
        }
        lines.iter().for_each(|line| body.push_str(&indented(line)));
        let stubs = writer.definitions(&body) + &errors::watch(&marked);
        let replaced = Replaced::of(&body);
        let used = format!("{body}{stubs}{}", framework::helpers(&body));
        let mut text = writer.title(
            self.name,
            "A fault",
            &format!("../tests/{}", harness::INCLUDE),
            &replaced.flags(self.program, self.unit),
        );
        text.push('\n');
        text.push_str(&c_test::comment(&self.expectation(trap)));
        text.push_str(&writer.source(replaced));
        text.push_str(&headers::of_program(self.program, self.unit, &used));
        text.push_str(&external_definitions(self.program, self.unit));
        text.push_str(&framework::helpers(&body));
        text.push_str(&stubs);
        text.push_str(&harness::functions(self.program));
        if !answers.cells.is_empty() {
            text.push_str(&c_test::cells_table(self.name, &answers.cells));
        }
        if is_leak {
            text.push_str(CLEAR_STACK);
        }
        text.push_str(&writer.entry_label("void"));
        let _ = write!(text, "\nint {}(void)\n{{\n{body}}}\n", writer.entry_name());
        text
    }

    fn expectation(&self, trap: &Trap) -> Vec<String> {
        let position = trap.site.and_then(|site| self.program.position(site.offset));
        let place =
            position.map_or(String::new(), |at| format!(" at {}", words::place(self.program, at)));
        let mut lines = vec![format!("Expected: {}{place}.", trap.kind)];
        lines.extend(hint(&trap.kind));
        lines
    }
}

/// How the fault shows on an ordinary machine, where it may go unnoticed.
fn hint(kind: &TrapKind) -> Option<String> {
    let text = match kind {
        TrapKind::Check(name) if !kind.is_uncertain() => return Some(check_hint(name)),
        TrapKind::MemoryOutOfBounds
        | TrapKind::OutOfObject
        | TrapKind::OutOfVariable(_)
        | TrapKind::UseAfterFree
        | TrapKind::UseAfterReturn
        | TrapKind::UseAfterScope
        | TrapKind::DoubleFree
        | TrapKind::InvalidFree
        | TrapKind::OverlappingCopy
        | TrapKind::Leak => Some("Build with -fsanitize=address to see it."),
        TrapKind::Check(_) | TrapKind::Uninitialized => {
            Some("Build with clang -fsanitize=memory to see it.")
        }
        TrapKind::NullPointer | TrapKind::ConstantWritten => {
            Some("It ends with a segmentation fault.")
        }
        TrapKind::DivisionByZero | TrapKind::IntegerOverflow => Some(
            "It ends with an arithmetic exception on x86; elsewhere build with -fsanitize=undefined.",
        ),
        TrapKind::InvalidConversion => Some("Build with -fsanitize=float-cast-overflow to see it."),
        TrapKind::UnsetJump => Some("It ends with a segmentation fault, or goes anywhere."),
        TrapKind::StaleJump => Some("Where it goes depends on what the stack holds by then."),
        TrapKind::StackOverflow => Some("How deep a stack may become depends on the machine."),
        TrapKind::MissingImport(_) => Some("The function that is called is defined nowhere."),
        TrapKind::Abort | TrapKind::AssertionFailed | TrapKind::ReachError => {
            Some("It ends by `abort`.")
        }
        TrapKind::NullCall | TrapKind::CallTypeMismatch | TrapKind::TableOutOfBounds => {
            Some("It calls through a function pointer that is not one of that type.")
        }
        TrapKind::Unreachable | TrapKind::InvalidName => None,
    };
    text.map(str::to_string)
}

/// The sanitizer that sees what a check found. `undefined` does not look for what C allows.
fn check_hint(name: &str) -> String {
    let allowed = name.parse().ok().filter(|check: &Check| check.is_allowed_by_c());
    let names = allowed.and_then(Check::sanitizer).unwrap_or("undefined,float-cast-overflow");
    format!("Build with -fsanitize={names} -fno-wrapv to see it.")
}
