//! What `--input` says of cells that the program asks for while it runs: results of functions without a body
//! (`"read()": [1, 2]`), what they write through their arguments (`"read()->data": ["ab", "c"]`), inputs of harnesses by their names, `"stdin"`.
//!
//! Which cells there are, and of what kind, is known only when they are asked for. So the program is run, what
//! it asked for is answered, and it is run again, until it asks for nothing more that was given.

use std::collections::{BTreeMap, BTreeSet};
use symcrete_program::shape::{WrongDatum, read_cell, show_bits, show_cell, value_of};
use symcrete_program::{CellKind, Datum, Drawn, Input, Program, Shape, TypeId, TypeKind};
use symcrete_term::Value;

/// The name of standard input, whose cells are `stdin.length`, `stdin[0]`, ….
const STDIN: &str = "stdin";
/// The cell that says how long it is.
const STDIN_LENGTH: &str = "stdin.length";

/// What was given, by name.
pub(crate) struct Answers {
    given: BTreeMap<String, Datum>,
    used: BTreeSet<String>,
}

impl Answers {
    pub(crate) fn new(given: BTreeMap<String, Datum>) -> Answers {
        Answers { given, used: BTreeSet::new() }
    }

    /// Gives values to cells that were asked for. Returns whether there were any that had none yet.
    pub(crate) fn answer(
        &mut self,
        program: &Program,
        drawn: &[Drawn],
        input: &mut Input,
    ) -> Result<bool, WrongDatum> {
        let mut is_news = false;
        for cell in drawn.iter().filter(|_| !self.given.is_empty()) {
            if input.get(&cell.name).is_some() {
                continue;
            }
            let Some((key, datum)) = self.find(&cell.name) else { continue };
            let value = read(program, cell, &datum)?;
            self.used.insert(key);
            input.set(cell.name.clone(), value);
            if cell.name == STDIN_LENGTH {
                self.give_stdin(input);
            }
            is_news = true;
        }
        Ok(is_news)
    }

    /// All bytes at once: whoever gives them wants more than exploration looks at.
    fn give_stdin(&self, input: &mut Input) {
        let Some(Datum::Text(bytes)) = self.given.get(STDIN) else { return };
        let kind = CellKind::Int { bits: 8, signed: false };
        for (i, byte) in bytes.iter().enumerate() {
            input.set(format!("{STDIN}[{i}]"), value_of(kind, u64::from(*byte)));
        }
    }

    /// A name that nothing asked for, and that nothing could ask for in another run.
    pub(crate) fn unknown(
        &self,
        program: &Program,
        shape: &Shape,
        drawn: &[Drawn],
        slots: &[String],
    ) -> Option<WrongDatum> {
        let stubs = program.undefined.keys().map(|name| format!("{name}()"));
        let callbacks = shape.callbacks().into_iter().map(|callback| &callback.callee);
        let written = program.undefined.iter().flat_map(|(name, stub)| stub.fills(program, name));
        let written = written.chain(callbacks.clone().flat_map(|callee| callee.fills.clone()));
        let written: Vec<String> = written.map(|fill| fill.name).collect();
        let stubs: Vec<String> = stubs
            .chain(callbacks.map(|callee| callee.name.clone()))
            .chain(written.clone())
            .collect();
        // A member or element of what is written has more behind it.
        let is_written = |name: &String| written.iter().any(|whole| part_of(name, whole).is_some());
        let is_known = |name: &String| {
            name == STDIN || self.used.contains(name) || stubs.contains(name) || is_written(name)
        };
        let name = self.given.keys().find(|name| !is_known(name))?.clone();
        let mut known: Vec<String> = slots.iter().cloned().chain(stubs).collect();
        for cell in drawn {
            let asked = base_of(stem(&cell.name).map_or(&*cell.name, |(stem, _)| stem)).0;
            let asked = asked.strip_suffix(".length").unwrap_or(asked).to_string();
            if !asked.starts_with('*') && !known.contains(&asked) {
                known.push(asked);
            }
        }
        Some(WrongDatum::Unknown { name, known })
    }

