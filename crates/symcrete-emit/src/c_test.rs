//! Tests as a C file: one readable function per input, the observed result as assertions.
//!
//! The file includes the source of the unit, so static functions and types are visible and the file alone
//! compiles. A `main` in the source keeps its name and gets another symbol (an assembler label of GCC and
//! clang): a macro would turn it into an ordinary function, whose end without `return` is not zero.

use crate::checks::{checks, uses_result};
use crate::drawn::Answers;
use crate::framework::{self, Entry, Framework};
use crate::layout::indented;
use crate::noting::{self, Noting};
use crate::objects::Objects;
use crate::replaced::Replaced;
use crate::sources::{external_definitions, foreign_globals, inline_definitions, other_sources};
use crate::stubs::{Stubs, has_word};
use crate::verifiers::SYMBOL;
use crate::{
    Artifact, EmitOptions, allocation, environment, flags, harness, headers, list, literal, macros,
    words,
};
use std::fmt::Write;
use std::path::PathBuf;
use symcrete_program::declaration::declare;
use symcrete_program::{FileId, Outcome, Program, Shape, TestCase, Unit};

/// What tests of a variadic function tell compilers, which warn of formats that are no literals. These would have no more room than
/// their text, and a function may look behind that.
const FORMATS: &str =
    "\n/* Formats are inputs. */\n#pragma GCC diagnostic ignored \"-Wformat-security\"\n";

/// The test file of a unit; `None` if no test of it can be run again.
pub fn c_test(
    program: &Program,
    unit: &Unit,
    shape: &Shape,
    tests: &[TestCase],
    options: &EmitOptions,
) -> Option<Artifact> {
    if !has_source(program, unit) {
        return None;
    }
    let name = test_name(program, unit);
    let answers: Vec<Answers> = tests.iter().map(Answers::of).collect();
    let writer = Writer {
        program,
        unit,
        shape,
        options,
        stubs: Stubs::of(program, shape, Noting::of(tests), &answers, options),
        name: name.clone(),
    };
    let news = words::news(program, tests);
    let mut names = Vec::new();
    let left_out: Vec<Option<String>> = tests.iter().map(|test| writer.left_out(test)).collect();
    let kept = tests.iter().zip(&left_out).filter(|(_, why)| why.is_none());
    let kept = kept.map(|(test, _)| test);
    let mut bodies = allocation::sanitizer_options(program, shape, kept).to_string();
    let mut cells = Cells::default();
    for (i, test) in tests.iter().enumerate() {
        let function = format!("{name}_{}", i + 1);
        if let Some(why) = &left_out[i] {
            let _ = writeln!(bodies, "\n/* {function} is left out: {why} */");
            continue;
        }
        bodies.push('\n');
        bodies.push_str(&writer.test(&function, test, &answers[i], &news[i], &mut cells));
        names.push(function);
    }
    if names.is_empty() {
        return None;
    }
    let text = writer.file(&bodies, &cells, &names);
    Some(Artifact::text(PathBuf::from("tests").join(format!("{name}.c")), text))
}

/// Whether there is a source to test: a WebAssembly module has none.
pub fn has_source(program: &Program, unit: &Unit) -> bool {
    program.file(program.source_of(unit)).text.is_some()
}

/// `test_` and the unit's name; with its file's name where two units share one.
pub fn test_name(program: &Program, unit: &Unit) -> String {
    let same: Vec<&Unit> = program.units.iter().filter(|other| other.name == unit.name).collect();
    if same.len() < 2 {
        return identifier(&format!("test_{}", unit.name));
    }
    let with_file = |unit: &Unit| {
        let stem = program.file(unit.position.file).path.file_stem().unwrap_or_default();
        identifier(&format!("test_{}_{}", stem.to_string_lossy(), unit.name))
    };
    let name = with_file(unit);
    // `a b.c` and `a-b.c`, or files of one name in two folders.
    let earlier = same.iter().take_while(|other| other.function != unit.function);
    match earlier.filter(|other| with_file(other) == name).count() {
        0 => name,
        n => format!("{name}_{}", n + 1),
    }
}

/// Letters, digits and underscores.
fn identifier(text: &str) -> String {
    text.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}

