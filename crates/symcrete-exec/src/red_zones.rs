//! Which bytes belong to variables and allocated memory, which belong to none, and which no longer belong to one, as the
//! program itself reports it (`docs/adr/0013-red-zones.md`, `docs/adr/0019-memory-failures.md`).
//!
//! **Invariant:** spans do not overlap: reused memory is removed from the span that had it.
//!
//! **Invariant:** the stack grows downwards, so a frame that is entered lies below all others there, and a frame that is
//! left takes all that lie below with it.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use symcrete_program::{Guarded, Storage, TrapKind};

/// Bytes behind an allocated object that must not be accessed, besides those that its last group of eight has left.
const ZONE: u32 = 16;
/// Bytes before it. The block's header comes before these, and the runtime must read it: AddressSanitizer forbids
/// access to any other byte of the heap.
const ZONE_BEFORE: u32 = 64;
/// Bytes before an array of variable length, as many as AddressSanitizer has there.
const ZONE_OF_ARRAY: u32 = 32;
/// Frames keep the alignment that they have on the stack, up to this.
const ALIGNMENT_MAX: u32 = 1024;

/// Bytes that were laid out together: a frame, an array, a block of allocated memory.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Span {
    end: u32,
    storage: Storage,
    objects: Vec<Object>,
    /// Whether it was freed, or its function has returned.
    is_gone: bool,
    /// Where it was allocated, if leaks are checked.
    site: Option<u32>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct Object {
    bytes: Range<u32>,
    /// Whether its block has ended.
    is_out_of_scope: bool,
}

/// Where an address points.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Place {
    /// The object that it points into or past, by where that starts.
    pub(crate) object: u32,
    /// Whether it points into it, and the object is still there.
    pub(crate) is_inside: bool,
    /// Whether other objects may lie at the same place elsewhere.
    pub(crate) is_shared: bool,
    /// Whether it may be the address of an object that lay there before.
    pub(crate) may_be_another: bool,
}

/// What a program tried to free.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Freeing {
    /// Memory that it had allocated: so many bytes.
    Allocated(u32),
    /// Unknown: the library may have allocated it for itself.
    Unknown,
    /// Memory that is free already.
    Again,
    /// Something else.
    Invalid,
}

/// The objects of a run and the red zones around them.
#[derive(Default)]
pub(crate) struct RedZones {
    /// Those that exist all the time, in order.
    variables: Arc<[Guarded]>,
    /// Code by which a harness makes variables inputs, constants among them.
    givers: Arc<[Range<u32>]>,
    /// All others, by start address.
    spans: BTreeMap<u32, Span>,
    /// Frames and arrays in use: their place on the stack, and where they really are.
    stack: Vec<(u32, u32)>,
    /// The bytes behind the end of the heap.
    unused: Range<u32>,
    /// Whether memory has been reused.
    has_reused: bool,
    /// Where frames are put so that they are not reused soon, and the end of the part that is used next.
    room: Range<u32>,
    next: u32,
}

impl RedZones {
    /// Sets the variables that exist all the time, in order, and where frames are put.
    pub(crate) fn set_program(&mut self, variables: Arc<[Guarded]>, room: Range<u32>) {
        self.variables = variables;
        self.next = room.end;
        self.room = room;
    }

    /// Sets the code that makes variables inputs.
    pub(crate) fn set_givers(&mut self, givers: Arc<[Range<u32>]>) {
        self.givers = givers;
    }

    /// A function starts whose frame has a table: its size, how many variables, where they start and end. Returns where
    /// the frame is to be; the stack has room for it as well.
    pub(crate) fn enter(&mut self, stack: u32, table: &[u32]) -> u32 {
        let [size, _, ends @ ..] = table else { return stack };
        let start = self.take_room(stack, *size).unwrap_or(stack);
        // A frame that is larger than the stack lies beyond all memory, and so does the first access to it.
        let Some(end) = start.checked_add(*size) else { return stack };
        let object = |ends: &[u32]| Object::new(start + ends[0]..start + ends[1]);
        let objects = ends.chunks_exact(2).map(object).collect();
        self.push_frame(stack, start..end, objects)
    }

