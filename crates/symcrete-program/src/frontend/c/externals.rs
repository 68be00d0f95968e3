//! Room for variables that the files declare and nobody defines.
//!
//! Such a variable is an input: somebody else sets it. Only the compiler knows its type, so the file that declares it is
//! compiled once more, with a definition behind its last line ([`definitions`]). Where that is not possible (a constant,
//! a type that is not complete, a declaration inside of a function) it gets room of its own, which counts only if no file
//! and no library defines it: the linker would put it at address 0, where touching it looks like a null pointer. Nobody
//! knows what is in it, so its bytes are marked like those of a variable that was not written.

use super::ir::split;
use super::machine;
use super::type_sizes::TypeSizes;
use super::uninitialized;
use crate::data_model::DataModel;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// Variables by name, and how many bytes they have.
pub(super) type Externals = BTreeMap<String, u32>;

/// What an array has whose length no declaration says.
const OPEN_BYTES: u32 = 256;
/// Variables of the C library, which is there in any case.
const OF_LIBRARY: &[&str] = &[
    "stdin",
    "stdout",
    "stderr",
    "environ",
    "errno",
    "optarg",
    "optind",
    "opterr",
    "optopt",
    "signgam",
    "timezone",
    "daylight",
    "tzname",
    "in6addr_any",
    "in6addr_loopback",
];

/// The variables that a file declares and does not define.
pub(super) fn declared(text: &str) -> Externals {
    let sizes = TypeSizes::of(text);
    let variable = |line: &str| {
        let (name, rest) = line.strip_prefix('@')?.split_once(" = external ")?;
        // Names with two underscores are the linker's and ours.
        let is_other = name.starts_with("__") || OF_LIBRARY.contains(&name);
        if is_other || name.starts_with(['"', '.']) || rest.contains("thread_local") {
            return None;
        }
        let ty = ["global ", "constant "].iter().find_map(|word| rest.split_once(word))?.1;
        let size = sizes.size(split(ty)[0]).filter(|&size| size > 0);
        Some((name.to_owned(), size.unwrap_or(OPEN_BYTES)))
    };
    text.lines().filter_map(variable).collect()
}

/// Where definitions are that we have added, as debug information names it.
pub(crate) const FILE: &str = "symcrete-externals";

/// What a constant is called in debug information that tests have to define: its name behind this.
pub(crate) const CONSTANT: &str = "__symcrete_constant_";

/// Variables by name, and how they can be defined.
pub(super) type Definable = BTreeMap<String, External>;

/// How a variable is declared that nobody defines.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct External {
    /// Whether it is an array without a length.
    is_open: bool,
    /// Whether no test can set it.
    is_constant: bool,
}

/// The variables among those that a file declares for which it can be given a definition.
pub(super) fn definable(text: &str) -> Definable {
    let variable = |line: &str| {
        let (name, rest) = line.strip_prefix('@')?.split_once(" = external ")?;
        let of = |word| rest.split_once(word).map(|(_, ty)| (ty, word == "constant "));
        let (ty, is_constant) = of("global ").or_else(|| of("constant "))?;
        Some((name.to_owned(), External { is_open: ty.starts_with("[0 x "), is_constant }))
    };
    let known = declared(text);
    text.lines().filter_map(variable).filter(|(name, _)| known.contains_key(name)).collect()
}

/// What each file shall define: variables that none defines, in the first file that declares them.
pub(super) fn missing<'a>(
    files: impl IntoIterator<Item = (&'a Definable, &'a BTreeSet<String>)> + Clone,
) -> Vec<Definable> {
    let mut known: BTreeSet<&str> = BTreeSet::new();
    for (_, defined) in files.clone() {
        known.extend(defined.iter().map(String::as_str));
    }
    let of_file = |(declared, _): (&'a Definable, &'a BTreeSet<String>)| {
        let new = declared.iter().filter(|(name, _)| known.insert(name.as_str()));
        new.map(|(name, external)| (name.clone(), *external)).collect()
    };
    files.into_iter().map(of_file).collect()
}

