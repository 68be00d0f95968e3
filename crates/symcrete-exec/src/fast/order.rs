//! Floats in their order: neighbours are one apart, so that a distance between floats is a number of floats.

/// The place of a double in the order of all, by its bits.
#[inline]
pub fn ordered_f64(bits: u64) -> i64 {
    let bits = bits as i64;
    bits ^ (((bits >> 63) as u64) >> 1) as i64
}

/// The double at a place.
#[inline]
pub fn unordered_f64(place: i64) -> u64 {
    ordered_f64(place as u64) as u64
}

/// The place of a single in the order of all, by its bits.
#[inline]
pub fn ordered_f32(bits: u32) -> i32 {
    let bits = bits as i32;
    bits ^ (((bits >> 31) as u32) >> 1) as i32
}

/// The single at a place.
#[inline]
pub fn unordered_f32(place: i32) -> u32 {
    ordered_f32(place as u32) as u32
}
