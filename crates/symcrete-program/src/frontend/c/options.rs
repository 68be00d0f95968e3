//! What to compile and how.

use crate::frontend::FrontendError;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// What to compile and how.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct CompileOptions {
    /// The C files.
    pub files: Vec<PathBuf>,
    /// Directories of headers, `-I`.
    pub include: Vec<PathBuf>,
    /// Macros, `-D`: `NAME` or `NAME=VALUE`.
    pub defines: Vec<String>,
    /// More words for the compiler, verbatim.
    pub cflags: Vec<String>,
    /// What is checked at run time.
    pub checks: Vec<Check>,
    /// Functions that are defined but shall be treated as if they were not.
    pub stubs: Vec<String>,
    /// Places that become sites of their own, so that a run shows whether it passes them.
    pub targets: Vec<TargetPlace>,
    /// Whether functions are added that make objects by calls of the program's own.
    pub drivers: bool,
    /// Where the compiler runs and what relative paths are relative to; `None`: where we are.
    pub directory: Option<PathBuf>,
}

/// A place that somebody wants to reach.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum TargetPlace {
    /// A line; all code that the compiler made of it.
    Line {
        /// The file, a header too.
        file: PathBuf,
        /// The line, from 1.
        line: u32,
    },
    /// The start of a function.
    Function(String),
}

/// Something undefined in C that a run can be checked for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Check {
    /// A signed result that does not fit.
    Overflow,
    /// An index outside an array of known size, or an array of variable length with none or fewer elements.
    Bounds,
    /// A shift by a negative or too large amount, or of what does not fit; a left shift of a negative number.
    Shift,
    /// A shift by a negative or too large amount, and no other.
    Overshift,
    /// An access through a null pointer, or null where a declaration says that it never is.
    Null,
    /// A floating-point value that does not fit the integer it is converted to.
    FloatCast,
    /// An access through a pointer that is not aligned for its type.
    Alignment,
    /// An argument that a builtin has no result for: `__builtin_ctz(0)`.
    Builtin,
    /// A pointer that is moved beyond the address space or away from null.
    PointerOverflow,
    /// An unsigned result that wraps, which C allows.
    UnsignedOverflow,
    /// A division of floats by zero, which IEEE 754 defines.
    FloatDivision,
    /// A `bool` that is neither true nor false.
    InvalidValue,
    /// A conversion that nobody wrote and that changes the value, which C allows.
    Conversion,
    /// Null where `_Nonnull` says that it never is, which C allows.
    Nullability,
    /// A branch that a value decides which nobody has written.
    Uninitialized,
    /// What happens where no memory is left.
    Alloc,
    /// Memory that can no longer be freed when the program ends.
    Leaks,
}

/// Clang's handlers of the checks above: their number, which the run reports, and their name. The numbers are
/// those of clang's `SanitizerHandler`, which trap-mode sanitizers report too.
const HANDLERS: &[(u8, &str, Check)] = &[
    (0, "add_overflow", Check::Overflow),
    (3, "divrem_overflow", Check::Overflow),
    (5, "float_cast_overflow", Check::FloatCast),
    (7, "implicit_conversion", Check::Conversion),
    (8, "invalid_builtin", Check::Builtin),
    (10, "load_invalid_value", Check::InvalidValue),
    (12, "mul_overflow", Check::Overflow),
    (13, "negate_overflow", Check::Overflow),
    (NULLABILITY, "nullability_arg", Check::Nullability),
    (15, "nullability_return", Check::Nullability),
    (16, "nonnull_arg", Check::Null),
    (17, "nonnull_return", Check::Null),
    (18, "out_of_bounds", Check::Bounds),
    (19, "pointer_overflow", Check::PointerOverflow),
    (20, "shift_out_of_bounds", Check::Shift),
    (21, "sub_overflow", Check::Overflow),
    (22, "type_mismatch", Check::Null),
    (ALIGNMENT, "alignment_assumption", Check::Alignment),
    (24, "vla_bound_not_positive", Check::Bounds),
    // Handlers that clang has for two checks: these numbers are ours.
    (UNSIGNED_OVERFLOW, "", Check::UnsignedOverflow),
    (FLOAT_DIVISION, "", Check::FloatDivision),
    (OVERSHIFT, "", Check::Overshift),
];
const NULLABILITY: u8 = 14;
const ALIGNMENT: u8 = 23;
/// As [`TrapKind::of_sanitizer`](crate::outcome::TrapKind::of_sanitizer) knows them.
const UNSIGNED_OVERFLOW: u8 = 100;
const FLOAT_DIVISION: u8 = 101;
const OVERSHIFT: u8 = 102;

