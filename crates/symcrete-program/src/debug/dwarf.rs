//! Functions, variables and lines from debug information.

use super::attributes::{Entry, Slice, file_path, flag, name_of, origin_of, position_of, type_of};
use super::branches::Placing;
use super::condition_text::{Worded, Words};
use super::files::Files;
use super::lines::{Lines, Row};
use super::types::{TypeReader, UnitNo, children};
use super::{ARENA_SIZE, DebugError, ReadOptions, old_style, uses};
use crate::api;
use crate::conditions::{self, Conditions};
use crate::frontend::{
    EXTERNAL_CONSTANT, EXTERNALS_FILE, FRAMES_BYTES, SOURCE_BYTES, VARIABLES_TABLE,
    callback_functions,
};
use crate::module::{ExportKind, FunctionType, Module, ValueType};
use crate::program::{
    Constant, FileId, Global, Guarded, Param, Position, Program, Undefined, Unit, Uses,
};
use crate::runtime::Runtime;
use crate::types::{Passed, Type, TypeId, TypeKind};
use gimli::{
    AttributeValue, Dwarf, EndianSlice, LittleEndian, SectionId, UnitRef, constants as dw,
};
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// A function that was inlined into another.
#[derive(Clone, Debug)]
pub(super) struct Inlined {
    pub(super) addresses: Range<u64>,
    /// Its nesting depth.
    depth: isize,
    /// Unit number and offset of the entry that describes the function.
    origin: (usize, usize),
}

/// A program while it is read.
pub(super) struct Reading<'a> {
    module: &'a Module<'a>,
    files: Files<'a>,
    types: TypeReader,
    pub(super) program: Program,
    pub(super) lines: Lines,
    rows: Vec<Row>,
    inlined: Vec<Inlined>,
    /// Functions by number of their unit of debug information and offset of their entry.
    by_entry: BTreeMap<(usize, usize), u32>,
    machine_types: BTreeMap<&'static str, TypeId>,
    /// Where the user's files were compiled.
    directory: PathBuf,
    /// Drivers that the front end has added.
    drivers: Vec<Unit>,
}

