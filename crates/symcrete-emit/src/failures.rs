//! What this machine's sanitizers said when a program that shows a failure was run.

use std::fmt::Write as _;
use std::path::Path;

/// What became of a program that should show a failure.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Shown {
    /// It failed here too.
    Seen(Sighting),
    /// It ended as if nothing had happened.
    Nothing,
    /// It does not compile: what the compiler says.
    NotCompiled(String),
    /// It was not run to its end, and why.
    NotRun(String),
}

/// A failure as this machine saw it.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Sighting {
    /// What happened: `heap-buffer-overflow at list.c:12 in push`.
    pub what: String,
    /// Whether an address that belongs to nothing was used.
    pub is_wild: bool,
    /// Whether something was freed that cannot be.
    pub is_free: bool,
    /// Whether something was written.
    pub is_write: bool,
    /// The object that an access left, or that was freed.
    pub object: Option<Object>,
}

/// An object that an access left.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Object {
    /// Its name; allocated memory has none.
    pub name: Option<String>,
    /// Its size in bytes.
    pub bytes: u64,
    /// Whether it is a variable of the program that shows the failure, and so an input.
    pub is_input: bool,
}

/// A program that shows a failure.
#[derive(Clone, Copy, Debug)]
pub struct ProgramText<'a> {
    /// Where it is.
    pub path: &'a Path,
    /// Its text.
    pub text: &'a str,
}

impl ProgramText<'_> {
    /// Whether a line of a report is about the program, not about what it includes.
    fn is_in(&self, line: &str) -> bool {
        let name = self.path.file_name().and_then(|name| name.to_str());
        name.is_some_and(|name| line.contains(name))
    }

    /// The variable that is set to allocated memory at a place, `bugs/f_line_4.c:15:18`.
    fn allocated(&self, place: &str) -> Option<String> {
        let line: usize = place.rsplit('/').next()?.split(':').nth(1)?.parse().ok()?;
        let (declared, _) =
            self.text.lines().nth(line.checked_sub(1)?)?.split_once(" = calloc(")?;
        let name = declared.trim_end_matches(')').rsplit(['*', ' ']).next()?;
        Some(name.to_string())
    }

    /// Whether the program declares a variable in a line.
    fn declares(&self, name: &str, line: Option<usize>) -> bool {
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let text = line.and_then(|line| self.text.lines().nth(line.checked_sub(1)?));
        text.is_some_and(|text| text.split(|c| !is_part(c)).any(|word| word == name))
    }
}

/// Reads what a program printed that was compiled with sanitizers; `None` if they complained about nothing.
pub fn sighting(output: &str, program: ProgramText<'_>) -> Option<Sighting> {
    let error = output.lines().find_map(|line| line.split_once("ERROR: AddressSanitizer: "));
    let Some((_, error)) = error else {
        let undefined = || output.lines().find_map(undefined_behaviour);
        return uninitialized(output).or_else(|| leak(output)).or_else(undefined);
    };
    let summary = output.lines().find_map(|line| line.strip_prefix("SUMMARY: AddressSanitizer: "));
    // `attempting double-free on …` has its name in the summary.
    let kind = summary.unwrap_or(error).split_whitespace().next().unwrap_or_default();
    let mut what = kind.to_string();
    if let Some((function, place)) = output.lines().find_map(frame) {
        let _ = write!(what, " at {} in {function}", short(place));
    }
    let mut freed = output.lines().skip_while(|line| !line.starts_with("freed by thread"));
    if let Some((_, place)) = freed.find_map(frame) {
        let _ = write!(what, ", freed at {}", short(place));
    }
    let object = frame_object(output, program)
        .or_else(|| output.lines().find_map(|line| global_object(line, program)))
        .or_else(|| heap_object(output, program));
    let (is_wild, is_free) = (kind == "SEGV", kind == "bad-free");
    let is_write = output.lines().any(|line| line.starts_with("WRITE of size "));
    Some(Sighting { what, is_wild, is_free, is_write, object })
}

