//! What imported functions do when they are called. What a program says of its memory is in `memory.rs`.

mod memory;

use crate::accesses::Bulk;
use crate::cell::extend_bits;
use crate::config::{EndKind, ImportAction};
use crate::fill::{FillArgument, FillCall};
use crate::host::{self, Host, HostState, stopped, val_bits, val_of, with_flags};
use crate::instrument::layout::Form;
use crate::instrument::{Import, Instrumented};
use crate::lower::as_value;
use crate::recording::{Recording, ShadowId, Stop};
use crate::trace::Origin;
use std::sync::Arc;
use symcrete_program::fill::FILL_BYTES_MAX;
use symcrete_program::library::greatest_result;
use symcrete_program::module::ValueType;
use symcrete_program::{CellKind, Fill, Gap, NotedCall, NotedParam, SiteId, StubResult, TrapKind};
use symcrete_term::{Literal, Op, TermId, Value};
use wasmtime::{Engine, FuncType, Linker, Val, ValType, WasmBacktrace};

/// The module name under which the original imports are imported.
const IMPORT: &str = "symcrete-import";

/// The maximum length of a cell's name, in bytes.
pub(crate) const NAME_MAX: usize = 1000;

/// What an import returns: raw bits and a shadow.
type Returned = (u64, ShadowId);

/// A call of an import: values of its arguments, then their shadows.
struct Call<'a> {
    module: &'a Instrumented,
    import: &'a Import,
    args: &'a [Val],
}

/// Defines one import of a rewritten module.
pub(crate) fn define(
    engine: &Engine,
    linker: &mut Linker<HostState>,
    i: usize,
    module: &Arc<Instrumented>,
) -> wasmtime::Result<()> {
    let import = &module.imports[i];
    if let ImportAction::Opaque(function) = &import.action {
        return host::define_opaque(engine, linker, (IMPORT, i), function);
    }
    let widen = |types: &[ValueType]| {
        let plain: Vec<ValType> = types.iter().map(|&ty| host::val_type(ty)).collect();
        let shadows = vec![ValType::I32; types.len()];
        [plain, shadows].concat()
    };
    let ty = FuncType::new(engine, widen(&import.ty.params), widen(&import.ty.results));
    let module = Arc::clone(module);
    linker.func_new(IMPORT, &i.to_string(), ty, move |mut host, args, results| {
        let import = &module.imports[i];
        let call = Call { module: &module, import, args };
        let (bits, shadow) = call.run(&mut host)?;
        let n = import.ty.results.len();
        for (position, &ty) in import.ty.results.iter().enumerate() {
            // Only the first result of an import is ever more than zero.
            let first = position == 0;
            results[position] = val_of(ty, if first { bits } else { 0 });
            results[n + position] = Val::I32(if first { shadow } else { 0 });
        }
        Ok(())
    })?;
    Ok(())
}