impl Check {
    /// All checks.
    pub const ALL: &'static [Check] = &[
        Check::Overflow,
        Check::Bounds,
        Check::Shift,
        Check::Overshift,
        Check::Null,
        Check::FloatCast,
        Check::Alignment,
        Check::Builtin,
        Check::PointerOverflow,
        Check::UnsignedOverflow,
        Check::FloatDivision,
        Check::InvalidValue,
        Check::Conversion,
        Check::Nullability,
        Check::Uninitialized,
        Check::Alloc,
        Check::Leaks,
    ];

    /// As the command line has it.
    pub fn name(self) -> &'static str {
        match self {
            Check::Overflow => "overflow",
            Check::Bounds => "bounds",
            Check::Shift => "shift",
            Check::Overshift => "overshift",
            Check::Null => "null",
            Check::FloatCast => "float-cast",
            Check::Alignment => "alignment",
            Check::Builtin => "builtin",
            Check::PointerOverflow => "pointer-overflow",
            Check::UnsignedOverflow => "unsigned-overflow",
            Check::FloatDivision => "float-division",
            Check::InvalidValue => "invalid-value",
            Check::Conversion => "conversion",
            Check::Nullability => "nullability",
            Check::Uninitialized => "uninitialized",
            Check::Alloc => "alloc",
            Check::Leaks => "leaks",
        }
    }

    /// What is wrong where it fails.
    pub fn fault(self) -> &'static str {
        match self {
            Check::Overflow => "overflow",
            Check::Bounds => "index out of bounds",
            Check::Shift => "invalid shift",
            Check::Overshift => "shift by too much",
            Check::Null => "null pointer",
            Check::FloatCast => "value out of range",
            Check::Alignment => "null or misaligned pointer",
            Check::Builtin => "argument without a result",
            Check::PointerOverflow => "pointer beyond memory",
            Check::UnsignedOverflow => "unsigned overflow",
            Check::FloatDivision => "division by zero",
            Check::InvalidValue => "invalid value",
            Check::Conversion => "value changed by a conversion",
            Check::Nullability => "null pointer",
            Check::Uninitialized => "uninitialised value",
            Check::Alloc => "out of memory",
            Check::Leaks => "leak",
        }
    }

    /// The check behind the number that `symcrete.check` is called with.
    pub fn of_kind(kind: u32) -> Option<Check> {
        HANDLERS.iter().find(|handler| u32::from(handler.0) == kind).map(|handler| handler.2)
    }

    /// The number of the handler that clang calls by this name, where these checks are asked for: some are for two of them.
    pub(super) fn kind_of_handler(name: &str, checks: &[Check]) -> Option<u8> {
        let is_asked = |check| checks.contains(&check);
        Some(match name {
            "type_mismatch" if is_asked(Check::Alignment) => ALIGNMENT,
            "type_mismatch" if !is_asked(Check::Null) => NULLABILITY,
            "divrem_overflow" if !is_asked(Check::Overflow) => FLOAT_DIVISION,
            "shift_out_of_bounds" if !is_asked(Check::Shift) => OVERSHIFT,
            "add_overflow" | "sub_overflow" | "mul_overflow" | "negate_overflow"
                if !is_asked(Check::Overflow) =>
            {
                UNSIGNED_OVERFLOW
            }
            _ => HANDLERS.iter().find(|handler| handler.1 == name)?.0,
        })
    }

    /// Whether a compiler that is told that arithmetic wraps (`-fwrapv`) finds nothing.
    pub fn needs_no_wrapping(self) -> bool {
        matches!(self, Check::Overflow | Check::Shift | Check::PointerOverflow)
    }

    /// Whether it is about something that C defines, so that `-fsanitize=undefined` does not look for it.
    pub fn is_allowed_by_c(self) -> bool {
        matches!(
            self,
            Check::UnsignedOverflow | Check::FloatDivision | Check::Conversion | Check::Nullability
        )
    }

    /// Clang's names of the sanitizers; `None` if that is not for the compiler to do.
    pub fn sanitizer(self) -> Option<&'static str> {
        match self {
            Check::Overflow => Some("signed-integer-overflow"),
            Check::Bounds => Some("array-bounds,vla-bound"),
            Check::Shift => Some("shift"),
            Check::Overshift => Some("shift-exponent"),
            Check::Null => Some("null,nonnull-attribute,returns-nonnull-attribute"),
            Check::FloatCast => Some("float-cast-overflow"),
            Check::Alignment => Some("alignment"),
            Check::Builtin => Some("builtin"),
            Check::PointerOverflow => Some("pointer-overflow"),
            Check::UnsignedOverflow => Some("unsigned-integer-overflow"),
            Check::FloatDivision => Some("float-divide-by-zero"),
            Check::InvalidValue => Some("bool"),
            Check::Conversion => Some("implicit-conversion"),
            Check::Nullability => Some("nullability"),
            Check::Uninitialized | Check::Alloc | Check::Leaks => None,
        }
    }
}