/// Inputs of harnesses: all tests share one table, each test knows where its part begins.
#[derive(Default)]
struct Cells {
    text: String,
    n: usize,
}

impl Cells {
    fn add(&mut self, function: &str, cells: &[(String, u64)]) -> usize {
        let start = self.n;
        let _ = writeln!(self.text, "    /* {function} */");
        for (name, bits) in cells {
            let bits = literal::integer(i128::from(*bits));
            let _ = writeln!(self.text, "    {{{}, {bits}}},", literal::string(name.as_bytes()));
        }
        self.text.push_str("    {NULL, 0},\n");
        self.n += cells.len() + 1;
        start
    }

    fn table(&self) -> String {
        if self.n == 0 {
            return String::new();
        }
        format!(
            "\n/* Inputs that the harness asks for; each test starts at its own. */\n\
             const struct symcrete_cell symcrete_cells[] = {{\n{}}};\n",
            self.text
        )
    }
}

/// The inputs of a harness in a program with one run.
pub(crate) fn cells_table(name: &str, given: &[(String, u64)]) -> String {
    let mut cells = Cells::default();
    cells.add(name, given);
    cells.table()
}

/// Writes the tests of one unit.
pub(crate) struct Writer<'a> {
    pub(crate) program: &'a Program,
    pub(crate) unit: &'a Unit,
    pub(crate) shape: &'a Shape,
    pub(crate) options: &'a EmitOptions,
    pub(crate) stubs: Stubs<'a>,
    pub(crate) name: String,
}

