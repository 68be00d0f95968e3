//! What functions of the C math library can give.
//!
//! The host's library is not correctly rounded, nor proven monotone. Its documented errors (the glibc manual,
//! "Known Maximum Errors in Math Functions") are a few units in the last place, so what a monotone function
//! gives at two ends bounds what it gives between them once it is widened by [`SLACK`] floats, and a range
//! such as `[-pi, pi]` holds widened by [`NEAR`] floats.
//!
//! A call may see a signalling NaN, for which the library gives NaN where it ignores a quiet one: so NaN in
//! means NaN may come out, of every function.

use super::domain::{Domain, bits_at, place};
use super::floats::{
    Operation, abs, extreme, fma, has_any_infinity, has_zero, monotone, neg, place_of, remainder,
    sqrt, sum, with_both_zeros,
};
use std::f64::consts::{FRAC_PI_2, PI};
use symcrete_term::{Function, Native, Op, Rounding, Sort, Value};

/// Floats by which the end of a known range is moved outwards.
const NEAR: i64 = 4;
/// Floats by which a monotone function's value at an end is moved outwards: twice an error of 16 units.
const SLACK: i64 = 32;

macro_rules! known {
    ($($variant:ident = $name:literal,)*) => {
        /// A function of the math library, in either precision.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        enum Known { $($variant,)* }

        impl Known {
            /// The function of that name in double precision.
            fn named(name: &str) -> Option<Known> {
                match name {
                    $($name => Some(Known::$variant),)*
                    _ => None,
                }
            }
        }
    };
}

known! {
    Acos = "acos", Acosh = "acosh", Asin = "asin", Asinh = "asinh", Atan = "atan", Atan2 = "atan2",
    Atanh = "atanh", Cbrt = "cbrt", Ceil = "ceil", Copysign = "copysign", Cos = "cos", Cosh = "cosh",
    Erf = "erf", Erfc = "erfc", Exp = "exp", Exp2 = "exp2", Expm1 = "expm1", Fabs = "fabs",
    Fdim = "fdim", Floor = "floor", Fma = "fma", Fmax = "fmax", Fmin = "fmin", Fmod = "fmod",
    Hypot = "hypot", Lgamma = "lgamma", Log = "log", Log10 = "log10", Log1p = "log1p", Log2 = "log2",
    Logb = "logb", Nearbyint = "nearbyint", Nextafter = "nextafter", Pow = "pow",
    Remainder = "remainder", Rint = "rint", Round = "round", Sin = "sin", Sinh = "sinh",
    Sqrt = "sqrt", Tan = "tan", Tanh = "tanh", Tgamma = "tgamma", Trunc = "trunc",
}

/// A function of the math library with its precision.
#[derive(Clone, Copy)]
pub(crate) struct Math<'a> {
    known: Known,
    function: &'a Function,
    sort: Sort,
}