/// What MemorySanitizer calls a branch that depends on an uninitialised value.
pub const UNINITIALIZED: &str = "use-of-uninitialized-value";

/// `==9==WARNING: MemorySanitizer: use-of-uninitialized-value`, and then where.
fn uninitialized(output: &str) -> Option<Sighting> {
    let is_it = |line: &&str| line.contains("MemorySanitizer: use-of-uninitialized-value");
    output.lines().find(is_it)?;
    let mut what = UNINITIALIZED.to_string();
    if let Some((function, place)) = output.lines().find_map(frame) {
        let _ = write!(what, " at {} in {function}", short(place));
    }
    Some(Sighting { what, ..Sighting::default() })
}

/// `SUMMARY: AddressSanitizer: 32 byte(s) leaked in 1 allocation(s).`
fn leak(output: &str) -> Option<Sighting> {
    let is_leak = output.lines().any(|line| line.contains("ERROR: LeakSanitizer: detected"));
    let summary = output.lines().find_map(|line| line.strip_prefix("SUMMARY: AddressSanitizer: "));
    let what = summary.unwrap_or("memory leaked").trim_end_matches('.').to_string();
    is_leak.then(|| Sighting { what, ..Sighting::default() })
}

/// `list.c:12:5: runtime error: division by zero`.
fn undefined_behaviour(line: &str) -> Option<Sighting> {
    let (place, what) = line.split_once(": runtime error: ")?;
    let is_wild = what.contains("null pointer") || what.contains("misaligned address");
    let what = format!("{what} at {}", short(place));
    Some(Sighting { what, is_wild, ..Sighting::default() })
}

/// A variable on the stack: the frame's function comes first, then its variables, one of which is marked.
///
/// ```text
/// … is located in stack of thread T0 at offset 40 in frame
///     #0 0x55e in main bugs/f_line_4.c:15
///   This frame has 1 object(s):
///     [32, 40) 'buf' (line 17) <== Memory access at offset 40 overflows this variable
/// ```
///
/// A long access that runs over the gap into the next variable is said to underflow that one. It has left the variable that
/// ends where it begins.
fn frame_object(output: &str, program: ProgramText<'_>) -> Option<Object> {
    let mut lines =
        output.lines().skip_while(|line| !line.contains("is located in stack of thread"));
    let (_, offset) = lines.next()?.rsplit_once("at offset ")?;
    let offset = offset.split_whitespace().next();
    let frame = lines.next()?;
    let variables: Vec<FrameVariable<'_>> = lines.filter_map(FrameVariable::read).collect();
    let ends_there = |variable: &&FrameVariable<'_>| Some(variable.end) == offset;
    let is_marked = |variable: &&FrameVariable<'_>| variable.rest.contains("<== Memory access");
    let marked = || variables.iter().find(is_marked);
    let FrameVariable { start, end, name, rest } =
        variables.iter().find(ends_there).or_else(marked)?;
    let bytes = end.parse::<u64>().ok()?.checked_sub(start.parse().ok()?)?;
    let line = rest.trim().strip_prefix("(line ").and_then(|rest| rest.split(')').next());
    // A machine that is short of processes cannot say whose frame it is.
    let is_input = match frame.contains(" in ") {
        true => program.is_in(frame),
        false => program.declares(name, line.and_then(|line| line.parse().ok())),
    };
    Some(Object { name: Some(name.to_string()), bytes, is_input })
}

/// A variable of a frame: `[32, 40) 'buf' (line 17) <== Memory access at offset 40 overflows this variable`.
struct FrameVariable<'a> {
    start: &'a str,
    end: &'a str,
    name: &'a str,
    rest: &'a str,
}

