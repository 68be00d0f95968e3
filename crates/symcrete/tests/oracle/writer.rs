//! Random C functions: structures, pointers that may be shared, lists, callbacks, globals, statics, switches, gotos,
//! unions of floats, functions that nobody defines, the environment, addresses, casts, every form of condition.
//!
//! Each condition and label stands on a line of its own, so that a line names it.

use super::page::{Page, Pages};
use super::parameters::{Kind, Parameter};
use std::fmt::Write;
use symcrete_term::{Rng, Seed};

mod conditions;
mod statements;

/// A file of random functions with all that is needed to run it natively.
pub(super) struct File {
    pub(super) pages: Pages,
    /// A program that calls each function with many inputs.
    pub(super) driver: String,
    pub(super) functions: Vec<Function>,
}

/// A function of the file.
pub(super) struct Function {
    pub(super) name: String,
    params: Vec<Parameter>,
    /// Whether what it does natively depends on the environment.
    pub(super) asks_environment: bool,
    /// Whether it depends on where variables are.
    pub(super) looks_at_addresses: bool,
    /// Whether it uses types that are wider natively.
    pub(super) uses_wide_types: bool,
}

/// A file of so many functions.
pub(super) fn file(seed: Seed, n: usize) -> File {
    let mut page = Page::default();
    prelude(&mut page);
    let mut functions = Vec::new();
    for i in 0..n {
        let rng = seed.derive("oracle").derive_number(i as u64).rng();
        let start = page.plain().len();
        let mut function = Writer::new(rng, &mut page, format!("f{i}")).function();
        let text = page.plain()[start..].replace("long long", "");
        function.uses_wide_types = WIDE.iter().any(|word| text.contains(word));
        functions.push(function);
    }
    let driver = driver(&functions);
    File { pages: page.finish(), driver, functions }
}

/// Words of types that are wider natively, and of functions that return such types.
const WIDE: &[&str] = &["long", "size_t", "strlen", "sizeof", "_size", "_end"];

/// Types, variables and functions that all functions of a file share.
fn prelude(page: &mut Page) {
    page.lines(
        "#include <ctype.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
enum color { RED, GREEN, BLUE };
struct small { signed x : 5; unsigned y : 3; };
struct pair { int x; short y; };
struct node { int v; struct node *next; };
struct outer { struct pair *p; int k; struct outer *next; };
struct buffer { int used; unsigned char data[4]; };
union word { unsigned u; float f; int i; unsigned char bytes[4]; };
#define LOW(v) ((v) & 15)
#define IS(v, k) ((v) == (k))
#define NOT(c) (!(c))
#define MORE(a, b) ((a) > (b))
int ask(int x);
void fill(int *x);
void touch(void);
int take(signed char *to, int n);
struct pair load(int x);
static const signed char table[8] = {3, -1, 40, 7, 0, 1, 5, -90};",
    );
    page.kept("int shared", "");
    page.kept("static int secret", "= 2");
    page.line("static int small_int(double d) {");
    page.line("if (");
    page.leaf("d > -1000.0");
    page.line("&&");
    page.leaf("d < 1000.0");
    page.line(") return (int)d;");
    page.lines("return 0;\n}");
    page.line("static int help(int a, int b) {");
    page.line("if (");
    page.leaf("a > b");
    page.line(") return a - b;");
    page.line("if (");
    page.leaf("a == 3 * b");
    page.line(") { secret++; return 11; }");
    page.lines("return table[a & 7] + table[b & 7];\n}");
    page.line("static int down(int n, int by) {");
    page.line("if (");
    page.leaf("n <= 0");
    page.line(") return by;");
    page.lines("return down(n - 1, by + n);\n}");
    page.lines("static int sum(int n, ...) {\nva_list list;\nint s = 0;\nva_start(list, n);");
    page.line("while (");
    page.leaf("n-- > 0");
    page.lines(") s += va_arg(list, int);\nva_end(list);\nreturn s;\n}");
    page.lines("static int twice(int a) { return 2 * a; }\nstatic int minus(int a) { return -a; }");
    page.line("static int (*const operations[2])(int) = {twice, minus};");
    page.line("static const void *anchor = &anchor;");
}

/// Writes one function.
struct Writer<'a> {
    rng: Rng,
    page: &'a mut Page,
    name: String,
    params: Vec<Parameter>,
    /// Integers that can be read here.
    atoms: Vec<String>,
    /// Pointers that were not looked at yet.
    unchecked: Vec<usize>,
    n_names: u32,
    /// Statements that may still be written.
    left: u32,
    asks_environment: bool,
    looks_at_addresses: bool,
    /// Labels that a `goto` further up leads to.
    pending_labels: Vec<String>,
}

/// Variables that every function has.
const VARIABLES: &[&str] = &["v", "w", "x", "y"];

