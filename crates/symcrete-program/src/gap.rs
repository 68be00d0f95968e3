//! What the model of a program leaves out.
//!
//! A run happens in a model: inputs have limits, the environment is small, undefined functions do little more than
//! return. A run that meets such a place records it in its trace, and no proof may forget it. There are two
//! kinds. A *bound* limits the question: a proof holds for all inputs within it. After a *hole* nothing is
//! known, so nothing is proved about what may follow.

use std::fmt;

/// A place where the model and the real world may differ.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Gap {
    /// Arrays and strings have a maximum length, structures stand alone: the program reached the end of one.
    Length,
    /// Pointers are null from a certain depth on: the program looked at one of these.
    PointerDepth,
    /// Files, environment variables and standard input are short: the program read some.
    InputBytes,
    /// Pointers of the input point to first elements: the program accessed what is before one.
    FirstElement,
    /// An array of pointers has three, then null: the program looked at the end of one.
    Pointers,
    /// Two pointers span one array, or are both null: the function has such parameters.
    Ends,
    /// A variadic function gets one of a few lists of arguments: the program looked at them.
    Arguments,
    /// Each pointer has an object of its own: the program can tell the difference.
    Aliasing,
    /// Objects lie where we put them: the program computed with an address.
    Addresses,
    /// Objects are those that a few calls of the program's functions make: others may exist.
    Made,
    /// Pointers to functions are null in inputs: the program looked at one.
    Callback,
    /// The environment of the program is small and never changes.
    Environment(Environment),
    /// `long` and pointers have 4 bytes: the program uses types that are as wide as these.
    DataModel,
    /// Variables that outlive a call have their initial values: the program read one.
    State,
    /// An undefined function returns something, writes through some of its arguments, and changes nothing else.
    Undefined,
    /// A symbolic address or size was concretised.
    Concretized,
    /// An access may have left its object, and then it read what lies there in the model.
    OutOfObject,
    /// The run ended by a failure that need not happen elsewhere.
    Failure,
    /// A run was stopped before its end.
    CutOff,
    /// The program looked at the bits of a NaN, of which the model has one.
    NanBits,
    /// Something was rounded to nearest although the program has set another rounding direction.
    Rounding,
    /// An uninitialised value is one unknown value until it is written: a condition depended on one.
    Uninitialized,
    /// The program did something that the model cannot follow: some jumps, a call that has no meaning in WebAssembly.
    Unsupported,
    /// The same input did not lead to the same path twice.
    Undetermined,
}

/// A part of a program's environment.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Environment {
    /// Allocation never fails.
    Allocation,
    /// Time and time zone.
    Clock,
    /// Files and folders.
    Files,
    /// Language and country.
    Locale,
    /// Process numbers, users, terminals.
    Process,
    /// Random numbers.
    Random,
    /// Environment variables.
    Variables,
}

impl Gap {
    /// Whether larger inputs do not meet it.
    pub fn is_of_size(self) -> bool {
        matches!(self, Gap::Length | Gap::PointerDepth | Gap::InputBytes | Gap::State)
    }

    /// Every gap, in order.
    pub const ALL: &[Gap] = &[
        Gap::Length,
        Gap::PointerDepth,
        Gap::InputBytes,
        Gap::FirstElement,
        Gap::Pointers,
        Gap::Ends,
        Gap::Arguments,
        Gap::Aliasing,
        Gap::Addresses,
        Gap::Made,
        Gap::Callback,
        Gap::Environment(Environment::Allocation),
        Gap::Environment(Environment::Clock),
        Gap::Environment(Environment::Files),
        Gap::Environment(Environment::Locale),
        Gap::Environment(Environment::Process),
        Gap::Environment(Environment::Random),
        Gap::Environment(Environment::Variables),
        Gap::DataModel,
        Gap::State,
        Gap::Undefined,
        Gap::Concretized,
        Gap::OutOfObject,
        Gap::Failure,
        Gap::CutOff,
        Gap::NanBits,
        Gap::Rounding,
        Gap::Uninitialized,
        Gap::Unsupported,
        Gap::Undetermined,
    ];

    /// Whether it only limits the question: proofs hold within it.
    pub fn is_bound(self) -> bool {
        match self {
            Gap::Length
            | Gap::PointerDepth
            | Gap::InputBytes
            | Gap::FirstElement
            | Gap::Pointers
            | Gap::Ends
            | Gap::Arguments
            | Gap::Aliasing
            | Gap::Addresses
            | Gap::Made
            | Gap::Callback
            | Gap::Environment(_)
            | Gap::DataModel
            | Gap::State
            | Gap::Undefined
            | Gap::Uninitialized => true,
            Gap::Concretized
            | Gap::OutOfObject
            | Gap::Failure
            | Gap::CutOff
            | Gap::NanBits
            | Gap::Rounding
            | Gap::Unsupported
            | Gap::Undetermined => false,
        }
    }

    /// Its number in rewritten modules.
    pub fn code(self) -> u32 {
        let at = Gap::ALL.iter().position(|&gap| gap == self);
        at.expect("every gap is in the list") as u32
    }

    /// The gap of that number.
    pub fn from_code(code: u32) -> Option<Gap> {
        Gap::ALL.get(code as usize).copied()
    }