/// The variables that a file defines.
pub(super) fn defined(text: &str) -> BTreeSet<String> {
    let variable = |line: &str| {
        let (name, rest) = line.strip_prefix('@')?.split_once(" = ")?;
        let is_other =
            ["external ", "private ", "internal "].iter().any(|kind| rest.starts_with(kind));
        (!is_other).then(|| name.to_owned())
    };
    text.lines().filter_map(variable).collect()
}

/// What is put behind a file's last line so that it defines variables that it declares. An array without a length gets
/// room for some bytes. Of a constant there is only a mark: what it holds stays unknown.
pub(super) fn definitions(names: &Definable) -> String {
    let mut text = format!("\n#line 1 \"{FILE}\"\n");
    for (name, External { is_open, is_constant }) in names {
        let _ = match is_open {
            // What has no size here has none in a test.
            _ if *is_constant => {
                let element = if *is_open { "[0]" } else { "" };
                let n = 1 + u32::from(*is_open);
                writeln!(
                    text,
                    "__attribute__((used)) char {CONSTANT}{name}[sizeof({name}{element}) ? {n} : -1];"
                )
            }
            true => writeln!(
                text,
                "__typeof__({name}[0]) {name}[sizeof {name}[0] < {OPEN_BYTES} ? {OPEN_BYTES} / sizeof {name}[0] : 1];"
            ),
            false => writeln!(text, "__typeof__({name}) {name};"),
        };
    }
    text
}

/// LLVM's text of a file that has room for them.
pub(super) fn room(externals: &Externals, model: DataModel) -> String {
    let mut text = format!("target triple = \"{}\"\n", machine::triple(model));
    let word = machine::word(model);
    let mut marks = String::new();
    for (name, size) in externals {
        let room = format!("@__symcrete_room_{name}");
        let _ = writeln!(text, "{room} = internal global [{size} x i8] zeroinitializer, align 16");
        let _ = writeln!(text, "@{name} = weak alias [{size} x i8], ptr {room}");
        let _ = writeln!(marks, "  call void @__symcrete_unwritten(ptr {room}, {word} {size})");
    }
    let unwritten = uninitialized::unwritten(model);
    let _ = write!(
        text,
        "define internal void @__symcrete_unwritten_rooms() {{\n{marks}  ret void\n}}\n\
         {unwritten}\n\
         @llvm.global_ctors = appending global [1 x {{ i32, ptr, ptr }}] \
         [{{ i32, ptr, ptr }} {{ i32 101, ptr @__symcrete_unwritten_rooms, ptr null }}]\n"
    );
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_without_a_definition_are_found() {
        let text = "%struct.s = type { i8, i32 }\n\
                    @limit = external global i32, align 4\n\
                    @point = external constant %struct.s, align 4, !dbg !3\n\
                    @list = external global [0 x i32], align 4\n\
                    @stdout = external global ptr, align 4\n\
                    @errno = external thread_local global i32, align 4\n\
                    @__heap_base = external global i8\n\
                    @own = global i32 0, align 4\n";
        let found = declared(text);
        let expected = [("limit", 4), ("list", OPEN_BYTES), ("point", 8)];
        assert!(found.iter().map(|(name, &size)| (name.as_str(), size)).eq(expected));
        let text_of_room = room(&found, DataModel::Ilp32);
        assert!(text_of_room.contains("@limit = weak alias [4 x i8], ptr @__symcrete_room_limit"));
        // A constant cannot be set by a test.
        let definable = definable(text);
        assert!(definable.keys().eq(["limit", "list", "point"]), "{definable:?}");
        let added = definitions(&definable);
        assert!(added.contains("__typeof__(limit) limit;"), "{added}");
        assert!(added.contains("__symcrete_constant_point[sizeof(point) ? 1 : -1];"), "{added}");
        let other = BTreeSet::from(["limit".to_owned()]);
        let missing = missing([(&definable, &defined(text)), (&definable, &other)]);
        let found = |i: usize| missing[i].keys().map(String::as_str);
        assert!(found(0).eq(["list", "point"]) && missing[1].is_empty(), "{missing:?}");
        assert!(definitions(&missing[0]).contains("__typeof__(list[0]) list["));
    }
}
