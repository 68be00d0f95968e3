//! Which calls of a program can end by a jump: what is called returns because somebody left it.

use super::super::calls::{Call, Callee};
use super::super::ir;
use super::super::locals::global_names;
use super::{LEAVING, SETTING};
use std::collections::{BTreeMap, BTreeSet};

/// Functions of the C library that call nothing of the program's. Any other function that no file defines may.
const QUIET: &str = "abort abs access acos acosf asin asinf assert atan atan2 atan2f atanf atof atoi atol atoll calloc cbrt \
    ceil ceilf clearerr clock close copysign cos cosf cosh creat difftime div erf exit exp exp2 expf fabs fabsf fclose \
    feof ferror fflush fgetc fgets fileno floor floorf fmax fmin fmod fmodf fopen fprintf fputc fputs fread free freopen \
    frexp fscanf fseek fseeko fstat ftell ftello fwrite getc getchar getenv gettimeofday gmtime gmtime_r hypot isalnum \
    isalpha isatty isblank iscntrl isdigit isgraph islower isprint ispunct isspace isupper isxdigit labs ldexp llabs \
    llround localeconv localtime localtime_r log log10 log1p log2 logf lround lrint lseek malloc memccpy memchr memcmp \
    memcpy memmem memmove mempcpy memrchr memset mktime modf nan open perror pow powf printf putc putchar puts rand \
    read realloc reallocarray remove rename rewind rint round roundf scanf setbuf setlocale setvbuf sin sinf sinh \
    snprintf sprintf sqrt sqrtf srand sscanf stat stpcpy stpncpy strcasecmp strcasestr strcat strchr strchrnul strcmp \
    strcoll strcpy strcspn strdup strerror strftime strlen strncasecmp strncat strncmp strncpy strndup strnlen strpbrk \
    strrchr strsep strspn strstr strtod strtof strtok strtok_r strtol strtold strtoll strtoul strtoull strxfrm tan tanf \
    tanh time tmpfile tmpnam tolower toupper trunc truncf ungetc unlink va_copy vfprintf vprintf vsnprintf vsprintf \
    write __assert_fail __errno_location __ctype_get_mb_cur_max";
/// Streams that are the program's own functions: with them even `printf` may call anything.
const OWN_STREAMS: &[&str] = &["@fopencookie", "@funopen"];
/// Functions of ours, some of which stand for one of the library's or the program's.
const OURS: &str = "__symcrete_";

/// What one file says.
struct File<'a> {
    /// The functions that it defines, and which of them only it sees.
    defined: BTreeMap<&'a str, Calls<'a>>,
    internal: BTreeSet<&'a str>,
    /// What is used in other ways than by a call.
    taken: BTreeSet<&'a str>,
}

/// What a function calls.
#[derive(Default)]
struct Calls<'a> {
    functions: BTreeSet<&'a str>,
    has_pointers: bool,
}

/// A function of the program: its name, and the file that has it for itself.
type Key = (Option<usize>, String);

/// What a name means in a file.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Meaning {
    Own(Key),
    /// `longjmp` and its like.
    Leaving,
    /// It never calls what is the program's.
    Quiet,
    /// Somebody else's, who may call what the program has pointers to.
    Other,
}

/// What is known of a program in which somebody jumps.
pub(in super::super) struct Plan {
    defined: BTreeSet<Key>,
    /// Functions that may be left by a jump.
    left: BTreeSet<Key>,
    /// Functions that have pointers to them.
    taken: BTreeSet<Key>,
    /// Whether one of them may be left.
    pointers_leave: bool,
    /// Whether somebody who is not edited may call them.
    has_others: bool,
    has_own_streams: bool,
}

