//! Values as C writes them.
//!
//! **Invariant:** a compiler that rounds correctly reads every literal back as the same bits. C has no literal for a
//! NaN other than `NAN`: those are built by a function that gcc and clang have in common.

use symcrete_program::image::CellKind;
use symcrete_program::nan::is_nan;
use symcrete_program::shape::{number, value_of};
use symcrete_program::types::{TypeId, TypeKind, Types};

/// The literal of a cell of this type.
pub(crate) fn cell(types: &Types, ty: TypeId, kind: CellKind, bits: u64) -> String {
    match kind {
        CellKind::Bool => (bits & 1).to_string(),
        CellKind::F32 | CellKind::F64 if is_special_nan(kind, bits) => built_nan(kind, bits),
        CellKind::F32 => float(f32::from_bits(bits as u32)),
        CellKind::F64 => double(f64::from_bits(bits)),
        CellKind::Int { .. } => of_type(types, ty, number_of(kind, bits)),
    }
}

/// The number that an integer's bits stand for.
pub(crate) fn number_of(kind: CellKind, bits: u64) -> i128 {
    match kind {
        CellKind::Int { signed: true, .. } => i128::from(number(kind, bits)),
        CellKind::Bool => i128::from(bits & 1),
        CellKind::Int { signed: false, .. } | CellKind::F32 | CellKind::F64 => i128::from(bits),
    }
}

/// The literal of an integer of this type: the name of an enumeration's value, a character, or digits.
pub(crate) fn of_type(types: &Types, ty: TypeId, value: i128) -> String {
    let found = types.get(ty);
    match &found.kind {
        TypeKind::Enum { values, .. } => {
            match values.iter().find(|known| i128::from(known.1) == value) {
                Some(known) => known.0.clone(),
                None if found.name == "enum" => integer(value),
                None => format!("({}){}", found.name, integer(value)),
            }
        }
        TypeKind::Int { is_char: true, .. } if is_plain_char(&found.name) => {
            match u8::try_from(value) {
                Ok(byte) if byte.is_ascii() => format!("'{}'", escaped(byte, '\'')),
                Ok(_) | Err(_) => integer(value),
            }
        }
        TypeKind::Int { .. }
        | TypeKind::Void
        | TypeKind::Bool
        | TypeKind::Float
        | TypeKind::Struct { .. }
        | TypeKind::Union { .. }
        | TypeKind::Array { .. }
        | TypeKind::Pointer { .. }
        | TypeKind::Function
        | TypeKind::Unsupported { .. } => integer(value),
    }
}

/// Whether a type of characters is meant for text, not for small numbers.
pub(crate) fn is_plain_char(name: &str) -> bool {
    name.trim_start_matches("const ") == "char"
}

/// Digits with the suffix that makes the literal wide enough.
pub(crate) fn integer(value: i128) -> String {
    const INT_MIN: i128 = i32::MIN as i128;
    const INT_MAX: i128 = i32::MAX as i128;
    const LONG_MIN: i128 = i64::MIN as i128;
    const LONG_MAX: i128 = i64::MAX as i128;
    // C has no negative literals: the positive one would be too large.
    if value == INT_MIN {
        return "(-2147483647 - 1)".to_string();
    }
    if value == LONG_MIN {
        return "(-9223372036854775807LL - 1)".to_string();
    }
    match value {
        INT_MIN..=INT_MAX => value.to_string(),
        0x8000_0000..=0xffff_ffff => format!("{value}u"),
        _ if (LONG_MIN..=LONG_MAX).contains(&value) => format!("{value}LL"),
        _ => format!("{value}ull"),
    }
}

/// The most digits of a decimal that is easier to read than a hexadecimal float.
const DIGITS_MAX: usize = 6;

/// A `double`, in decimal if that is short, else in hexadecimal with a comment.
pub(crate) fn double(value: f64) -> String {
    if let Some(name) = special(value) {
        return name.to_string();
    }
    // The shortest decimal that reads back as the same bits.
    let decimal = format!("{value:?}");
    if is_short(&decimal) {
        return decimal;
    }
    let bits = value.to_bits();
    let exponent = (bits >> 52 & 0x7ff) as i32;
    let fraction = format!("{:013x}", bits & ((1 << 52) - 1));
    format!("{} /* {} */", hexadecimal(value < 0.0, exponent, 1023, &fraction), rounded(value))
}