impl<'a> Writer<'a> {
    fn new(mut rng: Rng, page: &'a mut Page, name: String) -> Writer<'a> {
        let n_params = 1 + rng.below(3) as usize;
        let params: Vec<Parameter> =
            (0..n_params).map(|number| Parameter::random(&mut rng, number)).collect();
        let mut atoms: Vec<String> = VARIABLES.iter().map(|name| name.to_string()).collect();
        atoms.extend(params.iter().flat_map(Parameter::atoms));
        let unchecked = (0..n_params).filter(|&i| params[i].is_pointer()).collect();
        let left = 8 + rng.below(8) as u32;
        Writer {
            rng,
            page,
            name,
            params,
            atoms,
            unchecked,
            n_names: 0,
            left,
            asks_environment: false,
            looks_at_addresses: false,
            pending_labels: Vec::new(),
        }
    }

    fn function(&mut self) -> Function {
        let params: Vec<String> = self.params.iter().map(Parameter::declaration).collect();
        self.page.line(&format!("int {}({}) {{", self.name, params.join(", ")));
        let first = self.first_value();
        self.page.line(&format!("int v = {first}, w = 1, x = 0, y = 3;"));
        self.page.line("signed char t[4] = {1, 2, 3, 4};");
        if self.rng.one_in(4) {
            self.page.kept("static int calls", "= 0");
            self.page.line("calls++;");
            self.atoms.push("calls".to_string());
        }
        self.check_pointers();
        while self.left > 0 {
            self.statement(3);
        }
        for label in std::mem::take(&mut self.pending_labels) {
            self.page.line(&format!("{label}: v ^= 1;"));
        }
        self.page.line("return");
        self.page.leaf("v == 42");
        self.page.line("? t[0] : w;");
        self.page.line("}");
        Function {
            name: self.name.clone(),
            params: self.params.clone(),
            asks_environment: self.asks_environment,
            looks_at_addresses: self.looks_at_addresses,
            uses_wide_types: false,
        }
    }

    fn first_value(&mut self) -> String {
        let own = self.params.iter().flat_map(Parameter::atoms).collect::<Vec<_>>();
        if own.is_empty() { "0".to_string() } else { format!("(int){}", self.rng.choose(&own)) }
    }

    /// Looks at most pointers before they are followed; the rest is followed as it comes.
    fn check_pointers(&mut self) {
        for i in std::mem::take(&mut self.unchecked) {
            let Parameter { kind, name } = self.params[i].clone();
            match self.rng.below(5) {
                0 => {}
                1 | 2 => {
                    self.page.line("if (");
                    let text = match self.rng.below(3) {
                        0 => format!("!{name}"),
                        1 => format!("{name} == 0"),
                        _ => format!("NULL == {name}"),
                    };
                    self.page.leaf(&text);
                    self.page.line(") return -1;");
                }
                _ => {
                    self.page.line("if (");
                    let text =
                        if self.rng.one_in(2) { name.clone() } else { format!("{name} != 0") };
                    self.page.leaf(&text);
                    let value = self.params[i].atoms_behind()[0].clone();
                    self.page.line(&format!(") v += {value};"));
                    continue;
                }
            }
            self.atoms.extend(self.params[i].atoms_behind());
            if kind == Kind::Outer && self.rng.one_in(2) {
                self.page.line("if (");
                self.page.leaf(&format!("{name}->p"));
                self.page.line(&format!(") x = {name}->p->x;"));
            }
        }
    }

    fn fresh(&mut self, stem: &str) -> String {
        self.n_names += 1;
        format!("{stem}{}", self.n_names)
    }
}

/// The program that calls every function.
fn driver(functions: &[Function]) -> String {
    let mut text = "#include \"file.c\"\n#include \"driver.h\"\n".to_string();
    for Function { name, params, .. } in functions {
        let parts: Vec<(String, String)> = params.iter().map(Parameter::driver).collect();
        let _ = writeln!(text, "static void call_{name}(void) {{");
        for (declaration, _) in &parts {
            let _ = writeln!(text, "{declaration}");
        }
        let arguments: Vec<&str> = parts.iter().map(|(_, argument)| argument.as_str()).collect();
        let _ =
            writeln!(text, "oracle_enumerates = 0;\n(void){name}({});\n}}", arguments.join(", "));
    }
    text.push_str("static const struct oracle_function oracle_functions[] = {\n");
    for Function { name, params, .. } in functions {
        let n_inputs = params
            .iter()
            .map(Parameter::n_values)
            .try_fold(1_u64, |n, values| values.map(|values| n.saturating_mul(values)));
        let _ = writeln!(text, "{{call_{name}, {}u}},", n_inputs.unwrap_or(0).min(1 << 20));
    }
    let _ = writeln!(
        text,
        "}};\nint main(int argc, char **argv) {{ return oracle_main(argc, argv, oracle_functions, {}); }}",
        functions.len()
    );
    text
}
