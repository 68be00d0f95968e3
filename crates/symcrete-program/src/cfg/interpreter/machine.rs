//! Memory, globals, tables and segments of an instance, and what instructions do to them.

use super::{Imports, Limits, Size};
use crate::cfg::module::{Import, Module as ModuleView, Placement};
use crate::cfg::{Access, Kind, ValueType};
use crate::module::{AddressType, TableOp, evaluate};
use crate::outcome::TrapKind;
use std::ops::Range;
use symcrete_term::{Op, Value, eval::eval};

const PAGE: u64 = 1 << 16;

pub(super) struct Machine {
    pub(super) memory: Vec<u8>,
    pages_max: u64,
    address: AddressType,
    pub(super) globals: Vec<u64>,
    tables: Vec<Table>,
    /// Emptied when dropped.
    data: Vec<Vec<u8>>,
    elements: Vec<Vec<u64>>,
}

struct Table {
    address: AddressType,
    entries: Vec<u64>,
    maximum: u64,
}

/// The range of `length` items from `start`, if it lies within `size`.
fn range(start: u64, length: u64, size: usize) -> Option<Range<usize>> {
    let end = start.checked_add(length)?;
    (end <= size as u64).then_some(start as usize..end as usize)
}

fn memory_range(start: u64, length: u64, size: usize) -> Result<Range<usize>, TrapKind> {
    range(start, length, size).ok_or(TrapKind::MemoryOutOfBounds)
}

fn table_range(start: u64, length: u64, size: usize) -> Result<Range<usize>, TrapKind> {
    range(start, length, size).ok_or(TrapKind::TableOutOfBounds)
}

/// What growing gives if there is no room.
fn minus_one(address: AddressType) -> u64 {
    match address {
        AddressType::I32 => u64::from(u32::MAX),
        AddressType::I64 => u64::MAX,
    }
}

impl Machine {
    pub(super) fn new(module: &ModuleView<'_>, imports: &Imports, limits: Limits) -> Machine {
        let globals = module.initial_globals(|import| {
            imports.globals.get(import).map_or(0, |scalar| scalar.bits())
        });
        let size = |import: &Option<Import>, initial, maximum| {
            let given = import.as_ref().and_then(|import| imports.sizes.get(import));
            given.copied().unwrap_or(Size { initial, maximum })
        };
        let memories = module.memories.iter();
        let mut memories =
            memories.map(|memory| size(&memory.import, memory.initial, memory.maximum));
        let memory = memories.next().unwrap_or(Size { initial: 0, maximum: Some(0) });
        let tables = module.tables.iter().map(|table| {
            let size = size(&table.import, table.initial, table.maximum);
            let maximum = size.maximum.unwrap_or(u64::MAX).min(limits.table_entries);
            let entries = vec![0; size.initial as usize];
            Table { address: table.address, entries, maximum }
        });
        let items = module
            .elements
            .iter()
            .map(|segment| segment.items.iter().map(|item| evaluate(item, &globals)).collect());
        Machine {
            memory: vec![0; (memory.initial * PAGE) as usize],
            pages_max: memory.maximum.unwrap_or(PAGE).min(limits.pages),
            address: module.address_type(),
            tables: tables.collect(),
            data: module.data.iter().map(|segment| segment.bytes.to_vec()).collect(),
            elements: items.collect(),
            globals,
        }
    }

    /// Writes active segments, tables first. What is written or only declared is dropped.
    pub(super) fn place_segments(&mut self, module: &ModuleView<'_>) -> Result<(), TrapKind> {
        for (index, segment) in module.elements.iter().enumerate() {
            if let Placement::Active { to, offset } = &segment.placement {
                let (at, length) = (evaluate(offset, &self.globals), segment.items.len() as u64);
                self.table_init(index as u32, *to, [at, 0, length])?;
            }
            if segment.placement != Placement::Passive {
                self.elements[index].clear();
            }
        }
        for (index, segment) in module.data.iter().enumerate() {
            if let Placement::Active { offset, .. } = &segment.placement {
                let (at, length) = (evaluate(offset, &self.globals), segment.bytes.len() as u64);
                self.memory_init(index as u32, [at, 0, length])?;
                self.data[index].clear();
            }
        }
        Ok(())
    }

    /// The function behind an indirect call.
    pub(super) fn callee(
        &self,
        module: &ModuleView<'_>,
        table: u32,
        index: u64,
        ty: u32,
    ) -> Result<u32, TrapKind> {
        match self.tables[table as usize].entries.get(index as usize) {
            None => Err(TrapKind::TableOutOfBounds),
            Some(0) => Err(TrapKind::NullCall),
            Some(&entry) => {
                let function = entry as u32 - 1;
                let fits = *module.function_type(function) == module.types[ty as usize];
                if fits { Ok(function) } else { Err(TrapKind::CallTypeMismatch) }
            }
        }
    }

