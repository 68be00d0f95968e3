//! What a program frees: memory of its own, and objects of the input, which a caller may have allocated.
//!
//! Every object behind a pointer of the input can be freed once, as if it came from `malloc`
//! (`docs/adr/0026-what-the-callee-frees.md`).

use crate::recording::{Address, Recording, ShadowId, Stop};
use crate::red_zones::Freeing;
use symcrete_program::TrapKind;

impl Recording {
    /// How many bytes there are to be freed, if anybody knows. Which object it is may depend on the
    /// input: the pointer is taken at what it is.
    pub(crate) fn freeing(
        &mut self,
        site: u32,
        (shadow, value): (ShadowId, u64),
    ) -> Result<Option<u32>, Stop> {
        let (address, _) = self.follow(site, Address { shadow, value, offset: 0 })?;
        self.pin(site, address.shadow, value)?;
        let value = u32::try_from(value).unwrap_or(u32::MAX);
        match self.bytes.poison.freeing(value) {
            Freeing::Allocated(length) => Ok(Some(length)),
            Freeing::Unknown => Ok(None),
            Freeing::Again => Err(Stop::Trap(TrapKind::DoubleFree)),
            Freeing::Invalid => {
                self.bytes.poison.note_misuse(value);
                Err(Stop::Trap(TrapKind::InvalidFree))
            }
        }
    }

    /// How many bytes an object of the input has that can be freed, and the term of that, if it is one.
    pub(crate) fn given(
        &mut self,
        site: u32,
        address: u32,
    ) -> Result<Option<(u32, ShadowId)>, Stop> {
        let Some(bytes) = self.bytes.poison.given_at(address) else { return Ok(None) };
        let shadow = self.size_in(site, &bytes)?;
        Ok(Some((bytes.end - bytes.start, shadow)))
    }
}
