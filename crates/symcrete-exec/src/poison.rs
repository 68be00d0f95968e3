//! Which bytes a program must not touch: those near address zero, those of the arena that belong to no object, and
//! red zones behind variables and allocated memory. Only programs that have an arena have such bytes.

use crate::red_zones::{Freeing, Place, RedZones};
use crate::stored_pointers::watch;
use crate::tags::{self, FORBIDDEN, FRESH};
use std::collections::BTreeMap;
use std::ops::Range;
use symcrete_program::TrapKind;

/// Addresses below this are what null pointers and members of null structures point to.
pub(crate) const NULL_PAGE: u32 = 1024;

/// Objects that are made while a program runs start at multiples of this, and keep that far apart.
const ALIGNMENT: u32 = 16;

/// The bytes that must not be touched.
#[derive(Default)]
pub(crate) struct Poison {
    arena: Range<u32>,
    /// In order, none overlapping another.
    objects: Vec<Range<u32>>,
    /// Where those of them start that are texts.
    texts: Vec<u32>,
    /// Where arrays are whose length is a variable, with all their elements.
    tied: Vec<Range<u32>>,
    /// Objects of the input that can be freed, by where they start: where they end, and whether they are freed.
    heap: BTreeMap<u32, (u32, bool)>,
    /// One of them that the program wanted to free from its middle.
    misused: Option<u32>,
    /// Bytes that outlive a call and that this run has neither read nor written; in order, apart.
    state: Vec<Range<u32>>,
    pub(crate) zones: RedZones,
    /// Where the next object that is made while the program runs ends at most.
    free_end: u32,
}

impl Poison {
    /// Poisons an arena but for its objects. Objects that overlap are one; what of them and of tied arrays
    /// lies outside the arena does not count.
    pub(crate) fn set(&mut self, arena: Range<u32>, objects: &[Range<u32>], tied: &[Range<u32>]) {
        let clipped =
            |object: &Range<u32>| object.start.max(arena.start)..object.end.min(arena.end);
        self.objects.clear();
        self.objects.extend(objects.iter().map(clipped).filter(|object| !object.is_empty()));
        self.tied.clear();
        self.tied.extend(tied.iter().map(clipped).filter(|array| !array.is_empty()));
        self.free_end = arena.end;
        self.arena = arena;
        self.objects.sort_unstable_by_key(|object| object.start);
        self.objects.dedup_by(|next, last| {
            let overlap = next.start < last.end;
            if overlap {
                last.end = last.end.max(next.end);
            }
            overlap
        });
    }

    /// Says which objects of the input are texts.
    pub(crate) fn set_texts(&mut self, texts: &[u32]) {
        self.texts = texts.to_vec();
    }

    /// Whether an object is a text of the input.
    pub(crate) fn is_text(&self, object: &Range<u32>) -> bool {
        self.texts.contains(&object.start)
    }

    /// Says which objects of the input can be freed.
    pub(crate) fn set_heap(&mut self, heap: &[Range<u32>]) {
        self.heap = heap.iter().map(|object| (object.start, (object.end, false))).collect();
    }

    /// What an address is that is about to be freed.
    pub(crate) fn freeing(&self, address: u32) -> Freeing {
        if !self.arena.contains(&address) {
            return self.zones.freeing(address);
        }
        match self.heap.get(&address) {
            Some((_, true)) => Freeing::Again,
            Some((end, false)) => Freeing::Allocated(end - address),
            None => Freeing::Invalid,
        }
    }

    /// The bytes of the object of the input that starts at an address and can be freed.
    pub(crate) fn given_at(&self, address: u32) -> Option<Range<u32>> {
        self.heap.get(&address).map(|(end, _)| address..*end)
    }

    /// Memory was freed: it must not be accessed any more. Returns its bytes.
    pub(crate) fn free(&mut self, address: u32) -> Option<Range<u32>> {
        let Some((end, is_freed)) = self.heap.get_mut(&address) else {
            return self.zones.free(address);
        };
        *is_freed = true;
        let bytes = address..*end;
        self.objects.retain(|object| object.start != address);
        self.tied.retain(|array| !bytes.contains(&array.start));
        Some(bytes)
    }

    /// The program wants to free what it cannot.
    pub(crate) fn note_misuse(&mut self, address: u32) {
        let before = self.heap.range(..address).next_back();
        self.misused = before.filter(|(_, (end, _))| address <= *end).map(|(start, _)| *start);
    }

    /// Where the objects of the input start that were freed, or were to be.
    pub(crate) fn freed(&self) -> Vec<u32> {
        let freed = self.heap.iter().filter(|(_, (_, is_freed))| *is_freed);
        freed.map(|(start, _)| *start).chain(self.misused).collect()
    }

