//! The C math library of the host: the only foreign functions of this crate.

#![expect(unsafe_code, reason = "declares the C math library, whose functions are safe to call")]

use crate::function::Function;
use crate::value::Sort;

macro_rules! math {
    ($($name:ident / $single:ident : $($arg:ident),+;)*) => {
        // SAFETY: these are the C standard's own prototypes; the functions take floats by value,
        // touch no memory of ours but `errno`, and are defined for every argument.
        unsafe extern "C" {
            $(
                pub(crate) safe fn $name($($arg: f64),+) -> f64;
                pub(crate) safe fn $single($($arg: f32),+) -> f32;
            )*
        }

        /// Every function above with its C name, for the registry.
        pub(crate) const FUNCTIONS: &[(&str, crate::function::Native)] = &[
            $(
                (stringify!($name), math!(@native f64 $name $($arg),+)),
                (stringify!($single), math!(@native f32 $single $($arg),+)),
            )*
        ];
    };
    (@native f64 $f:ident $a:ident) => { crate::function::Native::F64x1($f) };
    (@native f64 $f:ident $a:ident, $b:ident) => { crate::function::Native::F64x2($f) };
    (@native f64 $f:ident $a:ident, $b:ident, $c:ident) => { crate::function::Native::F64x3($f) };
    (@native f32 $f:ident $a:ident) => { crate::function::Native::F32x1($f) };
    (@native f32 $f:ident $a:ident, $b:ident) => { crate::function::Native::F32x2($f) };
    (@native f32 $f:ident $a:ident, $b:ident, $c:ident) => { crate::function::Native::F32x3($f) };
}

math! {
    acos / acosf: x;
    acosh / acoshf: x;
    asin / asinf: x;
    asinh / asinhf: x;
    atan / atanf: x;
    atan2 / atan2f: y, x;
    atanh / atanhf: x;
    cbrt / cbrtf: x;
    ceil / ceilf: x;
    copysign / copysignf: x, y;
    cos / cosf: x;
    cosh / coshf: x;
    erf / erff: x;
    erfc / erfcf: x;
    exp / expf: x;
    exp2 / exp2f: x;
    expm1 / expm1f: x;
    fabs / fabsf: x;
    fdim / fdimf: x, y;
    floor / floorf: x;
    fma / fmaf: x, y, z;
    fmax / fmaxf: x, y;
    fmin / fminf: x, y;
    fmod / fmodf: x, y;
    hypot / hypotf: x, y;
    lgamma / lgammaf: x;
    log / logf: x;
    log10 / log10f: x;
    log1p / log1pf: x;
    log2 / log2f: x;
    logb / logbf: x;
    nearbyint / nearbyintf: x;
    nextafter / nextafterf: x, y;
    pow / powf: x, y;
    remainder / remainderf: x, y;
    rint / rintf: x;
    round / roundf: x;
    sin / sinf: x;
    sinh / sinhf: x;
    sqrt / sqrtf: x;
    tan / tanf: x;
    tanh / tanhf: x;
    tgamma / tgammaf: x;
    trunc / truncf: x;
}

// SAFETY: the C library's own prototype; it returns the place of this thread's `errno`, which stays where it is.
unsafe extern "C" {
    #[cfg_attr(target_os = "macos", link_name = "__error")]
    safe fn __errno_location() -> *mut std::ffi::c_int;
}

/// What a function of the library leaves in `errno`: 0 for nothing, 1 for `EDOM`, 2 for `ERANGE`.
pub(crate) fn error_of(function: &Function, args: &[u64]) -> u8 {
    // The numbers of Linux and of macOS.
    const EDOM: std::ffi::c_int = 33;
    const ERANGE: std::ffi::c_int = 34;
    let place = __errno_location();
    // SAFETY: the place is valid as long as this thread runs, and nobody else has it.
    unsafe { *place = 0 };
    let result = std::hint::black_box(function.call_bits(args));
    // SAFETY: as above.
    match unsafe { *place } {
        EDOM => 1,
        ERANGE => 2,
        _ => exact_error(function, args, result),
    }
}

/// The same for functions whose results are exact: Rust brings some of its own, which set no `errno`.
fn exact_error(function: &Function, args: &[u64], result: u64) -> u8 {
    let is_single = function.signature().result == Sort::F32;
    let number = |bits: u64| match is_single {
        true => f64::from(f32::from_bits(bits as u32)),
        false => f64::from_bits(bits),
    };
    let args: Vec<f64> = args.iter().map(|&bits| number(bits)).collect();
    match (function.name().trim_end_matches('f'), &args[..]) {
        ("sqrt", &[x]) => u8::from(x < 0.0),
        ("fmod" | "remainder", &[x, y]) if !x.is_nan() && !y.is_nan() => {
            u8::from(x.is_infinite() || y == 0.0)
        }
        ("fdim", &[x, y]) if x.is_finite() && y.is_finite() && number(result).is_infinite() => 2,
        _ => 0,
    }
}
