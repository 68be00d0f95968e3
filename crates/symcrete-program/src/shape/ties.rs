//! Which parameter says how many elements an array has.
//!
//! C does not say, so it is read from names and places, the surest sign first:
//!
//! 1. A name that says of what it is the length: `data_len`, `num_tokens`, `destLen`.
//! 2. A name such as `len` or `n` behind pointers: it belongs to the nearest of them that can be an array, and to others
//!    before it that are arrays of the same family, as in `(int *a, int *b, int n)`.
//! 3. The same in front of pointers: `(int n, int *a)`.
//!
//! A structure is an array only where a name counts elements (`n`, `num_points`): what is measured in bytes beside it is
//! about something else, as in `(struct parser *p, const char *data, size_t len)`. Each length belongs to what one
//! of the signs says, and to nothing else.

use crate::program::Param;
use crate::types::{TypeId, TypeKind, Types};
use std::collections::BTreeSet;

/// Where the length of an array is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum LengthAt {
    /// A parameter is it.
    Param(usize),
    /// A parameter points to it.
    Behind(usize),
}

/// Words that count elements.
const COUNTS: &[&str] =
    &["n", "count", "cnt", "num", "nmemb", "nelem", "nelems", "argc", "elements", "number", "nums"];
/// Words that may be about bytes as well.
const SIZES: &[&str] =
    &["len", "length", "size", "sz", "bytes", "nbytes", "cap", "capacity", "alloc", "allocated"];
/// Those that are about all the room that an array has.
const ROOMS: &[&str] = &["cap", "capacity", "alloc", "allocated"];
/// Names of arrays that usually share a length.
const PAIRS: &[&str] = &[
    "a", "b", "c", "x", "y", "z", "s1", "s2", "src", "dst", "dest", "source", "in", "out", "input",
    "output", "from", "to", "lhs", "rhs", "left", "right", "p", "q", "s", "t",
];

/// What a pointer may point to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Family {
    Bytes,
    Numbers,
    Pointers,
    Records,
}

/// A name that says that something is a length.
struct LengthName {
    /// Of what; empty if it does not say.
    stem: String,
    /// Whether it counts elements, whatever they are.
    is_count: bool,
}

/// For each parameter where its length is, if it is an array that has one.
pub(super) fn ties(types: &Types, params: &[Param]) -> Vec<Option<LengthAt>> {
    let mut finder = Finder { types, params, found: vec![None; params.len()] };
    let lengths: Vec<(usize, LengthName)> = (0..params.len())
        .filter(|&i| finder.is_integer(params[i].ty))
        .filter_map(|i| Some((i, finder.length_name(i)?)))
        .collect();
    // Beside the room that there is, a length says how much of it is in use.
    let is_room = |name: &str| words(name).iter().any(|word| ROOMS.contains(&word.as_str()));
    let mut lengths = lengths;
    lengths.sort_by_key(|(i, _)| !is_room(&params[*i].name));
    // What names say goes before what places say.
    let mut used = BTreeSet::new();
    for (i, name) in &lengths {
        if finder.tie_by_name(*i, name, LengthAt::Param(*i)) {
            used.insert(*i);
        }
    }
    for (i, name) in lengths.iter().filter(|(i, _)| !used.contains(i)) {
        if !finder.tie_before(*i, name) {
            finder.tie_after(*i, name);
        }
    }
    finder.tie_to_pointed();
    finder.found
}

struct Finder<'a> {
    types: &'a Types,
    params: &'a [Param],
    found: Vec<Option<LengthAt>>,
}