    /// Says which bytes keep their values from one call to the next.
    pub(crate) fn set_state(&mut self, state: &[Range<u32>]) {
        self.state.clear();
        self.state.extend(state.iter().filter(|range| !range.is_empty()).cloned());
        self.state.sort_unstable_by_key(|range| range.start);
        self.state.dedup_by(|next, last| {
            let overlap = next.start < last.end;
            if overlap {
                last.end = last.end.max(next.end);
            }
            overlap
        });
    }

    /// Whether some of these bytes have the value that an earlier call may have left.
    pub(crate) fn is_state(&self, start: u32, length: u32) -> bool {
        let after = self.state.partition_point(|range| range.end <= start);
        self.state.get(after).is_some_and(|range| range.start < start.saturating_add(length))
    }

    /// These bytes have a value of this call now; whether they had not before.
    pub(crate) fn overwrite_state(&mut self, start: u32, length: u32) -> bool {
        if !self.is_state(start, length) {
            return false;
        }
        let end = start.saturating_add(length);
        let first = self.state.partition_point(|range| range.end <= start);
        let after = self.state.partition_point(|range| range.start < end);
        let (low, high) = (self.state[first].start, self.state[after - 1].end);
        let parts = [low..start, end..high].into_iter().filter(|part| !part.is_empty());
        self.state.splice(first..after, parts);
        true
    }

    /// No byte counts as state any more; returns those that did.
    pub(crate) fn forget_state(&mut self) -> Vec<Range<u32>> {
        std::mem::take(&mut self.state)
    }

    /// Nothing is poisoned any more.
    pub(crate) fn reset(&mut self) {
        self.arena = 0..0;
        self.texts.clear();
        self.zones.reset();
        self.state.clear();
        self.objects.clear();
        self.tied.clear();
        self.heap.clear();
        self.misused = None;
    }

    /// Whether there is anything that must not be touched.
    pub(crate) fn is_active(&self) -> bool {
        !self.arena.is_empty()
    }

    /// Whether some of these bytes lie in the arena.
    pub(crate) fn is_in_arena(&self, bytes: &Range<u64>) -> bool {
        bytes.start < u64::from(self.arena.end) && u64::from(self.arena.start) < bytes.end
    }

    /// The object that an address points into.
    pub(crate) fn object_at(&self, address: u32) -> Option<Range<u32>> {
        if !self.arena.contains(&address) {
            return self.zones.object_at(address);
        }
        let after = self.objects.partition_point(|object| object.start <= address);
        let object = self.objects.get(after.checked_sub(1)?)?;
        object.contains(&address).then(|| object.clone())
    }

    /// Where an address points, as far as that is known.
    pub(crate) fn place_of(&self, address: u32) -> Option<Place> {
        if !self.arena.contains(&address) {
            return self.zones.place_of(address);
        }
        // Arrays whose length is a variable have room for all elements.
        let freed = self.freed_ranges();
        let ranges = || self.tied.iter().chain(&self.objects).chain(&freed);
        let before = ranges().filter(|range| range.start <= address);
        let nearest = match self.is_before_object(address) {
            true => ranges().filter(|range| address < range.start).min_by_key(|range| range.start),
            false => before.max_by_key(|range| (range.start, range.end)),
        }?;
        Some(Place {
            object: nearest.start,
            is_inside: self.object_at(address).is_some(),
            is_shared: false,
            may_be_another: false,
        })
    }

    /// What is wrong with touching bytes, if anything is.
    pub(crate) fn fault(&self, start: u32, length: u32) -> Option<TrapKind> {
        if !self.is_active() || length == 0 {
            return None;
        }
        if start < NULL_PAGE {
            return Some(TrapKind::NullPointer);
        }
        let end = start.saturating_add(length).min(self.arena.end);
        let mut at = start.max(self.arena.start);
        while at < end {
            match self.object_at(at) {
                Some(object) => at = object.end,
                None if self.is_freed(at) => return Some(TrapKind::UseAfterFree),
                None => return Some(TrapKind::OutOfObject),
            }
        }
        self.zones.fault(start, length)
    }

    fn is_freed(&self, address: u32) -> bool {
        self.freed_ranges().iter().any(|object| object.contains(&address))
    }

    fn freed_ranges(&self) -> Vec<Range<u32>> {
        let freed = self.heap.iter().filter(|(_, (_, is_freed))| *is_freed);
        freed.map(|(start, (end, _))| *start..*end).collect()
    }

