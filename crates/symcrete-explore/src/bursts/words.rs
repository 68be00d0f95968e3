//! Floats in bytes: a harness makes an array of them an input as so many bytes, and few changes of single bytes make a number
//! that matters out of others.

use super::mutate::{FLOATS, float_bits};
use symcrete_program::{CellKind, Scalar};
use symcrete_term::Rng;

/// At most so many are put in at a time: what two of them make may matter, such as infinity minus infinity.
const AT_A_TIME: u64 = 3;

/// Floats of one width that are worth trying.
struct Width {
    bytes: usize,
    values: Vec<u64>,
}

/// Floats of the widths that a program has.
pub(super) struct Words {
    widths: Vec<Width>,
}

impl Words {
    /// The program's own constants, and corners.
    pub(super) fn of(constants: &[Scalar]) -> Words {
        let width = |kind: CellKind, bytes: usize| {
            let own = constants.iter().filter_map(|constant| match (kind, *constant) {
                (CellKind::F32, Scalar::F32(bits)) => Some(u64::from(bits)),
                (CellKind::F64, Scalar::F64(bits)) => Some(bits),
                _ => None,
            });
            let mut values: Vec<u64> = own.collect();
            if !values.is_empty() {
                values.extend(FLOATS.iter().map(|&x| float_bits(kind, x)));
            }
            Width { bytes, values }
        };
        let mut widths = vec![width(CellKind::F32, 4), width(CellKind::F64, 8)];
        widths.retain(|width| !width.values.is_empty());
        Words { widths }
    }

    /// Whether the program has none.
    pub(super) fn is_empty(&self) -> bool {
        self.widths.is_empty()
    }

    /// Puts some into an array of bytes, where a number of that width may be.
    pub(super) fn put(&self, rng: &mut Rng, array: &mut [u64]) {
        let fitting = self.widths.iter().filter(|width| width.bytes <= array.len());
        let fitting: Vec<&Width> = fitting.collect();
        if fitting.is_empty() {
            return;
        }
        let width = *rng.choose(&fitting);
        for _ in 0..=rng.below(AT_A_TIME) {
            let at = rng.below((array.len() / width.bytes) as u64) as usize * width.bytes;
            let bytes = rng.choose(&width.values).to_le_bytes();
            let places = array[at..at + width.bytes].iter_mut();
            places.zip(bytes).for_each(|(to, byte)| *to = u64::from(byte));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use symcrete_term::Seed;

    #[test]
    fn floats_are_put_where_one_can_be() {
        let words = Words::of(&[Scalar::F32(0.3_f32.to_bits()), Scalar::I32(7)]);
        let mut rng = Seed(7).rng();
        let mut seen = [false; 2];
        for _ in 0..1000 {
            let mut array = [9; 11];
            words.put(&mut rng, &mut array);
            assert_eq!(array[8..], [9; 3]);
            for (place, seen) in seen.iter_mut().enumerate() {
                let bytes: Vec<u8> =
                    array[4 * place..][..4].iter().map(|&byte| byte as u8).collect();
                let bits = u32::from_le_bytes(bytes.try_into().expect("four bytes"));
                *seen |= f32::from_bits(bits) == f32::INFINITY;
            }
        }
        assert_eq!(seen, [true; 2]);
    }

    #[test]
    fn a_program_without_floats_has_none() {
        let mut array = [9; 8];
        Words::of(&[Scalar::I32(7)]).put(&mut Seed(7).rng(), &mut array);
        assert_eq!(array, [9; 8]);
    }
}