impl FrameVariable<'_> {
    fn read(line: &str) -> Option<FrameVariable<'_>> {
        let (range, rest) = line.trim().strip_prefix('[')?.split_once(") '")?;
        let ((start, end), (name, rest)) = (range.split_once(", ")?, rest.split_once('\'')?);
        Some(FrameVariable { start, end, name, rest })
    }
}

/// `… is located 0 bytes after global variable 'table' defined in 'list.c:54' (0x55) of size 12`.
fn global_object(line: &str, program: ProgramText<'_>) -> Option<Object> {
    let (_, rest) = line.split_once("global variable '")?;
    let (name, rest) = rest.split_once("' defined in '")?;
    let (file, rest) = rest.split_once('\'')?;
    let bytes = rest.rsplit_once("of size ")?.1.trim().parse().ok()?;
    let is_input = program.is_in(file);
    Some(Object { name: Some(name.to_string()), bytes, is_input })
}

/// Allocated memory: `0x60 is located 0 bytes after 8-byte region [0x60,0x68)`. What was left and the program itself has
/// allocated, since the function under test frees it, is an input.
fn heap_object(output: &str, program: ProgramText<'_>) -> Option<Object> {
    let before = output.lines().find_map(|line| Some(line.split_once("-byte region [")?.0))?;
    let bytes = before.rsplit(' ').next()?.parse().ok()?;
    let mut allocation = output.lines().skip_while(|line| !line.contains("allocated by thread"));
    let place = allocation.find_map(frame).map(|(_, place)| place);
    let place = place.filter(|place| program.is_in(place) && !before.contains(" inside of "));
    let name = place.and_then(|place| program.allocated(place));
    Some(Object { is_input: name.is_some(), name, bytes })
}

fn has_line(place: &str) -> bool {
    place.rsplit(':').next().is_some_and(|number| number.parse::<u32>().is_ok())
}

/// The function and the place of a line of a stack trace: `#1 0x55eb in push /home/me/list.c:12:5`. Functions of the sanitizer
/// have no place.
fn frame(line: &str) -> Option<(&str, &str)> {
    let (_, rest) = line.trim_start().strip_prefix('#')?.split_once(" in ")?;
    let (function, place) = rest.split_once(' ')?;
    // Bad frees name the function of the sanitizer first, and the C library may say where its own are; the user's is below.
    let is_library = ["asan_", "sysdeps/"].iter().any(|part| place.contains(part));
    (has_line(place) && !is_library).then_some((function, place))
}

