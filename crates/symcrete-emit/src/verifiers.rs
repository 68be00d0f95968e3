//! Functions of verifiers' harnesses that the runtime has, as tests define them: inputs of the verification competition,
//! assumptions, assertions and errors (SV-COMP, CBMC, ESBMC).

use crate::stubs::has_word;

/// What inputs of the verification competition are called, before their type.
pub(crate) const NONDET: &str = "__VERIFIER_nondet_";

/// These inputs and their types, as the runtime has them (`runtime/harness.c`).
pub(crate) const NONDET_TYPES: &[(&str, &str)] = &[
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
    ("loff_t", "long long"),
    ("int8_t", "signed char"),
    ("uint8_t", "unsigned char"),
    ("int16_t", "short"),
    ("uint16_t", "unsigned short"),
    ("int32_t", "int"),
    ("uint32_t", "unsigned int"),
    ("int64_t", "__INT64_TYPE__"),
    ("uint64_t", "__UINT64_TYPE__"),
    ("u8", "unsigned char"),
    ("u16", "unsigned short"),
    ("u32", "unsigned int"),
    ("u64", "__UINT64_TYPE__"),
    ("S8", "signed char"),
    ("U8", "unsigned char"),
    ("S16", "short"),
    ("U16", "unsigned short"),
    ("S32", "int"),
    ("U32", "unsigned int"),
    ("size_t", "size_t"),
    ("pthread_t", "unsigned int"),
    ("sector_t", "unsigned int"),
    ("bool", "_Bool"),
    ("_Bool", "_Bool"),
    ("float", "float"),
    ("double", "double"),
];

/// What inputs are called, before their type: in the verification competition, and by CBMC and ESBMC.
const PREFIXES: &[&str] = &[NONDET, "nondet_"];

/// Flags with which calls of inputs that nobody declares return what their names say, and not an `int`; `is_undeclared` says
/// which those are.
pub fn declaring(is_undeclared: impl Fn(&str) -> bool) -> Vec<String> {
    let mut flags = Vec::new();
    for (suffix, ty) in NONDET_TYPES.iter().filter(|(_, ty)| *ty != "int") {
        let ty = if *ty == "size_t" { "__SIZE_TYPE__" } else { ty };
        for prefix in PREFIXES {
            let name = format!("{prefix}{suffix}");
            if is_undeclared(&name) {
                flags.push(format!("{}({{{ty} {name}(void);{name}();}})", macro_of(&name)));
            }
        }
    }
    flags
}

/// The beginning of the flag that makes calls of an input what its name says.
fn macro_of(name: &str) -> String {
    format!("-D{name}()=")
}

/// Whether such a flag is among these.
pub(crate) fn is_macro(flags: &[String], name: &str) -> bool {
    let start = macro_of(name);
    flags.iter().any(|flag| flag.starts_with(&start))
}

/// The type of an input by what follows [`NONDET`] in its name. Where no text declares it, the compiler knows which type it
/// takes for granted.
pub(crate) fn nondet_type(suffix: &str, texts: &[&str]) -> String {
    let name = format!("{NONDET}{suffix}");
    if !texts.is_empty() && !texts.iter().any(|text| is_declared(text, &name)) {
        return format!("__typeof__({name}())");
    }
    let known = NONDET_TYPES.iter().find(|known| known.0 == suffix);
    known.map_or("int", |known| known.1).to_string()
}

/// Whether a text declares a function: a type is before its name, and no statement that can have a call behind it.
pub fn is_declared(text: &str, name: &str) -> bool {
    declared(text, name).next().is_some()
}

/// What follows the name of a function where a text declares it.
fn declared<'t>(text: &'t str, name: &str) -> impl Iterator<Item = &'t str> {
    const STATEMENTS: &[&str] = &["return", "else", "do", "case"];
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.match_indices(name).filter_map(move |(at, name)| {
        let before = text[..at].trim_end();
        let word = &before[before.rfind(|c| !is_part(c)).map_or(0, |at| at + 1)..];
        let after = &text[at + name.len()..];
        let line = &before[before.rfind('\n').map_or(0, |at| at + 1)..];
        let is_directive = line.trim_start().starts_with('#');
        let is_declared = !word.is_empty()
            && !STATEMENTS.contains(&word)
            && !is_directive
            && !after.starts_with(is_part);
        is_declared.then_some(after)
    })
}

/// An assumption, an assertion or an error.
pub(crate) struct HarnessFunction {
    pub(crate) name: &'static str,
    /// What it is given.
    takes: Takes,
    /// What it does, if what it is given is a condition that does not hold.
    statement: &'static str,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Takes {
    Nothing,
    Condition,
    /// And a text that says what is wrong if it does not hold.
    ConditionAndText,
}

const LEAVE: &str = "exit(0);";
const ABORT: &str = "abort();";

