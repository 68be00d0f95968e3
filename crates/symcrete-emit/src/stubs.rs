//! Undefined functions: in a test they return what they returned in the recorded run, in order.

use crate::drawn::{Answer, Answers};
use crate::fills::Filling;
use crate::initial::initial;
use crate::layout::braces;
use crate::literal;
use crate::macros::defines;
use crate::noting::{self, CHECK_CALLS, Noter, Noting};
use crate::verifiers::{
    HARNESS_FUNCTIONS, NONDET, NONDET_TYPES, UNDECLARED, definition, is_declared, is_macro,
    nondet_type,
};
use crate::{EmitOptions, allocation, callbacks};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write;
use symcrete_program::declaration::declare;
use symcrete_program::image::CellKind;
use symcrete_program::shape::Callback;
use symcrete_program::types::{TypeId, TypeKind, Types};
use symcrete_program::{Fill, NotedCall, NotedParam, Program, Shape, TestCase, Undefined};
use symcrete_term::Function;

/// The functions that the tests of a unit have to define.
pub(crate) struct Stubs<'a> {
    types: &'a Types,
    /// By what answers call them.
    stubs: BTreeMap<String, Stub<'a>>,
    /// Inputs of the verification competition's harnesses, with the type each returns.
    nondet: BTreeMap<String, String>,
    /// Inputs that a flag makes macros.
    macros: Vec<String>,
    /// Assumptions and errors of the same that the sources use without defining them.
    verdicts: Vec<String>,
    /// Functions that allocate memory, where they can fail.
    allocators: String,
    /// Whether every test has a process of its own.
    is_isolated: bool,
    noting: Noting,
}

/// A function that returns what it is told to.
struct Stub<'a> {
    name: String,
    declared: Cow<'a, Undefined>,
    /// Whether it takes more arguments than it declares.
    is_variadic: bool,
    /// Whether it is declared without parameters.
    is_old_style: bool,
    /// What it returns, where only the source knows.
    result_type: Option<String>,
    /// The pointer of the input that points to it, if it is no function of the sources.
    pointer: Option<String>,
    /// What it writes through its arguments.
    fills: Vec<Fill>,
    /// What tests can check of its arguments, if they check its calls.
    noted: Option<Vec<NotedParam>>,
}

