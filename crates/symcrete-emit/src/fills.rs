//! What undefined functions write through their arguments: in a test they write what they wrote in the recorded run,
//! call by call.

use crate::initial::initial;
use crate::layout::{braces, is_zero};
use std::collections::BTreeMap;
use std::fmt::Write;
use symcrete_program::declaration::declare;
use symcrete_program::types::{TypeId, TypeKind, Types};
use symcrete_program::{Fill, FillCount, Param};

/// How a function of a test writes through one of its arguments.
pub(crate) struct Filling<'a> {
    pub(crate) types: &'a Types,
    /// The name of the function in the test.
    pub(crate) function: &'a str,
    pub(crate) params: &'a [Param],
    pub(crate) fill: &'a Fill,
}

impl Filling<'_> {
    /// Whether it looks at a parameter.
    pub(crate) fn uses(&self, param: &str) -> bool {
        let lengths = match &self.fill.count {
            FillCount::Exactly(_) => &[][..],
            FillCount::Product { lengths, .. } => lengths,
        };
        let mut used = lengths.iter().map(|length| length.param).chain([self.fill.param]);
        used.any(|i| self.params[i].name == param)
    }

    /// The variables that say what it writes next.
    pub(crate) fn variables(&self) -> String {
        let name = self.name();
        let from = self.declare("*from");
        format!(
            "static const struct {name}_fill {{ const {from}; size_t n; }} *{name}_next;\nstatic size_t {name}_calls;\n"
        )
    }

    /// What it does in a call.
    pub(crate) fn statements(&self) -> String {
        let (name, param) = (self.name(), &self.params[self.fill.param].name);
        let [n, i] = ["n", "i"].map(|name| self.free(name));
        let to = self.declare("*");
        let mut text =
            format!("    if ({name}_calls > 0) {{\n        size_t {i}, {n} = {name}_next->n;\n");
        text.push_str(&self.limit(&n));
        let _ = writeln!(text, "        for ({i} = 0; {i} < {n}; {i}++)");
        let _ = writeln!(text, "            (({to}){param})[{i}] = {name}_next->from[{i}];");
        let _ = writeln!(text, "        {name}_next++;\n        {name}_calls--;\n    }}");
        text
    }

    /// It writes no more than it is asked for.
    fn limit(&self, n: &str) -> String {
        let FillCount::Product { lengths, least } = &self.fill.count else { return String::new() };
        let params: Vec<&str> =
            lengths.iter().map(|length| self.params[length.param].name.as_str()).collect();
        let least = match least {
            0 => n.to_string(),
            _ => format!("{n} > 1"),
        };
        match (&params[..], lengths.first().is_some_and(|length| length.is_signed)) {
            ([length], true) => format!(
                "        while ({least} && ({length} < 0 || (size_t){length} < {n}))\n            {n}--;\n"
            ),
            (params, _) => {
                let product: Vec<String> =
                    params.iter().map(|length| format!("(size_t){length}")).collect();
                let product = product.join(" * ");
                format!("        while ({least} && {product} < {n})\n            {n}--;\n")
            }
        }
    }

    /// What a test does before the call, so that it writes what it wrote in these cells.
    pub(crate) fn prepare(&self, cells: &BTreeMap<String, u64>) -> Vec<String> {
        let is_own = |name: &&String| {
            let rest = name.strip_prefix(&self.fill.name);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[', '#']))
        };
        let mut left = cells.keys().filter(is_own).count();
        let (name, mut lines, mut calls) = (self.name(), Vec::new(), Vec::new());
        while left > 0 {
            let call = calls.len() as u32;
            let bytes = self.bytes(cells, call, &mut left);
            let size = self.element_size();
            let elements: Vec<String> =
                bytes.chunks(size).map(|bytes| self.element(bytes)).collect();
            if elements.is_empty() {
                calls.push("{NULL, 0}".to_string());
                continue;
            }
            let (object, n) = (format!("{name}_{}", call + 1), elements.len());
            let zeros = elements.iter().rev().take_while(|element| is_zero(element)).count();
            let shown = &elements[..(n - zeros).max(1)];
            let declared = self.declare(&format!("{object}[{n}]"));
            lines.push(format!("static const {declared} = {};", braces(shown)));
            calls.push(format!("{{{object}, {n}}}"));
        }
        if !calls.is_empty() {
            let n = calls.len();
            lines.push(format!(
                "static const struct {name}_fill {name}_written[] = {};",
                braces(&calls)
            ));
            lines.push(format!("{name}_next = {name}_written;"));
            lines.push(format!("{name}_calls = {n};"));
        }
        lines
    }

    /// The bytes that a call wrote; counts the cells that are left for other calls.
    fn bytes(&self, cells: &BTreeMap<String, u64>, call: u32, left: &mut usize) -> Vec<u8> {
        let mut bytes = Vec::new();
        for element in 0.. {
            let mut own = vec![0; self.fill.stride as usize];
            let mut n = 0;
            for cell in &self.fill.cells {
                let Some(bits) = cells.get(&self.fill.cell_name(call, element, cell)) else {
                    continue;
                };
                let (at, size) = (cell.offset as usize, cell.kind.size() as usize);
                own[at..at + size].copy_from_slice(&bits.to_le_bytes()[..size]);
                n += 1;
            }
            if n == 0 {
                break;
            }
            *left -= n;
            bytes.extend(own);
            if self.fill.count == FillCount::Exactly(1) {
                break;
            }
        }
        bytes
    }

    /// What it is called, and what its variables begin with.
    fn name(&self) -> String {
        format!("{}_{}", self.function, self.params[self.fill.param].name)
    }

    /// The type that it writes; `None` for bytes behind a pointer without a type.
    fn to(&self) -> Option<TypeId> {
        let (to, _) = self.types.get(self.params[self.fill.param].ty).kind.pointee()?;
        (self.types.get(to).kind != TypeKind::Void).then_some(to)
    }

    fn declare(&self, declarator: &str) -> String {
        match self.to() {
            Some(to) => declare(self.types, to, declarator),
            None => format!("unsigned char {declarator}"),
        }
    }

    fn element_size(&self) -> usize {
        self.to().map_or(1, |to| self.types.get(to).size.max(1) as usize)
    }

    fn element(&self, bytes: &[u8]) -> String {
        match self.to() {
            Some(to) => initial(self.types, to, bytes),
            None => bytes[0].to_string(),
        }
    }

    /// A name for a variable that no parameter has.
    fn free(&self, name: &str) -> String {
        let mut name = name.to_string();
        while self.params.iter().any(|param| param.name == name) {
            name.push('_');
        }
        name
    }
}
