//! Which functions follow the rounding direction, which need not, and which do not.

/// A type of floats.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Float {
    F32,
    F64,
    F128,
}

impl Float {
    /// By LLVM's name.
    pub(super) fn of(ty: &str) -> Option<Float> {
        match ty {
            "float" => Some(Float::F32),
            "double" => Some(Float::F64),
            "fp128" => Some(Float::F128),
            _ => None,
        }
    }

    /// As the runtime and intrinsics name it.
    fn name(self) -> &'static str {
        match self {
            Float::F32 => "f32",
            Float::F64 => "f64",
            Float::F128 => "f128",
        }
    }

    /// How many binary digits it has.
    pub(super) fn digits(self) -> u32 {
        match self {
            Float::F32 => 24,
            Float::F64 => 53,
            Float::F128 => 113,
        }
    }
}

/// Functions of the library that change or tell the direction. The runtime has one of the same name for each.
const ENVIRONMENT: &[&str] =
    &["fesetround", "fegetround", "fesetenv", "fegetenv", "feholdexcept", "feupdateenv"];

/// Functions of the library whose results are exact in every direction, and the intrinsics of the same names.
const EXACT_EVERYWHERE: &[&str] =
    &["ceil", "floor", "trunc", "round", "roundeven", "lround", "llround", "fabs", "copysign"];
/// Other functions of the library whose results are exact in every direction, for floats of every type; intrinsics by the first part of
/// their names.
const EXACT: &[&str] = &[
    "fmin",
    "fmax",
    "fmod",
    "remainder",
    "drem",
    "remquo",
    "frexp",
    "modf",
    "ilogb",
    "logb",
    "nextafter",
    "nexttoward",
    "nan",
    "isnan",
    "isinf",
    "finite",
    "signbit",
    "__isnan",
    "__isinf",
    "__finite",
    "__fpclassify",
    "__signbit",
];
const EXACT_INTRINSICS: &[&str] = &[
    "minnum",
    "maxnum",
    "minimum",
    "maximum",
    "frexp",
    "is",
    "arithmetic",
    "fptosi",
    "fptoui",
    "canonicalize",
];

/// What reads or writes numbers through arguments that do not show it.
const FORMATTING: &[&str] = &[
    "vprintf",
    "vfprintf",
    "vsprintf",
    "vsnprintf",
    "vasprintf",
    "vdprintf",
    "vwprintf",
    "vfwprintf",
    "vswprintf",
    "verr",
    "verrx",
    "vwarn",
    "vwarnx",
    "vsyslog",
    "scanf",
    "fscanf",
    "sscanf",
    "vscanf",
    "vfscanf",
    "vsscanf",
    "wscanf",
    "fwscanf",
    "swscanf",
    "vwscanf",
    "vfwscanf",
    "vswscanf",
];

/// What the names of functions of harnesses start with: they give inputs and compute nothing.
const HARNESSES: &[&str] = &[
    "__VERIFIER_",
    "nondet_",
    "klee_",
    "symcrete_",
    "__symcrete_",
    "__CPROVER_",
    "__ESBMC_",
    "__Crest",
];

/// The function of the runtime that computes an operation.
pub(super) fn helper(float: Float, operation: &str) -> String {
    format!("__symcrete_{}_{operation}", float.name())
}

/// The function of the runtime that follows the direction, in place of one of the library or an intrinsic.
pub(super) fn in_place_of(name: &str) -> Option<String> {
    if ENVIRONMENT.contains(&name) {
        return Some(format!("__symcrete_{name}"));
    }
    if let "__flt_rounds" | "llvm.get.rounding" | "llvm.flt.rounds" = name {
        return Some("__symcrete_flt_rounds".to_owned());
    }
    if name == "llvm.set.rounding" {
        return Some("__symcrete_set_flt_rounds".to_owned());
    }
    let (operation, float) = match name.strip_prefix("llvm.") {
        // `llvm.sqrt.f64`, `llvm.lrint.i64.f64`
        Some(intrinsic) => {
            let all = [Float::F32, Float::F64, Float::F128];
            let (operation, types) = intrinsic.split_once('.')?;
            let last = types.rsplit('.').next()?;
            (operation, all.into_iter().find(|float| float.name() == last)?)
        }
        None => library_function(name),
    };
    let is_known = match operation {
        "sqrt" | "fma" => float != Float::F128,
        "rint" | "nearbyint" | "lrint" | "llrint" => true,
        _ => false,
    };
    let operation = if operation == "nearbyint" { "rint" } else { operation };
    is_known.then(|| helper(float, operation))
}

/// `sqrt` of `sqrtf`, and what it takes.
fn library_function(name: &str) -> (&str, Float) {
    match (name.strip_suffix('f'), name.strip_suffix('l')) {
        (Some(operation), _) => (operation, Float::F32),
        (_, Some(operation)) => (operation, Float::F128),
        (None, None) => (name, Float::F64),
    }
}

/// Whether a function of somebody else may round, and then to nearest in every direction.
pub(super) fn is_rounding(name: &str, has_floats: bool) -> bool {
    if HARNESSES.iter().any(|start| name.starts_with(start)) {
        return false;
    }
    match name.strip_prefix("llvm.") {
        Some(intrinsic) => {
            let first = intrinsic.split('.').next().unwrap_or_default();
            has_floats && !is_exact(EXACT_INTRINSICS, first) && !matches!(first, "dbg" | "lifetime")
        }
        None => {
            // What `scanf` is called by newer headers of glibc.
            let plain =
                ["__isoc99_", "__isoc23_"].iter().find_map(|start| name.strip_prefix(start));
            let name = plain.unwrap_or(name);
            let is_exact = is_exact(EXACT, name) || is_exact(EXACT, library_function(name).0);
            FORMATTING.contains(&name) || has_floats && !is_exact
        }
    }
}

/// Whether a function is exact in every direction: one of these, or one that is everywhere.
fn is_exact(others: &[&str], name: &str) -> bool {
    EXACT_EVERYWHERE.contains(&name) || others.contains(&name)
}