impl Finder<'_> {
    fn is_integer(&self, ty: TypeId) -> bool {
        matches!(self.types.get(ty).kind, TypeKind::Int { is_char: false, .. })
    }

    fn pointee(&self, i: usize) -> Option<(TypeId, bool)> {
        self.types.get(self.params.get(i)?.ty).kind.pointee()
    }

    /// What a parameter may be an array of.
    fn family(&self, i: usize) -> Option<Family> {
        let ty = self.types.get(self.pointee(i)?.0);
        Some(match ty.kind {
            TypeKind::Void => Family::Bytes,
            TypeKind::Bool | TypeKind::Int { .. } if ty.size == 1 => Family::Bytes,
            TypeKind::Bool
            | TypeKind::Int { .. }
            | TypeKind::Float
            | TypeKind::Enum { .. }
            | TypeKind::Array { .. } => Family::Numbers,
            TypeKind::Pointer { .. } => Family::Pointers,
            TypeKind::Struct { .. } | TypeKind::Union { .. } => Family::Records,
            TypeKind::Function | TypeKind::Unsupported { .. } => return None,
        })
    }

    /// Whether a parameter is a pointer to one number, which is itself a length.
    fn points_to_length(&self, i: usize) -> bool {
        self.pointee(i).is_some_and(|(to, _)| self.is_integer(to)) && self.length_name(i).is_some()
    }

    /// What the name of a parameter says about being a length.
    fn length_name(&self, i: usize) -> Option<LengthName> {
        let words = words(&self.params[i].name);
        let is_word = |word: &&String| {
            let is_long = word.len() > 1 || words.len() == 1;
            is_long && (COUNTS.contains(&word.as_str()) || SIZES.contains(&word.as_str()))
        };
        if let Some(word) = words.iter().find(is_word) {
            let rest: Vec<&str> =
                words.iter().filter(|other| *other != word).map(String::as_str).collect();
            let is_count = COUNTS.contains(&word.as_str());
            return Some(LengthName { stem: rest.join("_"), is_count });
        }
        // `datalen`, `nitems`: only together with what is called so.
        let name = self.params[i].name.to_lowercase();
        let glued = COUNTS.iter().chain(SIZES).find_map(|word| {
            let stem = name.strip_suffix(word).or_else(|| name.strip_prefix(word))?;
            (stem.len() > 1).then(|| (stem.to_string(), COUNTS.contains(word)))
        });
        let (stem, is_count) = glued?;
        let is_known = (0..self.params.len())
            .any(|j| j != i && self.pointee(j).is_some() && is_about(&stem, &self.params[j].name));
        is_known.then_some(LengthName { stem, is_count })
    }

    /// Ties the arrays whose name a length has in its own.
    fn tie_by_name(&mut self, i: usize, name: &LengthName, at: LengthAt) -> bool {
        if name.stem.is_empty() {
            return false;
        }
        let mut is_found = false;
        for j in 0..self.params.len() {
            let can_be = match self.family(j) {
                Some(Family::Records) => name.is_count,
                Some(Family::Bytes | Family::Numbers | Family::Pointers) => {
                    !self.points_to_length(j)
                }
                None => false,
            };
            let is_free = j != i && self.found[j].is_none();
            if is_free && can_be && is_about(&name.stem, &self.params[j].name) {
                self.found[j] = Some(at);
                is_found = true;
            }
        }
        is_found
    }

    /// Ties the pointers directly before a length.
    fn tie_before(&mut self, i: usize, name: &LengthName) -> bool {
        // Several lengths may stand side by side: `(data, len, capacity)`.
        let is_length =
            |j: &usize| self.is_integer(self.params[*j].ty) && self.length_name(*j).is_some();
        let behind = (0..i).rev().skip_while(is_length);
        let run = behind.take_while(|&j| self.pointee(j).is_some());
        self.tie_run(&run.collect::<Vec<_>>(), i, name)
    }

    /// Ties the pointers directly behind a length.
    fn tie_after(&mut self, i: usize, name: &LengthName) -> bool {
        let run = (i + 1..self.params.len()).take_while(|&j| self.pointee(j).is_some());
        self.tie_run(&run.collect::<Vec<_>>(), i, name)
    }

    /// Ties pointers of a list, the nearest first: one that can be an array, and those that go with it.
    fn tie_run(&mut self, run: &[usize], i: usize, name: &LengthName) -> bool {
        let is_plain = |family: Option<Family>| {
            matches!(family, Some(Family::Bytes | Family::Numbers | Family::Pointers))
        };
        let free = run.iter().copied().filter(|&j| !self.points_to_length(j));
        let plain: Vec<usize> = free.filter(|&j| is_plain(self.family(j))).collect();
        let Some(&nearest) = plain.first() else {
            // `(struct point *p, int n)`
            let record = run.first().filter(|&&j| self.family(j) == Some(Family::Records));
            let Some(&record) = record.filter(|&&j| name.is_count && self.found[j].is_none())
            else {
                return false;
            };
            self.found[record] = Some(LengthAt::Param(i));
            return true;
        };
        if self.found[nearest].is_some() {
            return false;
        }
        let family = self.family(nearest);
        let goes_with = |j: usize| match (family, self.family(j)) {
            // A string has its own end.
            (Some(Family::Bytes), Some(Family::Bytes)) => {
                let is_pair =
                    |i: usize| PAIRS.contains(&self.params[i].name.to_lowercase().as_str());
                is_pair(j) && is_pair(nearest)
            }
            (Some(Family::Numbers), other) => other == Some(Family::Numbers),
            (_, _) => false,
        };
        let together: Vec<usize> =
            plain.iter().copied().filter(|&j| j == nearest || goes_with(j)).collect();
        for j in together {
            self.found[j].get_or_insert(LengthAt::Param(i));
        }
        true
    }

    /// Ties arrays to lengths that a parameter points to: `(char *dest, size_t *destLen)`. What is `const` is not
    /// written to, so such a length is not its own but a result.
    fn tie_to_pointed(&mut self) {
        for i in 0..self.params.len() {
            let Some(name) = self.length_name(i).filter(|_| self.points_to_length(i)) else {
                continue;
            };
            let is_array = |j: usize| {
                let is_plain = matches!(self.family(j), Some(Family::Bytes | Family::Numbers));
                is_plain && self.pointee(j).is_some_and(|(_, is_const)| !is_const)
            };
            let about = (0..self.params.len())
                .find(|&j| j != i && is_about(&name.stem, &self.params[j].name) && is_array(j));
            let before = i.checked_sub(1).filter(|&j| {
                name.stem.is_empty() && !name.is_count && is_array(j) && !self.points_to_length(j)
            });
            if let Some(array) = about.or(before) {
                self.found[array].get_or_insert(LengthAt::Behind(i));
            }
        }
    }
}

