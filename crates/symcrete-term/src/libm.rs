//! The C math library of the host: the only foreign functions of this crate.

#![expect(unsafe_code, reason = "declares the C math library, whose functions are safe to call")]

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