    /// What was given for a cell, and the name it was given under. The second cell of a name, `n#1`, is the second
    /// element of what was given as `n`.
    fn find(&self, cell: &str) -> Option<(String, Datum)> {
        if cell == STDIN_LENGTH {
            let Datum::Text(bytes) = self.given.get(STDIN)? else { return None };
            return Some((STDIN.to_string(), Datum::Int(bytes.len() as i128)));
        }
        if let Some((stem, i)) = stem(cell)
            && let Some((key, whole)) = self.aggregate(stem)
        {
            return Some((key, element(&whole, i)?));
        }
        let (base, nth) = base_of(cell);
        match (self.given.get(cell), self.given.get(base)) {
            (Some(Datum::List(items)), _) => Some((cell.to_string(), items.first()?.clone())),
            (Some(datum), _) => Some((cell.to_string(), datum.clone())),
            (None, Some(Datum::List(items))) => Some((base.to_string(), items.get(nth)?.clone())),
            (None, _) => self.member(base, nth),
        }
    }

    /// The member of a structure that a function writes: `x` of what was given as `get()->p` for `get()->p.x`.
    fn member(&self, base: &str, nth: usize) -> Option<(String, Datum)> {
        let whole = |(key, datum): (&String, &Datum)| {
            let path = part_of(base, key).filter(|path| path.starts_with('.'))?;
            let mut found = if let Datum::List(items) = datum {
                items.get(nth)?
            } else {
                Some(datum).filter(|_| nth == 0)?
            };
            for name in path[1..].split('.') {
                let Datum::Record(members) = found else { return None };
                found = &members.iter().find(|(member, _)| member == name)?.1;
            }
            Some((key.clone(), found.clone()))
        };
        self.given.iter().find_map(whole)
    }

    /// The list or string that was given for an array: `many` for `many[0]`, also behind a pointer that a function
    /// returned: `find()` for `*find()[0]`.
    fn aggregate(&self, stem: &str) -> Option<(String, Datum)> {
        let stem = stem.strip_prefix('*').unwrap_or(stem);
        let (base, nth) = base_of(stem);
        let is_whole = |datum: &Datum| matches!(datum, Datum::List(_) | Datum::Text(_));
        let (key, datum) = match self.given.get(stem) {
            Some(datum) => (stem, datum),
            None => (base, self.given.get(base)?),
        };
        let mut whole = datum;
        // One for each time it is asked for.
        if let Datum::List(items) = datum
            && items.iter().any(is_whole)
        {
            whole = items.get(nth)?;
        }
        is_whole(whole).then(|| (key.to_string(), whole.clone()))
    }
}

/// A cell that was asked for, as people read it.
pub(crate) fn show(program: &Program, cell: &Drawn) -> Datum {
    match (result_type(program, &cell.name), cell.kind) {
        (Some(ty), CellKind::Bool) if is_pointer(program, ty) => {
            if cell.value == Value::Bool(true) { Datum::Bool(true) } else { Datum::Null }
        }
        (Some(ty), kind) => show_bits(&program.types, ty, kind, cell.value.bits()),
        (None, kind) => show_cell(kind, cell.value.bits()),
    }
}

/// Everything that was asked for, in order, the elements of one array together.
pub(crate) fn show_all(program: &Program, drawn: &[Drawn]) -> Vec<(String, Datum)> {
    let mut shown: Vec<(String, Datum)> = Vec::new();
    for cell in drawn {
        let datum = show(program, cell);
        match (stem(&cell.name), shown.last_mut()) {
            (Some((stem, i)), Some((name, Datum::List(items))))
                if name == stem && items.len() == i =>
            {
                items.push(datum);
            }
            (Some((stem, 0)), _) => shown.push((stem.to_string(), Datum::List(vec![datum]))),
            (_, _) => shown.push((cell.name.clone(), datum)),
        }
    }
    shown
}

