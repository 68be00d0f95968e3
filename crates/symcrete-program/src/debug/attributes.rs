//! Attributes of entries of debug information.

use crate::program::{FileId, Position};
use gimli::{
    AttributeValue, DebuggingInformationEntry, EndianSlice, LineProgramHeader, LittleEndian,
    UnitOffset, UnitRef, constants as dw,
};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// How debug information is read.
pub(super) type Slice<'a> = EndianSlice<'a, LittleEndian>;

/// An entry of debug information.
pub(super) type Entry<'a> = DebuggingInformationEntry<Slice<'a>>;

/// The entry that has the name and type of this one, if this one only refers to it.
pub(super) fn origin_of<'a>(unit: UnitRef<'_, Slice<'a>>, entry: &Entry<'a>) -> Option<Entry<'a>> {
    let origin = entry
        .attr_value(dw::DW_AT_abstract_origin)
        .or_else(|| entry.attr_value(dw::DW_AT_specification))?;
    let AttributeValue::UnitRef(offset) = origin else { return None };
    unit.entry(offset).ok()
}

/// The name of an entry.
pub(super) fn name_of<'a>(unit: UnitRef<'_, Slice<'a>>, entry: &Entry<'a>) -> Option<String> {
    let name = unit.attr_string(entry.attr_value(dw::DW_AT_name)?).ok()?;
    Some(name.to_string_lossy().into_owned())
}

/// The type that an entry refers to.
pub(super) fn type_of(entry: &Entry<'_>) -> Option<UnitOffset> {
    let AttributeValue::UnitRef(offset) = entry.attr_value(dw::DW_AT_type)? else { return None };
    Some(offset)
}

/// A number.
pub(super) fn udata(entry: &Entry<'_>, name: gimli::DwAt) -> Option<u64> {
    entry.attr_value(name)?.udata_value()
}

/// Whether an entry has a flag.
pub(super) fn flag(entry: &Entry<'_>, name: gimli::DwAt) -> bool {
    matches!(entry.attr_value(name), Some(AttributeValue::Flag(true)))
}

/// Where an entry is declared.
pub(super) fn position_of(entry: &Entry<'_>, files: &BTreeMap<u64, FileId>) -> Option<Position> {
    let file = entry.attr_value(dw::DW_AT_decl_file)?;
    let file = if let AttributeValue::FileIndex(file) = file { file } else { file.udata_value()? };
    let file = *files.get(&file)?;
    let line = udata(entry, dw::DW_AT_decl_line).unwrap_or(0) as u32;
    let column = udata(entry, dw::DW_AT_decl_column).unwrap_or(0) as u32;
    Some(Position { file, line, column })
}

/// A file of a line table, relative to the folder of compilation.
pub(super) fn file_path<'a>(
    unit: UnitRef<'_, Slice<'a>>,
    header: &LineProgramHeader<Slice<'a>>,
    number: u64,
) -> Option<PathBuf> {
    let file = header.file(number)?;
    let mut path = PathBuf::new();
    if let Some(folder) = file.directory(header) {
        path.push(unit.attr_string(folder).ok()?.to_string_lossy().as_ref());
    }
    path.push(unit.attr_string(file.path_name()).ok()?.to_string_lossy().as_ref());
    Some(path)
}