impl FromStr for Check {
    type Err = String;

    fn from_str(name: &str) -> Result<Check, String> {
        Check::ALL.iter().copied().find(|check| check.name() == name).ok_or_else(|| {
            let names: Vec<&str> = Check::ALL.iter().map(|check| check.name()).collect();
            format!("unknown check '{name}', expected one of {}", names.join(", "))
        })
    }
}

/// Options of a compiler whose argument is a word of its own, and that are dropped with it.
const DROPPED_WITH_ARGUMENT: &[&str] =
    &["-o", "-MF", "-MT", "-MQ", "-arch", "-target", "-Xlinker", "-Xassembler", "-L", "-T", "-u"];
/// Options that are kept; their argument is a word of its own or follows at once.
const KEPT: &[&str] = &["-isystem", "-iquote", "-idirafter", "-include", "-I", "-D", "-U"];
/// Options of one word that change the meaning of the source.
const MEANINGFUL: &[&str] =
    &["-std=", "-ansi", "-fsigned-char", "-funsigned-char", "-fshort-enums"];

impl CompileOptions {
    /// The options behind a line of a `compile_commands.json`: its words with the compiler first, and its
    /// directory. What does not change the meaning of the source is dropped: output, optimisation, debug
    /// information, warnings, the machine.
    pub fn from_command(words: &[String], directory: &Path) -> CompileOptions {
        let mut options = CompileOptions {
            directory: Some(directory.to_path_buf()),
            ..CompileOptions::default()
        };
        let mut words = words.iter().skip(1);
        while let Some(word) = words.next() {
            if DROPPED_WITH_ARGUMENT.contains(&word.as_str()) {
                words.next();
            } else if let Some(option) = KEPT.iter().find(|option| word.starts_with(**option)) {
                let attached = &word[option.len()..];
                let argument = if attached.is_empty() { words.next() } else { None };
                options.keep(option, argument.map_or(attached, String::as_str));
            } else if MEANINGFUL.iter().any(|option| word.starts_with(option)) {
                options.cflags.push(word.clone());
            } else if word == "--" || word.starts_with('-') {
                // Dropped; what follows `--` are files.
            } else {
                options.files.push(PathBuf::from(word));
            }
        }
        options
    }

    fn keep(&mut self, option: &str, argument: &str) {
        match option {
            "-I" => self.include.push(PathBuf::from(argument)),
            "-D" => self.defines.push(argument.to_owned()),
            _ => self.cflags.extend([option.to_owned(), argument.to_owned()]),
        }
    }

    /// The files with absolute paths, all of them there and C.
    pub(super) fn check_files(&self) -> Result<Vec<PathBuf>, FrontendError> {
        if self.files.is_empty() {
            return Err(FrontendError::NoFiles);
        }
        let check = |file: &PathBuf| {
            let extension = file.extension().and_then(|extension| extension.to_str());
            if let Some("cpp" | "cc" | "cxx" | "c++" | "C" | "hpp" | "hxx" | "hh" | "CPP") =
                extension
            {
                return Err(FrontendError::NotC { file: file.clone(), language: "C++" });
            }
            if let Some("m" | "mm") = extension {
                return Err(FrontendError::NotC { file: file.clone(), language: "Objective-C" });
            }
            if let Some("wasm" | "wat") = extension {
                return Err(FrontendError::ModuleAmongFiles { file: file.clone() });
            }
            let path = super::absolute(file, self.directory.as_ref());
            if path.is_dir() {
                return Err(FrontendError::Folder { file: file.clone() });
            }
            if !path.is_file() {
                return Err(FrontendError::FileNotFound { file: file.clone() });
            }
            Ok(path)
        };
        self.files.iter().map(check).collect()
    }
}
