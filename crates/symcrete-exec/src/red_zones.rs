//! Bytes behind variables and allocated memory that belong to no object, as the program itself reports them.
//!
//! **Invariant:** the stack grows downwards, so a frame that is entered lies below all others, and a frame that is left
//! takes all that lie below with it.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use symcrete_program::Guarded;

/// Bytes behind an allocated object that nobody must touch, after those that its last group of eight has left.
const BEHIND: u32 = 16;

/// An object and the red zone behind it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Zone {
    /// Where the object starts; it ends where the zone starts.
    object: u32,
    start: u32,
    end: u32,
}

impl Zone {
    /// The zone behind an object.
    fn behind(object: Range<u32>) -> Option<Zone> {
        let end = object.end.checked_next_multiple_of(8)?.checked_add(BEHIND)?;
        Some(Zone { object: object.start, start: object.end, end })
    }

    /// The bytes that nobody must touch.
    pub(crate) fn bytes(&self) -> Range<u32> {
        self.start..self.end
    }

    fn object_at(&self, address: u32) -> Option<Range<u32>> {
        (self.object..self.start).contains(&address).then_some(self.object..self.start)
    }
}

/// The red zones of a run.
#[derive(Default)]
pub(crate) struct RedZones {
    /// Of variables that are always there, in order.
    variables: Arc<[Guarded]>,
    /// Of local variables, the highest first.
    frames: Vec<Zone>,
    /// Of allocated memory, by where it starts.
    allocated: BTreeMap<u32, Zone>,
}

impl RedZones {
    /// Says which variables are always there; they are in order.
    pub(crate) fn set_variables(&mut self, variables: Arc<[Guarded]>) {
        self.variables = variables;
    }

    /// A function starts whose frame has a table: its size, how many variables, where they start and end. Gives its
    /// zones.
    pub(crate) fn enter(&mut self, frame: u32, table: &[u32]) -> &[Zone] {
        let first = self.frames.len();
        let [size, _, ends @ ..] = table else { return &[] };
        let (mut object, mut start) = (frame, frame);
        for ends in ends.chunks_exact(2) {
            self.frames.push(Zone { object, start, end: frame + ends[0] });
            (object, start) = (frame + ends[0], frame + ends[1]);
        }
        self.frames.push(Zone { object, start, end: frame + size });
        self.frames[first..].reverse();
        &self.frames[first..]
    }

    /// An array of a length that is known only now was put on the stack.
    pub(crate) fn add_array(&mut self, array: Range<u32>) -> Option<Zone> {
        let zone = Zone::behind(array)?;
        self.frames.push(zone);
        Some(zone)
    }

    /// The stack below an address is free again.
    pub(crate) fn leave(&mut self, limit: u32) {
        while self.frames.last().is_some_and(|zone| zone.object < limit) {
            self.frames.pop();
        }
    }

    /// Memory was allocated.
    pub(crate) fn allocate(&mut self, object: Range<u32>) -> Option<Zone> {
        let zone = Zone::behind(object)?;
        self.allocated.insert(zone.object, zone);
        Some(zone)
    }

    /// Memory was freed; gives how many bytes it had.
    pub(crate) fn free(&mut self, start: u32) -> Option<u32> {
        self.allocated.remove(&start).map(|zone| zone.start - zone.object)
    }

    /// Whether some bytes are in a red zone.
    pub(crate) fn is_in(&self, start: u32, length: u32) -> bool {
        let end = start.saturating_add(length);
        let overlaps = |zone: Range<u32>| zone.start < end && start < zone.end;
        let variable = self.variables.partition_point(|variable| variable.zone_end <= start);
        let variable = self.variables.get(variable).map(|variable| variable.end..variable.zone_end);
        let local = self.frames.partition_point(|zone| zone.start >= end);
        let local = self.frames[local..].iter().map(Zone::bytes);
        let allocated = self.allocated.range(..end).rev().map(|(_, zone)| zone.bytes());
        variable.is_some_and(overlaps)
            || local.take_while(|zone| zone.end > start).any(overlaps)
            || allocated.take_while(|zone| zone.end > start).any(overlaps)
    }