/// Whether a name says that it is the length of exactly that array: `data_len`, `inlen` and `sizeOfKey` of `data`, `in`
/// and `key`.
pub fn is_length_named_after(length: &str, array: &str) -> bool {
    let joined = |name: &str| words(name).concat();
    let (length, array) = (joined(length), joined(array));
    let rest = length.strip_prefix(&array).or_else(|| length.strip_suffix(&array));
    let is_word = |rest: &str| COUNTS.iter().chain(SIZES).any(|word| *word == rest);
    !array.is_empty()
        && rest.is_some_and(|rest| is_word(rest) || rest.strip_suffix("of").is_some_and(is_word))
}

/// Whether a name says that it is a length, and not of what: `len`, `size`, `count`. `n` and `num` may be anything.
pub fn is_plain_length(name: &str) -> bool {
    let joined = words(name).concat();
    SIZES.contains(&joined.as_str()) || matches!(joined.as_str(), "count" | "cnt")
}

/// Whether a name is that of a number of bytes or elements: `len`, `num_items`, `keylen`, `vsize`. `n` may be anything.
pub fn is_length_name(name: &str) -> bool {
    let is_glued = |word: &str| SIZES.iter().any(|size| size.len() > 2 && word.ends_with(size));
    let is_one = |word: &String| {
        let is_known = COUNTS.iter().chain(SIZES).any(|known| known == word);
        word.len() > 1 && (is_known || is_glued(word))
    };
    words(name).iter().any(is_one)
}

/// Whether a name is that of a number of an element: `index`, `keyidx`, `pos`.
pub fn is_index_name(name: &str) -> bool {
    const INDICES: &[&str] = &["index", "idx", "pos", "position", "nth"];
    let is_glued = |word: &str| ["index", "idx"].iter().any(|index| word.ends_with(index));
    words(name).iter().any(|word| INDICES.contains(&word.as_str()) || is_glued(word))
}

/// Whether what a length is about can be what a parameter is called.
fn is_about(stem: &str, name: &str) -> bool {
    let (stem, name) = (stem.to_lowercase(), words(name).join("_"));
    let is_start = |short: &str, long: &str| short.len() > 1 && long.starts_with(short);
    !stem.is_empty() && (stem == name || is_start(&stem, &name) || is_start(&name, &stem))
}

