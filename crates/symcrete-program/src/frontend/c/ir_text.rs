//! Words of LLVM's text form that several edits need: strings, blocks, jumps, phis.

use std::collections::BTreeMap;

/// The bytes of the first string constant of a line: `… c"a\00b" …`.
pub(super) fn quoted_bytes(line: &str) -> Option<Vec<u8>> {
    Some(unescaped(line.split_once(" c\"")?.1.split('"').next()?))
}

/// The bytes of a string: `\0A` is one, and so is `\\`.
pub(super) fn unescaped(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        let code = after.get(..2).and_then(|code| std::str::from_utf8(code).ok());
        let code = code.and_then(|code| u8::from_str_radix(code, 16).ok());
        rest = match (first, after, code) {
            (b'\\', [b'\\', after @ ..], _) => {
                bytes.push(b'\\');
                after
            }
            (b'\\', _, Some(code)) => {
                bytes.push(code);
                &after[2..]
            }
            (byte, after, _) => {
                bytes.push(*byte);
                after
            }
        };
    }
    bytes
}

pub(super) fn push_line(out: &mut String, line: &str) {
    out.push_str(line);
    out.push('\n');
}

/// A text with all of its functions edited.
pub(super) fn with_functions(text: &str, mut edit: impl FnMut(&mut Function)) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 64);
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        push_line(&mut out, line);
        if line.starts_with("define ") {
            let body = lines.by_ref().take_while(|line| *line != "}");
            let mut function = Function::read(line, body);
            edit(&mut function);
            function.write(&mut out);
            push_line(&mut out, "}");
        }
    }
    out
}

/// The body of a function.
pub(super) struct Function {
    pub(super) blocks: Vec<Block>,
    pub(super) by_label: BTreeMap<String, usize>,
}

pub(super) struct Block {
    pub(super) label: String,
    /// The line with the label; the first block has none.
    pub(super) head: Option<String>,
    pub(super) lines: Vec<String>,
}

/// A value of a phi and the block it comes from.
#[derive(Clone)]
pub(super) struct Incoming {
    pub(super) value: String,
    pub(super) from: String,
}

impl Incoming {
    pub(super) fn constant(&self) -> Option<bool> {
        match self.value.as_str() {
            "true" => Some(true),
            "false" => Some(false),
            _ => None,
        }
    }
}

impl Function {
    pub(super) fn read<'a>(header: &str, body: impl Iterator<Item = &'a str>) -> Function {
        let first = Block { label: first_label(header), head: None, lines: Vec::new() };
        let mut function = Function { blocks: vec![first], by_label: BTreeMap::new() };
        for line in body {
            match label_of(line) {
                Some(label) => {
                    let head = Some(line.to_owned());
                    function.blocks.push(Block { label, head, lines: Vec::new() });
                }
                None => {
                    let block = function.blocks.last_mut().expect("there is a first one");
                    block.lines.push(line.to_owned());
                }
            }
        }
        let labels = function.blocks.iter().enumerate();
        function.by_label = labels.map(|(i, block)| (block.label.clone(), i)).collect();
        function
    }

    pub(super) fn write(&self, out: &mut String) {
        for block in &self.blocks {
            block.head.iter().chain(&block.lines).for_each(|line| push_line(out, line));
        }
    }

    /// A new block that goes on to another one.
    pub(super) fn add_landing(&mut self, place: &str, to: &str) -> String {
        let label = format!("symcrete.{}", self.blocks.len());
        self.by_label.insert(label.clone(), self.blocks.len());
        let lines = vec![format!("  br label %{to}{place}"), String::new()];
        self.blocks.push(Block { head: Some(format!("{label}:")), label: label.clone(), lines });
        label
    }

    pub(super) fn jump_of(&self, label: &str) -> Option<Jump> {
        self.blocks[*self.by_label.get(label)?].jump()
    }
}

/// The `br` at the end of a block.
pub(super) struct Jump {
    pub(super) line: usize,
    pub(super) condition: Option<String>,
    /// Where true and false lead, or the only target.
    pub(super) targets: Vec<String>,
}

impl Block {
    /// The instructions; markers of lifetimes and debug records are none.
    pub(super) fn code(&self) -> impl DoubleEndedIterator<Item = usize> {
        (0..self.lines.len()).filter(|&i| is_code(&self.lines[i]))
    }

    pub(super) fn jump(&self) -> Option<Jump> {
        let line = self.code().next_back()?;
        let rest = self.lines[line].trim_start().strip_prefix("br ")?;
        let parts: Vec<&str> = rest.split(", ").collect();
        let condition = parts[0].strip_prefix("i1 ").map(str::to_owned);
        let targets = parts.iter().filter_map(|part| part.strip_prefix("label %"));
        let targets = targets.map(|target| target.trim_matches('"').to_owned()).collect();
        Some(Jump { line, condition, targets })
    }
}

/// Name, type and values of a phi.
pub(super) fn read_phi(line: &str) -> Option<(String, &str, Vec<Incoming>)> {
    let (name, rest) = line.trim_start().split_once(" = phi ")?;
    let (kind, rest) = rest.split_once(" [")?;
    let incoming = rest.split('[').map(|pair| {
        let (value, from) = pair.split(']').next()?.trim().rsplit_once(", %")?;
        Some(Incoming { value: value.to_owned(), from: from.trim().trim_matches('"').to_owned() })
    });
    Some((name.to_owned(), kind, incoming.collect::<Option<Vec<_>>>()?))
}

/// A phi with other values.
pub(super) fn with_incoming(line: &str, incoming: &[Incoming]) -> String {
    let head = &line[..line.find('[').expect("a phi has values")];
    let tail = line.rfind(']').map_or("", |end| &line[end + 1..]);
    let pairs: Vec<String> =
        incoming.iter().map(|Incoming { value, from }| format!("[ {value}, %{from} ]")).collect();
    format!("{head}{}{tail}", pairs.join(", "))
}

/// The label at the start of a line.
pub(super) fn label_of(line: &str) -> Option<String> {
    let (label, _) = line.split_once(':').filter(|_| !line.starts_with([' ', '\t', ';']))?;
    Some(label.trim_matches('"').to_owned())
}

/// The number of the first block, which has no label of its own: that after the parameters'.
pub(super) fn first_label(header: &str) -> String {
    let numbers = header.split('%').skip(1).filter_map(|rest| {
        let digits = rest.split(|c: char| !c.is_ascii_alphanumeric() && c != '.').next()?;
        digits.parse::<u32>().ok()
    });
    numbers.max().map_or(0, |last| last + 1).to_string()
}

/// Whether a line is an instruction that does something.
pub(super) fn is_code(line: &str) -> bool {
    let line = line.trim_start();
    !(line.is_empty()
        || line.starts_with(';')
        || line.starts_with("#dbg")
        || line.contains("@llvm.dbg."))
}

/// A jump with one label in the place of another.
pub(super) fn replace_label(line: &str, from: &str, to: &str) -> String {
    let is_it = |part: &str| {
        part.strip_prefix("label %").is_some_and(|label| label.trim_matches('"') == from)
    };
    let jump = line.trim_start().strip_prefix("br ").unwrap_or(line);
    let parts = jump.split(", ");
    let parts =
        parts.map(|part| if is_it(part) { format!("label %{to}") } else { part.to_owned() });
    format!("  br {}", parts.collect::<Vec<_>>().join(", "))
}
