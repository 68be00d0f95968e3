//! C types from debug information.
//!
//! **Invariant:** what cannot be an input is a type of its own that says why; reading types never fails.

use super::attributes::{Entry, Slice, flag, name_of, type_of, udata};
use crate::module::AddressType;
use crate::types::{Field, NOT_DEFINED, Passed, Signature, Type, TypeId, TypeKind, Types};
use gimli::{UnitOffset, UnitRef, constants as dw};
use std::collections::BTreeMap;

/// Types nested deeper than this are not looked into.
const DEPTH_MAX: u32 = 200;

/// Reads types, each once.
#[derive(Default)]
pub(super) struct TypeReader {
    pub(super) types: Types,
    /// By the unit's number and the entry's offset in it.
    known: BTreeMap<(usize, usize), TypeId>,
    /// Names for other types, which may not have been complete when the name was read.
    aliases: Vec<(TypeId, TypeId)>,
    void: Option<TypeId>,
    depth: u32,
}

/// A unit of debug information and its number.
#[derive(Clone, Copy)]
pub(super) struct UnitNo<'a, 'b> {
    pub(super) unit: UnitRef<'b, Slice<'a>>,
    pub(super) number: usize,
}

impl TypeReader {
    /// Has read none yet, of a program whose pointers are that wide.
    pub(super) fn new(address: AddressType) -> TypeReader {
        let mut reader = TypeReader::default();
        reader.types.address = address;
        reader
    }

    /// `void`
    pub(super) fn void(&mut self) -> TypeId {
        let ty = Type { name: "void".into(), size: 0, kind: TypeKind::Void };
        *self.void.get_or_insert_with(|| self.types.add(ty))
    }