impl<'a> Math<'a> {
    /// The function, if it is the math library's own: a closure of the same name may do anything.
    pub(crate) fn of(function: &'a Function) -> Option<Math<'a>> {
        if matches!(function.native(), Native::Closure(_)) {
            return None;
        }
        let sort = function.signature().result;
        let name = match sort {
            Sort::F32 => function.name().strip_suffix('f')?,
            Sort::F64 => function.name(),
            Sort::Bool | Sort::Bv(_) => return None,
        };
        Some(Math { known: Known::named(name)?, function, sort })
    }

    /// What it gives for arguments within these sets.
    pub(crate) fn image(self, args: &[Domain]) -> Domain {
        let nan = args.iter().any(|arg| arg.nan);
        let singles = [args.first(), args.get(1), args.get(2)].map(|arg| arg?.single());
        if !nan && singles.iter().flatten().count() == args.len() {
            let bits = singles.map(|value| value.map_or(0, Value::bits));
            let value = self.function.call_bits(&bits[..args.len()]);
            return Domain::only(Value::from_bits(self.sort, value));
        }
        let mut image = self.of_numbers(args);
        image.nan |= nan;
        image
    }

    /// The same; the caller adds NaN where an argument may be NaN.
    fn of_numbers(self, args: &[Domain]) -> Domain {
        let x = args[0];
        match self.known {
            Known::Acos => self.monotone(x, &Monotone { rising: false, ..ARC.within(0.0, PI) }),
            Known::Acosh => {
                self.monotone(x, &ALL.from(1.0, f64::INFINITY).within(0.0, f64::INFINITY))
            }
            Known::Asin => self.monotone(x, &ARC.within(-FRAC_PI_2, FRAC_PI_2)),
            Known::Atan => self.monotone(x, &ALL.within(-FRAC_PI_2, FRAC_PI_2)),
            Known::Atan2 => self.angle(x, args[1]),
            Known::Atanh => self.monotone(x, &ARC),
            Known::Asinh | Known::Cbrt | Known::Sinh => self.monotone(x, &ALL),
            Known::Ceil => self.rounded(Rounding::Up, x),
            Known::Copysign => copysign(x, args[1]),
            Known::Cos | Known::Sin | Known::Tan => self.periodic(x),
            Known::Cosh => {
                let form = ALL.within(1.0, f64::INFINITY);
                self.monotone(abs(x), &form)
            }
            Known::Erf | Known::Tanh => self.monotone(x, &ALL.within(-1.0, 1.0)),
            Known::Erfc => self.monotone(x, &Monotone { rising: false, ..ALL.within(0.0, 2.0) }),
            Known::Exp | Known::Exp2 => self.monotone(x, &ALL.within(0.0, f64::INFINITY)),
            Known::Expm1 => self.monotone(x, &ALL.within(-1.0, f64::INFINITY)),
            Known::Fabs => abs(x),
            Known::Fdim => self.positive_difference(x, args[1]),
            Known::Floor => self.rounded(Rounding::Down, x),
            Known::Fma => {
                fma(self.operation(Op::FpFma, Rounding::NearestEven), x, args[1], args[2])
            }
            Known::Fmax => with_both_zeros(extreme(x, args[1], true)),
            Known::Fmin => with_both_zeros(extreme(x, args[1], false)),
            Known::Fmod => modulo(x, args[1]),
            Known::Hypot => self.hypotenuse(x, args[1]),
            Known::Lgamma | Known::Tgamma => Domain::top(self.sort),
            Known::Log | Known::Log10 | Known::Log2 => {
                self.monotone(x, &ALL.from(-0.0, f64::INFINITY))
            }
            Known::Log1p => self.monotone(x, &ALL.from(-1.0, f64::INFINITY)),
            Known::Logb => Domain::top(self.sort).without_nan(),
            Known::Nearbyint | Known::Rint => self.rounded(Rounding::NearestEven, x),
            Known::Nextafter => widened(x, 2),
            Known::Pow => self.power(x, args[1]),
            Known::Remainder => remainder(x, args[1]),
            Known::Round => self.rounded(Rounding::NearestAway, x),
            Known::Sqrt => sqrt(self.operation(Op::FpSqrt, Rounding::NearestEven), x),
            Known::Trunc => self.rounded(Rounding::ToZero, x),
        }
    }

    fn operation(self, op: Op, rounding: Rounding) -> Operation {
        Operation { op, indices: [rounding as u8, 0], sort: self.sort }
    }

    fn rounded(self, rounding: Rounding, x: Domain) -> Domain {
        monotone(self.operation(Op::FpRoundToIntegral, rounding), x)
    }

    /// The place of a number, rounded to the function's precision.
    fn place(self, x: f64) -> i64 {
        let bits =
            if self.sort == Sort::F32 { u64::from((x as f32).to_bits()) } else { x.to_bits() };
        place(self.sort, bits)
    }

    /// The place of what the function gives at places; `None` for NaN.
    fn at<const N: usize>(self, places: [i64; N]) -> Option<i64> {
        let bits = self.function.call_bits(&places.map(|place| bits_at(self.sort, place)));
        place_of(Value::from_bits(self.sort, bits))
    }

    /// All numbers between two, and some floats more on both sides; at zero, just both zeros.
    fn about(self, least: f64, most: f64, n: i64) -> Domain {
        let mut range = Domain::empty(self.sort);
        let low = if least == 0.0 { -1 } else { self.place(least) - n };
        let high = if most == 0.0 { 0 } else { self.place(most) + n };
        range.insert_places(low, high);
        range
    }

    fn monotone(self, x: Domain, form: &Monotone) -> Domain {
        let (first, last) = (self.place(form.domain.0), self.place(form.domain.1));
        let nan = x.range().is_some_and(|(low, high)| low < first || high > last);
        let mut image = Domain::empty(self.sort);
        for (low, high) in x.places() {
            let (low, high) = (low.max(first), high.min(last));
            if low > high {
                continue;
            }
            let ends = if form.rising { (low, high) } else { (high, low) };
            match (self.at([ends.0]), self.at([ends.1])) {
                (Some(least), Some(most)) => image.insert_places(least - SLACK, most + SLACK),
                (None, _) | (_, None) => return Domain::top(self.sort),
            }
        }
        let image = image.meet(self.about(form.range.0, form.range.1, NEAR));
        Domain { nan, ..image }
    }

    /// Sine, cosine and tangent: monotone about zero, else within their range. The errors of sine and cosine are
    /// below one unit, so neither passes one.
    fn periodic(self, x: Domain) -> Domain {
        let (about_zero, rising) = match self.known == Known::Cos {
            false => ((-1.5, 1.5), true),
            true if x.range().is_some_and(|(low, _)| low >= 0) => ((0.0, 3.0), false),
            true => ((-3.0, -0.0), true),
        };
        let ends = (self.place(about_zero.0), self.place(about_zero.1));
        let bound = if self.known == Known::Tan { f64::INFINITY } else { 1.0 };
        let range = self.about(-bound, bound, 0);
        let is_about_zero = |(low, high)| ends.0 <= low && high <= ends.1;
        if !x.range().is_some_and(is_about_zero) {
            return Domain { nan: has_any_infinity(x), ..range };
        }
        let form = Monotone { domain: about_zero, rising, ..ALL };
        self.monotone(x, &form).meet(Domain { nan: true, ..range })
    }

    fn angle(self, y: Domain, x: Domain) -> Domain {
        if let Some(angle) = self.angle_of_zero(y, x) {
            return angle;
        }
        let is_positive = |a: Domain| a.spans[1].is_empty();
        let bound = if is_positive(x) { FRAC_PI_2 } else { PI };
        let low = if is_positive(y) { 0.0 } else { -bound };
        let high = if is_positive(neg(y)) { 0.0 } else { bound };
        self.about(low, high, NEAR)
    }

    /// Where x is a zero, the angle is one of few numbers that do not depend on how large y is (C23, F.10.1.4): a
    /// right one for any y but zero, else a zero or a straight one, by the sign of x. `None` if x can be more.
    fn angle_of_zero(self, y: Domain, x: Domain) -> Option<Domain> {
        let (low, high) = x.range().filter(|&(low, high)| low >= -1 && high <= 0)?;
        let mut result = Domain::empty(self.sort);
        for (least, most) in y.places() {
            // The ends of a span of one sign: a zero, if there is one, and a number that is none.
            for (y, x) in [(least, low), (least, high), (most, low), (most, high)] {
                let angle = self.at([y, x])?;
                result.insert_places(angle, angle);
            }
        }
        Some(result)
    }

    fn positive_difference(self, x: Domain, y: Domain) -> Domain {
        let difference = sum(self.operation(Op::FpSub, Rounding::NearestEven), x, y);
        let mut result = Domain::empty(self.sort);
        result.insert_places(-1, difference.range().map_or(0, |(_, high)| high.max(0)));
        result
    }

    fn hypotenuse(self, x: Domain, y: Domain) -> Domain {
        let positive = self.about(0.0, f64::INFINITY, 0);
        // An infinite leg wins over a NaN.
        let (false, Some(a), Some(b)) = (x.nan || y.nan, abs(x).range(), abs(y).range()) else {
            return positive;
        };
        let Some(most) = self.at([a.1, b.1]) else { return positive };
        let mut result = Domain::empty(self.sort);
        result.insert_places(a.0.max(b.0) - SLACK, most + SLACK);
        result.meet(positive)
    }

    /// Of a base without sign, monotone in both arguments. An even power has no sign.
    fn power(self, x: Domain, y: Domain) -> Domain {
        let exponent = y.single().and_then(Value::as_f64);
        let is_even = exponent.is_some_and(|y| y % 2.0 == 0.0);
        if !x.spans[1].is_empty() && !is_even {
            return Domain::top(self.sort);
        }
        let mut result = Domain::empty(self.sort);
        if x.nan || y.nan {
            result.insert_places(self.place(1.0), self.place(1.0));
        }
        if let (Some(a), Some(b)) = (abs(x).range(), y.range()) {
            let corners = [[a.0, b.0], [a.0, b.1], [a.1, b.0], [a.1, b.1]];
            for corner in corners.map(|corner| self.at(corner)) {
                let Some(corner) = corner else { return Domain::top(self.sort) };
                let (least, most) = result.range().unwrap_or((corner, corner));
                result.insert_places(least.min(corner - SLACK), most.max(corner + SLACK));
            }
        }
        result.meet(self.about(0.0, f64::INFINITY, 0))
    }
}

/// A monotone function: NaN outside its domain.
struct Monotone {
    domain: (f64, f64),
    range: (f64, f64),
    rising: bool,
}

const ALL: Monotone = Monotone {
    domain: (f64::NEG_INFINITY, f64::INFINITY),
    range: (f64::NEG_INFINITY, f64::INFINITY),
    rising: true,
};
/// Sines and the like.
const ARC: Monotone = Monotone { domain: (-1.0, 1.0), ..ALL };

impl Monotone {
    const fn within(self, least: f64, most: f64) -> Monotone {
        Monotone { range: (least, most), ..self }
    }