impl<'a> Stubs<'a> {
    /// Looks for what the sources mention and do not define, and what pointers of the input point to.
    pub(crate) fn of(
        program: &'a Program,
        shape: &Shape,
        noting: Noting,
        answers: &[Answers],
        options: &EmitOptions,
    ) -> Stubs<'a> {
        let texts: Vec<&str> = program.user_texts().collect();
        let is_mentioned =
            |name: &str| texts.is_empty() || texts.iter().any(|text| has_word(text, name));
        // A macro of a header elsewhere may call what no text of the user mentions.
        let is_stub = |name: &str, declared: &Undefined| {
            (is_mentioned(name) || declared.has_declaration)
                && Function::of_math_library(name).is_none()
        };
        let is_typed = |name: &str| is_macro(&options.flags, name);
        let mut nondet = nondet(program, answers, &texts, is_typed);
        let mut allocators = String::new();
        if allocation::may_fail(&options.flags) {
            nondet.insert(allocation::DRAW.to_string(), "_Bool".to_string());
            allocators = allocation::definitions(program);
        }
        let is_defined = |name: &str| texts.iter().any(|text| defines(text, name));
        // Macros of a header call what no text of the user mentions.
        let is_linked = |name: &str| program.functions.iter().any(|(_, known)| known == name);
        let verdicts = HARNESS_FUNCTIONS.iter().filter(|known| {
            let name = known.name;
            // What is mentioned only, say in a comment, is declared by nobody and called by nobody.
            let is_declared = || texts.iter().any(|text| is_declared(text, name));
            !texts.is_empty()
                && (is_linked(name) || (is_mentioned(name) && is_declared()))
                && program.unit(name).is_none()
                && !program.foreign.contains(name)
                && !is_defined(name)
                && !texts.iter().any(|text| has_body(text, name))
        });
        let is_tolerant = options.flags.iter().any(|flag| flag == UNDECLARED);
        let undefined = program.undefined.iter().filter(|(name, declared)| is_stub(name, declared));
        let macros = nondet.keys().chain(program.undefined.keys());
        let macros = macros.filter(|name| is_typed(name)).cloned().collect();
        let undefined = undefined.map(|(name, declared)| {
            let fills = declared.fills(program, name);
            let stub = Stub {
                name: name.clone(),
                declared: Cow::Borrowed(declared),
                is_variadic: texts.iter().any(|text| is_variadic(text, name)),
                is_old_style: !declared.params.is_empty()
                    && texts.iter().any(|text| is_old_style(text, name)),
                result_type: (!declared.has_declaration
                    && texts.iter().any(|text| is_old_style(text, name)))
                .then(|| format!("__typeof__({name}())")),
                pointer: None,
                noted: declared.noted(program, &fills),
                fills,
            };
            (name.clone(), stub)
        });
        Stubs {
            types: &program.types,
            stubs: undefined.chain(of_callbacks(program, shape)).collect(),
            macros,
            nondet,
            verdicts: verdicts.map(|known| definition(known, &texts, is_tolerant)).collect(),
            allocators,
            is_isolated: options.framework.is_isolated(),
            noting,
        }
    }

    /// Their definitions, of callbacks only those that the tests name.
    pub(crate) fn definitions(&self, tests: &str) -> String {
        let mut text = String::new();
        for name in &self.macros {
            let _ = write!(text, "\n#undef {name}");
        }
        if !self.macros.is_empty() {
            text.push('\n');
        }
        let mut functions = String::new();
        for (function, stub) in &self.stubs {
            if stub.pointer.is_none() || has_word(tests, &stub.name) {
                self.definition(&mut functions, (function, stub));
            }
        }
        if tests.contains(CHECK_CALLS) {
            text.push_str(&noting::helpers(&functions));
        }
        text.push_str(&functions);
        for (name, ty) in &self.nondet {
            let results = format!("static {ty} *{name}_results");
            let why = match name == allocation::DRAW {
                true => "Memory may run out".to_string(),
                false => not_defined(name),
            };
            let answering = Answering {
                name,
                why,
                results,
                function: format!("{ty} {name}(void)"),
                zero: None,
            };
            answering.push(&mut text, ("returns", ""));
        }
        for verdict in &self.verdicts {
            text.push('\n');
            text.push_str(verdict);
        }
        text.push_str(&self.allocators);
        text
    }

    fn definition(&self, text: &mut String, (function, stub): (&str, &Stub<'_>)) {
        let Stub { name, declared, is_variadic, is_old_style, pointer, .. } = stub;
        let params: Vec<String> = declared
            .params
            .iter()
            .map(|param| declare(self.types, param.ty, &param.name))
            .collect();
        let params = match (params.is_empty(), is_variadic) {
            // Declared without parameters, it takes any; a prototype would contradict.
            _ if *is_old_style => String::new(),
            (true, _) => "void".to_string(),
            (false, true) => format!("{}, ...", params.join(", ")),
            (false, false) => params.join(", "),
        };
        let names: Vec<&str> = match is_old_style {
            true => Vec::new(),
            false => declared.params.iter().map(|param| param.name.as_str()).collect(),
        };
        let (storage, why) = match pointer {
            Some(pointer) => ("static ", format!("`{pointer}` points to this function")),
            None => ("", not_defined(name)),
        };
        let fillings = self.fillings(stub);
        let noter = self.has_calls().then(|| self.noter(function, stub)).flatten();
        let is_used = |name: &str| {
            fillings.iter().any(|filling| filling.uses(name))
                || noter.iter().any(|noter| noter.uses(name))
        };
        let unused: Vec<&str> = names.into_iter().filter(|name| !is_used(name)).collect();
        let statements: String = fillings.iter().map(Filling::statements).collect();
        let note = noter.as_ref().map(Noter::statement).unwrap_or_default();
        let body = discard(&unused) + &note + &statements;
        let Some(result) = declared.result else {
            let does = if fillings.is_empty() {
                "it does nothing"
            } else {
                "each test says what it writes"
            };
            let _ = writeln!(text, "\n/* {why}; {does}. */");
            let variables: String = fillings.iter().map(Filling::variables).collect();
            let blank = if variables.is_empty() { "" } else { "\n" };
            let _ =
                writeln!(text, "{variables}{blank}{storage}void {name}({params})\n{{\n{body}}}");
            return;
        };
        let function = self.declare(stub, result, &format!("{name}({params})"));
        let results = self.declare(stub, result, &format!("*{name}_results"));
        // A type that only the source knows may be a structure.
        let zero = match self.is_record(result) || stub.result_type.is_some() {
            true => Some(self.declare(stub, result, "zero")),
            false => None,
        };
        let function = format!("{storage}{function}");
        let does = if fillings.is_empty() { "returns" } else { "returns and writes" };
        let variables: String = fillings.iter().map(Filling::variables).collect();
        let answering =
            Answering { name, why, results: variables + "static " + &results, function, zero };
        answering.push(text, (does, &body));
    }

    /// How a stub writes through its arguments.
    fn fillings<'b>(&'b self, stub: &'b Stub<'_>) -> Vec<Filling<'b>> {
        let Stub { name, declared, fills, .. } = stub;
        let filling =
            |fill| Filling { types: self.types, function: name, params: &declared.params, fill };
        fills.iter().map(filling).collect()
    }

    /// How a stub notes its calls, if it does.
    fn noter<'b>(&'b self, function: &str, stub: &'b Stub<'_>) -> Option<Noter<'b>> {
        let noted = stub.noted.as_ref()?;
        // Without a prototype its arguments have no names.
        let noted = if stub.is_old_style { &[][..] } else { noted };
        Some(self.noting.noter((function, &stub.name), &stub.declared.params, noted))
    }

    /// Whether some test calls a function that notes it.
    fn has_calls(&self) -> bool {
        self.stubs.keys().any(|function| self.noting.calls(function))
    }

    /// The statement with which a test checks its calls, if tests do and this one passes what can be called.
    pub(crate) fn check_calls(&self, test: &TestCase, passed: &str) -> Option<String> {
        let calls = test.noted.as_ref().filter(|_| self.has_calls())?;
        let can_call = |(function, stub): (&String, &Stub<'_>)| {
            let is_there = stub.pointer.is_none() || has_word(passed, &stub.name);
            is_there && self.noting.calls(function)
        };
        if calls.is_empty() && !self.stubs.iter().any(can_call) {
            return None;
        }
        let line = |call: &NotedCall| {
            let stub = self.stubs.get(&call.function)?;
            Some(self.noter(&call.function, stub)?.line(call))
        };
        let lines: Vec<String> = calls.iter().filter_map(line).collect::<Option<_>>()?;
        noting::check(&lines)
    }

    /// Declares something of the type that a stub returns.
    fn declare(&self, stub: &Stub<'_>, result: TypeId, declarator: &str) -> String {
        match &stub.result_type {
            Some(ty) => format!("{ty} {declarator}"),
            None => declare(self.types, result, declarator),
        }
    }

    fn is_record(&self, ty: TypeId) -> bool {
        matches!(self.types.get(ty).kind, TypeKind::Struct { .. } | TypeKind::Union { .. })
    }

    /// What a test does before the call, so that the functions answer as they did.
    pub(crate) fn prepare(&self, answers: &Answers) -> Vec<String> {
        let mut lines = Vec::new();
        for filling in self.stubs.values().flat_map(|stub| self.fillings(stub)) {
            lines.extend(filling.prepare(&answers.fills));
        }
        for (function, given) in &answers.calls {
            let stub = self.stubs.get(function);
            let function = stub.map_or(function, |stub| &stub.name);
            // Zeros come by themselves when a list is at its end.
            let is_zero =
                |answer: &Answer| answer.bits == 0 && answer.object.iter().all(|&byte| byte == 0);
            let n_given = given.iter().rposition(|answer| !is_zero(answer)).map_or(0, |i| i + 1);
            if n_given == 0 {
                // What an earlier test has left must not be taken.
                if !self.is_isolated {
                    lines.push(format!("{function}_left = 0;"));
                }
                continue;
            }
            let given = &given[..n_given];
            let values = format!("{function}_values[]");
            let (declaration, items) = match stub {
                Some(stub) => {
                    let Some(result) = stub.declared.result else { continue };
                    let items = self.items(function, result, given, &mut lines);
                    (self.declare(stub, result, &values), items)
                }
                None => {
                    let Some(ty) = self.nondet.get(function) else { continue };
                    (format!("{ty} {values}"), given.iter().map(plain).collect())
                }
            };
            lines.push(format!("static {declaration} = {};", braces(&items)));
            lines.push(format!("{function}_results = {function}_values;"));
            lines.push(format!("{function}_left = {};", items.len()));
        }
        lines
    }

    fn items(
        &self,
        function: &str,
        result: TypeId,
        given: &[Answer],
        lines: &mut Vec<String>,
    ) -> Vec<String> {
        let mut items = Vec::new();
        for (i, answer) in given.iter().enumerate() {
            if self.is_record(result) {
                // A structure of one scalar came as that.
                let bits = answer.bits.to_le_bytes();
                let bytes = if answer.object.is_empty() { &bits[..] } else { &answer.object };
                items.push(initial(self.types, result, bytes));
                continue;
            }
            let TypeKind::Pointer { to, .. } = self.types.get(result).kind else {
                items.push(literal::cell(self.types, result, answer.kind, answer.bits));
                continue;
            };
            if answer.bits == 0 {
                items.push("NULL".into());
                continue;
            }
            let object = format!("{function}_object_{}", i + 1);
            let ty = self.types.get(to);
            if ty.size == 0 {
                lines.push(format!(
                    "static unsigned char {object}[{}];",
                    answer.object.len().max(1)
                ));
                items.push(format!("(void *){object}"));
                continue;
            }
            let value = initial(self.types, to, &answer.object);
            lines.push(format!("static {} = {value};", declare(self.types, to, &object)));
            items.push(format!("&{object}"));
        }
        items
    }
}

