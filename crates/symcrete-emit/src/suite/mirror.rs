//! The small types of `suite.json`, and both ways between them and the program crate's.

use super::{ArgumentEntry, CallEntry, CellEntry, SuiteError};
use crate::native::BranchSide;
use serde::{Deserialize, Serialize};
use symcrete_program::outcome::{Resource, Storage};
use symcrete_program::shape::value_of;
use symcrete_program::{
    CellKind, Change, Drawn, Edge, NotedArgument, NotedCall, Outcome, Program, Scalar, SiteId,
    Trap, TrapKind,
};
use symcrete_term::{Sort, Value};

/// How a run ended.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "ended", rename_all = "kebab-case")]
pub enum OutcomeEntry {
    /// It returned.
    Returned {
        /// WebAssembly's results, as `TYPE BITS`.
        results: Vec<String>,
    },
    /// It did something wrong.
    Trapped {
        /// What.
        kind: String,
        /// More of it: the missing function, the failed check.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        detail: Option<String>,
        /// For people.
        message: String,
        /// The operator's offset in the module.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        site: Option<SiteEntry>,
    },
    /// It broke an assumption.
    Rejected {
        /// Where.
        site: SiteEntry,
    },
    /// It was stopped.
    Exhausted {
        /// What ran out.
        resource: String,
    },
    /// It ended the program.
    Exited {
        /// The exit code.
        code: i32,
    },
}

/// A place in the module.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SiteEntry {
    /// The operator's offset.
    pub offset: u32,
    /// Which target of a `br_table`.
    pub case: u16,
}

/// A side of a branch that a test took.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct EdgeEntry {
    /// The operator.
    #[serde(flatten)]
    pub site: SiteEntry,
    /// Whether WebAssembly's condition held.
    pub taken: bool,
    /// The side of the source, if the branch is one of the source's.
    #[serde(flatten)]
    pub side: Option<SideEntry>,
}

/// A side of a branch of the source.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SideEntry {
    /// The source file.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
    /// The condition as the source has it, or a case: `d*d < 4.0`, `case 3`.
    pub condition: String,
    /// Whether the source's condition held.
    pub holds: bool,
    /// Whether it is a case of a `switch`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_case: bool,
}

impl EdgeEntry {
    /// A side as the format has it.
    pub fn of(program: &Program, edge: Edge) -> EdgeEntry {
        let site = SiteEntry::of(edge.site);
        EdgeEntry { site, taken: edge.taken, side: SideEntry::of(program, edge) }
    }

    /// The side.
    pub fn edge(&self) -> Edge {
        Edge { site: self.site.site(), taken: self.taken }
    }
}

impl SideEntry {
    pub(super) fn of(program: &Program, edge: Edge) -> Option<SideEntry> {
        let BranchSide { file, line, column, condition, holds, is_case } =
            BranchSide::of(program, edge)?;
        Some(SideEntry { file, line, column, condition, holds, is_case })
    }

    /// As the native proof compares it.
    pub fn branch_side(&self) -> BranchSide {
        let SideEntry { file, line, column, condition, holds, is_case } = self.clone();
        BranchSide { file, line, column, condition, holds, is_case }
    }
}

impl SiteEntry {
    fn of(site: SiteId) -> SiteEntry {
        SiteEntry { offset: site.offset, case: site.case }
    }

    fn site(self) -> SiteId {
        SiteId { offset: self.offset, case: self.case }
    }
}

impl CellEntry {
    pub(super) fn of_drawn(drawn: &Drawn) -> CellEntry {
        let bits = format!("{:#x}", drawn.value.bits());
        CellEntry { name: drawn.name.clone(), kind: kind_name(drawn.kind), bits }
    }

    pub(super) fn of_change(change: &Change) -> CellEntry {
        let bits = format!("{:#x}", change.bits);
        CellEntry { name: change.name.clone(), kind: kind_name(change.kind), bits }
    }

    pub(super) fn drawn(&self) -> Result<Drawn, SuiteError> {
        let kind = self.cell_kind()?;
        let value = value_of(kind, bits_of(&self.name, &self.bits)?);
        Ok(Drawn { name: self.name.clone(), kind, value })
    }

