//! Cells that a fast run asks for by name: standard input, files, what harnesses make symbolic, results of callbacks.
//!
//! Their names are made while the program runs, so the host counts them as the engine does (`draw.rs`): the first cell asked
//! for by a name has that name, later ones `name#1`, `name#2`, …. Their values are in the run's record, in slots that the plan
//! has for names which earlier runs have asked for; any other cell is zero.

use crate::engine::runtime;
use crate::error::ExecError;
use crate::fast::layout::{ASK_BYTES, ASK_CALLBACK, ASK_IMPORT, ASK_WHOLE, Global};
use crate::fast::module::{EXPORT_OURS, EXPORT_PROGRAM};
use crate::fast::plan::Plan;
use crate::imports::NAME_MAX;
use std::collections::BTreeMap;
use wasmtime::{Caller, Instance, Linker, Memory, Store};

/// What the host knows of the cells that a run asks for.
#[derive(Default)]
pub(crate) struct Asked {
    places: Option<Places>,
    /// The slot of each cell.
    slots: BTreeMap<String, u32>,
    /// What callbacks return is called, by number.
    callbacks: BTreeMap<u32, String>,
    /// The same of imports that return structures.
    imports: BTreeMap<u32, String>,
    /// How often the present run has asked by each name.
    counts: BTreeMap<String, u32>,
    /// The name of the bytes that it is asking for.
    bytes: String,
    /// The present run.
    run: Option<i32>,
}

/// Where runs and their names are.
#[derive(Clone, Copy)]
struct Places {
    program: Memory,
    ours: Memory,
    /// The number of the present run, and where its record is.
    current: wasmtime::Global,
    record: wasmtime::Global,
}

impl Asked {
    /// Nothing has been asked for; these imports return structures.
    pub(crate) fn new(imports: BTreeMap<u32, String>) -> Asked {
        Asked { imports, ..Asked::default() }
    }

    /// Answers by the cells of a plan from now on.
    pub(crate) fn load(&mut self, plan: &Plan) {
        self.slots = plan.named().map(|(name, slot)| (name.to_string(), slot)).collect();
        self.callbacks = plan.callbacks();
    }

    /// Begins a batch: runs are numbered anew.
    pub(crate) fn begin(&mut self) {
        self.run = None;
    }

    /// The name of the next cell of a name, or of the bytes that come next.
    fn next(&mut self, name: &str) -> String {
        let count = self.counts.entry(name.to_string()).or_insert(0);
        *count += 1;
        match *count {
            1 => name.to_string(),
            n => format!("{name}#{}", n - 1),
        }
    }

    /// The slot of the cell that a run asks for.
    fn slot(&mut self, name: Option<&str>, byte: i32) -> Option<u32> {
        match byte {
            ASK_WHOLE => {
                let cell = self.next(name?);
                self.slots.get(&cell).copied()
            }
            ASK_BYTES => {
                self.bytes = self.next(name?);
                None
            }
            _ => self.slots.get(&format!("{}[{byte}]", self.bytes)).copied(),
        }
    }
}

/// Tells where everything is, once the instance is there.
pub(crate) fn connect(store: &mut Store<Asked>, instance: &Instance) {
    let exported = "the rewritten module exports it";
    let memory = |store: &mut Store<Asked>, name| instance.get_memory(store, name);
    let program = memory(store, EXPORT_PROGRAM).expect(exported);
    let ours = memory(store, EXPORT_OURS).expect(exported);
    let global = |store: &mut Store<Asked>, global: Global| {
        instance.get_global(store, global.name()).expect(exported)
    };
    let (current, record) = (global(store, Global::Current), global(store, Global::Record));
    store.data_mut().places = Some(Places { program, ours, current, record });
}

/// Defines the import `(source, name, byte) -> bits`.
pub(crate) fn define(
    linker: &mut Linker<Asked>,
    module: &str,
    name: &str,
) -> Result<(), ExecError> {
    linker.func_wrap(module, name, answer).map_err(runtime)?;
    Ok(())
}

fn answer(mut caller: Caller<'_, Asked>, source: u32, what: u32, byte: i32) -> u64 {
    let Some(places) = caller.data().places else { return 0 };
    let run = places.current.get(&mut caller).i32();
    let record = places.record.get(&mut caller).i32().unwrap_or(0) as usize;
    let (memory, asked) = places.program.data_and_store_mut(&mut caller);
    if asked.run != run {
        asked.run = run;
        asked.counts.clear();
    }
    let known = match source {
        ASK_CALLBACK => asked.callbacks.get(&what).cloned(),
        ASK_IMPORT => asked.imports.get(&what).cloned(),
        // Bytes belong to the name that was said before them.
        _ if byte >= 0 => None,
        _ => text(memory, what),
    };
    let Some(slot) = asked.slot(known.as_deref(), byte) else { return 0 };
    let start = record + 8 * slot as usize;
    let bits = places.ours.data(&caller).get(start..).and_then(|bytes| bytes.first_chunk());
    bits.map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

/// The text at an address. What has none asks for nothing that has a value; the engine's own run of a find says so.
fn text(memory: &[u8], address: u32) -> Option<String> {
    let bytes = memory.get(address as usize..)?;
    let length = bytes.iter().take(NAME_MAX + 1).position(|&byte| byte == 0)?;
    String::from_utf8(bytes[..length].to_vec()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_counted_by_their_names() {
        let slots = [("x", 0), ("x#1", 1), ("b[0]", 2), ("b[1]", 3), ("b#1[1]", 4)];
        let slots = slots.into_iter().map(|(name, slot)| (name.to_string(), slot)).collect();
        let mut asked = Asked { slots, ..Asked::default() };
        let whole = |asked: &mut Asked, name| asked.slot(Some(name), ASK_WHOLE);
        assert_eq!([(); 3].map(|()| whole(&mut asked, "x")), [Some(0), Some(1), None]);
        assert_eq!(whole(&mut asked, "y"), None);
        let bytes = |asked: &mut Asked| {
            assert_eq!(asked.slot(Some("b"), ASK_BYTES), None);
            [0, 1, 2].map(|byte| asked.slot(None, byte))
        };
        assert_eq!(bytes(&mut asked), [Some(2), Some(3), None]);
        assert_eq!(bytes(&mut asked), [None, Some(4), None]);
    }

    #[test]
    fn a_text_ends_in_memory() {
        assert_eq!(text(b"ab\0c", 0), Some("ab".to_string()));
        assert_eq!(text(b"ab\0c", 3), None);
        assert_eq!(text(b"ab\0c", 9), None);
    }
}
