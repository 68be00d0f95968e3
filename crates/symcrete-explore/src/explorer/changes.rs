//! The changes in memory that a test can observe.

use std::collections::BTreeMap;
use symcrete_exec::Trace;
use symcrete_program::shape::Placed;
use symcrete_program::types::Types;
use symcrete_program::{Change, Image, Input, Shape};

/// Cells whose value after the run differs from the one before it. Freed memory must not be read.
pub(crate) fn changes(
    (shape, types): (&Shape, &Types),
    input: &Input,
    image: &Image,
    trace: &Trace,
) -> Vec<Change> {
    let written: BTreeMap<u32, u64> =
        image.writes.iter().map(|write| (write.address, write.cell.bits)).collect();
    let after = |address: u32, size: u32| {
        let ranges = image.watched.iter().zip(&trace.watched);
        let (i, (range, bytes)) =
            ranges.enumerate().find(|(_, (range, _))| range.contains(&address))?;
        let start = (address - range.start) as usize;
        let unknown = trace.unknown.watched.get(i).and_then(|bytes| bytes.get(start..));
        // Uninitialised memory may be anything elsewhere.
        if unknown.is_some_and(|unknown| unknown.iter().take(size as usize).any(|&is| is)) {
            return None;
        }
        let bytes = bytes.get(start..start + size as usize)?;
        Some(bytes.iter().rev().fold(0u64, |bits, &byte| bits << 8 | u64::from(byte)))
    };
    let freed = image.heap.iter().filter(|object| trace.freed.contains(&object.start));
    let freed: Vec<_> = freed.collect();
    let is_there = |cell: &Placed| !freed.iter().any(|object| object.contains(&cell.address));
    let changed = shape.placed(types, input).into_iter().filter(is_there).filter_map(|cell| {
        let part = |bits: u64| match cell.bits {
            Some((low, width)) => bits >> low & (u64::MAX >> (64 - width)),
            None => bits,
        };
        let bits = part(after(cell.address, cell.kind.size())?);
        let before = written.get(&cell.address).map(|&bits| part(bits));
        // A pointer to freed memory must not even be compared.
        let is_pointer = types.get(cell.ty).kind.pointee().is_some();
        if is_pointer && freed.iter().any(|object| object.contains(&(bits as u32))) {
            return None;
        }
        (before != Some(bits)).then_some(Change { name: cell.name, kind: cell.kind, bits })
    });
    changed.collect()
}