/// Inputs of the verification competition's harnesses that the tests have to define, with the type each returns.
fn nondet(
    program: &Program,
    answers: &[Answers],
    texts: &[&str],
    is_typed: impl Fn(&str) -> bool,
) -> BTreeMap<String, String> {
    let result = |suffix: &str| match is_typed(&format!("{NONDET}{suffix}")) {
        true => nondet_type(suffix, &[]),
        false => nondet_type(suffix, texts),
    };
    let mut nondet = BTreeMap::new();
    for function in answers.iter().flat_map(|answers| answers.calls.keys()) {
        if let Some(suffix) = function.strip_prefix(NONDET)
            && program.unit(function).is_none()
            && !program.foreign.contains(function)
            && !program.undefined.contains_key(function)
        {
            nondet.insert(function.clone(), result(suffix));
        }
    }
    // An input that no test draws must still be there for the linker.
    for (suffix, _) in NONDET_TYPES {
        let name = format!("{NONDET}{suffix}");
        // Macros of a header that is not the user's may call it.
        let is_linked = program.functions.iter().any(|(_, known)| *known == name);
        let is_mentioned = is_linked || texts.iter().any(|text| has_word(text, &name));
        let is_other = || {
            program.unit(&name).is_some()
                || program.foreign.contains(&name)
                || texts.iter().any(|t| defines(t, &name))
        };
        if is_mentioned && !is_other() {
            nondet.entry(name).or_insert_with(|| result(suffix));
        }
    }
    nondet
}