    const fn from(self, first: f64, last: f64) -> Monotone {
        Monotone { domain: (first, last), ..self }
    }
}

fn widened(x: Domain, n: i64) -> Domain {
    let mut result = Domain::empty(x.sort);
    for (low, high) in x.places() {
        result.insert_places(low - n, high + n);
    }
    result
}

/// The magnitude of the one and the sign of the other; a NaN may have either.
fn copysign(x: Domain, y: Domain) -> Domain {
    let magnitude = abs(x);
    let [positive, negative] = y.spans.map(|span| y.nan || !span.is_empty());
    let mut result = Domain { nan: x.nan, ..Domain::empty(x.sort) };
    if positive {
        result = result.join(magnitude);
    }
    if negative {
        result = result.join(neg(magnitude));
    }
    result
}

/// The remainder with the sign of the dividend: exact, at most the dividend and the divisor.
fn modulo(x: Domain, y: Domain) -> Domain {
    let nan = has_any_infinity(x) || has_zero(y);
    let mut result = Domain { nan, ..Domain::empty(x.sort) };
    let Some((_, divisor)) = abs(y).range() else { return result };
    for (low, high) in x.places() {
        if low < 0 {
            result.insert_places(low.max(-divisor - 1), -1);
        }
        if high >= 0 {
            result.insert_places(0, high.min(divisor));
        }
    }
    result
}