    /// An array of variable length was put on the stack. Returns where it is to be; the stack has no room for a
    /// zone before it.
    pub(crate) fn add_array(&mut self, stack: u32, length: u32) -> u32 {
        let Some(size) = with_zone(length) else { return stack };
        let zone = ZONE_OF_ARRAY.max(alignment_of(stack));
        let room = size.checked_add(zone).and_then(|size| self.take_room(stack, size));
        let (start, array) = room.map_or((stack, stack), |start| (start, start + zone));
        let Some(end) = array.checked_add(size) else { return stack };
        self.push_frame(stack, start..end, vec![Object::new(array..array + length)]);
        array
    }

    fn push_frame(&mut self, stack: u32, bytes: Range<u32>, objects: Vec<Object>) -> u32 {
        self.remove_overlapping(&bytes);
        self.stack.push((stack, bytes.start));
        let storage = Storage::Local;
        let span = Span { end: bytes.end, storage, objects, is_gone: false, site: None };
        self.spans.insert(bytes.start, span);
        bytes.start
    }

    /// Room for a frame that no other one uses, downwards from the last one and then from the top; the longer ago a frame
    /// was left, the sooner its room is reused.
    fn take_room(&mut self, stack: u32, size: u32) -> Option<u32> {
        let alignment = alignment_of(stack);
        let tops = [self.next, self.room.end];
        let start = tops.into_iter().find_map(|top| self.room_below(top, size, alignment))?;
        self.next = start;
        Some(start)
    }

    fn room_below(&self, mut top: u32, size: u32, alignment: u32) -> Option<u32> {
        loop {
            let start = top.checked_sub(size)? / alignment * alignment;
            if start < self.room.start {
                return None;
            }
            match self.overlapping(&(start..start + size)).find(|(_, span)| !span.is_gone) {
                Some((other, _)) => top = other,
                None => return Some(start),
            }
        }
    }

    /// The stack below an address is free again. Returns the bytes of what was there.
    pub(crate) fn leave(&mut self, limit: u32) -> Vec<Range<u32>> {
        let mut gone = Vec::new();
        while let Some((_, start)) = self.stack.pop_if(|(stack, _)| *stack < limit) {
            let Some(span) = self.spans.get_mut(&start) else { continue };
            span.is_gone = true;
            gone.push(start..span.end);
            // The stack itself belongs to the next function.
            if !self.room.contains(&start) {
                self.spans.remove(&start);
                self.has_reused = true;
            }
        }
        gone
    }

    /// The block of a local variable starts or ends.
    pub(crate) fn set_scope(&mut self, address: u32, is_started: bool) {
        if let Some(span) = self.span_at_mut(address) {
            let object = span.objects.iter_mut().find(|object| object.bytes.contains(&address));
            object.into_iter().for_each(|object| object.is_out_of_scope = !is_started);
        }
    }

    /// Memory was allocated, with so many bytes reserved. Returns the object with its zones.
    pub(crate) fn allocate(
        &mut self,
        object: Range<u32>,
        room: u32,
        site: Option<u32>,
    ) -> Option<Range<u32>> {
        let start = object.start.checked_sub(ZONE_BEFORE)?;
        let end = object.start.checked_add(with_zone(room)?)?;
        self.remove_overlapping(&(start..end));
        let objects = vec![Object::new(object)];
        let storage = Storage::Heap;
        self.spans.insert(start, Span { end, storage, objects, is_gone: false, site });
        Some(start..end)
    }

    /// Sets the bytes behind the end of the heap. Returns the earlier ones.
    pub(crate) fn set_unused(&mut self, unused: Range<u32>) -> Range<u32> {
        std::mem::replace(&mut self.unused, unused)
    }

    /// Classifies an address that is about to be freed.
    pub(crate) fn freeing(&self, address: u32) -> Freeing {
        let Some((_, span)) = self.span_at(address) else {
            let variable = self.variable_at(address);
            return if variable.is_some() { Freeing::Invalid } else { Freeing::Unknown };
        };
        let object = &span.objects[..];
        match (span.storage, object) {
            (Storage::Heap, [object]) if object.bytes.start == address => match span.is_gone {
                true => Freeing::Again,
                false => Freeing::Allocated(object.bytes.end - address),
            },
            _ => Freeing::Invalid,
        }
    }