impl<'a> Reading<'a> {
    /// Reads the debug information of a module.
    pub(super) fn of(
        module: &'a Module<'a>,
        options: &'a ReadOptions<'a>,
    ) -> Result<Reading<'a>, DebugError> {
        let mut reading = Reading {
            module,
            files: Files::new(options),
            types: TypeReader::new(module.address_type()),
            program: Program::default(),
            lines: Lines::default(),
            rows: Vec::new(),
            inlined: Vec::new(),
            by_entry: BTreeMap::new(),
            machine_types: BTreeMap::new(),
            directory: PathBuf::new(),
            drivers: Vec::new(),
        };
        let dwarf = Dwarf::load(|id: SectionId| -> Result<_, gimli::Error> {
            Ok(EndianSlice::new(module.section(id.name()), LittleEndian))
        })?;
        let mut headers = dwarf.units();
        let mut number = 0;
        while let Some(header) = headers.next()? {
            let unit = dwarf.unit(header)?;
            reading.add_unit(UnitNo { unit: unit.unit_ref(&dwarf), number })?;
            number += 1;
        }
        reading.add_undefined();
        reading.lines = Lines::new(std::mem::take(&mut reading.rows));
        Ok(reading)
    }

    /// Reads one compiled file, if it is the user's.
    fn add_unit(&mut self, unit: UnitNo<'a, '_>) -> Result<(), gimli::Error> {
        let text = |slice: Option<Slice<'_>>| {
            PathBuf::from(slice.unwrap_or_default().to_string_lossy().as_ref())
        };
        let comp_dir = text(unit.unit.comp_dir);
        let name = text(unit.unit.name);
        if !self.files.is_given(&comp_dir, &name) {
            return Ok(());
        }
        // A file that only includes others has no line of its own.
        self.files.id(&comp_dir, &name);
        let files = self.add_lines(unit.unit, &comp_dir)?;
        self.directory = comp_dir;
        let mut entries = unit.unit.entries();
        let mut function_depth = None;
        while let Some(entry) = entries.next_dfs()? {
            let depth = entry.depth();
            if function_depth.is_some_and(|function| depth <= function) {
                function_depth = None;
            }
            match entry.tag() {
                dw::DW_TAG_subprogram => {
                    function_depth = Some(depth);
                    self.subprogram(unit, entry, &files);
                }
                dw::DW_TAG_variable => {
                    if let Some(variable) = self.variable(unit, entry, &files) {
                        if self.constant(&variable) {
                            continue;
                        }
                        match function_depth {
                            None => self.program.globals.push(variable),
                            Some(_) => self.program.statics.push(variable),
                        }
                    }
                }
                // Types that pointers are converted to may be mentioned nowhere else.
                dw::DW_TAG_pointer_type => {
                    self.types.at(unit, entry.offset());
                }
                dw::DW_TAG_inlined_subroutine => self.inlined(unit, entry, depth)?,
                _ => {}
            }
        }
        Ok(())
    }

    /// Reads the line table; returns the files by their number in it.
    fn add_lines(
        &mut self,
        unit: UnitRef<'_, Slice<'_>>,
        comp_dir: &Path,
    ) -> Result<BTreeMap<u64, FileId>, gimli::Error> {
        let mut files = BTreeMap::new();
        let Some(program) = &unit.line_program else { return Ok(files) };
        let first = u64::from(program.header().version() < 5);
        for number in first..first + program.header().file_names().len() as u64 {
            if let Some(path) = file_path(unit, program.header(), number) {
                files.insert(number, self.files.id(comp_dir, &path));
            }
        }
        let mut sequence = Vec::new();
        let mut rows = program.clone().rows();
        while let Some((_, row)) = rows.next_row()? {
            let position = match (row.line(), files.get(&row.file_index())) {
                (Some(line), Some(&file)) if !row.end_sequence() => {
                    let column = match row.column() {
                        gimli::ColumnType::LeftEdge => 0,
                        gimli::ColumnType::Column(column) => column.get() as u32,
                    };
                    Some(Position { file, line: line.get() as u32, column })
                }
                _ => None,
            };
            sequence.push(Row { address: row.address(), position });
            if row.end_sequence() {
                // A sequence whose function the linker removed has no start address.
                let start = sequence.first().map_or(0, |row: &Row| row.address);
                let rows = std::mem::take(&mut sequence);
                if is_alive(start) {
                    self.rows.extend(rows);
                }
            }
        }
        Ok(files)
    }

    fn subprogram(
        &mut self,
        unit: UnitNo<'a, '_>,
        entry: &Entry<'a>,
        files: &BTreeMap<u64, FileId>,
    ) {
        let origin = origin_of(unit.unit, entry);
        let named = origin.as_ref().unwrap_or(entry);
        let Some(name) = name_of(unit.unit, named) else { return };
        let mut signature = self.signature(unit, entry, named);
        if flag(entry, dw::DW_AT_declaration) {
            let Signature { params, result, is_variadic } = signature;
            let has_prototype = flag(named, dw::DW_AT_prototyped);
            self.program.undefined.entry(name).or_insert(Undefined {
                params,
                result,
                is_variadic,
                has_declaration: true,
                has_prototype,
                machine: FunctionType::default(),
            });
            return;
        }
        let low = entry.attr_value(dw::DW_AT_low_pc);
        let low = low.and_then(|low| unit.unit.attr_address(low).ok().flatten());
        let Some(function) = low.filter(|&low| is_alive(low)).and_then(|low| self.function_at(low))
        else {
            return;
        };
        let Some(body) = self.module.body(function) else { return };
        let is_driver = name.starts_with(api::PREFIX);
        let position = match is_driver {
            true => Some(Position { file: self.compiled_file(unit), line: 0, column: 0 }),
            false => position_of(named, files),
        };
        let Some(position) = position.filter(|position| self.is_user(*position)) else {
            self.program.foreign.insert(name);
            return;
        };
        if !flag(named, dw::DW_AT_prototyped) {
            self.promote(&mut signature, function);
        }
        let list = self.take_list(&mut signature);
        let found = Unit {
            name,
            position,
            function,
            body,
            params: signature.params,
            result: signature.result,
            is_static: !flag(named, dw::DW_AT_external),
            is_variadic: signature.is_variadic,
            list,
            uses: Uses::default(),
        };
        if is_driver {
            self.drivers.push(found);
            return;
        }
        let key = (unit.number, named.offset().0);
        self.by_entry.insert(key, function);
        self.program.units.push(found);
    }

    /// Callers pass a `double` for the `float` of a function defined in the old style, `f(x) float x; {}`.
    fn promote(&mut self, signature: &mut Signature, function: u32) {
        let machine = &self.module.function_type(function).params;
        let first = machine.len().checked_sub(signature.params.len());
        let Some(machine) = first.map(|first| &machine[first..]) else { return };
        for (param, machine) in signature.params.iter_mut().zip(machine) {
            let types = &mut self.types.types;
            let ty = types.get(param.ty);
            if ty.kind == TypeKind::Float && ty.size == 4 && *machine == ValueType::F64 {
                let double = Type { name: "double".into(), size: 8, kind: TypeKind::Float };
                param.ty = types.add(double);
            }
        }
    }

    /// A `va_list` as the last parameter is what the machine passes for `...`.
    fn take_list(&self, signature: &mut Signature) -> Option<String> {
        const NAMES: &[&str] =
            &["va_list", "__gnuc_va_list", "__builtin_va_list", "__isoc_va_list"];
        let is_list = |param: &Param| NAMES.contains(&self.types.types.get(param.ty).name.as_str());
        let list = signature.params.pop_if(|param| is_list(param))?;
        signature.is_variadic = true;
        Some(list.name)
    }

    /// The file that was compiled, whichever others it includes.
    fn compiled_file(&mut self, unit: UnitNo<'a, '_>) -> FileId {
        let file = PathBuf::from(unit.unit.name.unwrap_or_default().to_string_lossy().as_ref());
        let comp_dir = self.directory.clone();
        self.files.id(&comp_dir, &file)
    }

    /// The function whose body starts at an address.
    fn function_at(&self, address: u64) -> Option<u32> {
        let offset = address.checked_add(u64::from(self.module.code_start))?;
        self.module.function_at(u32::try_from(offset).ok()?)
    }

    fn is_user(&self, position: Position) -> bool {
        self.files.list[position.file.0 as usize].is_user
    }

    fn signature(
        &mut self,
        unit: UnitNo<'a, '_>,
        entry: &Entry<'a>,
        named: &Entry<'a>,
    ) -> Signature {
        let mut params = Vec::new();
        let mut is_open = false;
        for child in children(unit, entry) {
            if child.tag() == dw::DW_TAG_formal_parameter {
                let origin = origin_of(unit.unit, &child);
                let child = origin.as_ref().unwrap_or(&child);
                let name =
                    name_of(unit.unit, child).unwrap_or_else(|| format!("arg{}", params.len()));
                params.push(Param { name, ty: self.types.of(unit, child) });
            } else if child.tag() == dw::DW_TAG_unspecified_parameters {
                is_open = true;
            }
        }
        let result = type_of(named).map(|_| self.types.of(unit, named));
        // `int f()` does not declare its parameters, which is not the same as having none.
        let is_variadic = is_open && !params.is_empty();
        Signature { params, result, is_variadic }
    }

    /// A variable that has an address, if it is one of the user's.
    fn variable(
        &mut self,
        unit: UnitNo<'a, '_>,
        entry: &Entry<'a>,
        files: &BTreeMap<u64, FileId>,
    ) -> Option<Global> {
        let declared = origin_of(unit.unit, entry);
        let named = declared.as_ref().unwrap_or(entry);
        let location = entry.attr_value(dw::DW_AT_location).and_then(|value| value.exprloc_value());
        let (name, location) = (name_of(unit.unit, named)?, location?);
        let mut operations = location.operations(unit.unit.encoding());
        let address = match (operations.next(), operations.next()) {
            (Ok(Some(gimli::Operation::Address { address })), Ok(None)) => address,
            (Ok(Some(gimli::Operation::AddressIndex { index })), Ok(None)) => {
                unit.unit.address(index).ok()?
            }
            _ => return None,
        };
        let mut position = position_of(named, files)?;
        let declared_in = &self.files.list[position.file.0 as usize].path;
        let is_external = declared_in.file_name().is_some_and(|name| name == EXTERNALS_FILE);
        if is_external {
            position = Position { file: self.compiled_file(unit), line: 0, column: 0 };
        }
        if !self.is_user(position) || !is_alive(address) {
            return None;
        }
        let ty = self.types.of(unit, named);
        let is_static = !flag(named, dw::DW_AT_external);
        let is_const = self.types.is_const_object(unit, type_of(named));
        let address = address as u32;
        Some(Global { name, ty, address, position, is_static, is_const, is_external })
    }

    /// Records an undefined constant, if a variable marks one.
    fn constant(&mut self, variable: &Global) -> bool {
        let Some(name) = variable.name.strip_prefix(EXTERNAL_CONSTANT) else { return false };
        let is_open = self.types.types.get(variable.ty).size > 1;
        let (name, file) = (name.to_owned(), variable.position.file);
        self.program.constants.push(Constant { name, file, is_open });
        true
    }

    fn inlined(
        &mut self,
        unit: UnitNo<'a, '_>,
        entry: &Entry<'a>,
        depth: isize,
    ) -> Result<(), gimli::Error> {
        let Some(AttributeValue::UnitRef(origin)) = entry.attr_value(dw::DW_AT_abstract_origin)
        else {
            return Ok(());
        };
        let mut ranges = unit.unit.die_ranges(entry)?;
        while let Some(range) = ranges.next()? {
            let addresses = range.begin..range.end;
            let origin = (unit.number, origin.0);
            self.inlined.push(Inlined { addresses, depth, origin });
        }
        Ok(())
    }

    /// Keeps the declarations of imported functions; imports without one get their machine types.
    fn add_undefined(&mut self) {
        let mut declared = std::mem::take(&mut self.program.undefined);
        for (index, import) in self.module.imported().filter(|(_, import)| import.module == "env") {
            let ty = self.module.function_type(index);
            let mut undefined = declared.remove(&import.name).unwrap_or_else(|| {
                let result = ty.results.first().map(|&ty| self.old_style_result(&import.name, ty));
                Undefined {
                    params: Vec::new(),
                    result,
                    is_variadic: false,
                    has_declaration: false,
                    has_prototype: false,
                    machine: FunctionType::default(),
                }
            });
            undefined.machine.clone_from(ty);
            if undefined.params.is_empty() {
                // A structure is returned through a pointer that no declaration shows.
                let is_indirect = ty.results.is_empty() && undefined.result.is_some();
                let params = &ty.params[usize::from(is_indirect).min(ty.params.len())..];
                undefined.params = self.machine_params(params);
            }
            self.program.undefined.insert(import.name.clone(), undefined);
        }
    }

    /// Makes units of the exported functions, for a module without debug information.
    pub(super) fn add_exports(&mut self) {
        let file = self.files.any();
        let mut exported: BTreeMap<u32, &String> = BTreeMap::new();
        for (name, kind) in &self.module.exports {
            if let ExportKind::Function(function) = kind {
                exported.entry(*function).or_insert(name);
            }
        }
        for (function, name) in exported {
            let Some(body) = self.module.body(function) else { continue };
            let ty = self.module.function_type(function);
            let position = Position { file, line: 0, column: 0 };
            let params = self.machine_params(&ty.params);
            let result = ty.results.first().map(|&ty| self.machine_type(ty));
            self.program.units.push(Unit {
                name: name.clone(),
                position,
                function,
                body,
                params,
                result,
                is_static: false,
                is_variadic: false,
                list: None,
                uses: Uses::default(),
            });
        }
    }

    fn machine_params(&mut self, params: &[ValueType]) -> Vec<Param> {
        let params = params.iter().enumerate();
        params
            .map(|(i, &ty)| Param { name: format!("arg{i}"), ty: self.machine_type(ty) })
            .collect()
    }

    /// The result type of a function declared without parameters, which debug information lacks.
    fn old_style_result(&mut self, function: &str, ty: ValueType) -> TypeId {
        let texts = || self.files.list.iter().filter_map(|file| file.text.as_deref());
        let narrow = texts().find_map(|text| old_style::narrow_result(text, function));
        if let Some(narrow) = narrow.filter(|_| ty == ValueType::I32) {
            return self.types.types.add(narrow);
        }
        let pointee = texts().find_map(|text| old_style::pointee(text, function));
        let pointer = pointee.filter(|_| ty == self.module.address_type().ty());
        pointer.and_then(|to| self.pointer_to(&to)).unwrap_or_else(|| self.machine_type(ty))
    }

    /// A pointer to the type of that name, or to an unknown type; `None` if it points to a function.
    fn pointer_to(&mut self, name: &str) -> Option<TypeId> {
        let size = self.module.address_type().bytes();
        let types = &mut self.types.types;
        let to = match types.ids().find(|&id| types.get(id).name == name) {
            Some(to) => to,
            None => types.void()?,
        };
        let kind = TypeKind::Pointer { to, is_const: false };
        let is_data = types.get(to).kind != TypeKind::Function;
        is_data.then(|| types.add(Type { name: format!("{name} *"), size, kind }))
    }

    fn machine_type(&mut self, ty: ValueType) -> TypeId {
        let integer = TypeKind::Int { signed: true, is_char: false };
        let (name, size, kind) = match ty {
            ValueType::I32 => ("i32", 4, integer),
            ValueType::I64 => ("i64", 8, integer),
            ValueType::F32 => ("f32", 4, TypeKind::Float),
            ValueType::F64 => ("f64", 8, TypeKind::Float),
            ValueType::FuncRef => {
                let why = "references cannot be inputs".to_owned();
                ("reference", 0, TypeKind::Unsupported { why, passed: Passed::Unknown })
            }
        };
        let types = &mut self.types.types;
        let ty = || types.add(Type { name: name.into(), size, kind });
        *self.machine_types.entry(name).or_insert_with(ty)
    }

    /// Finds out what every site decides.
    fn add_branches(&mut self) {
        let is_check = |name: &str| name == "__symcrete_check";
        let mut imported = self.module.imported();
        let imported = imported.find(|(_, import)| is_check(&import.name)).map(|(index, _)| index);
        let named = || self.module.names.iter().find(|(_, name)| is_check(name)).map(|(i, _)| *i);
        let conditions = self.conditions();
        self.program.has_conditions = conditions.is_some();
        let placing = Placing {
            language: self.program.language,
            module: self.module,
            lines: &self.lines,
            conditions: conditions.as_ref(),
            check: imported.or_else(named),
        };
        let by_function: BTreeMap<u32, usize> =
            self.program.units.iter().enumerate().map(|(i, unit)| (unit.function, i)).collect();
        for (i, unit) in self.program.units.iter().enumerate() {
            for (site, mut branch) in placing.function(unit.function, unit.position) {
                let inlined = self.inlined_at(site.offset).and_then(|f| by_function.get(&f));
                branch.unit = inlined.copied().unwrap_or(i);
                self.program.branches.insert(site, branch);
            }
        }
    }

    /// What the compiler recorded about the sites in units: what each decides, and whether it is negated.
    fn conditions(&mut self) -> Option<BTreeMap<u32, (Worded, bool)>> {
        let text = std::str::from_utf8(self.module.section(conditions::SECTION)).ok()?;
        // A file without conditions has a (empty) record too.
        let read = Conditions::from_text(text).filter(|read| !read.files.is_empty())?;
        let mut words = Words::new(&read, &self.directory, &mut self.files);
        let mut found = BTreeMap::new();
        for unit in &self.program.units {
            for (&offset, decision) in read.sites.range(unit.body.clone()) {
                found.insert(offset, (words.of(decision.condition), decision.is_negated));
            }
        }
        Some(found)
    }

    /// The function that was inlined at an offset, the innermost one.
    fn inlined_at(&self, offset: u32) -> Option<u32> {
        let address = u64::from(offset.checked_sub(self.module.code_start)?);
        let here = self.inlined.iter().filter(|inlined| inlined.addresses.contains(&address));
        let inner = here.max_by_key(|inlined| inlined.depth)?;
        self.by_entry.get(&inner.origin).copied()
    }

    /// Completes the program and separates its drivers.
    pub(super) fn finish(mut self) -> (Program, Vec<Unit>) {
        self.types.close();
        self.program.units.sort_by_key(|unit| (unit.position, unit.function));
        self.add_branches();
        self.program.lines = self.lines.by_offset(self.module.code_start);
        let mut program = self.program;
        program.types = self.types.types;
        program.files = self.files.list;
        program.arena = arena(self.module);
        program.uninitialized = uninitialized(self.module);
        let (pointers, variables): (Vec<_>, Vec<_>) =
            variable_rows(self.module).into_iter().partition(|row| row.start == row.end);
        program.initial_pointers = pointers.iter().map(|row| row.start).collect();
        program.variables = variables;
        program.frames = frames(self.module);
        program.functions = named_functions(self.module);
        program.callbacks = callback_functions(self.module);
        program.runtime = runtime(self.module);
        uses::read(&mut program);
        (program, self.drivers)
    }
}

