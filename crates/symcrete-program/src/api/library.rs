//! What the functions of a program do with objects, as far as types and names tell.

use super::kinds::{Kind, Kinds};
use crate::program::{FileId, Program, Unit};
use crate::shape::words;
use crate::types::{TypeId, TypeKind};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Words of functions that make objects, those that say most of it first.
const MAKERS: &[&str] =
    &["create", "new", "init", "parse", "make", "alloc", "open", "empty", "from", "start"];
/// Words of functions that make an object of a text.
const READERS: &[&str] = &["parse", "read", "load", "decode", "compile", "from"];
/// Words of functions that change objects, those that build most first.
const STEPS: &[&str] = &[
    "push", "add", "insert", "append", "put", "enqueue", "cat", "parse", "execute", "feed",
    "write", "update", "set", "reserve", "grow", "pop", "remove", "delete", "clear",
];
/// Words of functions that only look, with or without `const`. They come after others.
const LOOKING: &[&str] = &[
    "is", "has", "get", "to", "cmp", "compare", "equal", "equals", "count", "size", "length",
    "len", "print", "dump", "show", "contains",
];
/// Words of functions that set variables for those that come later, the likeliest first.
const SETTERS: &[&str] = &[
    "set", "init", "config", "enable", "use", "select", "mode", "option", "open", "start",
    "register", "seed", "load", "add", "push", "reset", "clear",
];
/// Words of functions that call what they are given while they run. Others keep it for later: a memory allocator, say, that
/// must not be just any function.
const RUNNING: &[&str] = &["parse", "execute", "feed", "process", "run", "scan", "each", "walk"];
/// Words of functions after which an object is gone.
const DESTRUCTORS: &[&str] = &[
    "free", "delete", "destroy", "close", "release", "dispose", "deinit", "cleanup", "fini",
    "finalize", "term", "dtor", "unref", "del", "drop", "kill",
];
/// Those that are known inside of longer words too: `sdsfree`.
const DESTRUCTORS_WITHIN: &[&str] = &["free", "destroy", "dispose", "release", "deinit"];
/// Words of functions that take something away, which must have been put there before.
const TAKING: &[&str] =
    &["remove", "delete", "detach", "unlink", "erase", "extract", "take", "replace", "unref"];
/// Words of functions that give an object away which was inside another one.
const REMOVING: &[&str] = &["pop", "dequeue", "shift", "copy", "clone", "duplicate", "dup"];
/// Words of functions that put an object into another one: it must not be in there yet.
const ADDING: &[&str] = &[
    "push", "add", "insert", "append", "prepend", "put", "set", "enqueue", "attach", "link",
    "join", "concat", "cat", "merge", "register",
];
/// Words of functions that put something beside an object that is in there.
const BESIDE: &[&str] = &["after", "before"];
/// Words of functions that look for an object, those that nearly always find one first.
const FINDERS: &[&str] = &[
    "first", "head", "last", "tail", "at", "get", "item", "nth", "find", "search", "lookup", "peek",
];
/// Words of functions that make an object of memory that is there.
const INITIALISERS: &[&str] = &["setup", "construct", "ctor", "create", "new", "make"];
/// Of those that do so only where nothing else makes such objects: `json_open_string(json, text)` does, but a door is opened
/// after `door_init(door)`.
const OPENERS: &[&str] = &["open"];

/// The functions of a program by what they do with objects.
pub(super) struct Library<'a> {
    pub(super) program: &'a Program,
    pub(super) kinds: Kinds<'a>,
    /// The functions that can be called in a file, of the files that were asked for.
    callable: BTreeMap<FileId, Rc<[usize]>>,
}

impl<'a> Library<'a> {
    pub(super) fn new(program: &'a Program) -> Library<'a> {
        Library { program, kinds: Kinds::new(&program.types), callable: BTreeMap::new() }
    }

    pub(super) fn unit(&self, unit: usize) -> &'a Unit {
        &self.program.units[unit]
    }

    /// The kinds of a function's parameters.
    fn param_kinds(&mut self, unit: usize) -> Vec<Option<Kind>> {
        self.unit(unit).params.iter().map(|param| self.kinds.of(param.ty)).collect()
    }

