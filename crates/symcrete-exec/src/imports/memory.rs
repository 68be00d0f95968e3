//! What a program says of its memory while it runs: what it allocates and frees, and which frames and blocks begin and end.

use super::{Call, Returned};
use crate::config::MemoryEvent;
use crate::host::{self, Host, stopped, with_flags};
use crate::instrument::layout::Form;
use crate::lower::extend;
use crate::poison::NULL_PAGE;
use crate::recording::Recording;
use crate::red_zones::RedZones;
use crate::stored_pointers::{unwatch, watch};
use crate::tags::{self, FORBIDDEN, FRESH, POINTER};
use std::ops::Range;
use symcrete_program::Gap;
use symcrete_program::module::ValueType;
use symcrete_term::{Op, Sort, TermId};
use wasmtime::WasmBacktrace;

impl Call<'_> {
    pub(super) fn note_memory(
        &self,
        host: &mut Host<'_>,
        event: MemoryEvent,
    ) -> wasmtime::Result<Returned> {
        let address = self.number(0);
        let known = |result: u32| Ok((u64::from(result), 0));
        match event {
            MemoryEvent::Uninitialized => {
                self.forget(host, address..address.saturating_add(self.number(1)))?;
                known(0)
            }
            MemoryEvent::Room => {
                let site = self.site(host, 0);
                let recording = &mut host.data_mut().recording;
                Ok((stopped(recording.room(site, self.shadow(0), self.bits(0)))?, 0))
            }
            MemoryEvent::Allocated => {
                self.allocate(host)?;
                known(0)
            }
            MemoryEvent::Freeing => self.freeing(host),
            MemoryEvent::Given => self.given(host, address),
            MemoryEvent::Enter => known(self.enter(host, address)?),
            MemoryEvent::Array => known(self.add_array(host, address)?),
            MemoryEvent::Freed => {
                self.free(host, address)?;
                known(0)
            }
            MemoryEvent::Released => {
                self.release(host, address);
                known(0)
            }
            MemoryEvent::Unused => {
                self.end_heap(host, address..address.saturating_add(self.number(1)))?;
                known(0)
            }
            MemoryEvent::Leave => {
                self.leave(host, address)?;
                known(0)
            }
            MemoryEvent::Ordered | MemoryEvent::Equal => {
                let recording = &mut host.data_mut().recording;
                recording.note_comparison([address, self.number(1)], event == MemoryEvent::Equal);
                Ok((self.bits(2), self.shadow(2)))
            }
            MemoryEvent::Together => {
                let poison = &host.data().recording.bytes.poison;
                let object = poison.object_at(address);
                let is_one = object.is_some() && object == poison.object_at(self.number(1));
                Ok(if is_one { (self.bits(2), self.shadow(2)) } else { (0, 0) })
            }
            MemoryEvent::Address => {
                host.data_mut().recording.note_number(address);
                Ok((self.bits(0), self.shadow(0)))
            }
            MemoryEvent::Word => self.note_word(host, address),
            MemoryEvent::Pointer => {
                self.note_stored(host, address)?;
                known(0)
            }
            MemoryEvent::ScopeStart => {
                self.start_scope(host, address);
                known(0)
            }
            MemoryEvent::ScopeEnd => {
                self.watch(host, |zones| {
                    zones.set_scope(address, false);
                    zones.object_at(address).into_iter().collect()
                })?;
                known(0)
            }
        }
    }

    /// A word is read as a number; it may be an address.
    fn note_word(&self, host: &mut Host<'_>, address: u32) -> wasmtime::Result<Returned> {
        self.tag(host, |recording, tags| {
            if tags.get(address as usize).is_some_and(|tag| *tag == POINTER) {
                recording.meet(Gap::Addresses);
            }
        });
        with_flags(&mut *host, self.module.flags as usize, |recording, _, flags| {
            recording.note_word(flags, address, self.number(1));
            Ok(())
        })?;
        Ok((self.bits(1), self.shadow(1)))
    }

    /// Freed memory may be allocated again.
    fn release(&self, host: &mut Host<'_>, address: u32) {
        let recording = &mut host.data_mut().recording;
        let released = recording.bytes.poison.zones.span_range(address);
        recording.bytes.poison.zones.release(address);
        recording.untie(&(address..address.saturating_add(1)));
        self.tag(host, |_, tags| {
            released.iter().for_each(|bytes| tags::open(tags, bytes));
        });
    }

    /// The block of a local variable starts.
    fn start_scope(&self, host: &mut Host<'_>, address: u32) {
        host.data_mut().recording.bytes.poison.zones.set_scope(address, true);
        self.tag(host, |recording, tags| {
            let object = recording.bytes.poison.zones.object_at(address);
            object.iter().for_each(|bytes| tags::open(tags, bytes));
        });
    }

    /// How many bytes are about to be freed; all ones if unknown.
    fn freeing(&self, host: &mut Host<'_>) -> wasmtime::Result<Returned> {
        let site = self.site(host, 0);
        let recording = &mut host.data_mut().recording;
        let length = stopped(recording.freeing(site, (self.shadow(0), self.bits(0))))?;
        Ok((length.map_or(u64::MAX, u64::from), 0))
    }

    /// The size of an object of the input that can be freed; all ones for any other address.
    fn given(&self, host: &mut Host<'_>, address: u32) -> wasmtime::Result<Returned> {
        let site = self.site(host, 0);
        let recording = &mut host.data_mut().recording;
        let Some((size, mut shadow)) = stopped(recording.given(site, address))? else {
            return Ok((u64::MAX, 0));
        };
        let is_wide = self.import.ty.results == [ValueType::I64];
        let term = (shadow as usize).checked_sub(1).map(TermId::from_index);
        let narrow = term.filter(|&term| recording.terms.sort(term) == Sort::Bv(32));
        if let Some(term) = narrow.filter(|_| is_wide) {
            let wide = extend(&mut recording.terms, Op::ZeroExtend, 32, term);
            shadow = stopped(recording.shadow(wide))?;
        }
        Ok((u64::from(size), shadow))
    }

    /// A function starts. Returns where its frame is.
    fn enter(&self, host: &mut Host<'_>, stack: u32) -> wasmtime::Result<u32> {
        let table = self.table(host);
        let mut frame = stack;
        self.watch(host, |zones| {
            frame = zones.enter(stack, &table);
            zones.zones_of(frame)
        })?;
        self.tag_span(host, frame);
        Ok(frame)
    }

    /// An array was put on the stack. Returns where it is. One that is larger than the stack starts before all memory, where
    /// addresses wrap.
    fn add_array(&self, host: &mut Host<'_>, stack: u32) -> wasmtime::Result<u32> {
        let memory_length = host::parts(host).memory.data_size(&*host) as u64;
        if u64::from(stack) + u64::from(self.number(1)) > memory_length {
            let site = self.site(host, 1);
            let recording = &mut host.data_mut().recording;
            let room = stack.wrapping_add(self.number(1));
            return stopped(recording.array_too_large(site, self.shadow(1), room));
        }
        let mut array = stack;
        self.watch(host, |zones| {
            array = zones.add_array(stack, self.number(1));
            zones.zones_of(array)
        })?;
        self.tag_span(host, array);
        self.tie(host, array..array.saturating_add(self.number(1)), 1)?;
        Ok(array)
    }

    /// A pointer was stored.
    fn note_stored(&self, host: &mut Host<'_>, place: u32) -> wasmtime::Result<()> {
        let memory = host::parts(host).memory.data(&*host);
        let word = memory.get(place as usize..).and_then(|bytes| bytes.first_chunk());
        let Some(value) = word.map(|word| u32::from_le_bytes(*word)) else { return Ok(()) };
        if self.module.form == Form::Concrete {
            return self.tag_pointer(host, place, value);
        }
        with_flags(&mut *host, self.module.flags as usize, |recording, _, flags| {
            recording.note_stored(flags, place, value);
            Ok(())
        })
    }

    /// A function returns: its variables must not be accessed any more.
    fn leave(&self, host: &mut Host<'_>, frame: u32) -> wasmtime::Result<()> {
        let mut gone = Vec::new();
        self.watch(host, |zones| {
            gone = zones.leave(frame);
            gone.clone()
        })?;
        let recording = &mut host.data_mut().recording;
        gone.iter().for_each(|bytes| recording.untie(bytes));
        self.tag(host, |recording, tags| {
            // The stack itself belongs to the next function.
            let zones = &recording.bytes.poison.zones;
            let is_kept = |bytes: &&Range<u32>| zones.span_range(bytes.start).is_some();
            gone.iter().filter(|bytes| !is_kept(bytes)).for_each(|bytes| tags::open(tags, bytes));
        });
        Ok(())
    }

    /// Marks bytes as uninitialised.
    fn forget(&self, host: &mut Host<'_>, bytes: Range<u32>) -> wasmtime::Result<()> {
        with_flags(&mut *host, self.module.flags as usize, |recording, memory_length, flags| {
            let end = bytes.end.min(memory_length as u32);
            recording.forget_values(flags, bytes.start.min(end)..end);
            Ok(())
        })?;
        self.tag(host, |_, tags| tags::set(tags, &bytes, FRESH));
        Ok(())
    }

    /// Updates the tags of the concrete form, if the run uses it.
    fn tag(&self, host: &mut Host<'_>, set: impl FnOnce(&mut Recording, &mut [u8])) {
        if self.module.form == Form::Concrete {
            let (tags, state) = host::tags(host, self.module.flags as usize);
            set(&mut state.recording, tags);
        }
    }

    /// Tags bytes that were laid out together.
    fn tag_span(&self, host: &mut Host<'_>, address: u32) {
        self.tag(host, |recording, tags| {
            let zones = &recording.bytes.poison.zones;
            zones.span_range(address).iter().for_each(|bytes| tags::open(tags, bytes));
            zones.zones_of(address).iter().for_each(|bytes| tags::set(tags, bytes, FORBIDDEN));
        });
    }

    /// Tags a pointer that was stored where code did not do so itself.
    fn tag_pointer(&self, host: &mut Host<'_>, place: u32, value: u32) -> wasmtime::Result<()> {
        let word = self.module.address.bytes();
        let recording = &mut host.data_mut().recording;
        let is_pointer = value >= NULL_PAGE || recording.is_function(value);
        if is_pointer && !place.is_multiple_of(word) {
            return stopped(recording.leave_concrete_form());
        }
        if is_pointer {
            self.tag(host, |_, tags| tags::set_pointer(tags, place, word));
        }
        Ok(())
    }

    /// The heap ends where these bytes start, and they must not be accessed. Bytes behind its earlier end now
    /// belong to objects.
    fn end_heap(&self, host: &mut Host<'_>, unused: Range<u32>) -> wasmtime::Result<()> {
        let (mut taken, mut added) = (0..0, 0..0);
        with_flags(&mut *host, self.module.flags as usize, |recording, _, flags| {
            let before = recording.bytes.poison.zones.set_unused(unused.clone());
            taken = before.start..unused.start.min(before.end);
            added = before.end.max(unused.start)..unused.end;
            if let Some(flags) = flags.get_mut(groups(&taken, flags.len())) {
                unwatch(flags);
            }
            set_flags(flags, &added);
            Ok(())
        })?;
        self.tag(host, |_, tags| {
            tags::open(tags, &taken);
            tags::set(tags, &added, FORBIDDEN);
        });
        Ok(())
    }

    /// Notes that memory was allocated.
    fn allocate(&self, host: &mut Host<'_>) -> wasmtime::Result<()> {
        let [start, written, size, room] = [0, 1, 2, 3].map(|i| self.number(i));
        let Some(end) = start.checked_add(size) else { return Ok(()) };
        // Finding the place is slow, and only leak checks need it.
        let site = match self.module.leaks.is_empty() {
            true => None,
            false => {
                let backtrace = WasmBacktrace::force_capture(&*host);
                self.module.innermost_site(backtrace.frames())
            }
        };
        let mut span = start;
        self.watch(host, |zones| match zones.allocate(start..end, room, site) {
            Some(all) => {
                span = all.start;
                zones.zones_of(all.start)
            }
            None => Vec::new(),
        })?;
        self.tag_span(host, span);
        self.forget(host, start + written.min(size)..end)?;
        self.tie(host, start..start.saturating_add(room), 2)
    }

    /// The size of an object of the program is an argument, within the bytes that are reserved for it.
    fn tie(&self, host: &mut Host<'_>, room: Range<u32>, size: usize) -> wasmtime::Result<()> {
        let length = (self.shadow(size), self.bits(size));
        let site = self.site(host, size);
        with_flags(&mut *host, self.module.flags as usize, |recording, _, flags| {
            recording.tie_own((site, flags), room, length)
        })
    }

    /// The numbers that say which bytes of a frame belong to variables.
    fn table(&self, host: &mut Host<'_>) -> Vec<u32> {
        let memory = host::parts(host).memory.data(&*host);
        let numbers = memory.get(self.number(1) as usize..).unwrap_or_default().chunks_exact(4);
        let numbers = numbers.map(|n| u32::from_le_bytes([n[0], n[1], n[2], n[3]]));
        let n_variables = numbers.clone().nth(1).unwrap_or(0) as usize;
        numbers.take(2 + 2 * n_variables).collect()
    }

    /// Freed memory must not be accessed.
    fn free(&self, host: &mut Host<'_>, address: u32) -> wasmtime::Result<()> {
        let mut freed = None;
        with_flags(&mut *host, self.module.flags as usize, |recording, _, flags| {
            if let Some(bytes) = recording.bytes.poison.free(address) {
                set_flags(flags, &bytes);
                freed = Some(bytes);
            }
            Ok(())
        })?;
        self.tag(host, |_, tags| {
            freed.iter().for_each(|bytes| tags::set(tags, bytes, FORBIDDEN));
        });
        Ok(())
    }

    /// Sets the flags of bytes that must not be accessed from now on.
    fn watch(
        &self,
        host: &mut Host<'_>,
        zones: impl FnOnce(&mut RedZones) -> Vec<Range<u32>>,
    ) -> wasmtime::Result<()> {
        let mut forbidden = Vec::new();
        with_flags(&mut *host, self.module.flags as usize, |recording, _, flags| {
            forbidden = zones(&mut recording.bytes.poison.zones);
            forbidden.iter().for_each(|bytes| set_flags(flags, bytes));
            Ok(())
        })?;
        self.tag(host, |_, tags| {
            forbidden.iter().for_each(|bytes| tags::set(tags, bytes, FORBIDDEN));
        });
        Ok(())
    }
}

/// Sets the flags of bytes, as far as they are in memory.
fn set_flags(flags: &mut [u8], bytes: &Range<u32>) {
    if let Some(flags) = flags.get_mut(groups(bytes, flags.len())) {
        watch(flags);
    }
}

/// The flags of some bytes, as far as there are.
fn groups(bytes: &Range<u32>, n_flags: usize) -> Range<usize> {
    (bytes.start / 8) as usize..(bytes.end.div_ceil(8) as usize).min(n_flags)
}
