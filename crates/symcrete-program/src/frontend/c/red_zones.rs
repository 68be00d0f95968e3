//! Puts bytes that belong to no object behind every variable, so that an access that leaves a variable is seen.
//!
//! WebAssembly lays out variables one after another in one memory: what overflows an array changes its neighbour, and
//! nothing tells. So every variable that is reached in other ways than at constant places gets a red zone behind it,
//! which the engine must not let anybody touch. Variables are put where they end at a multiple of eight bytes, as far as
//! their alignment allows: the engine's flags cover eight bytes, and a variable that shares none of them with a red zone
//! costs nothing.
//!
//! `docs/adr/0013-red-zones.md` has the reasons.

mod exposed;
mod frames;
mod reached;
mod variables;

pub(super) use frames::FRAME;
pub(crate) use variables::TABLE;

use super::type_sizes::TypeSizes;

/// Bytes around each variable that belong to none, at least.
const ZONE: u32 = 16;
/// Before an array or a structure there are more: AddressSanitizer has as many there.
const ZONE_BEFORE: u32 = 32;
/// And at most.
const ZONE_MAX: u32 = 256;
/// Bytes of the runtime's `__symcrete_frames`.
pub(crate) const FRAMES_BYTES: u32 = 1 << 18;
/// Bytes that share one flag of the engine.
const GROUP: u32 = 8;

/// The text of a file with red zones.
pub(super) struct Guarded {
    pub(super) text: String,
    /// Whether it has a table of variables, which the linker must keep.
    pub(super) has_table: bool,
}

/// Edits the text of one file; its number makes names of its own.
pub(super) fn guard(text: &str, number: usize) -> Guarded {
    let sizes = TypeSizes::of(text);
    let (text, has_table) = variables::guard(text, number, &sizes);
    Guarded { text: frames::guard(&text, &sizes), has_table }
}

/// How many bytes before a variable shall belong to none. Compilers make `a[i - 1]` an index into what starts one
/// element before `a`, and the engine takes an address to belong to what its constant part points into.
fn zone_before(ty: &str, sizes: &TypeSizes<'_>) -> u32 {
    let element = ty.strip_prefix('[').and_then(|array| array.strip_suffix(']'));
    let element = element.and_then(|array| array.split_once(" x ")).map(|(_, element)| element);
    let reach = match element {
        Some(element) => sizes.size(element).map(|size| size.saturating_mul(2)),
        None => sizes.size(ty),
    };
    let least = if is_aggregate(ty) { ZONE_BEFORE } else { ZONE };
    reach.unwrap_or(least).clamp(least, ZONE_MAX).next_multiple_of(GROUP)
}

/// How many bytes behind a variable of that size shall belong to none: what AddressSanitizer has there, so that an access
/// that it sees on this machine is seen by us.
fn zone_behind(ty: &str, size: u32) -> u32 {
    match size {
        _ if !is_aggregate(ty) => ZONE,
        0..=128 => 32,
        129..=512 => 64,
        513..=4096 => 128,
        _ => ZONE_MAX,
    }
}

/// Whether a type is one that code indexes or looks into.
fn is_aggregate(ty: &str) -> bool {
    ty.starts_with(['[', '{', '%', '<'])
}