/// The functions that pointers of the input point to, by what answers call them.
fn of_callbacks<'a>(program: &Program, shape: &Shape) -> Vec<(String, Stub<'a>)> {
    let names = callbacks::names(program, shape);
    let stub = |callback: &Callback| {
        let declared = callbacks::as_undefined(program, callback)?;
        let stub = Stub {
            name: names.get(&callback.name)?.clone(),
            is_variadic: declared.is_variadic,
            is_old_style: false,
            result_type: None,
            declared: Cow::Owned(declared),
            pointer: Some(callback.name.clone()),
            fills: callback.callee.fills.clone(),
            noted: callback.callee.noted.clone(),
        };
        Some((callback.callee.name.strip_suffix("()")?.to_string(), stub))
    };
    shape.callbacks().into_iter().filter_map(stub).collect()
}

fn not_defined(name: &str) -> String {
    format!("`{name}` is not defined in the sources")
}

/// A function that answers from a list, and then with zeros.
struct Answering<'a> {
    name: &'a str,
    /// Why it is there.
    why: String,
    /// The declaration of its list, and of what else it needs.
    results: String,
    function: String,
    /// The declaration of a structure of zeros, if it returns one.
    zero: Option<String>,
}

impl Answering<'_> {
    /// Writes it: what tests say of it, and what it does before it returns.
    fn push(&self, text: &mut String, (does, body): (&str, &str)) {
        let Answering { name, why, results, function, zero } = self;
        let _ = writeln!(text, "\n/* {why}; each test says what it {does}. */");
        let _ = writeln!(text, "{results};\nstatic size_t {name}_left;\n\n{function}\n{{");
        let none = match zero {
            Some(declaration) => {
                let _ = writeln!(text, "    static {declaration};\n");
                "zero"
            }
            None => "0",
        };
        text.push_str(body);
        let _ = writeln!(text, "    if ({name}_left == 0)\n        return {none};");
        let _ = writeln!(text, "    {name}_left--;\n    return *{name}_results++;\n}}");
    }
}

