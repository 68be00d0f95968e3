//! What the text of a function says about its parameters beyond their types: what a `void *` is converted to, and
//! which arguments a variadic function reads.
//!
//! Debug information has no conversions, so the function's own text is read, word by word. What it says is a guess that
//! makes better inputs: nothing is proved from it.

use crate::program::{Program, Unit, Uses, VariadicUse};
use crate::types::{Type, TypeId, TypeKind, Types};
use std::collections::{BTreeMap, BTreeSet};

/// A function that hands its arguments on does so through at most so many others.
const CALLS_MAX: u32 = 4;

/// Notes what the functions of a program do with their parameters.
pub(super) fn read(program: &mut Program) {
    let (heads, bodies): (Vec<Vec<String>>, Vec<Vec<String>>) =
        program.units.iter().map(|unit| definition(program, unit).unwrap_or_default()).unzip();
    let names: Vec<String> = program.units.iter().map(|unit| unit.name.clone()).collect();
    let by_name: BTreeMap<&str, &[String]> =
        names.iter().map(String::as_str).zip(bodies.iter().map(Vec::as_slice)).collect();
    let array_types = array_types(program);
    let mut known = Known::of(&mut program.types);
    for ((unit, head), body) in program.units.iter_mut().zip(&heads).zip(&bodies) {
        let mut uses = Uses { arrays: arrays(unit, head, &array_types), ..Uses::default() };
        for (i, param) in unit.params.iter().enumerate() {
            let to = known.types.get(param.ty).kind.pointee();
            if to.is_some_and(|(to, _)| known.types.get(to).kind == TypeKind::Void) {
                uses.pointees.extend(known.converted(body, &param.name).map(|to| (i, to)));
            }
        }
        uses.ends = known.ends(unit, body);
        if unit.is_variadic {
            uses.variadic = Some(known.variadic(unit, body, &by_name));
        }
        unit.uses = uses;
    }
}

/// Types by name.
struct Known<'a> {
    types: &'a mut Types,
    by_name: BTreeMap<String, TypeId>,
}