    pub(super) fn change(&self) -> Result<Change, SuiteError> {
        let bits = bits_of(&self.name, &self.bits)?;
        Ok(Change { name: self.name.clone(), kind: self.cell_kind()?, bits })
    }

    fn cell_kind(&self) -> Result<CellKind, SuiteError> {
        let kind = match (self.kind.as_str(), self.kind.split_at_checked(1)) {
            ("bool", _) => Some(CellKind::Bool),
            ("f32", _) => Some(CellKind::F32),
            ("f64", _) => Some(CellKind::F64),
            (_, Some(("i", bits))) => int_kind(bits, true),
            (_, Some(("u", bits))) => int_kind(bits, false),
            _ => None,
        };
        kind.ok_or_else(|| wrong(&self.name, &self.kind))
    }
}

impl CallEntry {
    pub(super) fn of(call: &NotedCall) -> CallEntry {
        let argument = |argument: &NotedArgument| ArgumentEntry {
            param: argument.param,
            bits: format!("{:#x}", argument.bits),
            text: argument.text.as_deref().map(hexadecimal),
            bytes: argument.bytes.as_deref().map(hexadecimal),
        };
        CallEntry {
            function: call.function.clone(),
            arguments: call.arguments.iter().map(argument).collect(),
        }
    }

    fn call(&self) -> Result<NotedCall, SuiteError> {
        let argument = |argument: &ArgumentEntry| {
            let bytes = |text: &String| bytes_of(text).ok_or_else(|| wrong(&self.function, text));
            Ok(NotedArgument {
                param: argument.param,
                bits: bits_of(&self.function, &argument.bits)?,
                text: argument.text.as_ref().map(bytes).transpose()?,
                bytes: argument.bytes.as_ref().map(bytes).transpose()?,
            })
        };
        let arguments = self.arguments.iter().map(argument).collect::<Result<_, SuiteError>>()?;
        Ok(NotedCall { function: self.function.clone(), arguments })
    }
}

