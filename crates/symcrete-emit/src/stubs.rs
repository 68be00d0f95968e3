//! Functions that nobody defines: in a test they return what they returned in the recorded run, in order.

use crate::declare::declare;
use crate::drawn::{Answer, Answers};
use crate::initial::initial;
use crate::layout::braces;
use crate::literal;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use symcrete_program::image::CellKind;
use symcrete_program::types::{TypeId, TypeKind, Types};
use symcrete_program::{Program, Undefined};
use symcrete_term::Function;

/// The functions that the tests of a program have to define.
pub(crate) struct Stubs<'a> {
    types: &'a Types,
    undefined: BTreeMap<&'a str, &'a Undefined>,
    /// Those of them that take more arguments than they declare.
    variadic: BTreeSet<&'a str>,
    /// Those that are declared without parameters.
    old_style: BTreeSet<&'a str>,
    /// Inputs of the verification competition's harnesses, with the type each returns.
    nondet: BTreeMap<String, &'static str>,
    /// Assumptions and errors of the same that the sources use without defining them.
    verdicts: Vec<&'static str>,
}

impl<'a> Stubs<'a> {
    /// Looks for what the sources mention and do not define.
    pub(crate) fn of(program: &'a Program, answers: &[Answers]) -> Stubs<'a> {
        let texts: Vec<&str> = program
            .files
            .iter()
            .filter(|file| file.is_user)
            .filter_map(|file| file.text.as_deref())
            .collect();
        let is_mentioned =
            |name: &str| texts.is_empty() || texts.iter().any(|text| has_word(text, name));
        let is_stub = |name: &str| is_mentioned(name) && Function::of_math_library(name).is_none();
        let undefined = program.undefined.iter().filter(|(name, _)| is_stub(name));
        let mut nondet = BTreeMap::new();
        for function in answers.iter().flat_map(|answers| answers.calls.keys()) {
            if let Some(suffix) = function.strip_prefix(NONDET)
                && program.unit(function).is_none()
                && !program.undefined.contains_key(function)
            {
                nondet.insert(function.clone(), nondet_type(suffix));
            }
        }
        // An input that no test draws must still be there for the linker.
        for (suffix, ty) in NONDET_TYPES {
            let name = format!("{NONDET}{suffix}");
            if !texts.is_empty() && is_mentioned(&name) && program.unit(&name).is_none() {
                nondet.entry(name).or_insert(*ty);
            }
        }
        let verdicts = VERDICTS.iter().filter(|(name, _)| {
            !texts.is_empty() && is_mentioned(name) && program.unit(name).is_none()
        });
        Stubs {
            types: &program.types,
            variadic: program
                .undefined
                .keys()
                .filter(|name| texts.iter().any(|text| is_variadic(text, name)))
                .map(String::as_str)
                .collect(),
            old_style: program
                .undefined
                .iter()
                .filter(|(_, undefined)| !undefined.params.is_empty())
                .map(|(name, _)| name.as_str())
                .filter(|name| texts.iter().any(|text| is_old_style(text, name)))
                .collect(),
            undefined: undefined.map(|(name, undefined)| (name.as_str(), undefined)).collect(),
            nondet,
            verdicts: verdicts.map(|(_, text)| *text).collect(),
        }
    }

    /// Their definitions.
    pub(crate) fn definitions(&self) -> String {
        let mut text = String::new();
        for (name, undefined) in &self.undefined {
            self.definition(&mut text, name, undefined);
        }
        for (name, ty) in &self.nondet {
            let results = format!("{ty} *{name}_results");
            answering(&mut text, name, &results, &format!("{ty} {name}(void)"), &[], None);
        }
        for verdict in &self.verdicts {
            text.push('\n');
            text.push_str(verdict);
        }
        text
    }

    fn definition(&self, text: &mut String, name: &str, undefined: &Undefined) {
        let params: Vec<String> = undefined
            .params
            .iter()
            .map(|param| declare(self.types, param.ty, &param.name))
            .collect();
        let params = match (params.is_empty(), self.variadic.contains(name)) {
            // Declared without parameters, it takes any; a prototype would contradict.
            _ if self.old_style.contains(name) => String::new(),
            (true, _) => "void".to_string(),
            (false, true) => format!("{}, ...", params.join(", ")),
            (false, false) => params.join(", "),
        };
        let names: Vec<&str> = match self.old_style.contains(name) {
            true => Vec::new(),
            false => undefined.params.iter().map(|param| param.name.as_str()).collect(),
        };
        let unused = &names[..];
        let Some(result) = undefined.result else {
            let _ =
                writeln!(text, "\n/* `{name}` is not defined in the sources; it does nothing. */");
            let _ = writeln!(text, "void {name}({params})\n{{");
            text.push_str(&discard(unused));
            text.push_str("}\n");
            return;
        };
        let function = declare(self.types, result, &format!("{name}({params})"));
        let results = declare(self.types, result, &format!("*{name}_results"));
        let zero = match self.is_record(result) {
            true => Some(declare(self.types, result, "zero")),
            false => None,
        };
        answering(text, name, &results, &function, unused, zero);
    }

    fn is_record(&self, ty: TypeId) -> bool {
        matches!(self.types.get(ty).kind, TypeKind::Struct { .. } | TypeKind::Union { .. })
    }

    /// What a test does before the call, so that the functions answer as they did.
    pub(crate) fn prepare(&self, answers: &Answers) -> Vec<String> {
        let mut lines = Vec::new();
        for (function, given) in &answers.calls {
            let values = format!("{function}_values[]");
            let (declaration, items) = match self.undefined.get(function.as_str()) {
                Some(undefined) => {
                    let Some(result) = undefined.result else { continue };
                    let items = self.items(function, result, given, &mut lines);
                    (declare(self.types, result, &values), items)
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

/// A function that answers from a list, and then with zeros; `zero` declares those of a structure.
fn answering(
    text: &mut String,
    name: &str,
    results: &str,
    function: &str,
    unused: &[&str],
    zero: Option<String>,
) {
    let _ = writeln!(
        text,
        "\n/* `{name}` is not defined in the sources; each test says what it returns. */"
    );
    let _ = writeln!(text, "static {results};\nstatic size_t {name}_left;\n\n{function}\n{{");
    let none = match &zero {
        Some(declaration) => {
            let _ = writeln!(text, "    static {declaration};\n");
            "zero"
        }
        None => "0",
    };
    text.push_str(&discard(unused));
    let _ = writeln!(text, "    if ({name}_left == 0)\n        return {none};");
    let _ = writeln!(text, "    {name}_left--;\n    return *{name}_results++;\n}}");
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
        CellKind::Int { signed: true, .. } => {
            literal::integer(i128::from(symcrete_program::shape::number(answer.kind, answer.bits)))
        }
        CellKind::Int { signed: false, .. } => literal::integer(i128::from(answer.bits)),
    }
}

const NONDET: &str = "__VERIFIER_nondet_";

/// The functions of the verification competition and their types (SV-COMP rules, section "Definitions").
const NONDET_TYPES: &[(&str, &str)] = &[
    ("char", "char"),
    ("schar", "signed char"),
    ("uchar", "unsigned char"),
    ("unsigned_char", "unsigned char"),
    ("short", "short"),
    ("ushort", "unsigned short"),
    ("int", "int"),
    ("uint", "unsigned int"),
    ("unsigned", "unsigned int"),
    ("unsigned_int", "unsigned int"),
    ("long", "long"),
    ("ulong", "unsigned long"),
    ("longlong", "long long"),
    ("ulonglong", "unsigned long long"),
    ("u8", "unsigned char"),
    ("u16", "unsigned short"),
    ("u32", "unsigned int"),
    ("size_t", "size_t"),
    ("bool", "_Bool"),
    ("_Bool", "_Bool"),
    ("float", "float"),
    ("double", "double"),
];

fn nondet_type(suffix: &str) -> &'static str {
    NONDET_TYPES.iter().find(|known| known.0 == suffix).map_or("int", |known| known.1)
}

const VERDICTS: &[(&str, &str)] = &[
    (
        "__VERIFIER_assume",
        "void __VERIFIER_assume(int condition)\n{\n    if (!condition)\n        exit(0);\n}\n",
    ),
    ("__VERIFIER_error", "void __VERIFIER_error(void)\n{\n    abort();\n}\n"),
    (
        "__VERIFIER_assert",
        "void __VERIFIER_assert(int condition)\n{\n    if (!condition)\n        abort();\n}\n",
    ),
    ("reach_error", "void reach_error(void)\n{\n    abort();\n}\n"),
];

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

/// Whether a text has that identifier.
pub(crate) fn has_word(text: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.match_indices(word).any(|(at, _)| {
        !text[..at].ends_with(is_part) && !text[at + word.len()..].starts_with(is_part)
    })
}
