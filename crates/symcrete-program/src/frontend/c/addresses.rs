//! Tells the engine where a program looks at the addresses of its variables.
//!
//! Variables lie where WebAssembly puts them, which is elsewhere on a real machine. A program that only follows its
//! pointers cannot tell. One that orders pointers to different variables, takes their difference, compares a pointer with
//! one that is past its variable, or makes a number of an address, can: so the result of such an operation goes through a
//! call that gives it back. The engine looks there at which variables the addresses belong to. Pointers that come from one
//! pointer of the same function need no call.
//!
//! `docs/adr/0024-addresses-of-variables.md` has the reasons.

use super::ir::{self, closing, split};
use super::ir_text::{Function, Incoming, push_line, read_phi, with_incoming};
use super::locals::{definition, is_remark, names};
use super::machine;
use super::red_zones::FRAME;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

/// The functions that results go through: the order of two addresses, how far apart they are, whether they are the same, an
/// address as a number.
const ORDERED: &str = "__symcrete_ordered";
const DISTANCE: &str = "__symcrete_distance";
const EQUAL: &str = "__symcrete_equal";
const NUMBER: &str = "__symcrete_address";
/// The function that is told where a pointer was stored: what reads its bytes one by one looks at an address too.
const POINTER: &str = "__symcrete_pointer";

/// Edits a file after its locals were lifted into registers.
pub(super) fn mark(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    let mut lines = text.lines();
    let word = machine::word(machine::of_text(text));
    let mut marker = Marker { n: 0, word };
    while let Some(line) = lines.next() {
        push_line(&mut out, line);
        if line.starts_with("define ") {
            let body = lines.by_ref().take_while(|line| *line != "}");
            let mut function = Function::read(line, body);
            marker.take_out_constants(&mut function);
            marker.function(&function, &mut out);
            push_line(&mut out, "}");
        }
    }
    let two_and_distance = format!("ptr, ptr, {word}");
    for (symbol, result, params, name) in [
        (ORDERED, "i32", "ptr, ptr, i32", "ordered"),
        (DISTANCE, word, &two_and_distance, "ordered"),
        (EQUAL, "i32", "ptr, ptr, i32", "equal"),
        (NUMBER, word, "ptr", "address"),
        (POINTER, "void", "ptr", "pointer"),
    ] {
        if out.contains(&format!("@{symbol}(")) {
            push_line(&mut out, &ir::host_function(symbol, (result, params), name));
        }
    }
    out
}

struct Marker {
    /// Values that were added to the file.
    n: u32,
    /// The integer that is as wide as an address.
    word: &'static str,
}

impl Marker {
    fn fresh(&mut self) -> String {
        self.n += 1;
        format!("%symcrete.address.{}", self.n)
    }

    /// Makes instructions of constant expressions that look at addresses.
    fn take_out_constants(&mut self, function: &mut Function) {
        // Those of a phi go to the ends of the blocks that it chooses between.
        let mut at_ends: Vec<(String, String)> = Vec::new();
        for block in &mut function.blocks {
            for line in std::mem::take(&mut block.lines) {
                match read_phi(&line) {
                    Some((_, _, incoming)) => {
                        block.lines.push(self.phi(&line, incoming, &mut at_ends));
                    }
                    None => self.push_apart(line, &mut block.lines),
                }
            }
        }
        for (label, instruction) in at_ends {
            let Some(&block) = function.by_label.get(&label) else { continue };
            let block = &mut function.blocks[block];
            let end = block.code().next_back().unwrap_or(block.lines.len());
            let mut lines = Vec::new();
            self.push_apart(instruction, &mut lines);
            block.lines.splice(end..end, lines);
        }
    }

    /// A phi without such constants, and what computes them at the end of which block.
    fn phi(
        &mut self,
        line: &str,
        mut incoming: Vec<Incoming>,
        at_ends: &mut Vec<(String, String)>,
    ) -> String {
        // A block that jumps here in several ways must bring the same value on each.
        let mut names: BTreeMap<String, String> = BTreeMap::new();
        for Incoming { value, from } in &mut incoming {
            let Some((_, _, instruction)) = constant(value) else { continue };
            let name = names.entry(from.clone()).or_insert_with(|| {
                let name = self.fresh();
                at_ends.push((from.clone(), format!("  {name} = {instruction}")));
                name
            });
            value.clone_from(name);
        }
        if names.is_empty() { line.to_owned() } else { with_incoming(line, &incoming) }
    }