/// The calls that were written.
pub(super) fn noted_calls(entries: &[CallEntry]) -> Result<Vec<NotedCall>, SuiteError> {
    entries.iter().map(CallEntry::call).collect()
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn bytes_of(hexadecimal: &str) -> Option<Vec<u8>> {
    let digit = |&digit: &u8| char::from(digit).to_digit(16);
    let digits: Vec<u32> = hexadecimal.as_bytes().iter().map(digit).collect::<Option<_>>()?;
    let (bytes, rest) = digits.as_chunks();
    rest.is_empty().then(|| bytes.iter().map(|[high, low]| (16 * high + low) as u8).collect())
}

fn int_kind(bits: &str, signed: bool) -> Option<CellKind> {
    let bits = bits.parse().ok().filter(|bits| (1..=64).contains(bits))?;
    Some(CellKind::Int { bits, signed })
}

fn kind_name(kind: CellKind) -> String {
    match kind {
        CellKind::Bool => "bool".into(),
        CellKind::F32 => "f32".into(),
        CellKind::F64 => "f64".into(),
        CellKind::Int { bits, signed: true } => format!("i{bits}"),
        CellKind::Int { bits, signed: false } => format!("u{bits}"),
    }
}

/// `bv32 0x3`
pub(super) fn value_text(value: Value) -> String {
    let sort = match value.sort() {
        Sort::Bool => "bool".to_string(),
        Sort::Bv(width) => format!("bv{width}"),
        Sort::F32 => "f32".to_string(),
        Sort::F64 => "f64".to_string(),
    };
    format!("{sort} {:#x}", value.bits())
}

pub(super) fn value_of_text(name: &str, text: &str) -> Result<Value, SuiteError> {
    let unknown = || wrong(name, text);
    let (sort, bits) = text.split_once(' ').ok_or_else(unknown)?;
    let width = |sort: &str| sort.strip_prefix("bv")?.parse().ok().filter(|n| (1..=64).contains(n));
    let sort = match sort {
        "bool" => Sort::Bool,
        "f32" => Sort::F32,
        "f64" => Sort::F64,
        _ => Sort::Bv(width(sort).ok_or_else(unknown)?),
    };
    let bits = bits_of(name, bits)?;
    if bits & !sort.mask() != 0 {
        return Err(unknown());
    }
    Ok(Value::from_bits(sort, bits))
}

fn bits_of(name: &str, text: &str) -> Result<u64, SuiteError> {
    let digits = text.strip_prefix("0x").ok_or_else(|| wrong(name, text))?;
    u64::from_str_radix(digits, 16).map_err(|_| wrong(name, text))
}

fn wrong(name: &str, found: &str) -> SuiteError {
    SuiteError::Value { name: name.to_string(), found: found.to_string() }
}

impl OutcomeEntry {
    pub(super) fn of(outcome: &Outcome) -> OutcomeEntry {
        match outcome {
            Outcome::Returned(results) => {
                OutcomeEntry::Returned { results: results.iter().map(scalar_text).collect() }
            }
            Outcome::Trapped(trap) => {
                let (kind, detail) = trap_name(&trap.kind);
                OutcomeEntry::Trapped {
                    kind: kind.into(),
                    detail,
                    message: trap.kind.to_string(),
                    site: trap.site.map(SiteEntry::of),
                }
            }
            Outcome::Rejected(site) => OutcomeEntry::Rejected { site: SiteEntry::of(*site) },
            Outcome::Exhausted(resource) => {
                OutcomeEntry::Exhausted { resource: resource.to_string() }
            }
            Outcome::Exited(code) => OutcomeEntry::Exited { code: *code },
        }
    }

    pub(super) fn outcome(&self) -> Result<Outcome, SuiteError> {
        Ok(match self {
            OutcomeEntry::Returned { results } => {
                let results = results.iter().map(|text| scalar_of(text));
                Outcome::Returned(results.collect::<Result<_, _>>()?)
            }
            OutcomeEntry::Trapped { kind, detail, site, .. } => Outcome::Trapped(Trap {
                kind: trap_of(kind, detail.as_deref()).ok_or_else(|| wrong("kind", kind))?,
                site: site.map(SiteEntry::site),
            }),
            OutcomeEntry::Rejected { site } => Outcome::Rejected(site.site()),
            OutcomeEntry::Exhausted { resource } => {
                let known = RESOURCES.iter().find(|known| known.to_string() == *resource);
                Outcome::Exhausted(*known.ok_or_else(|| wrong("resource", resource))?)
            }
            OutcomeEntry::Exited { code } => Outcome::Exited(*code),
        })
    }
}

const RESOURCES: &[Resource] =
    &[Resource::Fuel, Resource::Terms, Resource::Constraints, Resource::Time, Resource::Model];

fn scalar_text(scalar: &Scalar) -> String {
    match scalar {
        Scalar::I32(bits) => format!("i32 {bits:#x}"),
        Scalar::I64(bits) => format!("i64 {bits:#x}"),
        Scalar::F32(bits) => format!("f32 {bits:#x}"),
        Scalar::F64(bits) => format!("f64 {bits:#x}"),
        Scalar::FuncRef { null } => format!("funcref {:#x}", u8::from(!null)),
    }
}

fn scalar_of(text: &str) -> Result<Scalar, SuiteError> {
    let unknown = || wrong("results", text);
    let (kind, bits) = text.split_once(' ').ok_or_else(unknown)?;
    let bits = bits_of("results", bits)?;
    let narrow = || u32::try_from(bits).map_err(|_| unknown());
    Ok(match kind {
        "i32" => Scalar::I32(narrow()?),
        "i64" => Scalar::I64(bits),
        "f32" => Scalar::F32(narrow()?),
        "f64" => Scalar::F64(bits),
        "funcref" => Scalar::FuncRef { null: bits == 0 },
        _ => return Err(unknown()),
    })
}

/// Traps without detail.
const TRAPS: &[TrapKind] = &[
    TrapKind::Unreachable,
    TrapKind::DivisionByZero,
    TrapKind::IntegerOverflow,
    TrapKind::InvalidConversion,
    TrapKind::MemoryOutOfBounds,
    TrapKind::TableOutOfBounds,
    TrapKind::NullCall,
    TrapKind::CallTypeMismatch,
    TrapKind::StackOverflow,
    TrapKind::NullPointer,
    TrapKind::OutOfObject,
    TrapKind::OutOfVariable(Storage::Global),
    TrapKind::OutOfVariable(Storage::Local),
    TrapKind::OutOfVariable(Storage::Heap),
    TrapKind::UseAfterFree,
    TrapKind::UseAfterReturn,
    TrapKind::UseAfterScope,
    TrapKind::ConstantWritten,
    TrapKind::OverlappingCopy,
    TrapKind::StaleJump,
    TrapKind::UnsetJump,
    TrapKind::DoubleFree,
    TrapKind::InvalidFree,
    TrapKind::Leak,
    TrapKind::Uninitialized,
    TrapKind::Abort,
    TrapKind::AssertionFailed,
    TrapKind::ReachError,
    TrapKind::InvalidName,
];

/// The name of a trap, and more of it.
pub(crate) fn trap_name(kind: &TrapKind) -> (&'static str, Option<String>) {
    let name = match kind {
        TrapKind::MissingImport(name) => return ("missing-import", Some(name.clone())),
        TrapKind::Check(name) => return ("check", Some((*name).to_string())),
        TrapKind::Unreachable => "unreachable",
        TrapKind::DivisionByZero => "division-by-zero",
        TrapKind::IntegerOverflow => "integer-overflow",
        TrapKind::InvalidConversion => "invalid-conversion",
        TrapKind::MemoryOutOfBounds => "memory-out-of-bounds",
        TrapKind::TableOutOfBounds => "table-out-of-bounds",
        TrapKind::NullCall => "null-call",
        TrapKind::CallTypeMismatch => "call-type-mismatch",
        TrapKind::StackOverflow => "stack-overflow",
        TrapKind::NullPointer => "null-pointer",
        TrapKind::OutOfObject => "out-of-object",
        TrapKind::OutOfVariable(Storage::Global) => "out-of-global",
        TrapKind::OutOfVariable(Storage::Local) => "out-of-local",
        TrapKind::OutOfVariable(Storage::Heap) => "out-of-heap",
        TrapKind::UseAfterFree => "use-after-free",
        TrapKind::UseAfterReturn => "use-after-return",
        TrapKind::UseAfterScope => "use-after-scope",
        TrapKind::ConstantWritten => "constant-written",
        TrapKind::OverlappingCopy => "overlapping-copy",
        TrapKind::StaleJump => "stale-jump",
        TrapKind::UnsetJump => "unset-jump",
        TrapKind::DoubleFree => "double-free",
        TrapKind::InvalidFree => "invalid-free",
        TrapKind::Leak => "leak",
        TrapKind::Uninitialized => "uninitialized",
        TrapKind::Abort => "abort",
        TrapKind::AssertionFailed => "assertion-failed",
        TrapKind::ReachError => "reach-error",
        TrapKind::InvalidName => "invalid-name",
    };
    (name, None)
}

fn trap_of(name: &str, detail: Option<&str>) -> Option<TrapKind> {
    /// More than clang and we have.
    const HANDLERS: u32 = 128;
    match (name, detail) {
        ("missing-import", Some(detail)) => Some(TrapKind::MissingImport(detail.to_string())),
        ("check", Some(detail)) => (0..HANDLERS)
            .map(TrapKind::of_sanitizer)
            .chain([TrapKind::UNWRITTEN])
            .find(|kind| matches!(kind, TrapKind::Check(name) if *name == detail)),
        _ => TRAPS.iter().find(|known| trap_name(known).0 == name).cloned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checks_are_read_as_they_are_written() {
        let kinds = [0, 7, 14, 22, 23, 24, 100, 101].map(TrapKind::of_sanitizer);
        for kind in kinds.into_iter().chain([TrapKind::UNWRITTEN, TrapKind::ConstantWritten]) {
            let (name, detail) = trap_name(&kind);
            assert_eq!(trap_of(name, detail.as_deref()), Some(kind));
        }
    }
}