    /// Functions that can be called in a file, public ones first if there are any.
    fn callable(&mut self, file: FileId) -> Rc<[usize]> {
        if let Some(known) = self.callable.get(&file) {
            return Rc::clone(known);
        }
        let found: Rc<[usize]> = self.find_callable(file).into();
        self.callable.insert(file, Rc::clone(&found));
        found
    }

    fn find_callable(&self, file: FileId) -> Vec<usize> {
        let mentioned = self.mentioned(file);
        let is_callable = |unit: &Unit| {
            let is_here = self.program.source_of(unit) == file;
            let is_plain = unit.name != "main" && !unit.is_variadic;
            is_plain && (is_here || (!unit.is_static && mentioned.contains(unit.name.as_str())))
        };
        let units = self.program.units.iter().enumerate();
        units.filter(|(_, unit)| is_callable(unit)).map(|(i, _)| i).collect()
    }

    /// The words of a file and of headers: functions of other files are declared there.
    fn mentioned(&self, file: FileId) -> BTreeSet<&'a str> {
        let files = self.program.files.iter().enumerate();
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        files
            .filter(|(i, other)| *i == file.0 as usize || (other.is_user && !other.is_compiled))
            .filter_map(|(_, other)| other.text.as_deref())
            .flat_map(|text| text.split(move |c| !is_part(c)))
            .collect()
    }

    /// Functions that return a new object, the best first.
    pub(super) fn makers(&mut self, kind: &Kind, file: FileId) -> Vec<usize> {
        let mut found = Vec::new();
        for &unit in self.callable(file).iter() {
            let Some(result) = self.unit(unit).result else { continue };
            let returns = self.kinds.of(result).as_ref() == Some(kind);
            if !returns || !self.kinds.may_change(result) || self.has_unusable_param(unit) {
                continue;
            }
            let kinds = self.param_kinds(unit);
            // What looks for an object in another one makes none.
            let params = &self.unit(unit).params;
            let is_found = params.iter().any(|param| self.kinds.leads_to(param.ty, kind));
            if is_found || kinds.iter().flatten().any(|other| other == kind) {
                continue;
            }
            let found_unit = self.unit(unit);
            let n_made = kinds.iter().flatten().count() + self.n_arrays_of_pointers(unit);
            let difficulty = (found_unit.is_static, n_made, self.n_callbacks(unit));
            let rank = (hint(&found_unit.name, MAKERS), found_unit.params.len(), unit);
            found.push((difficulty, rank));
        }
        found.sort_unstable();
        // What needs objects or callbacks is for types that nothing simpler makes.
        let best = found.first().map(|(difficulty, _)| *difficulty);
        found.retain(|(difficulty, _)| Some(*difficulty) == best);
        found.into_iter().map(|(_, (_, _, unit))| unit).collect()
    }

    /// The same for an object of which more is tried. What reads a text makes objects of all forms, so the best that does comes
    /// second: only a few are tried.
    pub(super) fn makers_of_all_forms(&mut self, kind: &Kind, file: FileId) -> Vec<usize> {
        let mut found = self.makers(kind, file);
        let reads = |unit: &usize| {
            let unit = self.unit(*unit);
            unit.params.iter().any(|param| self.is_text(param.ty))
                && hint(&unit.name, READERS) < READERS.len()
        };
        if let Some(at) = found.iter().position(reads).filter(|&at| at > 1) {
            found[1..=at].rotate_right(1);
        }
        found
    }

    /// Whether a type is a pointer to constant characters.
    fn is_text(&self, ty: TypeId) -> bool {
        let types = &self.program.types;
        types.get(ty).kind.pointee().is_some_and(|(to, is_const)| {
            is_const && types.get(to).size == 1 && types.get(to).name.contains("char")
        })
    }

    /// Functions that make an object of memory that they are given first.
    pub(super) fn initialisers(&mut self, kind: &Kind, file: FileId) -> Vec<usize> {
        let mut found = Vec::new();
        for &unit in self.callable(file).iter() {
            if self.initialises(unit).as_ref() == Some(kind) {
                let found_unit = self.unit(unit);
                found.push((found_unit.is_static, found_unit.params.len(), unit));
            }
        }
        found.sort_unstable();
        let is_static = found.first().is_some_and(|first| first.0);
        found.retain(|other| other.0 == is_static);
        found.into_iter().map(|(_, _, unit)| unit).collect()
    }

    /// What a function makes of memory that it is given first, by its name.
    pub(super) fn initialises(&mut self, unit: usize) -> Option<Kind> {
        let kind = self.could_initialise(unit)?;
        let found = self.unit(unit);
        if is_initialiser_name(&found.name) {
            return Some(kind);
        }
        let is_opener = words(&found.name).iter().any(|word| OPENERS.contains(&word.as_str()));
        let file = self.program.source_of(found);
        (is_opener && !found.is_static && !self.is_made_otherwise(&kind, file)).then_some(kind)
    }

    /// Whether public functions make objects of a kind, those aside that open them.
    fn is_made_otherwise(&mut self, kind: &Kind, file: FileId) -> bool {
        let is_initialiser = |library: &mut Library<'_>, unit: usize| {
            let found = library.unit(unit);
            !found.is_static
                && is_initialiser_name(&found.name)
                && library.could_initialise(unit).as_ref() == Some(kind)
        };
        !self.makers(kind, file).is_empty()
            || self.callable(file).iter().any(|&unit| is_initialiser(self, unit))
    }

    /// What a function can make of memory that it is given first, by its types.
    fn could_initialise(&mut self, unit: usize) -> Option<Kind> {
        let found = self.unit(unit);
        let first = found.params.first()?.ty;
        self.kinds.storage(first)?;
        let is_quiet = found.result.is_none_or(|result| !self.program.types.has_pointers(result));
        let kinds = self.param_kinds(unit);
        let kind = kinds.first().cloned().flatten()?;
        let is_alone = kinds[1..].iter().flatten().all(|other| *other != kind);
        let can = self.kinds.may_change(first) && is_quiet && is_alone;
        (can && !self.has_unusable_param(unit)).then_some(kind)
    }

    /// Functions that take an object first and may change it, those that build most first.
    pub(super) fn follow_ups(&mut self, kind: &Kind, file: FileId) -> Vec<usize> {
        let mut found = Vec::new();
        for &unit in self.callable(file).iter() {
            let kinds = self.param_kinds(unit);
            let takes = kinds.first().cloned().flatten().as_ref() == Some(kind);
            let name = &self.unit(unit).name;
            let is_usable = takes
                && self.kinds.may_change(self.unit(unit).params[0].ty)
                && !is_destructor_name(name)
                && !takes_away(name, &kinds)
                && self.initialises(unit).is_none()
                && !self.has_unusable_param(unit)
                && (!self.takes_functions(unit, 1) || hint(name, RUNNING) < RUNNING.len())
                && self.n_arrays_of_pointers(unit) == 0;
            if is_usable {
                let found_unit = self.unit(unit);
                let result = found_unit.result.and_then(|result| self.kinds.of(result));
                // What returns another object of its kind leads away from the one that is built.
                let leads_away = result.as_ref() == Some(kind);
                let step = (hint(name, STEPS), is_looking(name));
                let rank = (leads_away, step, found_unit.params.len(), unit);
                found.push((found_unit.is_static, rank));
            }
        }
        found.sort_unstable();
        let is_static = found.first().is_some_and(|first| first.0);
        found.retain(|other| other.0 == is_static);
        found.into_iter().map(|(_, (_, _, _, unit))| unit).collect()
    }

    /// Functions that may be called before another one so that it finds variables set, the likeliest first, and it itself last. Who
    /// keeps a callback, or an object without which nothing goes on, is not among them.
    pub(super) fn setters(&mut self, tested: usize, file: FileId) -> Vec<usize> {
        let mut found = Vec::new();
        for &unit in self.callable(file).iter() {
            let found_unit = self.unit(unit);
            let destroys = is_destructor_name(&found_unit.name) && !found_unit.params.is_empty();
            let is_usable = found_unit.list.is_none()
                && !destroys
                && !self.has_unusable_param(unit)
                && self.n_arrays_of_pointers(unit) == 0
                && !self.takes_functions(unit, 0);
            if is_usable {
                let rank = (hint(&found_unit.name, SETTERS), found_unit.params.len(), unit);
                found.push((unit == tested, found_unit.is_static, rank));
            }
        }
        found.sort_unstable();
        let has_public = found.iter().any(|&(is_tested, is_static, _)| !is_tested && !is_static);
        found.retain(|&(is_tested, is_static, _)| is_tested || !is_static || !has_public);
        found.into_iter().map(|(_, _, (_, _, unit))| unit).collect()
    }

    /// Whether a function is given callbacks, or structures that have some, but for its first parameters.
    fn takes_functions(&self, unit: usize, n_first: usize) -> bool {
        let mut params = self.unit(unit).params.iter().skip(n_first);
        params.any(|param| self.is_callback(param.ty) || self.leads_to_functions(param.ty))
    }

    /// Whether a parameter is a pointer to a structure with pointers to functions.
    fn leads_to_functions(&self, ty: TypeId) -> bool {
        let types = &self.program.types;
        let pointee = types.get(ty).kind.pointee();
        let Some(TypeKind::Struct { fields }) = pointee.map(|(to, _)| &types.get(to).kind) else {
            return false;
        };
        fields.iter().any(|field| {
            let to = types.get(field.ty).kind.pointee();
            to.is_some_and(|(to, _)| types.get(to).kind == TypeKind::Function)
        })
    }

    /// Whether a function is called like one that makes its object larger. `map_set` does, `csv_set_delim` does not.
    pub(super) fn is_building(&self, unit: usize) -> bool {
        let words = words(&self.unit(unit).name);
        let is_adding = |(i, word): (usize, &String)| {
            ADDING.contains(&word.as_str()) && (word != "set" || i + 1 == words.len())
        };
        words.iter().enumerate().any(is_adding)
    }

    /// Functions that give an object which is inside one of another kind, or of the same, those that only look first.
    pub(super) fn finders(&mut self, kind: &Kind, of: &Kind, file: FileId) -> Vec<usize> {
        let mut found = Vec::new();
        for &unit in self.callable(file).iter() {
            let Some(result) = self.unit(unit).result else { continue };
            let name = &self.unit(unit).name;
            let is_usable = self.kinds.of(result).as_ref() == Some(kind)
                && self.kinds.may_change(result)
                && self.param_kinds(unit).iter().flatten().eq([of])
                && !is_destructor_name(name)
                && !is_taking(name)
                && !words(name).iter().any(|word| REMOVING.contains(&word.as_str()))
                && !self.has_unusable_param(unit)
                && self.n_callbacks(unit) + self.n_arrays_of_pointers(unit) == 0;
            if is_usable {
                let found_unit = self.unit(unit);
                let rank = (hint(name, FINDERS), found_unit.params.len(), unit);
                found.push((found_unit.is_static, rank));
            }
        }
        found.sort_unstable();
        found.into_iter().map(|(_, (_, _, unit))| unit).collect()
    }

    /// Whether a parameter of a function may well be inside another object that the function is given: it is taken away
    /// from there, or only looked at, or of another kind and not added.
    pub(super) fn may_be_inside(&mut self, unit: usize, param: usize, of: &Kind) -> bool {
        let found = self.unit(unit);
        let ty = found.params[param].ty;
        let has = |list: &[&str]| hint(&found.name, list) < list.len();
        self.takes_away(unit)
            || !self.kinds.may_change(ty)
            || (self.kinds.of(ty).as_ref() != Some(of) && (!has(ADDING) || has(BESIDE)))
    }

    /// Whether a function takes an object away from another that it is given too.
    pub(super) fn takes_away(&mut self, unit: usize) -> bool {
        let kinds = self.param_kinds(unit);
        takes_away(&self.unit(unit).name, &kinds)
    }

    /// The function after which an object is gone.
    pub(super) fn destructor(&mut self, kind: &Kind, file: FileId) -> Option<usize> {
        let types = &self.program.types;
        let mut found: Vec<(bool, usize, usize)> = Vec::new();
        for &unit in self.callable(file).iter() {
            let takes = self.param_kinds(unit) == [Some(kind.clone())];
            let found_unit = self.unit(unit);
            let is_quiet = found_unit.result.is_none_or(|result| !types.has_pointers(result));
            if takes && is_quiet && is_destructor_name(&found_unit.name) {
                found.push((found_unit.is_static, found_unit.name.len(), unit));
            }
        }
        found.into_iter().min().map(|(_, _, unit)| unit)
    }

    /// Whether a parameter can be no input, and no object either.
    fn has_unusable_param(&mut self, unit: usize) -> bool {
        let params = &self.unit(unit).params;
        params.iter().any(|param| !self.is_usable(param.ty) && self.kinds.of(param.ty).is_none())
    }

    /// Whether a type can be an input.
    pub(super) fn is_usable(&self, ty: TypeId) -> bool {
        let types = &self.program.types;
        let is_known = |ty: TypeId| !matches!(types.get(ty).kind, TypeKind::Unsupported { .. });
        let pointee = types.get(ty).kind.pointee();
        is_known(ty) && pointee.is_none_or(|(to, _)| is_known(to))
    }

    /// Parameters that are pointers to pointers: what those point to would be objects that nobody made.
    fn n_arrays_of_pointers(&self, unit: usize) -> usize {
        let types = &self.program.types;
        let is_one = |ty: TypeId| {
            let pointee = types.get(ty).kind.pointee();
            pointee.is_some_and(|(to, _)| types.get(to).kind.pointee().is_some())
        };
        self.unit(unit).params.iter().filter(|param| is_one(param.ty)).count()
    }

    fn n_callbacks(&self, unit: usize) -> usize {
        self.unit(unit).params.iter().filter(|param| self.is_callback(param.ty)).count()
    }

    fn is_callback(&self, ty: TypeId) -> bool {
        let types = &self.program.types;
        let pointee = types.get(ty).kind.pointee();
        pointee.is_some_and(|(to, _)| types.get(to).kind == TypeKind::Function)
    }
}