impl Call<'_> {
    /// An argument as raw bits.
    fn bits(&self, i: usize) -> u64 {
        val_bits(&self.args[i])
    }

    /// An argument as a 32-bit number. A larger address or length becomes the maximum, which is out of bounds.
    fn number(&self, i: usize) -> u32 {
        u32::try_from(self.bits(i)).unwrap_or(u32::MAX)
    }

    fn shadow(&self, i: usize) -> ShadowId {
        self.args[self.args.len() / 2 + i].unwrap_i32()
    }

    fn run(&self, host: &mut Host<'_>) -> wasmtime::Result<Returned> {
        let stop = |stop: Stop| stopped(Err(stop));
        if self.module.form == Form::Concrete && self.import.introduces() {
            return stopped(host.data_mut().recording.leave_concrete_form().map(|()| (0, 0)));
        }
        if let Some(gap) = self.import.gap {
            host.data_mut().recording.meet(gap);
        }
        if let Some(noted) = &self.import.noted {
            self.note(host, &self.import.name, noted);
        }
        self.fill(host, &self.import.name, &self.import.fills)?;
        match &self.import.action {
            ImportAction::Missing => {
                let name = format!("{}.{}", self.import.module, self.import.name);
                stop(Stop::Trap(TrapKind::MissingImport(name)))
            }
            ImportAction::Ignore | ImportAction::Opaque(_) => Ok((0, 0)),
            ImportAction::Assume => {
                let site = self.site(host, 0);
                let recording = &mut host.data_mut().recording;
                stopped(recording.assume(site, self.shadow(0), self.number(0)))?;
                Ok((0, 0))
            }
            ImportAction::Draw { name, kind } => {
                let drawn = stopped(self.draw(&mut host.data_mut().recording, name, *kind))?;
                match greatest_result(&self.import.name) {
                    Some(greatest) => self.assume_at_most(host, drawn, greatest),
                    None => Ok(drawn),
                }
            }
            ImportAction::MayFail { name } => self.may_fail(host, name),
            ImportAction::DrawNamed(kind) => {
                let name = self.name(host, self.number(0))?;
                stopped(self.draw(&mut host.data_mut().recording, &name, *kind))
            }
            ImportAction::Callback(number) => self.call_back(host, *number),
            ImportAction::DrawPointer { name, size } => self.draw_pointer(host, name, *size),
            ImportAction::DrawResult { name, size } => {
                self.draw_into(host, name, (u64::from(*size), 0))
            }
            ImportAction::DrawBytes => {
                let name = self.name(host, self.number(2))?;
                self.draw_into(host, &name, (self.bits(1), self.shadow(1)))
            }
            ImportAction::Memory(event) => self.note_memory(host, *event),
            ImportAction::End(end) => {
                if *end == EndKind::Exit {
                    self.note_status(&mut host.data_mut().recording);
                }
                stop(end.stop(self.number(0)))
            }
        }
    }

    /// Whether the status that the program ends with is known.
    fn note_status(&self, recording: &mut Recording) {
        if let Some(index) = (self.shadow(0) as usize).checked_sub(1) {
            let is_unknown = recording.is_unknown(TermId::from_index(index));
            recording.uninitialized.is_status_unknown |= is_unknown;
        }
    }

    /// The original operator that called, in the user's own functions if one is on the stack; looked for only
    /// if an argument is symbolic.
    fn site(&self, host: &mut Host<'_>, first_shadow: usize) -> u32 {
        let shadows = &self.args[self.args.len() / 2 + first_shadow..];
        if shadows.iter().all(|shadow| shadow.unwrap_i32() == 0) {
            return 0;
        }
        let backtrace = WasmBacktrace::force_capture(&*host);
        self.module.innermost_site(backtrace.frames()).unwrap_or(0)
    }

    /// A C string in memory.
    fn name(&self, host: &mut Host<'_>, address: u32) -> wasmtime::Result<String> {
        let invalid = || Stop::Trap(TrapKind::InvalidName);
        let memory = host::parts(host).memory.data(&*host);
        let bytes = memory.get(address as usize..).unwrap_or_default();
        let bytes = &bytes[..bytes.len().min(NAME_MAX + 1)];
        let length = bytes.iter().position(|&byte| byte == 0).filter(|&length| length > 0);
        let name = length.and_then(|length| String::from_utf8(bytes[..length].to_vec()).ok());
        let length = length.map_or(1, |length| length as u32 + 1);
        if let Some(kind) = host.data().recording.bytes.poison.fault(address, length) {
            return stopped(Err(Stop::Trap(kind)));
        }
        stopped(name.ok_or_else(invalid))
    }

    fn draw(
        &self,
        recording: &mut Recording,
        name: &str,
        kind: CellKind,
    ) -> Result<Returned, Stop> {
        let (term, value) = recording.draw(name, kind)?;
        let width = match self.import.ty.results[..] {
            [ValueType::I64 | ValueType::F64] => 64,
            _ => 32,
        };
        let term = as_value(&mut recording.terms, kind, width, term);
        Ok((extend_bits(kind, value.bits()), recording.shadow(term)?))
    }

    /// A result between zero and a maximum. A run with any other result violates an assumption.
    fn assume_at_most(
        &self,
        host: &mut Host<'_>,
        (bits, shadow): Returned,
        greatest: u32,
    ) -> wasmtime::Result<Returned> {
        let backtrace = WasmBacktrace::force_capture(&*host);
        let site = self.module.innermost_site(backtrace.frames()).unwrap_or(0);
        let recording = &mut host.data_mut().recording;
        if let Some(term) = (shadow as usize).checked_sub(1).map(TermId::from_index) {
            let limit = Value::from_bits(recording.terms.sort(term), greatest.into());
            let limit = recording.terms.constant(limit);
            let term = recording.terms.app(Op::BvUle, &[term, limit]);
            let literal = Literal { term, expected: bits <= u64::from(greatest) };
            stopped(recording.record(SiteId::at(site), literal, Origin::Assumed))?;
            stopped(if literal.expected { Ok(()) } else { Err(Stop::Rejected) })?;
        }
        Ok((bits, shadow))
    }

    /// Decides whether something fails. Exploration flips it like a guard, even if no branch of the program depends on it.
    fn may_fail(&self, host: &mut Host<'_>, name: &str) -> wasmtime::Result<Returned> {
        let backtrace = WasmBacktrace::force_capture(&*host);
        let site = self.module.innermost_site(backtrace.frames()).unwrap_or(0);
        let recording = &mut host.data_mut().recording;
        let (fails, value) = stopped(recording.draw(name, CellKind::Bool))?;
        let is_failing = value == Value::Bool(true);
        let succeeds = recording.terms.app(Op::Not, &[fails]);
        let literal = Literal { term: succeeds, expected: !is_failing };
        stopped(recording.settle(site, literal, Origin::ObjectGuard))?;
        Ok((u64::from(is_failing), 0))
    }

    /// Returns what a callback of the input returns.
    fn call_back(&self, host: &mut Host<'_>, number: u32) -> wasmtime::Result<Returned> {
        let Some(callee) = host.data().recording.callbacks.get(&number).cloned() else {
            let name = format!("{}.{}", self.import.module, self.import.name);
            return stopped(Err(Stop::Trap(TrapKind::MissingImport(name))));
        };
        // It is never a function of the program itself, which a caller could have passed.
        host.data_mut().recording.meet(Gap::Aliasing);
        if let Some(noted) = &callee.noted {
            self.note(host, callee.name.trim_end_matches("()"), noted);
        }
        self.fill(host, &callee.name, &callee.fills)?;
        match callee.result {
            StubResult::Nothing | StubResult::Impossible => Ok((0, 0)),
            StubResult::Value(kind) => {
                stopped(self.draw(&mut host.data_mut().recording, &callee.name, kind))
            }
            StubResult::Pointer { size } => self.draw_pointer(host, &callee.name, size),
            StubResult::Memory { size } => self.draw_into(host, &callee.name, (u64::from(size), 0)),
        }
    }

    /// Notes a call, before the function writes anything.
    fn note(&self, host: &mut Host<'_>, function: &str, noted: &[NotedParam]) {
        if !host.data_mut().recording.noted.is_on() {
            return;
        }
        // Long runs call too often, and which bytes have no value is not known in their form.
        let is_concrete = self.module.form == Form::Concrete;
        let is_called_by_own =
            || self.module.is_called_by_own(WasmBacktrace::force_capture(&*host).frames());
        if is_concrete || !is_called_by_own() {
            return host.data_mut().recording.noted.switch_off();
        }
        let argument = |i: usize| (self.bits(i), self.shadow(i));
        let memory = host::parts(host).memory;
        let (memory, state) = memory.data_and_store_mut(&mut *host);
        let recording = &mut state.recording;
        let arguments =
            noted.iter().map(|noted| recording.note_argument(memory, noted, argument)).collect();
        match arguments {
            Some(arguments) => {
                recording.noted.add(NotedCall { function: function.to_string(), arguments });
            }
            None => recording.noted.switch_off(),
        }
    }

    /// Performs a function's writes through its arguments.
    fn fill(&self, host: &mut Host<'_>, function: &str, fills: &[Fill]) -> wasmtime::Result<()> {
        if fills.is_empty() {
            return Ok(());
        }
        let site = self.site(host, 0);
        let number = host.data_mut().recording.count_call(function);
        let argument = |i: usize| FillArgument {
            shadow: self.shadow(i),
            bits: self.bits(i),
            is_narrow: self.import.ty.params[i] == ValueType::I32,
        };
        let arguments = (0..self.import.ty.params.len()).map(argument).collect();
        let call = FillCall { number, site, arguments };
        for fill in fills {
            let memory = host::parts(host).memory.data(&*host);
            let before = memory.get(self.number(fill.argument) as usize..).unwrap_or_default();
            let before = before[..before.len().min(FILL_BYTES_MAX as usize)].to_vec();
            let mut written = Vec::new();
            with_flags(&mut *host, self.module.flags as usize, |recording, _, flags| {
                written = recording.fill_argument(flags, &before, fill, &call)?;
                Ok(())
            })?;
            written.iter().for_each(|cell| write(host, cell));
        }
        Ok(())
    }

    fn draw_pointer(
        &self,
        host: &mut Host<'_>,
        name: &str,
        size: u32,
    ) -> wasmtime::Result<Returned> {
        let mut returned = (0, 0);
        let mut written = (0, Vec::new());
        with_flags(&mut *host, self.module.flags as usize, |recording, _, flags| {
            let Some(object) = recording.bytes.poison.reserve(size) else {
                recording.meet(Gap::Length);
                return Ok(());
            };
            let (present, value) = recording.draw(name, CellKind::Bool)?;
            let is_there = value == Value::Bool(true);
            recording.pointers.insert(present, is_there);
            let width = recording.address.num().sort().bits() as u8;
            let there = recording.terms.bv(width, u64::from(object.start));
            let null = recording.terms.bv(width, 0);
            let pointer = recording.terms.ite(present, there, null);
            returned.1 = recording.shadow(pointer)?;
            if is_there {
                returned.0 = u64::from(object.start);
                let drawn = recording.drawn.last().map_or("", |drawn| &drawn.name);
                let base = format!("*{drawn}");
                recording.bytes.add_object(flags, object.clone());
                written = (object.start, recording.draw_bytes(flags, &base, object)?);
            }
            Ok(())
        })?;
        write(host, &written);
        Ok(returned)
    }

    /// Draws bytes into memory at the first argument: their number, and its shadow.
    fn draw_into(
        &self,
        host: &mut Host<'_>,
        name: &str,
        (length, shadow): (u64, i32),
    ) -> wasmtime::Result<Returned> {
        let start = self.number(0);
        let site = self.site(host, 0);
        let mut bytes = Vec::new();
        with_flags(&mut *host, self.module.flags as usize, |recording, memory_length, flags| {
            let at = (self.shadow(0), self.bits(0));
            let n = (shadow, length);
            if !recording.bulk_range((memory_length, flags), (site, Bulk::Given), at, n)? {
                return Err(Stop::Trap(TrapKind::MemoryOutOfBounds));
            }
            bytes = recording.draw_bytes(flags, name, start..start + length as u32)?;
            Ok(())
        })?;
        write(host, &(start, bytes));
        Ok((0, 0))
    }
}

/// Writes bytes that are known to be in bounds.
fn write(host: &mut Host<'_>, (start, bytes): &(u32, Vec<u8>)) {
    let memory = host::parts(host).memory.data_mut(host);
    memory[*start as usize..][..bytes.len()].copy_from_slice(bytes);
}
