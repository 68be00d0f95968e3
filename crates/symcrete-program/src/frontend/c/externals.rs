//! Room for variables that the files declare and nobody defines.
//!
//! The linker puts such a variable at address 0, where touching it looks like a null pointer. So it gets room of its own
//! that counts only if no file and no library defines it. Nobody knows what is in it: its bytes are marked like those of
//! a variable that was not written.

use super::ir::split;
use super::type_sizes::TypeSizes;
use super::uninitialized;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Variables by name, and how many bytes they have.
pub(super) type Externals = BTreeMap<String, u32>;

/// What an array has whose length no declaration says.
const OPEN_BYTES: u32 = 256;
/// Variables of the C library, which is there in any case.
const OF_LIBRARY: &[&str] = &[
    "stdin", "stdout", "stderr", "environ", "optarg", "optind", "opterr", "optopt", "signgam",
    "timezone", "daylight", "tzname",
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

/// LLVM's text of a file that has room for them.
pub(super) fn room(externals: &Externals) -> String {
    let mut text = String::from("target triple = \"wasm32-unknown-wasi\"\n");
    let mut marks = String::new();
    for (name, size) in externals {
        let room = format!("@__symcrete_room_{name}");
        let _ = writeln!(text, "{room} = internal global [{size} x i8] zeroinitializer, align 16");
        let _ = writeln!(text, "@{name} = weak alias [{size} x i8], ptr {room}");
        let _ = writeln!(marks, "  call void @__symcrete_unwritten(ptr {room}, i32 {size})");
    }
    let unwritten = uninitialized::unwritten();
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
        assert!(room(&found).contains("@limit = weak alias [4 x i8], ptr @__symcrete_room_limit"));
    }
}