    /// The type that an entry's `DW_AT_type` names; `void` without one.
    pub(super) fn of<'a>(&mut self, unit: UnitNo<'a, '_>, entry: &Entry<'a>) -> TypeId {
        match type_of(entry) {
            Some(offset) => self.at(unit, offset),
            None => self.void(),
        }
    }

    /// The type of an entry.
    pub(super) fn at(&mut self, unit: UnitNo<'_, '_>, offset: UnitOffset) -> TypeId {
        let key = (unit.number, offset.0);
        if let Some(&id) = self.known.get(&key) {
            return id;
        }
        let Ok(entry) = unit.unit.entry(offset) else { return self.void() };
        // The place is taken before its parts are read, so that a type can contain pointers to itself.
        let name = name_of(unit.unit, &entry).unwrap_or_default();
        let size = udata(&entry, dw::DW_AT_byte_size).unwrap_or(0) as u32;
        let why = "is nested too deeply".to_owned();
        let passed = Passed::Unknown;
        let id = self.types.add(Type { name, size, kind: TypeKind::Unsupported { why, passed } });
        self.known.insert(key, id);
        if self.depth < DEPTH_MAX {
            self.depth += 1;
            let ty = self.read(unit, &entry, id);
            self.depth -= 1;
            self.types.set(id, ty);
        }
        id
    }

    fn read<'a>(&mut self, unit: UnitNo<'a, '_>, entry: &Entry<'a>, id: TypeId) -> Type {
        let Type { name, size, .. } = self.types.get(id).clone();
        let unsupported = |name: String, why: &str| {
            let (why, passed) = (format!("{name} {why}"), Passed::Unknown);
            let kind = TypeKind::Unsupported { why, passed };
            Type { name, size, kind }
        };
        match entry.tag() {
            dw::DW_TAG_base_type => {
                let encoding = match entry.attr_value(dw::DW_AT_encoding) {
                    Some(gimli::AttributeValue::Encoding(encoding)) => encoding,
                    _ => dw::DW_ATE_unsigned,
                };
                base(name, size, encoding)
            }
            // On WebAssembly it is a pointer, elsewhere a structure that only the compiler can fill.
            dw::DW_TAG_typedef if name == "va_list" || name == "__builtin_va_list" => {
                unsupported(name, "comes from a variadic function and cannot be an input")
            }
            dw::DW_TAG_typedef => {
                let target = self.of(unit, entry);
                self.alias(id, target, name)
            }
            dw::DW_TAG_const_type => {
                let target = self.of(unit, entry);
                let inner = &self.types.get(target).name;
                let name = match inner.ends_with('*') {
                    true => format!("{inner}const"),
                    false => format!("const {inner}"),
                };
                self.alias(id, target, name)
            }
            dw::DW_TAG_volatile_type | dw::DW_TAG_restrict_type | dw::DW_TAG_atomic_type => {
                let target = self.of(unit, entry);
                let name = self.types.get(target).name.clone();
                self.alias(id, target, name)
            }
            dw::DW_TAG_pointer_type => self.pointer(unit, entry),
            dw::DW_TAG_array_type if flag(entry, dw::DW_AT_GNU_vector) => {
                unsupported("vector".into(), "cannot be an input")
            }
            dw::DW_TAG_array_type => self.array(unit, entry),
            dw::DW_TAG_enumeration_type => self.enumeration(unit, entry, name, size),
            dw::DW_TAG_structure_type | dw::DW_TAG_union_type => {
                self.record(unit, entry, id, name, size)
            }
            dw::DW_TAG_subroutine_type => self.function(unit, entry, id),
            tag => unsupported(name, &format!("is of an unknown kind ({tag})")),
        }
    }

    fn alias(&mut self, id: TypeId, target: TypeId, name: String) -> Type {
        self.aliases.push((id, target));
        let Type { size, kind, .. } = self.types.get(target).clone();
        Type { name, size, kind }
    }

    /// Completes what was named before it was complete.
    pub(super) fn close(&mut self) {
        let target: BTreeMap<TypeId, TypeId> = self.aliases.iter().copied().collect();
        for (&id, &first) in &target {
            let mut last = first;
            // A chain that is longer than all names is a circle, which C does not have.
            for _ in 0..target.len() {
                let Some(&next) = target.get(&last) else { break };
                last = next;
            }
            let Type { size, kind, .. } = self.types.get(last).clone();
            let name = self.types.get(id).name.clone();
            self.types.set(id, Type { name, size, kind });
            if let Some(signature) = self.types.signature(last).cloned() {
                self.types.set_signature(id, signature);
            }
        }
    }

    fn pointer<'a>(&mut self, unit: UnitNo<'a, '_>, entry: &Entry<'a>) -> Type {
        let to = self.of(unit, entry);
        let is_const = self.is_const(unit, type_of(entry));
        let target = self.types.get(to);
        let inner = &target.name;
        // A declarator goes before what follows it: `int (*)[4]`, `int (*)(char)`.
        let suffix = match target.kind {
            TypeKind::Array { .. } => inner.find('['),
            TypeKind::Function => inner.find('('),
            TypeKind::Void
            | TypeKind::Bool
            | TypeKind::Int { .. }
            | TypeKind::Float
            | TypeKind::Enum { .. }
            | TypeKind::Struct { .. }
            | TypeKind::Union { .. }
            | TypeKind::Pointer { .. }
            | TypeKind::Unsupported { .. } => None,
        };
        let name = match suffix {
            None if inner.contains("(*") => inner.replacen("(*", "(**", 1),
            Some(at) => format!("{} (*){}", inner[..at].trim_end(), &inner[at..]),
            None if inner.ends_with('*') => format!("{inner}*"),
            None => format!("{inner} *"),
        };
        let size = self.types.address.bytes();
        Type { name, size, kind: TypeKind::Pointer { to, is_const } }
    }

    /// Whether a type is `const`, typedefs looked through.
    fn is_const(&self, unit: UnitNo<'_, '_>, mut ty: Option<UnitOffset>) -> bool {
        for _ in 0..DEPTH_MAX {
            let Some(entry) = ty.and_then(|offset| unit.unit.entry(offset).ok()) else {
                return false;
            };
            match entry.tag() {
                dw::DW_TAG_const_type => return true,
                dw::DW_TAG_typedef
                | dw::DW_TAG_volatile_type
                | dw::DW_TAG_restrict_type
                | dw::DW_TAG_atomic_type => ty = type_of(&entry),
                _ => return false,
            }
        }
        false
    }

    /// Whether an object of a type is `const`: an array is if its elements are.
    pub(super) fn is_const_object(&self, unit: UnitNo<'_, '_>, mut ty: Option<UnitOffset>) -> bool {
        for _ in 0..DEPTH_MAX {
            if self.is_const(unit, ty) {
                return true;
            }
            let Some(entry) = ty.and_then(|offset| unit.unit.entry(offset).ok()) else {
                return false;
            };
            match entry.tag() {
                dw::DW_TAG_array_type | dw::DW_TAG_typedef | dw::DW_TAG_volatile_type => {
                    ty = type_of(&entry);
                }
                _ => return false,
            }
        }
        false
    }

    fn array<'a>(&mut self, unit: UnitNo<'a, '_>, entry: &Entry<'a>) -> Type {
        let element = self.of(unit, entry);
        let mut lengths = Vec::new();
        for child in children(unit, entry) {
            if child.tag() == dw::DW_TAG_subrange_type {
                let count = udata(&child, dw::DW_AT_count);
                let upper = || udata(&child, dw::DW_AT_upper_bound)?.checked_add(1);
                lengths.push(count.or_else(upper).map(|length| length as u32));
            }
        }
        // The last dimension is the innermost array.
        let mut array = self.array_of(element, lengths.pop().flatten());
        while let Some(length) = lengths.pop() {
            let element = self.types.add(array);
            array = self.array_of(element, length);
        }
        array
    }

    fn array_of(&self, element: TypeId, length: Option<u32>) -> Type {
        let of = self.types.get(element);
        let dimension = length.map_or("[]".to_owned(), |length| format!("[{length}]"));
        let length = length.unwrap_or(0);
        // `int[2][3]` is two arrays of three: the outer dimension comes first.
        let name = match (of.name.find('['), &of.kind) {
            (Some(at), TypeKind::Array { .. }) => {
                format!("{}{dimension}{}", &of.name[..at], &of.name[at..])
            }
            _ => format!("{}{dimension}", of.name),
        };
        let size = of.size.saturating_mul(length);
        Type { name, size, kind: TypeKind::Array { element, length } }
    }

    fn enumeration<'a>(
        &mut self,
        unit: UnitNo<'a, '_>,
        entry: &Entry<'a>,
        name: String,
        size: u32,
    ) -> Type {
        let underlying = type_of(entry).map(|offset| self.at(unit, offset));
        let mut values = Vec::new();
        for child in children(unit, entry) {
            let value = child.attr_value(dw::DW_AT_const_value);
            let value = match value {
                Some(gimli::AttributeValue::Udata(value)) => Some(value as i64),
                Some(value) => value.sdata_value(),
                None => None,
            };
            if let (Some(name), Some(value)) = (name_of(unit.unit, &child), value) {
                values.push((name, value));
            }
        }
        let signed = match underlying.map(|ty| &self.types.get(ty).kind) {
            Some(TypeKind::Int { signed, .. }) => *signed,
            _ => values.iter().any(|(_, value)| *value < 0),
        };
        let name = if name.is_empty() { "enum".into() } else { format!("enum {name}") };
        Type { name, size, kind: TypeKind::Enum { signed, values } }
    }

    fn record<'a>(
        &mut self,
        unit: UnitNo<'a, '_>,
        entry: &Entry<'a>,
        id: TypeId,
        name: String,
        size: u32,
    ) -> Type {
        let is_union = entry.tag() == dw::DW_TAG_union_type;
        let keyword = if is_union { "union" } else { "struct" };
        let name = match name.is_empty() {
            true => keyword.to_owned(),
            false => format!("{keyword} {name}"),
        };
        if flag(entry, dw::DW_AT_declaration) {
            let why = format!("{name}{NOT_DEFINED}");
            let passed = Passed::Unknown;
            return Type { name, size, kind: TypeKind::Unsupported { why, passed } };
        }
        // Pointers to this type, met among its fields, show this name.
        let kind = self.types.get(id).kind.clone();
        self.types.set(id, Type { name: name.clone(), size, kind });
        let mut fields = Vec::new();
        for child in children(unit, entry) {
            if child.tag() == dw::DW_TAG_member {
                fields.push(self.field(unit, &child, size));
            }
        }
        let kind = match is_union {
            true => TypeKind::Union { fields },
            false => TypeKind::Struct { fields },
        };
        Type { name, size, kind }
    }

    fn field<'a>(&mut self, unit: UnitNo<'a, '_>, entry: &Entry<'a>, record_size: u32) -> Field {
        let name = name_of(unit.unit, entry).unwrap_or_default();
        let ty = self.of(unit, entry);
        let location = member_location(unit.unit, entry);
        let Some(width) = udata(entry, dw::DW_AT_bit_size).map(|width| width as u32) else {
            return Field { name, ty, offset: location, bits: None };
        };
        let unit_size = self.types.get(ty).size.max(1);
        let first_bit = match udata(entry, dw::DW_AT_data_bit_offset) {
            Some(bit) => location * 8 + bit as u32,
            None => {
                // DWARF 3 counts from the highest bit of the storage unit.
                let storage = udata(entry, dw::DW_AT_byte_size).map_or(unit_size, |n| n as u32);
                let from_high = udata(entry, dw::DW_AT_bit_offset).unwrap_or(0) as i64;
                let low = i64::from(storage * 8) - from_high - i64::from(width);
                (i64::from(location * 8) + low).max(0) as u32
            }
        };
        let mut offset = first_bit / (unit_size * 8) * unit_size;
        // In a packed structure a field may cross its unit, or the unit the end of the structure.
        if first_bit + width > (offset + unit_size) * 8 || offset + unit_size > record_size {
            offset = first_bit / 8;
        }
        Field { name, ty, offset, bits: Some((first_bit - offset * 8, width)) }
    }

    fn function<'a>(&mut self, unit: UnitNo<'a, '_>, entry: &Entry<'a>, id: TypeId) -> Type {
        let result = self.of(unit, entry);
        let (mut params, mut types, mut is_open) = (Vec::new(), Vec::new(), false);
        for child in children(unit, entry) {
            if child.tag() == dw::DW_TAG_formal_parameter {
                let ty = self.of(unit, &child);
                params.push(self.types.get(ty).name.clone());
                types.push(ty);
            } else if child.tag() == dw::DW_TAG_unspecified_parameters {
                params.push("...".into());
                is_open = true;
            }
        }
        // `int (*)()` says nothing about parameters, which is not the same as taking any.
        let is_variadic = is_open && !types.is_empty();
        let returned = type_of(entry).map(|_| result);
        let all = children(unit, entry);
        if !all.iter().chain([entry]).any(|entry| is_volatile(unit, type_of(entry))) {
            let signature = Signature { params: types, result: returned, is_variadic };
            self.types.set_signature(id, signature);
        }
        if params.is_empty() {
            params.push("void".into());
        }
        let name = format!("{} ({})", self.types.get(result).name, params.join(", "));
        Type { name, size: 0, kind: TypeKind::Function }
    }
}