    /// Pushes an instruction behind those that compute its constants.
    fn push_apart(&mut self, mut line: String, out: &mut Vec<String>) {
        while let Some((start, end, instruction)) = constant(&line).filter(|_| !is_remark(&line)) {
            let name = self.fresh();
            line.replace_range(start..end, &name);
            self.push_apart(format!("  {name} = {instruction}"), out);
        }
        out.push(line);
    }

    fn function(&mut self, function: &Function, out: &mut String) {
        let lines = || function.blocks.iter().flat_map(|block| &block.lines);
        let values = Values::of(lines().map(String::as_str), self.word);
        for block in &function.blocks {
            block.head.iter().for_each(|head| push_line(out, head));
            for line in &block.lines {
                match definition(line).and_then(|(name, rest)| self.marked(&values, name, rest)) {
                    Some(code) => push_line(out, &code),
                    None => push_line(out, line),
                }
                if let Some(place) = place_of_pointer(line) {
                    push_line(out, &format!("  call void @{POINTER}(ptr {place})"));
                }
            }
        }
    }

    /// An instruction whose result goes through a call, if it looks at addresses.
    fn marked(&mut self, values: &Values<'_>, name: &str, rest: &str) -> Option<String> {
        if let Some((predicate, a, b)) = comparison(rest) {
            let is_number = |value: &str| value == "null" || value.starts_with("inttoptr ");
            let is_equality = matches!(predicate, "eq" | "ne");
            let is_harmless = is_equality && (is_number(a) || is_number(b));
            if is_harmless || a == "null" || b == "null" || values.is_one_object(a, b) {
                return None;
            }
            let [result, number, given] = [self.fresh(), self.fresh(), self.fresh()];
            let symbol = if is_equality { EQUAL } else { ORDERED };
            return Some(format!(
                "  {result} = {rest}\n  {number} = zext i1 {result} to i32\n  \
                 {given} = call i32 @{symbol}(ptr {a}, ptr {b}, i32 {number})\n  \
                 {name} = icmp ne i32 {given}, 0"
            ));
        }
        if let Some((a, b)) = values.difference(rest) {
            if values.is_one_object(a, b) {
                return None;
            }
            let (result, word) = (self.fresh(), self.word);
            return Some(format!(
                "  {result} = {rest}\n  \
                 {name} = call {word} @{DISTANCE}(ptr {a}, ptr {b}, {word} {result})"
            ));
        }
        let (pointer, ty) = number(rest)?;
        if values.is_hidden(name) || values.origins(pointer) == BTreeSet::from(["null"]) {
            return None;
        }
        let (given, word) = (self.fresh(), self.word);
        let bits = |ty: &str| ty.trim_start_matches('i').parse::<u32>().unwrap_or(0);
        let value = match bits(ty).cmp(&bits(word)) {
            Ordering::Equal => format!("add {word} {given}, 0"),
            Ordering::Greater => format!("zext {word} {given} to {ty}"),
            Ordering::Less => format!("trunc {word} {given} to {ty}"),
        };
        Some(format!("  {given} = call {word} @{NUMBER}(ptr {pointer})\n  {name} = {value}"))
    }
}

/// The values of a function.
struct Values<'a> {
    definitions: BTreeMap<&'a str, &'a str>,
    /// The lines that use each value.
    uses: BTreeMap<&'a str, Vec<&'a str>>,
    /// The integer that is as wide as an address.
    word: &'static str,
}

