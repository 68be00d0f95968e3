//! What a program frees: memory of its own, and objects of the input, which a caller may have allocated.
//!
//! Every object behind a pointer of the input can be freed once, as if it came from `malloc`
//! (`docs/adr/0026-what-the-callee-frees.md`).

use crate::red_zones::Freeing;
use crate::session::{Address, Session, ShadowId, Stop};
use symcrete_program::TrapKind;

/// Stands for a size that nobody knows.
const UNKNOWN: u32 = u32::MAX;

impl Session {
    /// How many bytes there are to be freed; the largest number if nobody knows. Which object it is may depend on the
    /// input: the pointer is taken at what it is.
    pub(crate) fn freeing(
        &mut self,
        site: u32,
        (shadow, value): (ShadowId, u32),
    ) -> Result<u32, Stop> {
        let (address, _) = self.follow(site, Address { shadow, value, offset: 0 })?;
        self.pin(site, address.shadow, u64::from(value))?;
        match self.bytes.poison.freeing(value) {
            Freeing::Allocated(length) => Ok(length),
            Freeing::Unknown => Ok(UNKNOWN),
            Freeing::Again => Err(Stop::Trap(TrapKind::DoubleFree)),
            Freeing::Invalid => {
                self.bytes.poison.note_misuse(value);
                Err(Stop::Trap(TrapKind::InvalidFree))
            }
        }
    }

    /// How many bytes an object of the input has that can be freed, and the term of that; the largest number if it is
    /// none.
    pub(crate) fn given(&mut self, site: u32, address: u32) -> Result<(u32, ShadowId), Stop> {
        let Some(bytes) = self.bytes.poison.given_at(address) else { return Ok((UNKNOWN, 0)) };
        let shadow = self.size_in(site, &bytes)?;
        Ok((bytes.end - bytes.start, shadow))
    }
}
