//! The local variables of a function of LLVM's text form.

use super::ir::{self, split};
use super::type_sizes::TypeSizes;
use std::collections::{BTreeMap, BTreeSet};

/// A local variable.
pub(super) struct Local<'a> {
    pub(super) ty: &'a str,
    /// How many of the type, if that is known only at run time.
    pub(super) count: Option<&'a str>,
    pub(super) size: Option<u32>,
    /// What its address is a multiple of.
    pub(super) align: u32,
    /// Whether nothing but this function's own reads and writes of constant places can reach it.
    pub(super) is_private: bool,
    /// Whether the text says where its life starts.
    has_start: bool,
}

/// The local variables of a function by name, and the names of constant places in them.
pub(super) struct Locals<'a> {
    pub(super) all: BTreeMap<&'a str, Local<'a>>,
    places: BTreeMap<&'a str, &'a str>,
}

impl<'a> Locals<'a> {
    pub(super) fn of(body: &[&'a str], sizes: &TypeSizes<'_>) -> Locals<'a> {
        let mut locals = Locals { all: BTreeMap::new(), places: BTreeMap::new() };
        for line in body {
            if let Some((name, local)) = allocated(line, sizes) {
                locals.all.insert(name, local);
                locals.places.insert(name, name);
            }
        }
        if locals.all.is_empty() {
            return locals;
        }
        // Blocks need not be in the order in which they run.
        while body.iter().filter(|line| locals.add_place(line)).count() > 0 {}
        let escaping: BTreeSet<&str> = body
            .iter()
            .flat_map(|line| names(line).map(move |name| (line, name)))
            .filter_map(|(line, name)| Some((line, name, *locals.places.get(name)?)))
            .filter(|(line, name, root)| {
                !is_harmless(line, name) || bulk_length(line) > locals.all[root].size.map(u64::from)
            })
            .map(|(_, _, root)| root)
            .collect();
        for (name, local) in &mut locals.all {
            local.is_private = !escaping.contains(name);
        }
        for line in body.iter().filter(|line| is_start(line)) {
            if let Some(local) = locals.root_in(line).and_then(|root| locals.all.get_mut(root)) {
                local.has_start = true;
            }
        }
        locals
    }

    /// Notes that a line names a constant place in a variable; whether that is news.
    fn add_place(&mut self, line: &'a str) -> bool {
        let Some((name, rest)) = definition(line) else { return false };
        let is_place = rest.starts_with("getelementptr ") || rest.starts_with("bitcast ");
        if !is_place || self.places.contains_key(name) {
            return false;
        }
        let root = names(rest).find_map(|name| self.places.get(name).copied());
        match root.filter(|_| names(rest).all(|name| is_harmless(line, name))) {
            Some(root) => self.places.insert(name, root).is_none(),
            None => false,
        }
    }

    pub(super) fn root_in(&self, line: &str) -> Option<&'a str> {
        names(line).find_map(|name| self.places.get(name).copied())
    }

    /// The variable whose life starts with a line.
    pub(super) fn starts_at(&self, line: &'a str) -> Option<&'a str> {
        if is_start(line) {
            return self.root_in(line);
        }
        let (name, rest) = definition(line)?;
        let local = self.all.get(name).filter(|_| rest.starts_with("alloca "))?;
        (!local.has_start).then_some(name)
    }

    /// Whether a variable is written as a whole before anything else happens to it.
    pub(super) fn is_written_first(
        &self,
        name: &str,
        after: &[&'a str],
        sizes: &TypeSizes<'_>,
    ) -> bool {
        let local = &self.all[name];
        for line in after.iter().take_while(|line| ir::is_instruction(line)) {
            let is_about = names(line).any(|other| self.places.get(other) == Some(&name));
            let is_place = definition(line).is_some_and(|(name, _)| self.places.contains_key(name));
            if !is_about || is_place || is_remark(line) {
                continue;
            }
            let target = |operand: &str| names(operand).next() == Some(name);
            let operands = split(line.trim_start());
            if let Some(value) = operands[0].strip_prefix("store ") {
                let ty = value.rsplit_once(' ').map_or("", |(ty, _)| ty);
                let is_whole = local.size.is_some() && sizes.size(ty) == local.size;
                return is_whole && names(value).all(|other| other != name) && target(operands[1]);
            }
            let copied = ["@llvm.memcpy.", "@llvm.memset."].iter().any(|name| line.contains(name));
            let Some(start) = line.find('(').filter(|_| copied) else { return false };
            let arguments = split(&line[start + 1..]);
            let length = arguments.get(2).and_then(|length| length.trim().rsplit(' ').next());
            return target(arguments[0])
                && local.size.is_some()
                && length.and_then(|length| length.parse().ok()) == local.size;
        }
        false
    }
}

/// The variable that a line makes room for.
fn allocated<'a>(line: &'a str, sizes: &TypeSizes<'_>) -> Option<(&'a str, Local<'a>)> {
    let (name, rest) = definition(line)?;
    let operands = split(rest.strip_prefix("alloca ")?);
    let ty = operands[0].trim();
    let count = operands.get(1).map(|count| count.trim());
    let count = count.filter(|count| !count.starts_with(['a', '!']));
    let size = sizes.size(ty);
    let align = operands.iter().find_map(|operand| operand.trim().strip_prefix("align "));
    let align = align.and_then(|align| align.parse().ok()).unwrap_or(1);
    Some((name, Local { ty, count, size, align, is_private: false, has_start: false }))
}