impl Writer<'_> {
    /// The call of the unit. In parentheses a name is no macro's.
    pub(crate) fn call(&self, objects: &Objects) -> String {
        let name = &self.unit.name;
        let texts = self.program.files.iter().filter_map(|file| file.text.as_deref());
        let is_macro = self.options.framework.has_macro(name)
            || texts.into_iter().any(|text| macros::defines_with_parameters(text, name));
        let name = if is_macro { format!("({name})") } else { name.clone() };
        match self.unit.list {
            Some(_) => list::call(&self.program.types, self.unit, &objects.arguments),
            None => format!("{name}({})", objects.arguments.join(", ")),
        }
    }

    /// The functions that tests need besides the source.
    pub(crate) fn definitions(&self, tests: &str) -> String {
        let list = list::definition(&self.program.types, self.unit, tests);
        self.stubs.definitions(tests) + &list
    }

    /// Why a test is not in the file.
    fn left_out(&self, test: &TestCase) -> Option<String> {
        if let Some(why) = &test.set_aside {
            return Some(format!("natively it {why}."));
        }
        match &test.outcome {
            Outcome::Returned(_) => None,
            Outcome::Exited(_) if self.options.framework.is_isolated() => None,
            Outcome::Exited(_) => Some("it ends the program.".into()),
            Outcome::Trapped(trap) => Some(format!("{}; see bugs/.", trap.kind)),
            Outcome::Exhausted(resource) => Some(format!("it ran out of {resource}.")),
            Outcome::Rejected(_) => Some("it breaks an assumption.".into()),
        }
    }

    fn test(
        &self,
        function: &str,
        test: &TestCase,
        answers: &Answers,
        news: &[String],
        cells: &mut Cells,
    ) -> String {
        let framework = self.options.framework;
        let objects = Objects::of(self.program, self.unit, self.shape, test);
        let checks = checks(&self.program.types, self.shape, &objects, test);
        let call = self.call(&objects);
        let mut declarations = objects.lines.clone();
        let mut lines = self.stubs.prepare(answers);
        let calls = self.stubs.check_calls(test, &format!("{}{call}", declarations.concat()));
        if calls.is_some() {
            lines.push(noting::START.into());
        }
        if framework == Framework::Cmocka {
            lines.push("(void)state;".into());
        }
        if !answers.cells.is_empty() {
            lines.push(format!("symcrete_cursor = {};", cells.add(function, &answers.cells)));
        }
        lines.extend(environment::prepare(function, answers));
        let is_made = self.program.driver(self.shape.entered).is_some();
        if is_made {
            // What makes objects may ask for something already.
            declarations.splice(0..0, std::mem::take(&mut lines));
        }
        match (&test.outcome, self.unit.result) {
            (Outcome::Exited(status), _) => {
                lines.push(format!(
                    "CHECK_EXITS({}, {call});",
                    literal::integer(i128::from(*status))
                ));
            }
            (_, Some(ty)) if uses_result(&checks, &objects.result) => {
                let types = &self.program.types;
                let result = declare(types, ty, &objects.result);
                match lines.is_empty() {
                    // What it points to may belong to nobody else, and must not look lost.
                    _ if is_made && types.has_pointers(ty) => {
                        lines.push(format!("static {result};"));
                        lines.push(format!("{} = {call};", objects.result));
                    }
                    true if !is_made => declarations.push(format!("{result} = {call};")),
                    true | false => lines.push(format!("{result} = {call};")),
                }
            }
            (_, Some(_)) => lines.push(format!("(void){call};")),
            (_, None) => lines.push(format!("{call};")),
        }
        lines.extend(checks.iter().map(framework::statement));
        lines.extend(objects.after.iter().cloned());
        // What ends objects may call too, as it did in the recorded run.
        lines.extend(calls);
        lines.extend(environment::clean_up(answers));
        let mut text = comment(news);
        let _ = writeln!(text, "static void {function}({})\n{{", framework.params());
        declarations.iter().for_each(|line| text.push_str(&indented(line)));
        if !declarations.is_empty() && !lines.is_empty() {
            text.push('\n');
        }
        lines.iter().for_each(|line| text.push_str(&indented(line)));
        text.push_str("}\n");
        text
    }

    fn file(&self, bodies: &str, cells: &Cells, names: &[String]) -> String {
        let framework = self.options.framework;
        let stubs = self.definitions(bodies);
        let used = format!("{bodies}{stubs}");
        let replaced = Replaced::of(bodies);
        let endings = replaced.definitions(self.program);
        let used = used + &endings;
        let flags = replaced.flags(self.program, self.unit);
        let mut text = self.title(&self.name, "Tests", harness::INCLUDE, &flags);
        text.push_str(&self.source(replaced));
        let headers = headers::needed(self.program, self.unit, framework, &used);
        text.push_str(&headers.text);
        text.push_str(framework.includes());
        if self.unit.is_variadic {
            text.push_str(FORMATS);
        }
        for global in foreign_globals(self.program, self.unit) {
            if has_word(bodies, &global.name) {
                let declaration = declare(&self.program.types, global.ty, &global.name);
                let _ = writeln!(text, "extern {declaration};");
            }
        }
        text.push_str(&external_definitions(self.program, self.unit));
        text.push('\n');
        text.push_str(framework.check(bodies));
        text.push_str(&framework::helpers(bodies));
        text.push_str(&endings);
        text.push_str(&stubs);
        text.push_str(&harness::functions(self.program));
        text.push_str(&cells.table());
        text.push_str(bodies);
        text.push_str(&self.entry_label(match framework {
            Framework::Plain => "int argc, char **argv",
            Framework::Unity | Framework::Cmocka => "void",
        }));
        let globals = if framework.is_isolated() { Vec::new() } else { self.globals() };
        let entry = Entry {
            framework,
            name: self.entry_name(),
            tests: names,
            globals: &globals,
            has_stdio: headers.has_stdio,
        };
        text.push_str(&entry.text());
        text
    }

    /// The comment at the top: what this is and how it is built, in the folder where it is and with headers of harnesses
    /// from there.
    pub(crate) fn title(&self, file: &str, what: &str, include: &str, more: &[String]) -> String {
        let source = self.program.file(self.unit.position.file);
        let mut flags = flags::relocated(&self.options.flags, &self.options.root);
        flags.extend_from_slice(more);
        let mut flags: String = flags.iter().map(|flag| format!("{} ", quoted(flag))).collect();
        if harness::uses_harness(self.program) {
            // Before a folder that may have the tool's own headers.
            flags.insert_str(0, &format!("-I{include} "));
        }
        let others = other_sources(self.program, self.unit);
        let mut text = format!(
            "/* {what} of `{}` in {}, written by Symcrete.\n *\n * Build and run:\n",
            self.unit.name,
            source.path.display().to_string().replace("*/", "* /").replace("/*", "/ *")
        );
        let mut objects = String::new();
        for (other, has_main) in &others {
            let path = self.include_path(*other);
            match has_main {
                true => {
                    let stem = path.rsplit('/').next().unwrap_or(&path).trim_end_matches(".c");
                    let (stem, path) = (identifier(stem), quoted(&path));
                    let _ = writeln!(
                        text,
                        " *     cc -c -fwrapv {flags}-Dmain={stem}_main -o {stem}.o {path}"
                    );
                    let _ = write!(objects, "{stem}.o ");
                }
                false => {
                    let _ = write!(objects, "{} ", quoted(&path));
                }
            }
        }
        let libraries = self.options.framework.libraries();
        let _ = writeln!(
            text,
            " *     cc -fwrapv {flags}{file}.c {objects}{libraries} -o {file} && ./{file}\n */"
        );
        text
    }

    /// The source under test.
    pub(crate) fn source(&self, replaced: Replaced) -> String {
        let mut text = String::new();
        if let Some(main) = self.main() {
            let types = &self.program.types;
            let params: Vec<String> =
                main.params.iter().map(|param| declare(types, param.ty, &param.name)).collect();
            let params = if params.is_empty() { "void".into() } else { params.join(", ") };
            let declarator = format!("main({params})");
            let function = match main.result {
                Some(ty) => declare(types, ty, &declarator),
                None => format!("void {declarator}"),
            };
            let _ = write!(
                text,
                "\n/* The program's own main gets another symbol: that of this file is the entry. */\n\
                 {SYMBOL}\
                 {function} __asm__(SYMCRETE_SYMBOL(__USER_LABEL_PREFIX__, \"main_under_test\"));\n"
            );
        }
        text.push('\n');
        text.push_str(&replaced.before(self.program));
        if allocation::may_fail(&self.options.flags) {
            text.push_str(&allocation::declarations(self.program));
        }
        let path = self.include_path(self.program.source_of(self.unit));
        let _ = writeln!(text, "#include \"{path}\"");
        text.push_str(&replaced.after(self.program));
        text.push('\n');
        text.push_str(&inline_definitions(self.program, self.unit));
        text
    }

    fn include_path(&self, file: FileId) -> String {
        let path = self.options.root.join(&self.program.file(file).path);
        path.display().to_string()
    }

    /// The `main` of the file under test.
    fn main(&self) -> Option<&Unit> {
        let file = self.program.source_of(self.unit);
        let mut units = self.program.units.iter();
        units.find(|unit| unit.name == "main" && self.program.source_of(unit) == file)
    }

    pub(crate) fn entry_name(&self) -> &'static str {
        if self.main().is_some() { "symcrete_run_tests" } else { "main" }
    }

    /// Gives the entry the symbol `main` where the name is taken.
    pub(crate) fn entry_label(&self, params: &str) -> String {
        if self.main().is_none() {
            return String::new();
        }
        format!(
            "\nint {}({params}) __asm__(SYMCRETE_SYMBOL(__USER_LABEL_PREFIX__, \"main\"));\n",
            self.entry_name()
        )
    }

    /// Variables of the file that tests can change.
    fn globals(&self) -> Vec<String> {
        let file = self.program.source_of(self.unit);
        let globals = self.program.globals.iter();
        let globals = globals.filter(|global| global.position.file == file && !global.is_const);
        globals.map(|global| global.name.clone()).collect()
    }
}

/// A word for a shell, in a comment.
fn quoted(flag: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_=./+,:".contains(c);
    match flag.chars().all(is_plain) {
        true => flag.to_string(),
        false => {
            let escaped = flag.replace('\'', "'\\''");
            // A quote that is closed and opened again is nothing to the shell, and neither ends nor opens a comment.
            format!("'{}'", escaped.replace("*/", "*''/").replace("/*", "/''*"))
        }
    }
}

/// Lines as one comment; text of the source must not end it.
pub(crate) fn comment(lines: &[String]) -> String {
    let lines: Vec<String> =
        lines.iter().map(|line| line.replace("*/", "* /").replace("/*", "/ *")).collect();
    match &lines[..] {
        [] => String::new(),
        [line] => format!("/* {line} */\n"),
        lines => format!("/* {}\n */\n", lines.join("\n * ")),
    }
}