impl Known<'_> {
    fn of(types: &mut Types) -> Known<'_> {
        let mut by_name = BTreeMap::new();
        for id in types.ids() {
            by_name.entry(bare(&types.get(id).name)).or_insert(id);
        }
        Known { types, by_name }
    }

    /// The type of these words and so many stars, if there is one that an input can have.
    fn named(&mut self, words: &[String], n_stars: usize) -> Option<TypeId> {
        let words: Vec<&str> =
            words.iter().map(String::as_str).filter(|word| !is_qualifier(word)).collect();
        let name = plain(&words.join(" "));
        if n_stars == 0 {
            return match self.by_name.get(&name) {
                Some(&id) => Some(id),
                None => self.basic(&name),
            };
        }
        let stars = "*".repeat(n_stars);
        if let Some(&id) = self.by_name.get(&format!("{name} {stars}")) {
            return Some(id);
        }
        let to = match (name.as_str(), n_stars) {
            ("void", 1) => self.types.void()?,
            _ => self.named(std::slice::from_ref(&name), n_stars - 1)?,
        };
        let kind = TypeKind::Pointer { to, is_const: false };
        Some(self.add(format!("{name} {stars}"), self.types.address.bytes(), kind))
    }

    /// A type of the language that no declaration of the program mentions.
    fn basic(&mut self, name: &str) -> Option<TypeId> {
        let int = |signed| TypeKind::Int { signed, is_char: false };
        // In both data models they are as wide as a pointer.
        let word = self.types.address.bytes();
        let (size, kind) = match name {
            "char" => (1, TypeKind::Int { signed: true, is_char: true }),
            "signed char" => (1, int(true)),
            "unsigned char" => (1, int(false)),
            "short" => (2, int(true)),
            "unsigned short" => (2, int(false)),
            "int" => (4, int(true)),
            "unsigned int" => (4, int(false)),
            "long" => (word, int(true)),
            "unsigned long" | "size_t" => (word, int(false)),
            "long long" => (8, int(true)),
            "unsigned long long" => (8, int(false)),
            "float" => (4, TypeKind::Float),
            "double" => (8, TypeKind::Float),
            _ => return None,
        };
        Some(self.add(name.to_string(), size, kind))
    }

    fn add(&mut self, name: String, size: u32, kind: TypeKind) -> TypeId {
        let id = self.types.add(Type { name: name.clone(), size, kind });
        self.by_name.insert(name, id);
        id
    }

    /// What a pointer without a type is converted to: `(struct point *)data`, `struct point *p = data;`.
    fn converted(&mut self, body: &[String], param: &str) -> Option<TypeId> {
        for at in (2..body.len()).filter(|&at| body[at] == param) {
            let is_whole =
                body.get(at + 1).is_none_or(|next| next != "." && next != "(" && next != "[");
            let before = match (&*body[at - 1], body.get(at + 1).map(String::as_str)) {
                (")", _) => &body[..at - 1],
                ("=", Some(";" | ",")) => &body[..at - 2],
                _ => continue,
            };
            let n_stars = before.iter().rev().take_while(|word| *word == "*").count();
            let words = &before[..before.len() - n_stars];
            let n_words = words.iter().rev().take_while(|word| is_name(word)).count();
            let words = &words[words.len() - n_words..];
            if n_stars != 1 || words.is_empty() || !is_whole {
                continue;
            }
            let Some(to) = self.named(words, 0) else { continue };
            let ty = self.types.get(to);
            if ty.size > 1 && !matches!(ty.kind, TypeKind::Unsupported { .. }) {
                return Some(to);
            }
        }
        None
    }

    /// Which parameters point behind the last element of an array that another one points to: `p < end`, `end - p`. The
    /// one that comes first among the parameters is the beginning.
    fn ends(&self, unit: &Unit, body: &[String]) -> BTreeMap<usize, usize> {
        let pointer = |word: &String| {
            let i = unit.params.iter().position(|param| param.name == *word)?;
            let (to, _) = self.types.get(unit.params[i].ty).kind.pointee()?;
            let kind = &self.types.get(to).kind;
            let is_plain = matches!(kind, TypeKind::Int { .. } | TypeKind::Float | TypeKind::Bool);
            is_plain.then(|| (i, bare(&self.types.get(to).name)))
        };
        let is_part = |word: Option<&String>| {
            word.is_some_and(|word| matches!(word.as_str(), "[" | "." | "(" | "*" | "]"))
        };
        let mut found = BTreeMap::new();
        for at in 1..body.len().saturating_sub(2) {
            let is_two = body[at + 1] == "=" && matches!(body[at].as_str(), "<" | ">");
            let second = at + 1 + usize::from(is_two);
            if !matches!(body[at].as_str(), "<" | ">" | "-") || is_part(body.get(second + 1)) {
                continue;
            }
            let Some((a, first)) = pointer(&body[at - 1]) else { continue };
            let Some((b, other)) = body.get(second).and_then(pointer) else { continue };
            let is_reached = at >= 2 && is_part(body.get(at - 2));
            let is_member = at >= 3 && body[at - 2] == ">" && body[at - 3] == "-";
            if a != b && first == other && !is_reached && !is_member {
                found.insert(a.max(b), a.min(b));
            }
        }
        // One that ends an array begins none.
        let ends: Vec<usize> = found.keys().copied().collect();
        found.retain(|_, begin| !ends.contains(begin));
        found
    }

    /// What a variadic function reads, itself or through what it hands its arguments on to.
    fn variadic(
        &mut self,
        unit: &Unit,
        body: &[String],
        bodies: &BTreeMap<&str, &[String]>,
    ) -> VariadicUse {
        let mut types = Vec::new();
        let mut seen = BTreeSet::from([unit.name.clone()]);
        let mut open = vec![(body, 0)];
        let mut prints = false;
        while let Some((body, depth)) = open.pop() {
            for at in 0..body.len() {
                if body.get(at + 1).is_none_or(|next| next != "(") {
                    continue;
                }
                let word = body[at].as_str();
                let arguments = arguments(&body[at + 2..]);
                if matches!(word, "va_arg" | "__builtin_va_arg") {
                    let ty = arguments.get(1).and_then(|words| self.argument(words));
                    types.extend(ty);
                } else if word.starts_with('v')
                    && word.ends_with("printf")
                    && !bodies.contains_key(word)
                {
                    prints = true;
                } else if let Some(&callee) = bodies.get(word).filter(|_| depth < CALLS_MAX)
                    && seen.insert(word.to_string())
                    && arguments.iter().any(|words| matches!(*words, [only] if is_list(body, only) || Some(only) == unit.list.as_ref()))
                {
                    open.push((callee, depth + 1));
                }
            }
        }
        types.sort();
        types.dedup();
        let is_text = |ty: TypeId| {
            let to = self.types.get(ty).kind.pointee();
            to.is_some_and(|(to, _)| {
                matches!(self.types.get(to).kind, TypeKind::Int { is_char: true, .. })
            })
        };
        let last = unit.params.len().checked_sub(1).filter(|&last| is_text(unit.params[last].ty));
        VariadicUse { format: last.filter(|_| prints && types.is_empty()), types }
    }

    /// The type of an argument as `va_arg` names it.
    fn argument(&mut self, words: &[String]) -> Option<TypeId> {
        let n_stars = words.iter().filter(|word| *word == "*").count();
        let names: Vec<String> = words.iter().filter(|word| is_name(word)).cloned().collect();
        let id = self.named(&names, n_stars)?;
        let ty = self.types.get(id);
        match &ty.kind {
            TypeKind::Int { .. } | TypeKind::Enum { .. } | TypeKind::Float => {
                matches!(ty.size, 4 | 8)
                    .then_some(id)
                    .filter(|_| ty.kind != TypeKind::Float || ty.size == 8)
            }
            TypeKind::Pointer { .. } => Some(id),
            TypeKind::Void
            | TypeKind::Bool
            | TypeKind::Struct { .. }
            | TypeKind::Union { .. }
            | TypeKind::Array { .. }
            | TypeKind::Function
            | TypeKind::Unsupported { .. } => None,
        }
    }
}