/// `%3` and the rest of `  %3 = alloca i32`.
pub(super) fn definition(line: &str) -> Option<(&str, &str)> {
    line.trim_start().split_once(" = ").filter(|(name, _)| name.starts_with('%'))
}

/// Whether a line says that the life of a variable starts.
fn is_start(line: &str) -> bool {
    line.contains(" @llvm.lifetime.start.")
}

/// Whether a line does nothing to memory.
pub(super) fn is_remark(line: &str) -> bool {
    line.trim_start().starts_with("#dbg_")
        || line.contains(" @llvm.dbg.")
        || line.contains(" @llvm.lifetime.")
}

/// Whether a line that names a place in a variable only reads it, writes it, or names a constant place in it.
fn is_harmless(line: &str, name: &str) -> bool {
    if is_remark(line) {
        return true;
    }
    let (defined, rest) = definition(line).unwrap_or(("", line.trim_start()));
    if defined == name || rest.starts_with("alloca ") {
        return true;
    }
    let operands = split(rest);
    if rest.starts_with("load ") || rest.starts_with("bitcast ") {
        return true;
    }
    if rest.starts_with("getelementptr ") {
        return is_constant_place(&operands);
    }
    if let Some(value) = operands[0].strip_prefix("store ") {
        return names(value).all(|other| other != name);
    }
    bulk_length(line).is_some()
}

/// How many bytes a line copies or fills, if that is all it does and the number is constant.
fn bulk_length(line: &str) -> Option<u64> {
    let is_bulk =
        ["memcpy", "memmove", "memset"].iter().any(|bulk| line.contains(&format!("@llvm.{bulk}.")));
    let start = line.find('(').filter(|_| is_bulk)?;
    let arguments = split(&line[start + 1..]);
    arguments.get(2)?.trim().rsplit(' ').next()?.parse().ok()
}

/// Whether the operands of a `getelementptr` name a place that is in its type whatever happens.
fn is_constant_place(operands: &[&str]) -> bool {
    let mut indices = operands.iter().skip(2).take_while(|operand| !operand.contains('!'));
    let constant = |index: &str| index.trim().rsplit(' ').next()?.parse::<i64>().ok();
    // The first index moves by whole values of the type.
    if indices.next().is_some_and(|index| constant(index) != Some(0)) {
        return false;
    }
    let length = operands[0].split_once('[').and_then(|(before, array)| {
        let is_array = !before.contains(['%', '{', '<']);
        is_array.then(|| array.split(' ').next()?.parse::<i64>().ok())?
    });
    match (indices.next(), length) {
        (None, _) => true,
        (Some(index), length) => {
            let is_inside = |index| length.is_none_or(|length| (0..length).contains(&index));
            constant(index).is_some_and(is_inside) && indices.all(|index| constant(index).is_some())
        }
    }
}

/// The names of values in a line, as the text spells them; also those of types and blocks.
pub(super) fn names(line: &str) -> impl Iterator<Item = &str> {
    names_after(line, '%')
}

/// The names of functions and variables in a line, as the text spells them.
pub(super) fn global_names(line: &str) -> impl Iterator<Item = &str> {
    names_after(line, '@')
}

fn names_after(line: &str, mark: char) -> impl Iterator<Item = &str> {
    line.match_indices(mark).map(|(at, _)| &line[at..=at + name_length(&line[at + 1..])])
}

/// How many bytes a name has, behind its `@` or `%`.
pub(super) fn name_length(text: &str) -> usize {
    match text.strip_prefix('"') {
        Some(quoted) => quoted.find('"').map_or(text.len(), |end| end + 2),
        None => text.find(|c: char| !is_name_part(c)).unwrap_or(text.len()),
    }
}

pub(super) fn is_name_part(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '$' | '-')
}