    /// Memory was freed: it must not be accessed any more. Returns its bytes.
    pub(crate) fn free(&mut self, address: u32) -> Option<Range<u32>> {
        let span = self.span_at_mut(address).filter(|span| span.storage == Storage::Heap)?;
        span.is_gone = true;
        span.objects.first().map(|object| object.bytes.clone())
    }

    /// Freed memory may be allocated again.
    pub(crate) fn release(&mut self, address: u32) {
        if let Some((start, _)) = self.span_at(address) {
            self.spans.remove(&start);
            self.has_reused = true;
        }
    }

    /// Where the first of those objects was allocated that are not freed and that no variable leads to, directly or through
    /// other objects. Any word that could be an address is taken for one, as LeakSanitizer does.
    pub(crate) fn leaked(&self, memory: &[u8]) -> Option<Option<u32>> {
        let is_kept = |span: &Span| span.storage == Storage::Heap && !span.is_gone;
        let mut lost: BTreeMap<u32, &Span> =
            self.spans.iter().map(|(at, span)| (*at, span)).collect();
        lost.retain(|_, span| is_kept(span));
        let mut open: Vec<Range<u32>> =
            self.variables.iter().map(|variable| variable.start..variable.end).collect();
        while let Some(bytes) = open.pop() {
            let (start, end) = (bytes.start.next_multiple_of(4) as usize, bytes.end as usize);
            let words = memory.get(start..end.max(start)).unwrap_or_default().chunks_exact(4);
            for word in words.map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])) {
                let reached = lost.range(..=word).next_back().filter(|(_, span)| word < span.end);
                if let Some((at, span)) = reached.map(|(at, span)| (*at, *span)) {
                    lost.remove(&at);
                    open.extend(span.objects.iter().map(|object| object.bytes.clone()));
                }
            }
        }
        lost.into_values().next().map(|span| span.site)
    }

    /// The failure that accessing some bytes is, if it is one.
    pub(crate) fn fault(&self, start: u32, length: u32) -> Option<TrapKind> {
        let end = start.saturating_add(length);
        let variable = self.variables.partition_point(|variable| variable.zone_end <= start);
        let variable = self.variables.get(variable);
        if variable.is_some_and(|variable| variable.end < end && start < variable.zone_end) {
            return Some(TrapKind::OutOfVariable(Storage::Global));
        }
        if start < self.unused.end && self.unused.start < end {
            return Some(TrapKind::OutOfVariable(Storage::Heap));
        }
        let bytes = start..end;
        self.overlapping(&bytes).filter_map(|(from, span)| span.fault(from, &bytes)).next()
    }

    /// The object that an address points into, even if it no longer exists.
    pub(crate) fn object_at(&self, address: u32) -> Option<Range<u32>> {
        let variable = self.variable_at(address);
        let variable = variable.filter(|variable| address < variable.end);
        variable.map(|variable| variable.start..variable.end).or_else(|| {
            let (_, span) = self.span_at(address)?;
            let object = span.objects.iter().find(|object| object.bytes.contains(&address))?;
            Some(object.bytes.clone())
        })
    }

    /// Where an address points, as far as that is known.
    pub(crate) fn place_of(&self, address: u32) -> Option<Place> {
        if let Some(variable) = self.variable_at(address) {
            return Some(Place {
                object: variable.start,
                is_inside: address < variable.end,
                is_shared: variable.is_shared,
                may_be_another: false,
            });
        }
        let (_, span) = self.span_at(address)?;
        let distance = |object: &&Object| {
            let Range { start, end } = object.bytes;
            start.saturating_sub(address).max(address.saturating_sub(end))
        };
        // An access behind an object is more likely than one before it.
        let object = span.objects.iter().min_by_key(|object| {
            2 * u64::from(distance(object)) + u64::from(address < object.bytes.start)
        })?;
        let is_gone = span.is_gone || object.is_out_of_scope;
        Some(Place {
            object: object.bytes.start,
            is_inside: object.bytes.contains(&address) && !is_gone,
            is_shared: false,
            may_be_another: self.has_reused,
        })
    }

    /// Whether an operator must not write to an address, since that points to a constant.
    pub(crate) fn forbids(&self, site: u32, address: u32) -> bool {
        self.is_constant(address) && !self.givers.iter().any(|code| code.contains(&site))
    }

    /// Whether an address points into a variable that must not be written.
    pub(crate) fn is_constant(&self, address: u32) -> bool {
        self.variable_at(address).is_some_and(|variable| variable.is_constant)
    }

    /// The storage class of the object that an address points into.
    pub(crate) fn storage_at(&self, address: u32) -> Storage {
        self.span_at(address).map_or(Storage::Global, |(_, span)| span.storage)
    }

    /// The range of bytes that were laid out together with this one.
    pub(crate) fn span_range(&self, address: u32) -> Option<Range<u32>> {
        self.span_at(address).map(|(start, span)| start..span.end)
    }

    /// Those of that range that belong to no object.
    pub(crate) fn zones_of(&self, address: u32) -> Vec<Range<u32>> {
        let Some((start, span)) = self.span_at(address) else { return Vec::new() };
        let starts = [start].into_iter().chain(span.objects.iter().map(|object| object.bytes.end));
        let ends = span.objects.iter().map(|object| object.bytes.start).chain([span.end]);
        starts.zip(ends).map(|(start, end)| start..end).collect()
    }

    /// The forbidden bytes around variables that exist all the time.
    pub(crate) fn of_variables(&self) -> impl Iterator<Item = Range<u32>> {
        self.variables.iter().map(|variable| variable.end..variable.zone_end)
    }

    /// The bytes of constant variables.
    pub(crate) fn constants(&self) -> impl Iterator<Item = Range<u32>> {
        let constants = self.variables.iter().filter(|variable| variable.is_constant);
        constants.map(|variable| variable.start..variable.end)
    }

    /// Forgets everything.
    pub(crate) fn reset(&mut self) {
        self.variables = Arc::default();
        self.givers = Arc::default();
        self.spans.clear();
        self.unused = 0..0;
        self.stack.clear();
        self.has_reused = false;
        self.room = 0..0;
        self.next = 0;
    }

    /// The variable whose bytes or red zone an address points into.
    fn variable_at(&self, address: u32) -> Option<&Guarded> {
        let variable = self.variables.partition_point(|variable| variable.zone_end <= address);
        self.variables.get(variable).filter(|variable| variable.start <= address)
    }

    fn span_at(&self, address: u32) -> Option<(u32, &Span)> {
        let (start, span) = self.spans.range(..=address).next_back()?;
        (address < span.end).then_some((*start, span))
    }

    fn span_at_mut(&mut self, address: u32) -> Option<&mut Span> {
        let (_, span) = self.spans.range_mut(..=address).next_back()?;
        (address < span.end).then_some(span)
    }

    /// The spans that share bytes with a range, the last first.
    fn overlapping<'a>(
        &'a self,
        bytes: &'a Range<u32>,
    ) -> impl Iterator<Item = (u32, &'a Span)> + 'a {
        let before = self.spans.range(..bytes.end).rev();
        let before = before.map(|(start, span)| (*start, span));
        before.take_while(|(_, span)| span.end > bytes.start)
    }

    fn remove_overlapping(&mut self, bytes: &Range<u32>) {
        let starts: Vec<u32> = self.overlapping(bytes).map(|(start, _)| start).collect();
        self.has_reused |= !starts.is_empty();
        starts.iter().for_each(|start| {
            self.spans.remove(start);
        });
    }
}