/// Whether a body has a list of arguments of this name.
fn is_list(body: &[String], name: &str) -> bool {
    let declares = |pair: &[String]| pair[0] == "va_list" && pair[1] == name;
    let starts = |words: &[String]| words[0].ends_with("va_start") && words[2] == name;
    body.windows(2).any(declares) || body.windows(3).any(starts)
}

/// The arguments of a call, given what comes behind its parenthesis.
fn arguments(words: &[String]) -> Vec<&[String]> {
    let (mut found, mut start, mut depth) = (Vec::new(), 0, 0);
    for (i, word) in words.iter().enumerate() {
        match word.as_str() {
            "(" | "[" | "{" => depth += 1,
            ")" if depth == 0 => {
                found.push(&words[start..i]);
                return found;
            }
            ")" | "]" | "}" => depth -= 1,
            "," if depth == 0 => {
                found.push(&words[start..i]);
                start = i + 1;
            }
            _ => {}
        }
    }
    Vec::new()
}

/// The names of types that are arrays: `typedef char label[8];`.
fn array_types(program: &Program) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for text in program.user_texts().filter(|text| text.contains("typedef")) {
        let mut words = Words { rest: text };
        while words.any(|word| word == "typedef") {
            let words: Vec<&str> = words.by_ref().take_while(|word| *word != ";").collect();
            let ends_with_bounds = words.last() == Some(&"]") && !words.contains(&"{");
            let name = words.iter().position(|word| *word == "[").and_then(|at| at.checked_sub(1));
            names.extend(name.filter(|_| ends_with_bounds).map(|at| words[at].to_string()));
        }
    }
    names
}

/// The parameters that a function's head declares as arrays, by index.
fn arrays(unit: &Unit, head: &[String], types: &BTreeSet<String>) -> BTreeSet<usize> {
    let is_array = |name: &str| {
        let has_bounds = |words: &[String]| words[0] == name && words[1] == "[" && words[2] != "]";
        let has_type = |words: &[String]| words[1] == name && types.contains(&words[0]);
        head.windows(3).any(has_bounds) || head.windows(2).any(has_type)
    };
    let params = unit.params.iter().enumerate();
    params.filter(|(_, param)| is_array(&param.name)).map(|(i, _)| i).collect()
}

/// The words of a function before its body, and those of the body.
fn definition(program: &Program, unit: &Unit) -> Option<(Vec<String>, Vec<String>)> {
    let text = program.files.get(unit.position.file.0 as usize)?.text.as_deref()?;
    let line = (unit.position.line as usize).checked_sub(1)?;
    let start: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
    let (mut head, mut body) = (Vec::new(), Vec::new());
    let mut depth = 0;
    for word in (Words { rest: text.get(start..)? }) {
        match (word, depth) {
            (";", 0) => return None,
            ("{", _) => depth += 1,
            ("}", 1) => return Some((head, body)),
            ("}", _) => depth -= 1,
            (_, _) => {}
        }
        let words = if depth > 0 { &mut body } else { &mut head };
        words.push(word.to_string());
    }
    None
}

/// Names, numbers and single other characters; comments, literals and directives are left out.
struct Words<'a> {
    rest: &'a str,
}

impl<'a> Iterator for Words<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        loop {
            self.rest = self.rest.trim_start();
            let first = self.rest.chars().next()?;
            let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let skipped = match first {
                _ if self.rest.starts_with("//") => self.rest.find('\n'),
                _ if self.rest.starts_with("/*") => self.rest.find("*/").map(|at| at + 2),
                '"' | '\'' => quoted(self.rest, first),
                _ => {
                    let n = match self.rest.find(|c| !is_part(c)) {
                        Some(0) => first.len_utf8(),
                        Some(n) => n,
                        None => self.rest.len(),
                    };
                    let (word, rest) = self.rest.split_at(n);
                    self.rest = rest;
                    return Some(word);
                }
            };
            self.rest = &self.rest[skipped?..];
        }
    }
}

/// Where a literal ends.
fn quoted(text: &str, quote: char) -> Option<usize> {
    let mut is_escaped = true;
    for (i, c) in text.char_indices() {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            c if c == quote => return Some(i + 1),
            _ => {}
        }
    }
    None
}

fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
}

fn is_qualifier(word: &str) -> bool {
    matches!(word, "const" | "volatile" | "restrict" | "register" | "static")
}

/// A type's name without qualifiers.
fn bare(name: &str) -> String {
    let words: Vec<&str> = name.split(' ').filter(|word| !is_qualifier(word)).collect();
    words.join(" ").replace("*const", "*")
}

/// The name by which debug information has a type of the language.
fn plain(name: &str) -> String {
    match name {
        "unsigned" => "unsigned int",
        "signed" => "int",
        "short int" => "short",
        "unsigned short int" => "unsigned short",
        "long int" => "long",
        "unsigned long int" => "unsigned long",
        "long long int" => "long long",
        "unsigned long long int" => "unsigned long long",
        other => other,
    }
    .to_string()
}