struct Signature {
    params: Vec<Param>,
    result: Option<TypeId>,
    is_variadic: bool,
}

/// Where the runtime lays out input objects.
fn arena(module: &Module<'_>) -> Range<u32> {
    let Some(start) = module.exported_constant("__symcrete_arena") else { return 0..0 };
    let end = module.exported_constant("__symcrete_arena_end");
    start..end.unwrap_or(start.saturating_add(ARENA_SIZE))
}

/// Where code reads uninitialised values.
fn named_functions(module: &Module<'_>) -> Vec<(Range<u32>, String)> {
    let named = |(function, body)| Some((body, module.names.get(&function)?.clone()));
    module.defined().filter_map(named).collect()
}

fn uninitialized(module: &Module<'_>) -> Range<u32> {
    let Some(start) = module.exported_constant("__symcrete_uninitialized") else { return 0..0 };
    start..start.saturating_add(SOURCE_BYTES)
}

/// Where the frames of functions are placed.
fn frames(module: &Module<'_>) -> Range<u32> {
    let Some(start) = module.exported_constant("__symcrete_frames") else { return 0..0 };
    start..start.saturating_add(FRAMES_BYTES)
}

/// The rows of the tables of variables.
fn variable_rows(module: &Module<'_>) -> Vec<Guarded> {
    let number =
        |address: u32| Some(u32::from_le_bytes(module.initial_bytes(address, 4)?.try_into().ok()?));
    let row = |at: u32| {
        let [size, room, is_shared] = [number(at)?, number(at + 4)?, number(at + 8)?];
        let [is_constant, start] = [number(at + 12)?, number(at + 16)?];
        let (end, zone_end) = (start.checked_add(size)?, start.checked_add(room)?);
        let [is_shared, is_constant] = [is_shared, is_constant].map(|number| number != 0);
        Some(Guarded { start, end, zone_end, is_shared, is_constant })
    };
    // A count, then four numbers and an address for each.
    let row_bytes = 16 + module.address_type().bytes();
    let rows = |table: u32| {
        (0..number(table).unwrap_or(0)).map_while(move |i| row(table + 8 + row_bytes * i))
    };
    let mut all: Vec<Guarded> = module.exported_constants(VARIABLES_TABLE).flat_map(rows).collect();
    all.sort_unstable_by_key(|variable| variable.start);
    all
}

/// Where the runtime's variables are.
fn runtime(module: &Module<'_>) -> Option<Runtime> {
    Some(Runtime {
        input_max: module.exported_constant("__symcrete_input_max")?,
        files: module.exported_constant("__symcrete_files")?,
        file_bytes: module.exported_constant("__symcrete_file_bytes")?,
        file_bytes_used: module.exported_constant("__symcrete_file_bytes_used")?,
        look: module.exported_constant("__symcrete_api_look")?,
        objects: module.exported_constant("__symcrete_api_objects")?,
    })
}

/// The linker gives what it removed the address 0 or -1.
fn is_alive(address: u64) -> bool {
    address != 0 && address < u64::from(u32::MAX) - 1
}