impl<'a> Values<'a> {
    fn of(lines: impl Iterator<Item = &'a str>, word: &'static str) -> Values<'a> {
        let mut values = Values { definitions: BTreeMap::new(), uses: BTreeMap::new(), word };
        for line in lines.filter(|line| !is_remark(line)) {
            let (name, rest) = definition(line).unwrap_or(("", line));
            if !name.is_empty() {
                values.definitions.insert(name, rest);
            }
            for used in names(rest) {
                values.uses.entry(used).or_default().push(rest);
            }
        }
        values
    }

    /// Whether two addresses come from one pointer, whatever happens.
    fn is_one_object(&self, a: &'a str, b: &'a str) -> bool {
        let origins = self.origins(a);
        origins.len() == 1 && origins == self.origins(b)
    }

    /// The pointers that an address may come from.
    fn origins(&self, address: &'a str) -> BTreeSet<&'a str> {
        let (mut origins, mut seen) = (BTreeSet::new(), BTreeSet::new());
        let mut open = vec![address];
        while let Some(address) = open.pop() {
            if !seen.insert(address) {
                continue;
            }
            let from = sources(self.definitions.get(address).copied().unwrap_or(address));
            match from.is_empty() {
                true => drop(origins.insert(address)),
                false => open.extend(from),
            }
        }
        origins
    }

    /// The addresses whose difference an instruction takes.
    fn difference(&self, rest: &'a str) -> Option<(&'a str, &'a str)> {
        let operands = rest.strip_prefix("sub ")?;
        let operands = split(operands.trim_start_matches("nuw ").trim_start_matches("nsw "));
        let a = operands[0].strip_prefix(self.word)?.strip_prefix(' ')?;
        let pointer = |value: &str| {
            let (pointer, ty) = number(self.definitions.get(value.trim()).copied()?)?;
            (ty == self.word).then_some(pointer)
        };
        Some((pointer(a)?, pointer(operands.get(1)?)?))
    }

    /// Whether nobody can tell what number an address is: it becomes a pointer again, is compared with zero, or a difference is
    /// taken, which is looked at there.
    fn is_hidden(&self, name: &str) -> bool {
        let is_harmless = |rest: &&'a str| {
            let is_null_check = rest.starts_with("icmp eq ") || rest.starts_with("icmp ne ");
            let is_null_check =
                is_null_check && split(rest).get(1).is_some_and(|other| other.trim() == "0");
            rest.starts_with("inttoptr ") || is_null_check || self.difference(rest).is_some()
        };
        self.uses.get(name).is_none_or(|uses| uses.iter().all(is_harmless))
    }
}

/// Where an instruction stores a pointer that is not null.
fn place_of_pointer(line: &str) -> Option<&str> {
    let stored = line.trim_start().strip_prefix("store ")?;
    let operands = split(stored.strip_prefix("volatile ").unwrap_or(stored));
    let value = pointer(operands[0]).filter(|value| !matches!(*value, "null" | "undef" | "poison"));
    value.and_then(|_| pointer(operands.get(1)?))
}

/// Predicate and operands of a comparison of pointers.
fn comparison(rest: &str) -> Option<(&str, &str, &str)> {
    let (predicate, operands) = rest.strip_prefix("icmp ")?.split_once(" ptr ")?;
    let operands = split(operands);
    let [a, b] = [operands.first()?.trim(), operands.get(1)?.trim()];
    (!predicate.contains(['(', '<'])).then_some((predicate.rsplit(' ').next()?, a, b))
}

/// The pointer and the type of a conversion to a number.
fn number(rest: &str) -> Option<(&str, &str)> {
    let conversion = split(rest.strip_prefix("ptrtoint ptr ")?)[0];
    conversion.rsplit_once(" to ").map(|(pointer, ty)| (pointer.trim(), ty.trim()))
}

/// What an address is computed from, by the instruction or constant that computes it; nothing if that is not to be seen.
fn sources(rest: &str) -> Vec<&str> {
    if rest.starts_with("getelementptr ") {
        // A constant has its operands in parentheses.
        let operands = match rest.find('(').filter(|&open| !rest[..open].contains(',')) {
            Some(open) => rest[open + 1..].trim_end_matches(')'),
            None => rest,
        };
        let bases = split(operands).into_iter().filter_map(pointer).take(1);
        // Every variable of a frame is an object of its own.
        return bases.filter(|base| *base != FRAME).collect();
    }
    if rest.starts_with("select i1 ") {
        return split(rest).into_iter().filter_map(pointer).collect();
    }
    if let Some(incoming) = rest.strip_prefix("phi ptr ") {
        let pairs = split(incoming).into_iter().filter_map(|pair| pair.trim().strip_prefix("[ "));
        return pairs.filter_map(|pair| Some(split(pair.strip_suffix(" ]")?)[0].trim())).collect();
    }
    if let Some(operands) = rest.strip_prefix("freeze ") {
        return split(operands).into_iter().filter_map(pointer).take(1).collect();
    }
    Vec::new()
}

/// The value of an operand that is a pointer: `ptr %3`.
fn pointer(operand: &str) -> Option<&str> {
    operand.trim().strip_prefix("ptr ").map(str::trim)
}