/// Whether a type has a qualifier in it that our names of types leave out, so that a function of these names would be another.
fn is_volatile(unit: UnitNo<'_, '_>, mut ty: Option<UnitOffset>) -> bool {
    for _ in 0..DEPTH_MAX {
        let Some(entry) = ty.and_then(|offset| unit.unit.entry(offset).ok()) else { return false };
        match entry.tag() {
            dw::DW_TAG_volatile_type | dw::DW_TAG_atomic_type => return true,
            dw::DW_TAG_pointer_type
            | dw::DW_TAG_const_type
            | dw::DW_TAG_restrict_type
            | dw::DW_TAG_array_type => ty = type_of(&entry),
            _ => return false,
        }
    }
    false
}

fn base(name: String, size: u32, encoding: gimli::DwAte) -> Type {
    let is_char = matches!(encoding, dw::DW_ATE_signed_char | dw::DW_ATE_unsigned_char);
    let signed = matches!(encoding, dw::DW_ATE_signed | dw::DW_ATE_signed_char);
    let is_bit_int = name.contains("_BitInt");
    let kind = match (encoding, size) {
        (dw::DW_ATE_boolean, 1) => TypeKind::Bool,
        (dw::DW_ATE_float, 4 | 8) => TypeKind::Float,
        (dw::DW_ATE_signed | dw::DW_ATE_unsigned | dw::DW_ATE_UTF, 1 | 2 | 4 | 8)
            if !is_bit_int =>
        {
            TypeKind::Int { signed, is_char: false }
        }
        (dw::DW_ATE_signed_char | dw::DW_ATE_unsigned_char, 1) => TypeKind::Int { signed, is_char },
        (dw::DW_ATE_float | dw::DW_ATE_signed | dw::DW_ATE_unsigned, _) if !is_bit_int => {
            let why = format!("{name} is {size} bytes wide on WebAssembly");
            let passed = if size == 16 { Passed::Wide } else { Passed::Unknown };
            TypeKind::Unsupported { why, passed }
        }
        (dw::DW_ATE_complex_float, _) => {
            let why = format!("{name} cannot be an input");
            TypeKind::Unsupported { why, passed: Passed::Memory }
        }
        _ => {
            let why = format!("{name} cannot be an input");
            TypeKind::Unsupported { why, passed: Passed::Unknown }
        }
    };
    Type { name, size, kind }
}

fn member_location<'a>(unit: UnitRef<'_, Slice<'a>>, entry: &Entry<'a>) -> u32 {
    let Some(value) = entry.attr_value(dw::DW_AT_data_member_location) else { return 0 };
    if let Some(location) = value.udata_value() {
        return location as u32;
    }
    let Some(expression) = value.exprloc_value() else { return 0 };
    match expression.operations(unit.encoding()).next() {
        Ok(Some(gimli::Operation::PlusConstant { value })) => value as u32,
        _ => 0,
    }
}

/// The entries directly below one.
pub(super) fn children<'a>(unit: UnitNo<'a, '_>, entry: &Entry<'a>) -> Vec<Entry<'a>> {
    let mut found = Vec::new();
    let Ok(mut tree) = unit.unit.entries_tree(Some(entry.offset())) else { return found };
    let Ok(root) = tree.root() else { return found };
    let mut children = root.children();
    while let Ok(Some(child)) = children.next() {
        found.push(child.entry().clone());
    }
    found
}
