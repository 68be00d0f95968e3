//! Random C functions of few small inputs: nested conditions, arithmetic, arrays, loops, calls.
//!
//! Indices are masked so that they may leave an array a little, but not the variables of the file: what lies
//! there is part of the program in WebAssembly.

use std::fmt::Write;
use symcrete_term::{Rng, Seed};

/// A file of so many functions.
pub(super) fn file(seed: Seed, n: usize) -> String {
    let mut writer = Writer { rng: seed.derive("random-c").rng(), text: String::new(), names: 0 };
    writer.text.push_str(
        "struct small { signed x : 5; unsigned y : 3; };\n\
         static signed char g[4] = {3, -1, 40, 7};\n\
         static signed char h[4] = {0, 1, 5, -90};\n\
         static int help(int p, int q) {\n\
         if (p > q) { return p - q; }\n\
         if (p == 3 * q) { return 11; }\n\
         return g[q & 3] + h[p & 3];\n}\n",
    );
    for i in 0..n {
        writer.function(i);
    }
    writer.text
}

struct Writer {
    rng: Rng,
    text: String,
    names: u32,
}

const VARIABLES: [&str; 4] = ["v", "w", "x", "y"];

impl Writer {
    fn function(&mut self, i: usize) {
        let params = *self.rng.choose(&["signed char a", "unsigned char a"]);
        let _ = write!(
            self.text,
            "int f{i}({params}, struct small s) {{\n\
             int v = a, w = s.x, x = s.y, y = 0;\n\
             signed char t[4] = {{1, 2, 3, 4}};\n"
        );
        for _ in 0..2 + self.rng.below(3) {
            self.statement(3);
        }
        let (result, expected) = (self.expression(1), self.constant());
        let _ = writeln!(self.text, "return {result} == {expected} ? t[0] : 1;\n}}");
    }

    fn statement(&mut self, depth: u32) {
        let choice = if depth == 0 { self.rng.below(4) } else { self.rng.below(12) };
        match choice {
            0 | 1 => {
                let (to, value) = (self.variable(), self.expression(2));
                let _ = writeln!(self.text, "{to} = {value};");
            }
            2 => {
                let (index, value) = (self.index(), self.expression(1));
                let array = *self.rng.choose(&["t", "g", "h"]);
                let _ = writeln!(self.text, "{array}[{index}] = {value};");
            }
            3 => {
                let (condition, value) = (self.condition(1), self.rng.below(9));
                let _ = writeln!(self.text, "if ({condition}) {{ return {value}; }}");
            }
            4 => self.counted_loop(depth),
            5 => self.switch(depth),
            _ => {
                let condition = self.condition(2);
                let _ = writeln!(self.text, "if ({condition}) {{");
                self.statement(depth - 1);
                if self.rng.one_in(2) {
                    self.text.push_str("} else {\n");
                    self.statement(depth - 1);
                }
                self.text.push_str("}\n");
            }
        }
    }

    fn counted_loop(&mut self, depth: u32) {
        self.names += 1;
        let counter = format!("i{}", self.names);
        let limit = match self.rng.one_in(2) {
            true => self.rng.between(1, 4).to_string(),
            false => format!("({} & 3)", self.variable()),
        };
        let _ = writeln!(self.text, "for (int {counter} = 0; {counter} < {limit}; {counter}++) {{");
        let _ = writeln!(self.text, "y += {counter};");
        self.statement(depth - 1);
        self.text.push_str("}\n");
    }

    fn switch(&mut self, depth: u32) {
        let of = self.expression(1);
        let _ = writeln!(self.text, "switch ({of} & 7) {{");
        for case in [0, 1, 2, 5] {
            let _ = writeln!(self.text, "case {case}:");
            self.statement(depth - 1);
            if !self.rng.one_in(3) {
                self.text.push_str("break;\n");
            }
        }
        self.text.push_str("default: y++; }\n");
    }

    fn condition(&mut self, depth: u32) -> String {
        if depth > 0 && self.rng.one_in(3) {
            let (a, b) = (self.condition(depth - 1), self.condition(depth - 1));
            return format!("({a} {} {b})", self.rng.choose(&["&&", "||"]));
        }
        let a = self.expression(2);
        let b = if self.rng.one_in(2) { self.constant() } else { self.expression(1) };
        format!("({a} {} {b})", self.rng.choose(&["==", "!=", "<", "<=", ">", ">="]))
    }

    fn expression(&mut self, depth: u32) -> String {
        let choice = if depth == 0 { self.rng.below(3) } else { self.rng.below(11) };
        match choice {
            0 | 1 => self.variable().to_string(),
            2 => self.constant(),
            3 => {
                let array = *self.rng.choose(&["t", "g", "h"]);
                format!("{array}[{}]", self.index())
            }
            4 => {
                let (a, b) = (self.expression(depth - 1), self.expression(depth - 1));
                format!("help({a}, {b})")
            }
            5 => {
                let (a, b) = (self.expression(depth - 1), self.expression(depth - 1));
                format!("({a} {} {b})", self.rng.choose(&["/", "%"]))
            }
            6 => {
                let (a, by) = (self.expression(depth - 1), self.rng.below(5));
                format!("({a} {} {by})", self.rng.choose(&["<<", ">>"]))
            }
            _ => {
                let (a, b) = (self.expression(depth - 1), self.expression(depth - 1));
                format!("({a} {} {b})", self.rng.choose(&["+", "-", "*", "&", "|", "^"]))
            }
        }
    }

    /// An index of an array of four elements; some leave it.
    fn index(&mut self) -> String {
        let of = self.expression(0);
        format!("{of} & {}", self.rng.choose(&["1", "3", "3", "3", "7"]))
    }

    fn variable(&mut self) -> &'static str {
        VARIABLES[self.rng.below(4) as usize]
    }

    fn constant(&mut self) -> String {
        self.rng
            .choose(&["0", "1", "2", "3", "5", "7", "10", "42", "100", "(-1)", "(-8)", "(-128)"])
            .to_string()
    }
}