    /// The object before a red zone that an address points into.
    pub(crate) fn object_at(&self, address: u32) -> Option<Range<u32>> {
        let variable = self.variables.partition_point(|variable| variable.end <= address);
        let variable = self.variables.get(variable).map(|variable| variable.start..variable.end);
        let local = self.frames.partition_point(|zone| zone.start > address).checked_sub(1);
        let local = local.and_then(|i| self.frames[i].object_at(address));
        let allocated = self.allocated.range(..=address).next_back();
        variable
            .filter(|variable| variable.contains(&address))
            .or(local)
            .or_else(|| allocated.and_then(|(_, zone)| zone.object_at(address)))
    }

    /// The bytes of variables that are always there which nobody must touch.
    pub(crate) fn of_variables(&self) -> impl Iterator<Item = Range<u32>> {
        self.variables.iter().map(|variable| variable.end..variable.zone_end)
    }

    /// Forgets everything.
    pub(crate) fn reset(&mut self) {
        self.variables = Arc::default();
        self.frames.clear();
        self.allocated.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What each byte of a small memory is.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    enum Byte {
        Free,
        Zone,
        Object(u32, u32),
    }

    fn check(zones: &RedZones, expected: &[Byte]) {
        for (i, byte) in expected.iter().enumerate() {
            assert_eq!(zones.is_in(i as u32, 1), *byte == Byte::Zone, "{i}");
            let object = match *byte {
                Byte::Object(start, end) => Some(start..end),
                Byte::Free | Byte::Zone => None,
            };
            assert_eq!(zones.object_at(i as u32), object, "{i}");
        }
        for start in 0..expected.len() {
            for end in start + 1..expected.len().min(start + 20) {
                let touches = expected[start..end].contains(&Byte::Zone);
                assert_eq!(zones.is_in(start as u32, (end - start) as u32), touches);
            }
        }
    }

    fn set(memory: &mut [Byte], range: Range<usize>, byte: Byte) {
        memory[range].fill(byte);
    }

    #[test]
    fn every_byte_is_free_in_an_object_or_in_a_zone() {
        let mut zones = RedZones::default();
        let mut memory = [Byte::Free; 400];
        zones.set_variables(Arc::from([
            Guarded { start: 300, end: 303, zone_end: 320 },
            Guarded { start: 320, end: 328, zone_end: 344 },
        ]));
        set(&mut memory, 300..303, Byte::Object(300, 303));
        set(&mut memory, 303..320, Byte::Zone);
        set(&mut memory, 320..328, Byte::Object(320, 328));
        set(&mut memory, 328..344, Byte::Zone);
        zones.allocate(352..357);
        set(&mut memory, 352..357, Byte::Object(352, 357));
        set(&mut memory, 357..376, Byte::Zone);
        check(&zones, &memory);

        let before = memory;
        zones.enter(200, &[72, 2, 22, 32, 48, 56]);
        set(&mut memory, 200..272, Byte::Zone);
        set(&mut memory, 222..232, Byte::Object(222, 232));
        set(&mut memory, 248..256, Byte::Object(248, 256));
        check(&zones, &memory);
        let outer = memory;
        zones.enter(104, &[40, 1, 16, 24]);
        set(&mut memory, 104..144, Byte::Zone);
        set(&mut memory, 120..128, Byte::Object(120, 128));
        zones.add_array(64..71);
        set(&mut memory, 64..71, Byte::Object(64, 71));
        set(&mut memory, 71..88, Byte::Zone);
        check(&zones, &memory);
        zones.leave(104);
        set(&mut memory, 64..88, Byte::Free);
        check(&zones, &memory);
        zones.leave(144);
        check(&zones, &outer);
        zones.leave(272);
        check(&zones, &before);
        assert_eq!(zones.free(352), Some(5));
        assert_eq!(zones.free(352), None);
        assert_eq!(zones.object_at(352), None);
    }
}