/// The words of a name, in lower case: `destLen` has two.
pub(crate) fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = vec![String::new()];
    let mut was_lower = false;
    for c in name.chars() {
        if c == '_' || (c.is_uppercase() && was_lower) {
            words.push(String::new());
        }
        was_lower = c.is_lowercase() || c.is_ascii_digit();
        if c != '_' {
            words.last_mut().expect("there is always one").extend(c.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Type;
    use std::collections::BTreeMap;

    /// The types that the signatures below use.
    fn types() -> (Types, BTreeMap<&'static str, TypeId>) {
        let mut types = Types::default();
        let mut names = BTreeMap::new();
        let mut add = |name: &'static str, size, kind| {
            let id = types.add(Type { name: name.into(), size, kind });
            names.insert(name, id);
            id
        };
        let char = add("char", 1, TypeKind::Int { signed: true, is_char: true });
        let int = add("int", 4, TypeKind::Int { signed: true, is_char: false });
        let double = add("double", 8, TypeKind::Float);
        let void = add("void", 0, TypeKind::Void);
        let record = add("struct", 16, TypeKind::Struct { fields: Vec::new() });
        let text = add("char*", 4, TypeKind::Pointer { to: char, is_const: false });
        for (name, to, is_const) in [
            ("const char*", char, true),
            ("int*", int, false),
            ("const int*", int, true),
            ("double*", double, false),
            ("void*", void, false),
            ("const void*", void, true),
            ("struct*", record, false),
            ("char**", text, false),
        ] {
            add(name, 4, TypeKind::Pointer { to, is_const });
        }
        (types, names)
    }

    /// Pairs of an array and its length.
    fn pairs(signature: &str) -> Vec<(String, String)> {
        let (types, ids) = types();
        let param = |text: &str| {
            let (ty, name) = text.trim().rsplit_once(' ').expect("a type and a name");
            Param { name: name.to_string(), ty: ids[ty] }
        };
        let params: Vec<Param> = signature.split(',').map(param).collect();
        let name = |i: usize| params[i].name.clone();
        let tied = ties(&types, &params).into_iter().enumerate();
        tied.filter_map(|(i, tie)| match tie? {
            LengthAt::Param(length) => Some((name(i), name(length))),
            LengthAt::Behind(length) => Some((name(i), format!("*{}", name(length)))),
        })
        .collect()
    }

    #[test]
    fn some_lengths_have_the_names_of_their_arrays() {
        for (length, array) in [
            ("data_len", "data"),
            ("inlen", "in"),
            ("sizeOfKey", "key"),
            ("num_tokens", "tokens"),
            ("outSize", "out"),
        ] {
            assert!(is_length_named_after(length, array), "{length} {array}");
        }
        for (length, array) in [("len", "data"), ("n", "n"), ("input_len", "in"), ("size", "")] {
            assert!(!is_length_named_after(length, array), "{length} {array}");
        }
    }

    #[test]
    fn names_of_lengths_are_told_from_others() {
        for name in ["len", "vsize", "key_len", "numItems", "nbytes", "srcSize"] {
            assert!(is_length_name(name), "{name}");
        }
        for name in ["value", "n", "lenient", "offset", "balance"] {
            assert!(!is_length_name(name), "{name}");
        }
    }

    /// Signatures of libraries and of their kind, and what belongs together.
    #[test]
    fn lengths_belong_to_what_they_measure() {
        let table: &[(&str, &[(&str, &str)])] = &[
            ("struct* parser, struct* settings, const char* data, int len", &[("data", "len")]),
            (
                "const char* expression, struct* variables, int var_count, int* error",
                &[("variables", "var_count")],
            ),
            (
                "struct* parser, const char* js, int len, struct* tokens, int num_tokens",
                &[("js", "len"), ("tokens", "num_tokens")],
            ),
            (
                "const char* value, int buffer_length, char** return_parse_end, int require",
                &[("value", "buffer_length")],
            ),
            ("struct* item, char* buffer, int length, int format", &[("buffer", "length")]),
            ("const int* numbers, int count", &[("numbers", "count")]),
            (
                "char* dest, int* destLen, const char* source, int sourceLen",
                &[("dest", "*destLen"), ("source", "sourceLen")],
            ),
            ("int* a, int* b, int n", &[("a", "n"), ("b", "n")]),
            ("double* out, const int* in, int n", &[("out", "n"), ("in", "n")]),
            ("void* dst, const void* src, int n", &[("dst", "n"), ("src", "n")]),
            ("const char* key, char* buf, int len", &[("buf", "len")]),
            ("int* items, int len, int capacity", &[("items", "capacity")]),
            ("struct* points, int n", &[("points", "n")]),
            ("struct* m, int len", &[]),
            ("int n, int* a", &[("a", "n")]),
            ("int argc, char** argv", &[("argv", "argc")]),
            ("const char* data, int datalen", &[("data", "datalen")]),
            ("struct* items, int nitems", &[("items", "nitems")]),
            ("char* buf, int* size", &[("buf", "*size")]),
            ("const char* text, int* count", &[]),
            ("const char* pattern, const char* text, int* matchlength", &[]),
            ("const char* text, int x", &[]),
            ("const char* data, int resize", &[]),
        ];
        for (signature, expected) in table {
            let owned = |&(a, b): &(&str, &str)| (a.to_string(), b.to_string());
            let expected: Vec<_> = expected.iter().map(owned).collect();
            assert_eq!(pairs(signature), expected, "{signature}");
        }
    }
}