    /// The gap of that name.
    pub fn from_name(name: &str) -> Option<Gap> {
        Gap::ALL.iter().copied().find(|gap| gap.to_string() == name)
    }

    /// The gap that calling a function of the C library meets, by the function's name.
    pub fn of_library(function: &str) -> Option<Gap> {
        use Environment::{Allocation, Clock, Files, Locale, Process, Random, Variables};
        Some(match function {
            "malloc" | "calloc" | "realloc" | "reallocarray" | "aligned_alloc"
            | "posix_memalign" | "memalign" | "dlmalloc" | "dlcalloc" | "dlrealloc" | "sbrk" => {
                Gap::Environment(Allocation)
            }
            "time" | "clock" | "clock_gettime" | "__clock_gettime" | "clock_getres"
            | "gettimeofday" | "ftime" | "localtime" | "localtime_r" | "mktime"
            | "timespec_get" | "nanosleep" | "times" | "getrusage" => Gap::Environment(Clock),
            "fopen" | "freopen" | "open" | "openat" | "stat" | "lstat" | "fstat" | "fstatat"
            | "access" | "faccessat" | "opendir" | "readdir" | "remove" | "rename" | "unlink"
            | "mkdir" | "rmdir" | "tmpfile" | "tmpnam" | "getcwd" | "chdir" | "readlink"
            | "realpath" | "ftruncate" | "truncate" => Gap::Environment(Files),
            "__symcrete_limited" => Gap::InputBytes,
            // The contents are an input, but reading never fails; and that a file is missing, or a folder, is not all that can
            // be wrong.
            "__symcrete_opened" | "__symcrete_refused" => Gap::Environment(Files),
            "setlocale" | "newlocale" | "__newlocale" | "uselocale" | "__uselocale"
            | "localeconv" | "nl_langinfo" | "__nl_langinfo" => Gap::Environment(Locale),
            // A system call that the runtime does not implement.
            "__symcrete_unmodelled"
            | "getpid"
            | "isatty"
            | "sysconf"
            | "uname"
            | "umask"
            | "getrlimit"
            | "signal"
            | "raise"
            | "poll"
            | "select" => Gap::Environment(Process),
            "rand" | "random" | "drand48" | "erand48" | "lrand48" | "nrand48" | "mrand48"
            | "jrand48" | "getentropy" | "arc4random" => Gap::Environment(Random),
            "getenv" | "secure_getenv" | "putenv" | "setenv" | "unsetenv" => {
                Gap::Environment(Variables)
            }
            "strtok" | "strerror" | "asctime" | "ctime" | "__symcrete_first_direction" => {
                Gap::State
            }
            // Exceptions of floats are not followed.
            "fetestexcept" | "fegetexceptflag" => Gap::Unsupported,
            "__symcrete_math_error_unknown" => Gap::Unsupported,
            "setjmp" | "_setjmp" | "longjmp" | "__symcrete_widened" => Gap::Unsupported,
            "__symcrete_rounding" | "__symcrete_rounded_to_nearest" => Gap::Rounding,
            _ => return None,
        })
    }
}

/// As shown after "within bounds" and in reports.
impl fmt::Display for Gap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Gap::Length => "length",
            Gap::PointerDepth => "pointer depth",
            Gap::InputBytes => "input bytes",
            Gap::FirstElement => "pointers to first elements",
            Gap::Pointers => "three pointers in an array",
            Gap::Ends => "begin and end span one array",
            Gap::Arguments => "these variadic arguments",
            Gap::Aliasing => "no aliasing",
            Gap::Addresses => "these addresses",
            Gap::Callback => "no callbacks",
            Gap::Environment(part) => return write!(f, "this environment ({part})"),
            Gap::Made => "objects made by calls",
            Gap::DataModel => "4-byte long and pointers",
            Gap::State => "first call",
            Gap::Undefined => "undefined functions only fill their arguments",
            Gap::Concretized => "an address or size was concretised on the path",
            Gap::OutOfObject => "an access on the path may leave its object and read anything",
            Gap::Failure => "the path goes through a failure, and nothing is known after it",
            Gap::CutOff => "runs were cut off before their end",
            Gap::NanBits => {
                "the program looks at the bits of a computed NaN, and only one NaN bit pattern is tried"
            }
            Gap::Rounding => {
                "a library function or a wide float was rounded to nearest although another rounding direction is set"
            }
            Gap::Uninitialized => "uninitialised values stay the same",
            Gap::Unsupported => "the program does something on the path that cannot be followed",
            Gap::Undetermined => "two runs with the same input behaved differently",
        })
    }
}

impl fmt::Display for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Environment::Allocation => "allocation never fails",
            Environment::Clock => "clock",
            Environment::Files => "files",
            Environment::Locale => "locale",
            Environment::Process => "process",
            Environment::Random => "random numbers",
            Environment::Variables => "environment variables",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_gap_has_a_number_and_a_name_of_its_own() {
        for (i, gap) in Gap::ALL.iter().enumerate() {
            assert_eq!((gap.code() as usize, Gap::from_code(gap.code())), (i, Some(*gap)));
            assert_eq!(Gap::from_name(&gap.to_string()), Some(*gap));
        }
        assert_eq!(Gap::from_code(Gap::ALL.len() as u32), None);
    }
}