/// Whether a function is called like one that makes an object of memory that is there.
fn is_initialiser_name(name: &str) -> bool {
    let is_one = |word: &String| {
        let is_init = word.starts_with("init") || word.ends_with("init");
        (is_init && !word.contains("deinit")) || INITIALISERS.contains(&word.as_str())
    };
    words(name).iter().any(is_one)
}

/// Whether a function is called like one after which an object is gone.
pub(super) fn is_destructor_name(name: &str) -> bool {
    let words = words(name);
    let is_one = |word: &String| {
        DESTRUCTORS.contains(&word.as_str())
            || DESTRUCTORS_WITHIN.iter().any(|within| word.contains(within))
    };
    words.iter().any(is_one)
}

/// Whether a function takes an object away from another: a new one was never there.
fn takes_away(name: &str, kinds: &[Option<Kind>]) -> bool {
    is_taking(name) && kinds.iter().flatten().count() > 1
}

fn is_looking(name: &str) -> bool {
    words(name).iter().any(|word| LOOKING.contains(&word.as_str()))
}

fn is_taking(name: &str) -> bool {
    words(name).iter().any(|word| TAKING.contains(&word.as_str()))
}

/// Where the first word of a list is that a name has; names without any come last. A word may be part of a longer one
/// (`sdscat`, `parseHex`), but who does something is not what is done: `parser_pause` parses nothing.
fn hint(name: &str, list: &[&str]) -> usize {
    let words = words(name);
    let is_word = |hint: &&str| words.iter().any(|word| word == hint);
    let is_part = |hint: &&str| {
        let is_agent =
            |word: &str| ["r", "er"].iter().any(|end| word.strip_suffix(end) == Some(hint));
        let has = |word: &String| word.starts_with(*hint) || word.ends_with(*hint);
        words.iter().any(|word| has(word) && !is_agent(word))
    };
    let found = list.iter().position(is_word).or_else(|| list.iter().position(is_part));
    found.unwrap_or(list.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_what_destroys_and_what_comes_first() {
        for name in ["list_destroy", "sdsfree", "cJSON_Delete", "freeReplyObject", "db_close"] {
            assert!(is_destructor_name(name), "{name}");
        }
        for name in ["list_remove", "terminal_open", "delta_add", "closest"] {
            assert!(!is_destructor_name(name), "{name}");
        }
        assert!(hint("list_push", STEPS) < hint("list_pop", STEPS));
        assert!(hint("cJSON_CreateArray", MAKERS) < hint("cJSON_Parse", MAKERS));
        assert_eq!(hint("frobnicate", STEPS), STEPS.len());
        assert_eq!(hint("http_parser_pause", STEPS), STEPS.len());
        assert_eq!(hint("sdscat", STEPS), hint("sds_cat", STEPS));
        assert!(hint("offset_add", STEPS) < hint("offset_at", STEPS));
        assert!(is_looking("bignum_to_int") && is_looking("bignum_is_zero"));
        assert!(!is_looking("bignum_from_int") && !is_looking("total_add"));
    }
}