/// `list.c:12` of `/home/me/list.c:12:5`.
fn short(place: &str) -> String {
    let name = place.rsplit('/').next().unwrap_or(place);
    let mut parts = name.splitn(3, ':');
    match (parts.next(), parts.next()) {
        (Some(file), Some(line)) => format!("{file}:{line}"),
        _ => name.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STACK: &str = "\
=================================================================
==9==ERROR: AddressSanitizer: stack-buffer-overflow on address 0x7f84 at pc 0x55eb bp 0x7ffe sp 0x7ffe
READ of size 1 at 0x7f84 thread T0
    #0 0x55eb in next /home/me/parse.c:24:14
    #1 0x55eb in main /home/me/out/bugs/parse_line_24.c:22:11

Address 0x7f84 is located in stack of thread T0 at offset 34 in frame
    #0 0x55eb in main /home/me/out/bugs/parse_line_24.c:16

  This frame has 2 object(s):
    [16, 20) 'n' (line 16)
    [32, 34) 'text' (line 17) <== Memory access at offset 34 overflows this variable
SUMMARY: AddressSanitizer: stack-buffer-overflow /home/me/parse.c:24:14 in next
";

    /// What is not from `malloc` is freed.
    const BAD_FREE: &str = "\
==9==ERROR: AddressSanitizer: attempting free on address which was not malloc()-ed: 0x7f84 in thread T0
    #0 0x55eb in free /build/compiler-rt/lib/asan/asan_malloc_linux.cpp:52:3
    #1 0x55eb in release /home/me/parse.c:9:5

Address 0x7f84 is located in stack of thread T0 at offset 32 in frame
    #0 0x55eb in main /home/me/out/bugs/release_line_9.c:16

  This frame has 1 object(s):
    [32, 56) 'n' (line 17) <== Memory access at offset 32 is inside this variable
SUMMARY: AddressSanitizer: bad-free /build/compiler-rt/lib/asan/asan_malloc_linux.cpp:52:3 in free
";

    #[test]
    fn frees_of_what_was_not_allocated_have_a_name_and_an_object() {
        let seen = sighting(BAD_FREE, program("release_line_9.c")).expect("it is one");
        assert_eq!(seen.what, "bad-free at parse.c:9 in release");
        let object = Object { name: Some("n".to_string()), bytes: 24, is_input: true };
        assert_eq!((seen.object, seen.is_wild), (Some(object), false));
    }

    fn program(file: &str) -> ProgramText<'_> {
        ProgramText { path: Path::new(file), text: "int main(void)\n    char text[2] = {1, 2};\n" }
    }

    #[test]
    fn a_frame_without_a_function_is_known_by_its_variable() {
        let frame = "==9==ERROR: AddressSanitizer: stack-buffer-overflow on address 0x7f84\n\
            Address 0x7f84 is located in stack of thread T0 at offset 34 in frame\n\
            \x20   #0 0x55eb  (/tmp/a.out+0x4)\n\
            \x20   [32, 34) 'text' (line LINE) <== Memory access at offset 34 overflows this variable\n";
        for (line, is_input) in [("2", true), ("1", false), ("9", false)] {
            let seen = sighting(&frame.replace("LINE", line), program("x.c"));
            let object = seen.and_then(|seen| seen.object).expect("an object");
            assert_eq!(object.is_input, is_input, "line {line}");
        }
    }

    #[test]
    fn inputs_are_told_from_what_the_function_has_itself() {
        let seen = |file: &str| sighting(STACK, program(file)).expect("it complains");
        let input = seen("out/bugs/parse_line_24.c");
        assert_eq!(input.what, "stack-buffer-overflow at parse.c:24 in next");
        let text = Object { name: Some("text".to_string()), bytes: 2, is_input: true };
        assert_eq!(input.object, Some(text.clone()));
        let own = Object { is_input: false, ..text };
        assert_eq!(seen("out/bugs/other_line_24.c").object, Some(own));
    }

    #[test]
    fn variables_and_allocated_memory_are_objects() {
        let global = "==9==ERROR: AddressSanitizer: global-buffer-overflow on address 0x55\n\
            0x55 is located 0 bytes after global variable 'table' defined in '/a/list.c:54' (0x50) of size 12\n\
            SUMMARY: AddressSanitizer: global-buffer-overflow /a/list.c:57:32 in get\n";
        let object = sighting(global, program("x.c")).and_then(|seen| seen.object);
        assert_eq!(
            object,
            Some(Object { name: Some("table".to_string()), bytes: 12, is_input: false })
        );
        let heap = "==9==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x60\n\
            0x6020 is located 0 bytes after 8-byte region [0x6010,0x6018)\n\
            SUMMARY: AddressSanitizer: heap-buffer-overflow (/tmp/a.out+0x4) (BuildId: 17) in f\n";
        let seen = sighting(heap, program("x.c")).expect("it complains");
        assert_eq!(seen.object, Some(Object { name: None, bytes: 8, is_input: false }));
        assert_eq!(seen.what, "heap-buffer-overflow");
    }

    #[test]
    fn a_long_access_has_left_the_variable_that_it_began_behind() {
        let frame = "==9==ERROR: AddressSanitizer: stack-buffer-overflow on address 0x7f84\n\
            Address 0x7f84 is located in stack of thread T0 at offset 41 in frame\n\
            \x20   #0 0x55eb in main /home/me/out/bugs/x.c:16\n\n\
            \x20 This frame has 2 object(s):\n\
            \x20   [32, 41) 'text' (line 18)\n\
            \x20   [64, 73) 'other' <== Memory access at offset 41 partially underflows this variable\n";
        let object = sighting(frame, program("x.c")).and_then(|seen| seen.object);
        let text = Object { name: Some("text".to_string()), bytes: 9, is_input: true };
        assert_eq!(object, Some(text));
    }

    #[test]
    fn what_the_program_has_allocated_is_an_input() {
        let text = "int main(void)\n{\n    char *text = calloc(8, sizeof *text);\n";
        let program = ProgramText { path: Path::new("out/bugs/x.c"), text };
        let said = |where_to: &str, file: &str| {
            let heap = format!(
                "==9==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x60\n\
                0x6020 is located 0 bytes {where_to} 8-byte region [0x6010,0x6018)\n\
                allocated by thread T0 here:\n\
                \x20   #0 0x55 in calloc (/tmp/a.out+0x4) (BuildId: 17)\n\
                \x20   #1 0x55 in f {file}:3:18\n"
            );
            sighting(&heap, program).and_then(|seen| seen.object).expect("an object")
        };
        let input = Object { name: Some("text".to_string()), bytes: 8, is_input: true };
        let own = Object { name: None, bytes: 8, is_input: false };
        assert_eq!(said("after", "/home/me/out/bugs/x.c"), input);
        assert_eq!(said("after", "/home/me/list.c"), own);
        assert_eq!(said("inside of", "/home/me/out/bugs/x.c"), own, "used after it was freed");
    }

    #[test]
    fn what_was_freed_says_where() {
        let freed = "==9==ERROR: AddressSanitizer: attempting double-free on 0x60 in thread T0:\n\
            \x20   #0 0x55 in free (/tmp/a.out+0x4) (BuildId: 17)\n\
            \x20   #1 0x55 in drop /a/list.c:74:5\n\
            freed by thread T0 here:\n\
            \x20   #0 0x55 in free (/tmp/a.out+0x4) (BuildId: 17)\n\
            \x20   #1 0x55 in drop /a/list.c:73:5\n\
            SUMMARY: AddressSanitizer: double-free (/tmp/a.out+0x4) (BuildId: 17) in free\n";
        let seen = sighting(freed, program("x.c")).expect("it complains");
        assert_eq!(seen.what, "double-free at list.c:74 in drop, freed at list.c:73");
        let leak = "==9==ERROR: LeakSanitizer: detected memory leaks\n\
            SUMMARY: AddressSanitizer: 10 byte(s) leaked in 1 allocation(s).\n";
        let seen = sighting(leak, program("x.c")).expect("it complains");
        assert_eq!(seen.what, "10 byte(s) leaked in 1 allocation(s)");
    }

    #[test]
    fn values_that_nobody_has_written_say_where_they_are_used() {
        let output = "==9==WARNING: MemorySanitizer: use-of-uninitialized-value\n\
            \x20   #0 0x55 in get /a/list.c:57:32\n\
            SUMMARY: MemorySanitizer: use-of-uninitialized-value /a/list.c:57:32 in get\n";
        let seen = sighting(output, program("x.c")).expect("it complains");
        assert_eq!(seen.what, "use-of-uninitialized-value at list.c:57 in get");
    }

    #[test]
    fn undefined_behaviour_counts_and_silence_does_not() {
        let line = "/a/b.c:7:9: runtime error: division by zero\n";
        let seen = sighting(line, program("x.c")).expect("it complains");
        assert_eq!((seen.what.as_str(), seen.is_wild), ("division by zero at b.c:7", false));
        let null = "b.c:7:9: runtime error: load of null pointer of type 'int'\n";
        assert!(sighting(null, program("x.c")).is_some_and(|seen| seen.is_wild));
        assert_eq!(sighting("all is well\n", program("x.c")), None);
    }
}