/// Parameters that are not looked at.
fn discard(names: &[&str]) -> String {
    names.iter().map(|name| format!("    (void){name};\n")).collect()
}

fn plain(answer: &Answer) -> String {
    match answer.kind {
        CellKind::Bool => (answer.bits & 1).to_string(),
        CellKind::F32 => literal::float(f32::from_bits(answer.bits as u32)),
        CellKind::F64 => literal::double(f64::from_bits(answer.bits)),
        CellKind::Int { .. } => literal::integer(literal::number_of(answer.kind, answer.bits)),
    }
}

/// Whether a declaration in the text has `...` among the parameters of that function.
fn is_variadic(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let rest = text[at + name.len()..].trim_start();
        let params = rest.strip_prefix('(').and_then(|rest| rest.split_once(')'));
        params.is_some_and(|(params, _)| params.trim_end().ends_with("..."))
    })
}

/// Whether a text declares that function without parameters: `int f();`
fn is_old_style(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let rest = text[at + name.len()..].trim_start();
        let rest = rest.strip_prefix('(').and_then(|rest| rest.trim_start().strip_prefix(')'));
        rest.is_some_and(|rest| rest.trim_start().starts_with(';'))
    })
}

/// Whether a text defines that function, also if its body was not compiled.
pub(crate) fn has_body(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let rest = text[at + name.len()..].trim_start();
        let after = rest.strip_prefix('(').and_then(|rest| rest.split_once(')'));
        after.is_some_and(|(_, rest)| rest.trim_start().starts_with('{'))
    })
}

/// Whether a text declares or calls a function of that name: a member of a structure is another thing.
pub(crate) fn has_call(text: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.match_indices(name).any(|(at, _)| {
        let before = text[..at].trim_end();
        !text[..at].ends_with(is_part)
            && !before.ends_with(['.', '>'])
            && text[at + name.len()..].trim_start().starts_with('(')
    })
}

/// Whether a text has that identifier.
pub(crate) fn has_word(text: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.match_indices(word).any(|(at, _)| {
        !text[..at].ends_with(is_part) && !text[at + word.len()..].starts_with(is_part)
    })
}