/// The first constant expression of a line that looks at an address, as a whole: where it is, and the instruction that does
/// the same.
fn constant(line: &str) -> Option<(usize, usize, String)> {
    for (open, _) in line.match_indices(" (") {
        let head = &line[..open];
        // The operator, and words that say what it may assume.
        let is_word = |c: char| c.is_ascii_lowercase() || c == ' ';
        let words = head.rfind(|c| !is_word(c)).map_or(head, |at| &head[at + 1..]);
        let words: Vec<&str> = words.split_whitespace().collect();
        // The words before may be those of an instruction: `icmp eq ptr getelementptr (…)`.
        let Some(at) = words.iter().rposition(|word| OPERATORS.contains(word)) else { continue };
        let operator = words[at..].join(" ");
        let Some(start) = head.rfind(&operator) else { continue };
        let Some(end) = closing(line, open + 1).map(|end| end + 1) else { continue };
        let inside = &line[open + 2..end - 1];
        if !looks_at_address(&line[start..end]) {
            continue;
        }
        let operands = split(inside);
        let instruction = match operands[..] {
            // Only a place in an object names the types of both operands.
            [a, b] if !operator.starts_with("getelementptr") => {
                let b = b.trim().split_once(' ').map_or(b, |(_, value)| value);
                format!("{operator} {a}, {b}")
            }
            _ => format!("{operator} {inside}"),
        };
        return Some((start, end, instruction));
    }
    None
}

/// Operators of constant expressions.
const OPERATORS: &[&str] = &[
    "ptrtoint",
    "inttoptr",
    "icmp",
    "getelementptr",
    "select",
    "bitcast",
    "trunc",
    "zext",
    "sext",
    "add",
    "sub",
    "mul",
    "and",
    "or",
    "xor",
    "shl",
    "lshr",
    "ashr",
];