/// A `float`, likewise.
pub(crate) fn float(value: f32) -> String {
    if let Some(name) = special(f64::from(value)) {
        return if name.ends_with("0.0") { format!("{name}f") } else { name.to_string() };
    }
    let decimal = format!("{value:?}");
    if is_short(&decimal) {
        return format!("{decimal}f");
    }
    let bits = value.to_bits();
    let exponent = (bits >> 23 & 0xff) as i32;
    let fraction = format!("{:06x}", (bits & ((1 << 23) - 1)) << 1);
    let hexadecimal = hexadecimal(value < 0.0, exponent, 127, &fraction);
    format!("{hexadecimal}f /* {} */", rounded(f64::from(value)))
}

/// Whether these are the bits of a NaN that is not `NAN`.
fn is_special_nan(kind: CellKind, bits: u64) -> bool {
    is_nan(kind, bits) && value_of(kind, bits).bits() != bits
}

/// A NaN by its sign, its kind and its payload.
fn built_nan(kind: CellKind, bits: u64) -> String {
    let (suffix, n_fraction, sign) = match kind {
        CellKind::F32 => ("f", 23, bits >> 31 & 1),
        CellKind::F64 | CellKind::Int { .. } | CellKind::Bool => ("", 52, bits >> 63),
    };
    let quiet = 1 << (n_fraction - 1);
    let signalling = if bits & quiet == 0 { "s" } else { "" };
    let sign = if sign == 1 { "-" } else { "" };
    format!("{sign}__builtin_nan{signalling}{suffix}(\"{:#x}\")", bits & (quiet - 1))
}

fn special(value: f64) -> Option<&'static str> {
    if value.is_nan() {
        Some("NAN")
    } else if value == f64::INFINITY {
        Some("INFINITY")
    } else if value == f64::NEG_INFINITY {
        Some("-INFINITY")
    } else if value == 0.0 {
        Some(if value.is_sign_negative() { "-0.0" } else { "0.0" })
    } else {
        None
    }
}

fn is_short(decimal: &str) -> bool {
    let mantissa = decimal.split('e').next().unwrap_or(decimal);
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    let whole = mantissa.split('.').next().unwrap_or(mantissa);
    digits.trim_matches('0').len() <= DIGITS_MAX && whole.len() <= 2 * DIGITS_MAX
}

fn hexadecimal(is_negative: bool, exponent: i32, bias: i32, fraction: &str) -> String {
    let sign = if is_negative { "-" } else { "" };
    // Below the least normal number the leading digit is zero.
    let (leading, exponent) = match exponent {
        0 => ('0', 1 - bias),
        _ => ('1', exponent - bias),
    };
    let fraction = fraction.trim_end_matches('0');
    let point = if fraction.is_empty() { "" } else { "." };
    format!("{sign}0x{leading}{point}{fraction}p{exponent:+}")
}

/// A number for people, to about seven digits.
fn rounded(value: f64) -> String {
    if (1e-4..1e7).contains(&value.abs()) {
        let digits = (6 - value.abs().log10().floor() as i32).clamp(0, 12) as usize;
        return format!("{value:.digits$}");
    }
    format!("{value:.6e}")
}

/// A string literal of these bytes, without closing zero.
pub(crate) fn string(bytes: &[u8]) -> String {
    let mut text = String::from("\"");
    for (i, &byte) in bytes.iter().enumerate() {
        // Two question marks could begin a trigraph.
        if byte == b'?' && i > 0 && bytes[i - 1] == b'?' {
            text.push('\\');
        }
        text.push_str(&escaped(byte, '"'));
    }
    text.push('"');
    text
}