fn read(program: &Program, cell: &Drawn, datum: &Datum) -> Result<Value, WrongDatum> {
    let ty = result_type(program, &cell.name);
    if ty.is_some_and(|ty| is_pointer(program, ty)) {
        return match datum {
            Datum::Null => Ok(Value::Bool(false)),
            Datum::Bool(is_there) => Ok(Value::Bool(*is_there)),
            Datum::List(_) | Datum::Text(_) => Ok(Value::Bool(true)),
            Datum::Int(_) | Datum::Float(_) | Datum::Name(_) | Datum::Record(_) => {
                Err(WrongDatum::Mismatch {
                    name: cell.name.clone(),
                    expected: "null, true or a list of the object's bytes".to_string(),
                    found: crate::data::text(datum),
                })
            }
        };
    }
    read_cell(&program.types, &cell.name, ty, cell.kind, datum)
}

/// What the function without a body returns whose result a cell is.
fn result_type(program: &Program, cell: &str) -> Option<TypeId> {
    program.undefined.get(base_of(cell).0.strip_suffix("()")?)?.result
}

fn is_pointer(program: &Program, ty: TypeId) -> bool {
    matches!(program.types.get(ty).kind, TypeKind::Pointer { .. })
}

/// `n` and 2 of `n#2`; names without a number are the first of theirs.
fn base_of(cell: &str) -> (&str, usize) {
    let numbered = cell.rsplit_once('#').and_then(|(base, n)| Some((base, n.parse().ok()?)));
    numbered.unwrap_or((cell, 0))
}

/// `many` and 3 of `many[3]`.
fn stem(cell: &str) -> Option<(&str, usize)> {
    let (stem, i) = cell.strip_suffix(']')?.rsplit_once('[')?;
    Some((stem, i.parse().ok()?))
}

/// What stands behind the name of a whole in the name of a part of it: `.x` of `get()->p.x`.
fn part_of<'a>(name: &'a str, whole: &str) -> Option<&'a str> {
    let rest = name.strip_prefix(whole)?;
    (rest.is_empty() || rest.starts_with(['.', '['])).then_some(rest)
}

fn element(whole: &Datum, i: usize) -> Option<Datum> {
    match whole {
        Datum::List(items) => items.get(i).cloned(),
        Datum::Text(bytes) => bytes.get(i).map(|&byte| Datum::Int(i128::from(byte))),
        Datum::Null
        | Datum::Bool(_)
        | Datum::Int(_)
        | Datum::Float(_)
        | Datum::Name(_)
        | Datum::Record(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_found_by_name_number_and_index() {
        let ints = |values: &[i128]| Datum::List(values.iter().map(|&n| Datum::Int(n)).collect());
        let text = |text: &str| Datum::Text(text.as_bytes().to_vec());
        let answers = Answers::new(BTreeMap::from([
            ("n".to_string(), Datum::Int(1)),
            ("read()".to_string(), ints(&[5, 6])),
            ("many".to_string(), ints(&[7, 8])),
            ("twice".to_string(), Datum::List(vec![text("ab"), text("cd")])),
            ("find()".to_string(), Datum::List(vec![Datum::Null, ints(&[9])])),
            ("x#1".to_string(), Datum::Int(2)),
            ("stdin".to_string(), text("in")),
            (
                "get()->p".to_string(),
                Datum::List(vec![
                    Datum::Null,
                    Datum::Record(vec![("x".to_string(), Datum::Int(3))]),
                ]),
            ),
            ("read()->data".to_string(), Datum::List(vec![text(""), text("xy")])),
        ]));
        let found = |cell: &str| answers.find(cell).map(|(_, datum)| datum);
        for (cell, expected) in [
            ("n", Some(1)),
            ("n#1", None),
            ("read()", Some(5)),
            ("read()#1", Some(6)),
            ("read()#2", None),
            ("many[1]", Some(8)),
            ("many[2]", None),
            ("twice[1]", Some(98)),
            ("twice#1[0]", Some(99)),
            ("*find()#1[0]", Some(9)),
            ("x", None),
            ("x#1", Some(2)),
            ("stdin.length", Some(2)),
            ("stdin[1]", Some(110)),
            ("other", None),
            ("get()->p.x", None),
            ("get()->p.x#1", Some(3)),
            ("get()->px#1", None),
            ("read()->data[0]", None),
            ("read()->data#1[1]", Some(121)),
        ] {
            assert_eq!(found(cell), expected.map(Datum::Int), "{cell}");
        }
        assert_eq!(found("find()"), Some(Datum::Null));
    }
}