    /// Carries out an instruction that is no call. Constants and numeric operators too: it is one step.
    pub(super) fn execute(&mut self, kind: &Kind, args: &[u64]) -> Result<Option<u64>, TrapKind> {
        let arg = |position: usize| args[position];
        let three = || [args[0], args[1], args[2]];
        let mut result = None;
        match *kind {
            Kind::Const(constant) => result = Some(constant.bits()),
            Kind::Numeric(op) => result = Some(op.apply(args[0], args[args.len() - 1])?),
            Kind::Select => result = Some(if arg(2) != 0 { arg(0) } else { arg(1) }),
            Kind::RefIsNull => result = Some(u64::from(arg(0) == 0)),
            Kind::GlobalGet(global) => result = Some(self.globals[global as usize]),
            Kind::GlobalSet(global) => self.globals[global as usize] = arg(0),
            Kind::Load(access) => result = Some(self.load(access, arg(0))?),
            Kind::Store(access) => self.store(access, arg(0), arg(1))?,
            Kind::MemorySize => result = Some(self.memory.len() as u64 / PAGE),
            Kind::MemoryGrow => result = Some(self.memory_grow(arg(0))),
            Kind::MemoryFill => {
                let to = memory_range(arg(0), arg(2), self.memory.len())?;
                self.memory[to].fill(arg(1) as u8);
            }
            Kind::MemoryCopy => {
                let from = memory_range(arg(1), arg(2), self.memory.len())?;
                let to = memory_range(arg(0), arg(2), self.memory.len())?;
                self.memory.copy_within(from, to.start);
            }
            Kind::MemoryInit(segment) => self.memory_init(segment, three())?,
            Kind::DataDrop(segment) => self.data[segment as usize].clear(),
            Kind::Table(op) => result = self.execute_table(op, args)?,
            Kind::Call(_) | Kind::CallIndirect { .. } => unreachable!("calls open frames"),
        }
        Ok(result)
    }

    fn execute_table(&mut self, op: TableOp, args: &[u64]) -> Result<Option<u64>, TrapKind> {
        let three = || [args[0], args[1], args[2]];
        let mut result = None;
        match op {
            TableOp::Get(table) => {
                let entries = &self.tables[table as usize].entries;
                result = Some(entries[table_range(args[0], 1, entries.len())?.start]);
            }
            TableOp::Set(table) => {
                let entries = &mut self.tables[table as usize].entries;
                let to = table_range(args[0], 1, entries.len())?.start;
                entries[to] = args[1];
            }
            TableOp::Size(table) => {
                result = Some(self.tables[table as usize].entries.len() as u64);
            }
            TableOp::Grow(table) => {
                result = Some(self.tables[table as usize].grow(args[0], args[1]));
            }
            TableOp::Fill(table) => {
                let entries = &mut self.tables[table as usize].entries;
                let to = table_range(args[0], args[2], entries.len())?;
                entries[to].fill(args[1]);
            }
            TableOp::Copy { to, from } => self.table_copy(to, from, three())?,
            TableOp::Init { segment, table } => self.table_init(segment, table, three())?,
            TableOp::DropElements(segment) => self.elements[segment as usize].clear(),
        }
        Ok(result)
    }

    fn load(&self, access: Access, address: u64) -> Result<u64, TrapKind> {
        let start = address.saturating_add(access.offset);
        let from = memory_range(start, u64::from(access.bytes), self.memory.len())?;
        let mut bytes = [0; 8];
        bytes[..from.len()].copy_from_slice(&self.memory[from]);
        let loaded = u64::from_le_bytes(bytes);
        if !access.signed {
            return Ok(loaded);
        }
        let width = 8 * access.bytes as u8;
        let full = if access.ty == ValueType::I64 { 64 } else { 32 };
        Ok(eval(Op::SignExtend, [full - width, 0], &[Value::bv(width, loaded)]).bits())
    }

    fn store(&mut self, access: Access, address: u64, value: u64) -> Result<(), TrapKind> {
        let start = address.saturating_add(access.offset);
        let to = memory_range(start, u64::from(access.bytes), self.memory.len())?;
        let length = to.len();
        self.memory[to].copy_from_slice(&value.to_le_bytes()[..length]);
        Ok(())
    }

    fn memory_grow(&mut self, more: u64) -> u64 {
        let pages = self.memory.len() as u64 / PAGE;
        if pages.saturating_add(more) > self.pages_max {
            return minus_one(self.address);
        }
        self.memory.resize(((pages + more) * PAGE) as usize, 0);
        pages
    }

    fn memory_init(&mut self, segment: u32, [to, from, length]: [u64; 3]) -> Result<(), TrapKind> {
        let data = &self.data[segment as usize];
        let from = memory_range(from, length, data.len())?;
        let to = memory_range(to, length, self.memory.len())?;
        self.memory[to].copy_from_slice(&data[from]);
        Ok(())
    }

    fn table_init(
        &mut self,
        segment: u32,
        table: u32,
        [to, from, length]: [u64; 3],
    ) -> Result<(), TrapKind> {
        let items = &self.elements[segment as usize];
        let entries = &mut self.tables[table as usize].entries;
        let from = table_range(from, length, items.len())?;
        let to = table_range(to, length, entries.len())?;
        entries[to].copy_from_slice(&items[from]);
        Ok(())
    }

    fn table_copy(
        &mut self,
        to_table: u32,
        from_table: u32,
        [to, from, length]: [u64; 3],
    ) -> Result<(), TrapKind> {
        let source = &self.tables[from_table as usize].entries;
        let copied = source[table_range(from, length, source.len())?].to_vec();
        let entries = &mut self.tables[to_table as usize].entries;
        let to = table_range(to, length, entries.len())?;
        entries[to].copy_from_slice(&copied);
        Ok(())
    }
}

impl Table {
    fn grow(&mut self, value: u64, more: u64) -> u64 {
        let entries = self.entries.len() as u64;
        if entries.saturating_add(more) > self.maximum {
            return minus_one(self.address);
        }
        self.entries.resize((entries + more) as usize, value);
        entries
    }
}