/// Three octal digits end by themselves; a hexadecimal escape would swallow digits that follow.
fn escaped(byte: u8, quote: char) -> String {
    match byte {
        b'\n' => "\\n".to_string(),
        b'\t' => "\\t".to_string(),
        b'\r' => "\\r".to_string(),
        b'\\' => "\\\\".to_string(),
        0 if quote == '\'' => "\\0".to_string(),
        b' '..=b'~' if char::from(byte) == quote => format!("\\{quote}"),
        b' '..=b'~' => char::from(byte).to_string(),
        _ => format!("\\{byte:03o}"),
    }
}

/// The initialiser of an array of characters with room for `room` of them.
pub(crate) fn characters(is_plain: bool, is_signed: bool, bytes: &[u8], room: usize) -> String {
    let end = bytes.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
    let is_text = |byte: &u8| matches!(byte, b' '..=b'~' | b'\n' | b'\t' | b'\r');
    let text = &bytes[..end];
    // A literal without room for its closing zero is a warning in newer compilers.
    if end < room && (is_plain || text.iter().all(is_text)) {
        return string(text);
    }
    let item = |&byte: &u8| match (is_plain, is_signed) {
        (true, _) if is_text(&byte) || byte == 0 => format!("'{}'", escaped(byte, '\'')),
        (true, _) => format!("'{}'", escaped(byte, '\'')),
        (false, true) => (byte as i8).to_string(),
        (false, false) if byte < 10 => byte.to_string(),
        (false, false) => format!("{byte:#04x}"),
    };
    match end {
        0 => "{0}".to_string(),
        _ => format!("{{{}}}", bytes.iter().map(item).collect::<Vec<_>>().join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_have_the_suffix_they_need() {
        let cases = [
            (3, "3"),
            (i128::from(i32::MIN), "(-2147483647 - 1)"),
            (i128::from(u32::MAX), "4294967295u"),
            (-3_000_000_000, "-3000000000LL"),
            (i128::from(i64::MIN), "(-9223372036854775807LL - 1)"),
            (i128::from(u64::MAX), "18446744073709551615ull"),
        ];
        for (value, expected) in cases {
            assert_eq!(integer(value), expected);
        }
    }

    #[test]
    fn a_nan_keeps_its_bits() {
        let types = Types::default();
        let ty = TypeId(0);
        let text = |kind, bits| cell(&types, ty, kind, bits);
        assert_eq!(text(CellKind::F64, 0x7ff8 << 48), "NAN");
        assert_eq!(text(CellKind::F64, 0xfff8 << 48 | 5), "-__builtin_nan(\"0x5\")");
        assert_eq!(text(CellKind::F64, 0x7ff0 << 48 | 7), "__builtin_nans(\"0x7\")");
        assert_eq!(text(CellKind::F32, 0x7fc0_0abc), "__builtin_nanf(\"0xabc\")");
        assert_eq!(text(CellKind::F32, 0xff80_0001), "-__builtin_nansf(\"0x1\")");
    }

    #[test]
    fn floats_read_well() {
        let cases = [
            (3.0, "3.0"),
            (-0.0, "-0.0"),
            (0.1, "0.1"),
            (1e300, "1e300"),
            (f64::NAN, "NAN"),
            (f64::NEG_INFINITY, "-INFINITY"),
            (std::f64::consts::PI, "0x1.921fb54442d18p+1 /* 3.141593 */"),
            (5e-324, "5e-324"),
            (f64::MIN_POSITIVE / 3.0, "0x0.5555555555555p-1022 /* 7.416913e-309 */"),
            (1234567.0, "0x1.2d687p+20 /* 1234567 */"),
        ];
        for (value, expected) in cases {
            assert_eq!(double(value), expected);
        }
        assert_eq!(float(0.1), "0.1f");
        assert_eq!(float(1.0 / 3.0), "0x1.555556p-2f /* 0.3333333 */");
    }

    #[test]
    fn strings_escape_what_they_must() {
        assert_eq!(string(b"a\"b\\\n\x001??="), r#""a\"b\\\n\0001?\?=""#);
        assert_eq!(characters(true, true, b"ab\0\0", 4), "\"ab\"");
        assert_eq!(characters(true, true, b"ab", 2), "{'a', 'b'}");
        assert_eq!(characters(false, false, &[1, 255, 0], 3), "{1, 0xff, 0}");
    }
}