/// Whether a constant makes a number of an address or compares addresses. Sizes of types are written as addresses too.
fn looks_at_address(expression: &str) -> bool {
    let is_number = |(start, _): (usize, &str)| {
        let open = start + "ptrtoint ".len();
        closing(expression, open).is_some_and(|end| !expression[open..end].contains("ptr null"))
    };
    let is_comparison = |(start, _): (usize, &str)| {
        let rest = expression[start..].trim_start_matches("icmp ");
        rest.split_once(' ').is_some_and(|(_, operands)| operands.starts_with("(ptr "))
    };
    expression.match_indices("ptrtoint (ptr ").any(is_number)
        || expression.match_indices("icmp ").any(is_comparison)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The body of a function after the edit.
    fn marked(body: &str) -> String {
        let out = mark(&format!("define i32 @f(ptr %0, ptr %1) {{\n{body}\n}}\n"));
        let start = out.find("{\n").expect("the function is there") + 2;
        out[start..out.find("\n}\n").expect("it ends")].to_owned()
    }

    #[test]
    fn what_comes_from_one_pointer_needs_nothing() {
        for body in [
            "  %3 = getelementptr inbounds i32, ptr %0, i32 8\n  %4 = icmp ult ptr %0, %3, !dbg !7",
            "  %3 = icmp eq ptr %0, null\n  %4 = icmp ne ptr %1, inttoptr (i32 -1 to ptr)",
            "  %3 = ptrtoint ptr %0 to i32\n  %4 = inttoptr i32 %3 to ptr\n  %5 = icmp ne i32 %3, 0",
            "  %3 = getelementptr i8, ptr null, i32 8\n  %4 = ptrtoint ptr %3 to i32\n  %5 = mul i32 %4, 2",
            "  %3 = getelementptr i8, ptr %0, i32 4\n  %4 = ptrtoint ptr %3 to i32\n  \
             %5 = ptrtoint ptr %0 to i32\n  %6 = sub i32 %4, %5\n  %7 = sdiv exact i32 %6, 4",
            "  %3 = icmp ult ptr getelementptr inbounds (i8, ptr @g, i32 4), @g",
            "  %3 = add i32 ptrtoint (ptr getelementptr (%struct.s, ptr null, i32 1) to i32), 4",
        ] {
            assert_eq!(marked(body), body);
        }
        let in_a_loop = "  %3 = phi ptr [ %0, %2 ], [ %4, %5 ]\n  %4 = getelementptr i8, ptr %3, i32 1\n  \
                         %6 = getelementptr i8, ptr %0, i32 %1\n  %7 = icmp ult ptr %4, %6";
        assert_eq!(marked(in_a_loop), in_a_loop);
        let in_a_frame = "  %3 = getelementptr i8, ptr %symcrete.frame, i32 16\n  \
                          %4 = getelementptr i8, ptr %symcrete.frame, i32 48\n  %5 = icmp ult ptr %3, %4";
        assert!(marked(in_a_frame).contains("@__symcrete_ordered("), "two variables");
    }

    #[test]
    fn the_order_of_different_pointers_goes_through_a_call() {
        let ordered = marked("  %3 = icmp ult ptr %0, %1, !dbg !7");
        let call = "call i32 @__symcrete_ordered(ptr %0, ptr %1, i32 %symcrete.address.";
        assert!(ordered.contains(call) && ordered.contains("  %3 = icmp ne i32 "), "{ordered}");
        let equal = marked("  %3 = icmp eq ptr %0, @g");
        assert!(equal.contains("call i32 @__symcrete_equal(ptr %0, ptr @g, i32 "), "{equal}");
        let apart = marked(
            "  %3 = ptrtoint ptr %0 to i32\n  %4 = ptrtoint ptr %1 to i32\n  %5 = sub i32 %3, %4, !dbg !7",
        );
        assert!(apart.contains("  %5 = call i32 @__symcrete_distance(ptr %0, ptr %1, "), "{apart}");
        assert!(apart.contains("  %3 = ptrtoint ptr %0 to i32\n"), "{apart}");
    }

    #[test]
    fn an_address_that_is_a_number_goes_through_a_call() {
        let number = marked("  %3 = ptrtoint ptr %0 to i32\n  %4 = and i32 %3, 3");
        assert!(number.contains("call i32 @__symcrete_address(ptr %0)"), "{number}");
        let text = "target triple = \"wasm64-unknown-unknown\"\ndefine i32 @f(ptr %0) {\n  \
                    %2 = ptrtoint ptr %0 to i64\n  %3 = trunc i64 %2 to i32\n  ret i32 %3\n}\n";
        let narrowed = mark(text);
        assert!(narrowed.contains("call i64 @__symcrete_address(ptr %0)"), "{narrowed}");
        assert!(narrowed.contains("declare i64 @__symcrete_address(ptr)"), "{narrowed}");
        let wide = marked("  %3 = ptrtoint ptr %0 to i64\n  ret i64 %3");
        assert!(wide.contains("  %3 = zext i32 %symcrete.address.1 to i64"), "{wide}");
    }

    #[test]
    fn stored_pointers_are_told() {
        let stored = marked("  store ptr %0, ptr %1, align 4, !dbg !7");
        assert!(stored.ends_with("  call void @__symcrete_pointer(ptr %1)"), "{stored}");
        for body in ["  store ptr null, ptr %1, align 4", "  store i32 %0, ptr %1, align 4"] {
            assert_eq!(marked(body), body);
        }
    }

    #[test]
    fn constants_become_instructions() {
        let number = marked("  %3 = and i32 ptrtoint (ptr @g to i32), 3");
        assert!(number.contains("call i32 @__symcrete_address(ptr @g)"), "{number}");
        let apart = "sub nsw (i32 ptrtoint (ptr @g to i32), i32 ptrtoint (ptr @h to i32))";
        let apart = marked(&format!("  %3 = icmp sgt i32 {apart}, 0"));
        assert!(apart.contains("@__symcrete_distance(ptr @g, ptr @h, i32 "), "{apart}");
        let inner = marked(
            "  %3 = icmp eq ptr getelementptr inbounds (i8, ptr null, i32 ptrtoint (ptr @g to i32)), @g",
        );
        let place = "= getelementptr inbounds i8, ptr null, i32 %symcrete.address.";
        assert!(inner.contains(place), "{inner}");
        let order = marked("  br i1 icmp ult (ptr @g, ptr @h), label %3, label %4");
        assert!(order.contains("@__symcrete_ordered(ptr @g, ptr @h, i32 "), "{order}");
        let phi = marked(
            "  br label %3\n\n3:\n  %4 = phi i32 [ ptrtoint (ptr @g to i32), %2 ], [ 0, %3 ]\n  ret i32 %4",
        );
        let call = phi.find("@__symcrete_address(ptr @g)").expect("it is looked at");
        assert!(call < phi.find("  br label %3").expect("it jumps"), "{phi}");
    }
}