impl Plan {
    /// The plan for a program's files; `None` if nobody jumps.
    pub(in super::super) fn of(texts: &[&str]) -> Option<Plan> {
        let words = SETTING.iter().chain(LEAVING);
        let is_declared = |text: &&str| {
            let declared = text.lines().filter(|line| line.starts_with("declare "));
            let mut declared = declared.filter_map(ir::name_of);
            declared.any(|name| words.clone().any(|word| name == *word))
        };
        if !texts.iter().any(is_declared) {
            return None;
        }
        let files: Vec<File<'_>> = texts.iter().map(|text| File::read(text)).collect();
        let own = |i: usize, name: &&str| key(files[i].internal.contains(name).then_some(i), name);
        let each = files.iter().enumerate();
        let defined =
            each.clone().flat_map(|(i, file)| file.defined.keys().map(move |n| own(i, n)));
        let has_own_streams = texts.iter().any(|text| OWN_STREAMS.iter().any(|n| text.contains(n)));
        let mut plan = Plan {
            defined: defined.collect(),
            left: BTreeSet::new(),
            taken: BTreeSet::new(),
            pointers_leave: false,
            has_others: false,
            has_own_streams,
        };
        for (i, file) in each.clone() {
            for name in &file.taken {
                match plan.meaning(i, name) {
                    Meaning::Own(key) => {
                        plan.taken.insert(key);
                    }
                    Meaning::Leaving => plan.pointers_leave = true,
                    Meaning::Quiet | Meaning::Other => {}
                }
            }
        }
        let functions: Vec<(Key, bool, BTreeSet<Meaning>)> = each
            .flat_map(|(i, file)| file.defined.iter().map(move |(name, calls)| (i, name, calls)))
            .map(|(i, name, calls)| {
                let called = calls.functions.iter().map(|callee| plan.meaning(i, callee));
                (own(i, name), calls.has_pointers, called.collect())
            })
            .collect();
        plan.has_others = functions.iter().any(|(_, _, called)| called.contains(&Meaning::Other));
        while plan.spread(&functions) {}
        Some(plan)
    }

    /// Whoever calls what may be left may be left; whether that is news.
    fn spread(&mut self, functions: &[(Key, bool, BTreeSet<Meaning>)]) -> bool {
        let before = (self.left.len(), self.pointers_leave);
        for (key, has_pointers, called) in functions {
            let leaves = (*has_pointers && self.pointers_leave)
                || called.iter().any(|meaning| self.leaves(meaning));
            if leaves {
                self.left.insert(key.clone());
                self.pointers_leave |= self.taken.contains(key);
            }
        }
        before != (self.left.len(), self.pointers_leave)
    }

    fn leaves(&self, meaning: &Meaning) -> bool {
        match meaning {
            Meaning::Own(key) => self.left.contains(key),
            Meaning::Leaving => true,
            Meaning::Quiet => false,
            Meaning::Other => self.pointers_leave,
        }
    }

    /// Whether what a file calls may be left by a jump.
    pub(super) fn may_leave(&self, file: usize, callee: Callee<'_>) -> bool {
        match callee {
            Callee::Function(name) => self.leaves(&self.meaning(file, name)),
            Callee::Pointer => self.pointers_leave,
            Callee::Assembly => false,
        }
    }

    /// Whether a function may be called while functions are being left: by somebody who does not know of it.
    pub(super) fn may_be_entered(&self, file: usize, name: &str) -> bool {
        let is_taken = || match self.meaning(file, name) {
            Meaning::Own(key) => self.taken.contains(&key),
            Meaning::Leaving | Meaning::Quiet | Meaning::Other => false,
        };
        self.has_others && self.pointers_leave && is_taken()
    }

    /// Whether a name is the library's: a function of the program's own may be called like that.
    pub(super) fn is_library(&self, file: usize, name: &str) -> bool {
        !matches!(self.meaning(file, name), Meaning::Own(_))
    }

    fn meaning(&self, file: usize, name: &str) -> Meaning {
        for key in [key(Some(file), name), key(None, name)] {
            if self.defined.contains(&key) {
                return Meaning::Own(key);
            }
        }
        let plain = name.trim_start_matches('@').trim_matches('"');
        if LEAVING.contains(&name) {
            return Meaning::Leaving;
        }
        if let Some(stands_for) = plain.strip_prefix(OURS) {
            let program = key(None, &format!("@{stands_for}"));
            return match self.defined.contains(&program) {
                true => Meaning::Own(program),
                false => Meaning::Quiet,
            };
        }
        let is_quiet = plain.starts_with("llvm.")
            || SETTING.contains(&name)
            || (!self.has_own_streams && QUIET.split_whitespace().any(|word| word == plain));
        if is_quiet { Meaning::Quiet } else { Meaning::Other }
    }
}