impl Span {
    /// The failure of accessing those bytes that are in this span.
    fn fault(&self, from: u32, bytes: &Range<u32>) -> Option<TrapKind> {
        let mut at = bytes.start.max(from);
        let end = bytes.end.min(self.end);
        // No byte of a frame that was left may be accessed.
        if self.is_gone && self.storage == Storage::Local && at < end {
            return Some(TrapKind::UseAfterReturn);
        }
        while at < end {
            let object = self.objects.iter().find(|object| object.bytes.contains(&at));
            let Some(object) = object else { return Some(TrapKind::OutOfVariable(self.storage)) };
            if self.is_gone {
                return Some(TrapKind::UseAfterFree);
            }
            if object.is_out_of_scope {
                return Some(TrapKind::UseAfterScope);
            }
            at = object.bytes.end;
        }
        None
    }
}

impl Object {
    fn new(bytes: Range<u32>) -> Object {
        Object { bytes, is_out_of_scope: false }
    }
}

/// The alignment that an object on the stack keeps.
fn alignment_of(stack: u32) -> u32 {
    (1 << stack.trailing_zeros().min(31)).min(ALIGNMENT_MAX)
}

/// So many bytes and a zone behind them.
fn with_zone(length: u32) -> Option<u32> {
    length.checked_next_multiple_of(8)?.checked_add(ZONE)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What each byte of a small memory is.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    enum Byte {
        Free,
        Zone(Storage),
        Object(u32, u32),
        Gone(u32, u32, TrapKindName),
        /// Of a frame that is gone, between its variables.
        Left,
    }

    /// Kinds of failures are not copied.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    enum TrapKindName {
        Free,
        Return,
        Scope,
    }

    impl Byte {
        fn fault(self) -> Option<TrapKind> {
            match self {
                Byte::Free | Byte::Object(..) => None,
                Byte::Zone(storage) => Some(TrapKind::OutOfVariable(storage)),
                Byte::Gone(_, _, TrapKindName::Free) => Some(TrapKind::UseAfterFree),
                Byte::Left | Byte::Gone(_, _, TrapKindName::Return) => {
                    Some(TrapKind::UseAfterReturn)
                }
                Byte::Gone(_, _, TrapKindName::Scope) => Some(TrapKind::UseAfterScope),
            }
        }
    }

    fn check(zones: &RedZones, expected: &[Byte]) {
        for (i, byte) in expected.iter().enumerate() {
            assert_eq!(zones.fault(i as u32, 1), byte.fault(), "{i}");
            let object = match *byte {
                Byte::Object(start, end) | Byte::Gone(start, end, _) => Some(start..end),
                Byte::Free | Byte::Zone(_) | Byte::Left => None,
            };
            assert_eq!(zones.object_at(i as u32), object, "{i}");
        }
        for start in 0..expected.len() {
            for end in start + 1..expected.len().min(start + 20) {
                let fails = expected[start..end].iter().any(|byte| byte.fault().is_some());
                let fault = zones.fault(start as u32, (end - start) as u32);
                assert_eq!(fault.is_some(), fails, "{start}..{end}");
            }
        }
    }

    fn set(memory: &mut [Byte], range: Range<usize>, byte: Byte) {
        memory[range].fill(byte);
    }

    fn object(memory: &mut [Byte], range: Range<usize>) {
        let byte = Byte::Object(range.start as u32, range.end as u32);
        set(memory, range, byte);
    }

    fn gone(memory: &mut [Byte], name: TrapKindName) {
        for byte in memory {
            if let Byte::Object(start, end) = *byte {
                *byte = Byte::Gone(start, end, name);
            }
        }
    }

    #[test]
    fn every_byte_is_free_in_an_object_or_in_a_zone() {
        let mut zones = RedZones::default();
        let mut memory = [Byte::Free; 440];
        let variables = Arc::from([
            Guarded { start: 300, end: 303, zone_end: 320, is_shared: false, is_constant: false },
            Guarded { start: 320, end: 328, zone_end: 336, is_shared: false, is_constant: false },
        ]);
        zones.set_program(variables, 0..0);
        set(&mut memory, 300..336, Byte::Zone(Storage::Global));
        object(&mut memory, 300..303);
        object(&mut memory, 320..328);
        zones.allocate(400..405, 5, None);
        set(&mut memory, 336..424, Byte::Zone(Storage::Heap));
        object(&mut memory, 400..405);
        check(&zones, &memory);

        // Without room of their own, frames are on the stack and leave nothing behind.
        let before = memory;
        assert_eq!(zones.enter(200, &[72, 2, 22, 32, 48, 56]), 200);
        set(&mut memory, 200..272, Byte::Zone(Storage::Local));
        object(&mut memory, 222..232);
        object(&mut memory, 248..256);
        check(&zones, &memory);
        let outer = memory;
        zones.enter(104, &[40, 1, 16, 24]);
        set(&mut memory, 104..144, Byte::Zone(Storage::Local));
        object(&mut memory, 120..128);
        zones.add_array(64, 7);
        set(&mut memory, 64..88, Byte::Zone(Storage::Local));
        object(&mut memory, 64..71);
        check(&zones, &memory);
        zones.leave(104);
        set(&mut memory, 64..88, Byte::Free);
        check(&zones, &memory);
        zones.leave(144);
        check(&zones, &outer);
        zones.leave(272);
        check(&zones, &before);
    }

    #[test]
    fn freed_memory_stays_forbidden_until_it_is_released() {
        let mut zones = RedZones::default();
        let variables = Arc::from([Guarded {
            start: 10,
            end: 14,
            zone_end: 20,
            is_shared: false,
            is_constant: false,
        }]);
        zones.set_program(variables, 0..0);
        zones.allocate(96..101, 8, None);
        let mut memory = [Byte::Free; 140];
        set(&mut memory, 10..20, Byte::Zone(Storage::Global));
        object(&mut memory, 10..14);
        set(&mut memory, 32..120, Byte::Zone(Storage::Heap));
        object(&mut memory, 96..101);
        check(&zones, &memory);
        assert_eq!(zones.freeing(96), Freeing::Allocated(5));
        for (address, is_known) in [(97, true), (40, true), (108, true), (10, true), (130, false)] {
            let expected = if is_known { Freeing::Invalid } else { Freeing::Unknown };
            assert_eq!(zones.freeing(address), expected, "{address}");
        }
        assert_eq!(zones.free(96), Some(96..101));
        assert_eq!(zones.freeing(96), Freeing::Again);
        gone(&mut memory[32..120], TrapKindName::Free);
        check(&zones, &memory);
        zones.release(96);
        set(&mut memory, 32..120, Byte::Free);
        check(&zones, &memory);
    }

    #[test]
    fn what_nothing_leads_to_is_lost() {
        let mut zones = RedZones::default();
        zones.set_program(
            Arc::from([Guarded {
                start: 8,
                end: 12,
                zone_end: 24,
                is_shared: false,
                is_constant: false,
            }]),
            0..0,
        );
        let mut memory = vec![0; 400];
        for (i, start) in [(1, 100), (2, 200), (3, 300)] {
            zones.allocate(start..start + 8, 8, Some(i));
        }
        memory[8] = 104;
        memory[100] = 200;
        assert_eq!(zones.leaked(&memory), Some(Some(3)));
        zones.free(300);
        assert_eq!(zones.leaked(&memory), None);
        memory[100] = 0;
        assert_eq!(zones.leaked(&memory), Some(Some(2)));
    }

    #[test]
    fn frames_that_are_gone_are_used_again_last() {
        let mut zones = RedZones::default();
        zones.set_program(Arc::default(), 100..228);
        let mut memory = [Byte::Free; 300];
        // Two fit below each other; the third comes where the first was.
        assert_eq!(zones.enter(16, &[48, 1, 16, 24]), 176);
        zones.leave(80);
        assert_eq!(zones.enter(16, &[48, 1, 16, 24]), 128);
        set(&mut memory, 128..224, Byte::Zone(Storage::Local));
        memory[176..224].fill(Byte::Left);
        memory[192..200].fill(Byte::Gone(192, 200, TrapKindName::Return));
        object(&mut memory, 144..152);
        check(&zones, &memory);
        zones.set_scope(144, false);
        gone(&mut memory[144..152], TrapKindName::Scope);
        check(&zones, &memory);
        zones.set_scope(144, true);
        object(&mut memory, 144..152);
        check(&zones, &memory);
        assert_eq!(zones.enter(0, &[48, 1, 8, 16]), 0, "aligned as on the stack: no room");
        zones.leave(16);
        assert_eq!(zones.enter(16, &[48, 1, 8, 16]), 176);
        set(&mut memory, 176..224, Byte::Zone(Storage::Local));
        object(&mut memory, 184..192);
        check(&zones, &memory);
        // Nothing is free any more.
        assert_eq!(zones.enter(16, &[48, 1, 8, 16]), 16);
    }

    #[test]
    fn arrays_have_zones_on_both_sides() {
        let mut zones = RedZones::default();
        zones.set_program(Arc::default(), 100..228);
        let mut memory = [Byte::Free; 300];
        assert_eq!(zones.add_array(16, 7), 160 + 32);
        set(&mut memory, 160..216, Byte::Zone(Storage::Local));
        object(&mut memory, 192..199);
        check(&zones, &memory);
    }
}