/// All of them that the runtime has.
pub(crate) const HARNESS_FUNCTIONS: &[HarnessFunction] = &[
    HarnessFunction { name: "__VERIFIER_assume", takes: Takes::Condition, statement: LEAVE },
    HarnessFunction { name: "assume_abort_if_not", takes: Takes::Condition, statement: LEAVE },
    HarnessFunction { name: "__VERIFIER_error", takes: Takes::Nothing, statement: ABORT },
    HarnessFunction { name: "__VERIFIER_assert", takes: Takes::Condition, statement: ABORT },
    HarnessFunction { name: "reach_error", takes: Takes::Nothing, statement: ABORT },
    HarnessFunction { name: "__CPROVER_assume", takes: Takes::Condition, statement: LEAVE },
    HarnessFunction { name: "__CPROVER_assert", takes: Takes::ConditionAndText, statement: ABORT },
    HarnessFunction {
        name: "__CPROVER_precondition",
        takes: Takes::ConditionAndText,
        statement: ABORT,
    },
    HarnessFunction {
        name: "__CPROVER_postcondition",
        takes: Takes::ConditionAndText,
        statement: ABORT,
    },
    HarnessFunction { name: "__ESBMC_assume", takes: Takes::Condition, statement: LEAVE },
    HarnessFunction { name: "__ESBMC_assert", takes: Takes::ConditionAndText, statement: ABORT },
];

/// Macros that make a function's symbol.
pub(crate) const SYMBOL: &str = "\
#define SYMCRETE_TEXT(x) #x
#define SYMCRETE_SYMBOL(prefix, name) SYMCRETE_TEXT(prefix) name
";

/// With this flag sources compile that call undeclared functions.
pub(crate) const UNDECLARED: &str = "-Wno-implicit-function-declaration";

/// The definition of one of these. Where no source declares it, and the compiler tolerates that, calls take it for one that
/// returns an `int`. A header may have made it a macro, and then nobody calls the function; or a header from elsewhere has
/// declared it, with a condition of any type: then the definition has only the symbol of that name.
pub(crate) fn definition(known: &HarnessFunction, texts: &[&str], is_tolerant: bool) -> String {
    let HarnessFunction { name, takes, statement } = known;
    let declared = texts.iter().find_map(|text| declared_condition(text, name));
    let condition = declared.unwrap_or("int");
    let (params, argument) = match takes {
        Takes::Nothing => ("void".to_string(), ""),
        Takes::Condition => (format!("{condition} condition"), "0"),
        Takes::ConditionAndText => (format!("{condition} condition, const char *text"), "0, \"\""),
    };
    let body = match takes {
        Takes::Nothing => format!("    {statement}\n"),
        Takes::Condition => format!("    if (!condition)\n        {statement}\n"),
        Takes::ConditionAndText => {
            format!("    (void)text;\n    if (!condition)\n        {statement}\n")
        }
    };
    let function = if texts.iter().any(|text| is_declared_void(text, name)) {
        format!("void {name}({params})\n{{\n{body}}}\n")
    } else if is_tolerant && texts.iter().any(|text| has_word(text, name)) {
        format!("int {name}({params})\n{{\n{body}    return 0;\n}}\n")
    } else if declared.is_none() && *takes != Takes::Nothing {
        format!(
            "{SYMBOL}void symcrete_{name}({params}) __asm__(SYMCRETE_SYMBOL(__USER_LABEL_PREFIX__, \"{name}\"));\n\
             void symcrete_{name}({params})\n{{\n{body}}}\n"
        )
    } else {
        format!("__typeof__({name}({argument})) {name}({params})\n{{\n{body}}}\n")
    };
    format!("#ifndef {name}\n{function}#endif\n")
}

/// Whether a text declares a function that returns nothing.
fn is_declared_void(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| text[..at].trim_end().ends_with("void"))
}

/// What a declaration says the condition is: `_Bool` of `void __ESBMC_assume(_Bool condition);`. A definition that says
/// something else would contradict it.
fn declared_condition<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    declared(text, name).find_map(|after| {
        let params = after.trim_start().strip_prefix('(')?;
        let first = params[..params.find([',', ')'])?].trim();
        let words: Vec<&str> = first.split_whitespace().collect();
        let is_type = |word: &str| {
            let basic = ["int", "long", "short", "char", "unsigned", "signed", "bool", "_Bool"];
            basic.contains(&word) || word.ends_with("_bool") || word.ends_with("_t")
        };
        let n_types = words.iter().take_while(|word| is_type(word)).count();
        let ty = match words.get(n_types) {
            Some(parameter) => first[..first.rfind(parameter)?].trim_end(),
            None => first,
        };
        (n_types > 0).then_some(ty)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_input_has_its_declared_type() {
        let name = "__VERIFIER_nondet_uchar";
        assert!(is_declared("extern unsigned char __VERIFIER_nondet_uchar(void);", name));
        assert!(!is_declared("return __VERIFIER_nondet_uchar();", name));
        assert!(!is_declared("c = __VERIFIER_nondet_uchar();", name));
        assert!(!is_declared("#ifdef OTHERS\n    __VERIFIER_nondet_uchar();", name));
        assert_eq!(nondet_type("uchar", &["c = 1;"]), "__typeof__(__VERIFIER_nondet_uchar())");
    }

    #[test]
    fn a_definition_takes_what_its_declaration_says() {
        let declared = |text| declared_condition(text, "__ESBMC_assume");
        assert_eq!(declared("void __ESBMC_assume(_Bool);"), Some("_Bool"));
        assert_eq!(
            declared("extern void __ESBMC_assume ( unsigned int cond );"),
            Some("unsigned int")
        );
        assert_eq!(declared("int main() { __ESBMC_assume(int_max > 3); }"), None);
        assert_eq!(declared("void __ESBMC_assume();"), None);
        let known =
            HARNESS_FUNCTIONS.iter().find(|known| known.name == "__ESBMC_assert").expect("a row");
        let text = "void __ESBMC_assert(_Bool, const char *);";
        assert!(
            definition(known, &[text], false)
                .contains("void __ESBMC_assert(_Bool condition, const char *text)\n")
        );
    }
}