fn key(file: Option<usize>, name: &str) -> Key {
    (file, name.to_owned())
}

impl<'a> File<'a> {
    fn read(text: &'a str) -> File<'a> {
        let mut file =
            File { defined: BTreeMap::new(), internal: BTreeSet::new(), taken: BTreeSet::new() };
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            if line.starts_with("define ") {
                let body = lines.by_ref().take_while(|line| *line != "}");
                match ir::name_of(line) {
                    Some(name) if name.trim_start_matches('@').starts_with(OURS) => {
                        body.for_each(drop);
                    }
                    Some(name) => file.function(line, name, body),
                    None => body.for_each(drop),
                }
            } else if line.starts_with('@') && !line.starts_with("@llvm.") {
                file.taken.extend(global_names(line).skip(1));
            }
        }
        file
    }

    fn function(&mut self, header: &'a str, name: &'a str, body: impl Iterator<Item = &'a str>) {
        if header.starts_with("define internal ") || header.starts_with("define private ") {
            self.internal.insert(name);
        }
        let mut calls = Calls::default();
        for line in body {
            let call = Call::read(line);
            let mut used = line;
            if let Some(Call { callee, arguments, .. }) = call {
                match callee {
                    Callee::Function(name) => {
                        calls.functions.insert(name);
                        used = arguments;
                    }
                    Callee::Pointer => calls.has_pointers = true,
                    Callee::Assembly => {}
                }
            }
            self.taken.extend(global_names(used));
        }
        self.defined.insert(name, calls);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn function(name: &str, calls: &[&str]) -> String {
        let calls: Vec<String> = calls.iter().map(|call| format!("  call void {call}")).collect();
        format!("define {name}() {{\n{}\n  ret void\n}}\n", calls.join("\n"))
    }

    const LONGJMP: &str = "declare void @longjmp(ptr, i32)\n";

    #[test]
    fn callers_of_what_may_be_left_may_be_left() {
        let first = LONGJMP.to_owned()
            + &function("void @throw", &["@longjmp(ptr @e, i32 1)"])
            + &function("internal void @same", &["@throw()"]);
        let second = function("void @outer", &["@throw()", "@puts(ptr @s)"])
            + &function("void @calm", &["@same()", "@qsort(ptr null)"])
            + &function("internal void @same", &[]);
        let plan = Plan::of(&[&first, &second]).unwrap();
        let may_leave = |file, name| plan.may_leave(file, Callee::Function(name));
        assert!(may_leave(0, "@throw") && may_leave(0, "@same") && may_leave(1, "@outer"));
        assert!(!may_leave(1, "@same") && !may_leave(1, "@calm") && !may_leave(0, "@calm"));
        assert!(!may_leave(1, "@qsort") && !plan.may_leave(1, Callee::Pointer));
        assert!(!plan.may_be_entered(0, "@throw"));
    }

    #[test]
    fn pointers_lead_anywhere() {
        let text = LONGJMP.to_owned()
            + &function("i32 @compare", &["@longjmp(ptr @e, i32 1)"])
            + &function("void @sort", &["@qsort(ptr @compare)"])
            + &function("void @through", &["%1()"])
            + &function("void @calm", &["@printf(ptr @s)", "@malloc(i32 1)"]);
        let plan = Plan::of(&[&text]).unwrap();
        for name in ["@compare", "@sort", "@through", "@qsort", "@bsearch", "@longjmp"] {
            assert!(plan.may_leave(0, Callee::Function(name)), "{name}");
        }
        assert!(!plan.may_leave(0, Callee::Function("@calm")));
        assert!(plan.may_leave(0, Callee::Pointer) && plan.may_be_entered(0, "@compare"));
        assert!(!plan.may_be_entered(0, "@sort"));
    }

    #[test]
    fn a_program_without_jumps_needs_no_plan() {
        assert!(Plan::of(&[&function("void @f", &["@g()"])]).is_none());
        // One that has functions of that name knows what they do.
        assert!(Plan::of(&[&function("void @longjmp", &[])]).is_none());
    }
}