    /// Whether bytes of no object are nearer to the object behind them than to the one before.
    pub(crate) fn is_before_object(&self, address: u32) -> bool {
        let ranges = || self.objects.iter().chain(&self.tied);
        let before = ranges().filter(|range| range.end <= address).map(|range| range.end).max();
        let behind = ranges().filter(|range| address < range.start).map(|range| range.start).min();
        let is_inside = ranges().any(|range| range.contains(&address));
        let near = |start: u32| before.is_none_or(|end| start - address < address - end);
        self.arena.contains(&address) && !is_inside && behind.is_some_and(near)
    }

    /// Whether any of the eight bytes of a group is poisoned, or would be if a length were another.
    pub(crate) fn touches_group(&self, group: u32) -> bool {
        let (start, end) = (8 * group, 8 * group + 8);
        let is_tied = self.tied.iter().any(|array| array.start < end && start < array.end);
        is_tied || self.is_state(start, 8) || self.fault(start, 8).is_some()
    }

    /// Sets the flags of all groups that are poisoned or tied, and clears those of other groups inside objects.
    pub(crate) fn mark(&self, flags: &mut [u8]) {
        if !self.is_active() {
            return;
        }
        watch(&mut flags[..(NULL_PAGE / 8) as usize]);
        let groups =
            |range: &Range<u32>| (range.start / 8) as usize..range.end.div_ceil(8) as usize;
        watch(&mut flags[groups(&self.arena)]);
        for object in &self.objects {
            flags[groups(object)].fill(0);
            for group in [object.start / 8, (object.end - 1) / 8] {
                flags[group as usize] = u8::from(self.touches_group(group));
            }
        }
        for bytes in self.tied.iter().chain(&self.state) {
            watch(&mut flags[groups(bytes)]);
        }
        self.zones.of_variables().for_each(|bytes| watch(&mut flags[groups(&bytes)]));
    }

    /// Sends accesses to constants to the host.
    pub(crate) fn watch_constants(&self, flags: &mut [u8]) {
        for bytes in self.zones.constants() {
            watch(&mut flags[(bytes.start / 8) as usize..bytes.end.div_ceil(8) as usize]);
        }
    }

    /// The same as tags of the concrete form.
    pub(crate) fn tag_bytes(&self, tags: &mut [u8]) {
        if !self.is_active() {
            return;
        }
        tags::set(tags, &(0..NULL_PAGE), FORBIDDEN);
        tags::set(tags, &self.arena, FORBIDDEN);
        self.objects.iter().for_each(|object| tags::set(tags, object, 0));
        self.state.iter().for_each(|bytes| tags::set(tags, bytes, FRESH));
        self.zones.of_variables().for_each(|bytes| tags::set(tags, &bytes, FORBIDDEN));
    }

    /// The length of an array there is a variable.
    pub(crate) fn tie(&mut self, array: Range<u32>) {
        self.tied.push(array);
    }

    /// There are no such arrays any more.
    pub(crate) fn untie(&mut self, bytes: &Range<u32>) {
        self.tied.retain(|array| !bytes.contains(&array.start));
    }

    /// Room for an object at the end of the arena; `None` if there is none.
    pub(crate) fn reserve(&mut self, size: u32) -> Option<Range<u32>> {
        let start = self.free_end.checked_sub(size)? / ALIGNMENT * ALIGNMENT;
        // Whether there is room must not depend on a length.
        let used = self.objects.iter().chain(&self.tied);
        let used = used.filter(|object| object.start < self.free_end);
        let used = used.map(|object| object.end).max().unwrap_or(self.arena.start);
        if !self.is_active() || size == 0 || start < used.saturating_add(ALIGNMENT) {
            return None;
        }
        self.free_end = start - ALIGNMENT;
        Some(start..start + size)
    }

    /// Makes an object of bytes that [`Poison::reserve`] gave.
    pub(crate) fn add(&mut self, object: Range<u32>) {
        let at = self.objects.partition_point(|other| other.start < object.start);
        self.objects.insert(at, object);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn state_is_what_has_not_been_overwritten() {
        let mut rng = symcrete_term::Seed(3).derive("state").rng();
        for _ in 0..50 {
            let mut poison = Poison::default();
            poison.set_state(&[8..24, 24..30, 40..41, 50..60]);
            let mut is_state = [false; 64];
            for range in [8..30, 40..41, 50..60] {
                is_state[range].fill(true);
            }
            for _ in 0..30 {
                let (start, length) = (rng.below(60), 1 + rng.below(4));
                let bytes = start as usize..(start + length) as usize;
                let was_any = is_state[bytes.clone()].contains(&true);
                assert_eq!(poison.overwrite_state(start as u32, length as u32), was_any);
                is_state[bytes].fill(false);
                for (byte, &is_one) in is_state.iter().enumerate() {
                    assert_eq!(poison.is_state(byte as u32, 1), is_one);
                }
                assert!(poison.state.iter().all(|range| !range.is_empty()));
            }
        }
    }
}
